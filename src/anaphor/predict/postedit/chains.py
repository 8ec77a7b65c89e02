"""Pronouns with one antecedent get one gender and number: their predictions are combined, or held back.

A predictor sees each pronoun separately, so *if they dry, they die* may become *s'ils sèchent, elles
meurent*. The resolver finds pronouns of the source that refer to the same thing; coordinated Spanish verbs
without a subject share one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from anaphor.analyse.contract import load_analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import (
    Place,
    PronounAntecedents,
    ResolvedDocument,
    Resolver,
    TargetLanguage,
    resolver_languages,
)
from anaphor.predict.postedit.types import LinkedText, OccurrencePrediction

#: Two pronouns are in one chain if they refer to the same thing with at least this probability.
_SAME = 0.5
#: No class is impossible: a predictor that is sure and wrong must not decide for a whole chain.
_LEAST = 1e-4
_ENGLISH_PERSONAL = frozenset(["he", "she", "it", "they"])
#: Spanish verbs that often have no subject in any language, and words that begin another clause.
_IMPERSONAL = frozenset(["haber", "ser", "hacer", "parecer", "tratar", "bastar", "llover"])
_SUBORDINATING = frozenset(["que", "quien", "quienes", "cual", "cuales", "donde", "como"])


def combine_chains(
    text: LinkedText, predictions: Sequence[OccurrencePrediction]
) -> list[OccurrencePrediction]:
    """The predictions, with one distribution over personal pronouns for all pronouns of a chain.

    It is the normalized geometric mean. The share of the other classes, which show no gender or number (*ce*,
    *man*), is unchanged at every pronoun.
    """
    combined = list(predictions)
    language = TargetLanguage.load(text.pair.target)
    for number, chain in enumerate(chains(predicted_documents(text, predictions))):
        labels = [label for label in predictions[chain[0]].probabilities if agrees(label, language)]
        mean = {
            label: math.prod(max(predictions[member].probabilities[label], _LEAST) for member in chain)
            ** (1 / len(chain))
            for label in labels
        }
        total = sum(mean.values())
        for member in chain:
            shares = dict(predictions[member].probabilities)
            personal = sum(shares[label] for label in labels)
            shares |= {label: personal * mean[label] / total for label in labels}
            ordered = dict(sorted(shares.items(), key=lambda share: -share[1]))
            combined[member] = replace(predictions[member], probabilities=ordered, chain=number)
    return combined


def agrees(label: str, language: TargetLanguage) -> bool:
    """Whether a class has one gender or is plural: elle, es, she, but not ce, cela, on, man, this."""
    if language.code == "en":
        return label in _ENGLISH_PERSONAL
    readings = language.pronouns.get(label, frozenset())
    return (
        language.shows_gender(label)
        and len({reading.gender for reading in readings if reading.number == "s"}) < 2
    )


class PredictedDocument(NamedTuple):
    """A document of the source, analysed and resolved.

    `start` is its first segment, and `numbers` has those of the predictions for its pronouns.
    """

    start: int
    sentences: Sequence[AnalysedSentence]
    resolved: ResolvedDocument
    numbers: Mapping[Place, int]


def predicted_documents(
    text: LinkedText, predictions: Sequence[OccurrencePrediction]
) -> Iterator[PredictedDocument]:
    """The documents with predictions; none in a source language without a resolver."""
    if text.pair.source not in resolver_languages():
        return
    analyser, resolver = load_analyser("built-in", language=text.pair.source), Resolver.load(text.pair.source)
    numbers: defaultdict[int, list[int]] = defaultdict(list)
    for number, prediction in enumerate(predictions):
        numbers[prediction.occurrence.pronoun.segment].append(number)
    segments = range(len(text.source))
    for _, group in groupby(segments, key=lambda n: "" if text.documents is None else text.documents[n]):
        here = list(group)
        numbered = {
            Place(segment - here[0], predictions[number].occurrence.pronoun.position): number
            for segment in here
            for number in numbers.get(segment, ())
        }
        if not numbered:
            continue
        tokens = [text.source[segment].tokens for segment in here]
        analysed = [
            AnalysedSentence(words, analysis)
            for words, analysis in zip(tokens, analyser.analyse(tokens), strict=True)
        ]
        yield PredictedDocument(here[0], analysed, resolver.resolve(analysed), numbered)


def chains(documents: Iterable[PredictedDocument]) -> Iterator[list[int]]:
    """The numbers of predictions whose source pronouns refer to the same thing; two or more."""
    for _, analysed, resolved, numbers in documents:
        tokens = [sentence.tokens for sentence in analysed]
        members: list[list[int]] = []
        chain_of: dict[Place, int] = {}  # the number of a pronoun's chain
        for place, number in sorted(numbers.items()):
            form = tokens[place.sentence][place.position].lower()
            # The nearest earlier pronoun of the same form: *it* is never one with *they*.
            earlier = next(
                (
                    before
                    for before in reversed(chain_of)
                    if (
                        tokens[before.sentence][before.position].lower() == form
                        and _same(resolved[before], resolved[place], before) >= _SAME
                        if place in resolved and before in resolved
                        else _coordinated(analysed[place.sentence], before, place)
                    )
                ),
                None,
            )
            if earlier is None:
                chain_of[place] = len(members)
                members.append([])
            else:
                chain_of[place] = chain_of[earlier]
            members[chain_of[place]].append(number)
        yield from (chain for chain in members if len(chain) > 1)


def _same(earlier: PronounAntecedents, later: PronounAntecedents, place: Place) -> float:
    """The probability that a pronoun refers to the same thing as an earlier one, at `place`."""
    linked = sum(
        share for mention, share in later.candidates if (mention.sentence, mention.position) == place
    )
    nouns = (pair for pair in later.candidates if pair[0].kind != "pronoun")
    return linked + sum(share * earlier.heads.get(noun, 0.0) for noun, share in nouns)


def _coordinated(sentence: AnalysedSentence, first: Place, second: Place) -> bool:
    """Whether two verbs without a subject are in one sentence and agree in number, with no possible separate
    subject between them: *llegó tarde y no dijo nada*.
    """
    analysis, start, end = sentence.analysis, first.position, second.position
    if first.sentence != second.sentence or not {start, end} <= analysis.null_subjects:
        return False
    words = [word.lower() for word in sentence.tokens[start : end + 1]]
    between = range(start + 1, end)
    return (
        words[0].endswith("n") == words[-1].endswith("n")
        and _IMPERSONAL.isdisjoint((analysis.lemmas[start], analysis.lemmas[end]))
        and _SUBORDINATING.isdisjoint(words)
        and analysis.subjects.isdisjoint(between)
        and not any(analysis.tags[place] == "SCONJ" for place in between)
    )
