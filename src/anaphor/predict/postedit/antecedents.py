"""How the antecedent of a pronoun changes its prediction.

The networks predict *es* for *it* too often, because it is the most frequent class in ordinary text. The
resolver finds what a source pronoun refers to, and the gender of the candidate's own noun for it is known:
the probability of a pronoun is multiplied by its degree of agreement with that noun. In English, where nouns
have no gender, pronouns with one antecedent are combined instead. In all languages they are marked as a
chain, so that no proposal makes them differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anaphor.antecedents import Expectation, TargetDocument, TargetLanguage
from anaphor.predict.postedit.chains import agrees, chains, combine_chains, predicted_documents
from anaphor.predict.postedit.types import LinkedText, OccurrencePrediction

#: Added to every agreement: the resolver may be wrong and must not rule out a pronoun. From 0.02 to 0.1 it
#: makes hardly a difference on benchmarks/postedit/handwritten/development, where it was chosen.
_LEAST = 0.05


def use_antecedents(
    text: LinkedText, predictions: Sequence[OccurrencePrediction]
) -> list[OccurrencePrediction]:
    """The predictions, adjusted for what the source pronouns refer to."""
    if text.pair.target == "en":
        return combine_chains(text, predictions)
    return weigh_agreement(text, predictions)


def weigh_agreement(
    text: LinkedText, predictions: Sequence[OccurrencePrediction]
) -> list[OccurrencePrediction]:
    """The predictions, with personal pronouns weighed by their agreement with the candidate's antecedents.

    The share of the other classes, which show no gender or number (*ce*, *man*), is unchanged.
    """
    language = TargetLanguage.load(text.pair.target)
    # Pronouns that are predicted may be wrong, and should not support each other.
    tokens = [list(sentence.tokens) for sentence in text.candidate]
    for prediction in predictions:
        tokens[prediction.occurrence.pronoun.segment][prediction.occurrence.position] = ""
    weighed, documents = list(predictions), list(predicted_documents(text, predictions))
    for start, sentences, resolved, numbers in documents:
        end = start + len(sentences)
        document = TargetDocument(language, resolved, tokens[start:end], text.alignments[start:end])
        for place, number in numbers.items():
            if place in resolved:
                weighed[number] = _weighed(weighed[number], document.expectation(place), language)
    for chain, members in enumerate(chains(documents)):
        for number in members:
            weighed[number] = replace(weighed[number], chain=chain)
    return weighed


def _weighed(
    prediction: OccurrencePrediction, expected: Expectation, language: TargetLanguage
) -> OccurrencePrediction:
    shares = dict(prediction.probabilities)
    weighed = {
        label: share * (language.agreement(label, expected).agree + _LEAST)
        for label, share in shares.items()
        if agrees(label, language)
    }
    # What is personal keeps its share; only its division changes.
    scale = sum(shares[label] for label in weighed) / (sum(weighed.values()) or 1.0)
    shares |= {label: scale * share for label, share in weighed.items()}
    return replace(prediction, probabilities=dict(sorted(shares.items(), key=lambda share: -share[1])))
