"""The syntax of the source pronoun: the word that governs it, and the function of an English *it*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from anaphor.analyse.function import AnalysedSentence, FunctionClassifier, FunctionGuess, ItPosition
from anaphor.predict.options import option
from anaphor.recipes.features.context import AnalysedSegment, Requirements, SlotContext
from anaphor.recipes.features.groups import Feature, FeatureBlock, FeatureGroup
from anaphor.recipes.features.tokens import AnnotatedTokens

_REACH = 6
_SKIPPED = frozenset({"ADV", "PART", "DET", "AUX"})
_BE = frozenset({"be", "être", "sein", "ser", "estar"})
_SURE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Head(FeatureGroup):
    """Head and dependency relation of the source pronoun, and their translations.

    They come from the dependency tree if the analyser builds one. The built-in analyser does not. With it,
    the head of a subject is the first verb after it, including *be*; the head of any other pronoun is the
    nearest verb or preposition before it; and the relation is `subject` or `object`.

    - `hd.lemma=work`, `hd.tag=VERB`, `hd.relation=subject`: in the source.
    - `hd.target=marche`: a target word aligned to the head.
    - `hd.said=important`, `hd.said.target=importante`: the predicate of *be* (with `predicate`).
    """

    predicate: bool = option(True, "use the predicate of the verb be")

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=True)

    def features(self, context: SlotContext) -> list[str]:
        here, pronoun = context.here, context.pronoun
        source, target, links = here.source, here.target, here.segment.alignment
        head, relation = head_of(source, context.slot.source)
        names = [f"hd.relation={relation}&{pronoun}"]
        if head is None:
            return [*names, f"hd.none&{pronoun}"]
        lemma = source.lemma(head)
        names += [
            f"hd.lemma={lemma}",
            f"hd.lemma={lemma}&{relation}&{pronoun}",
            f"hd.tag={source.tags[head]}&{pronoun}",
        ]
        names += [f"hd.target={target.word(place)}&{pronoun}" for place in links.targets_of(head)]
        if self.predicate and lemma == "be":
            places = range(head + 1, min(head + _REACH, len(source.tags)))
            said = next((place for place in places if source.tags[place] not in _SKIPPED), None)
            if said is not None:
                names.append(f"hd.said={source.lemma(said)}&{pronoun}")
                names.append(f"hd.said.tag={source.tags[said]}&{pronoun}")
                names += [
                    f"hd.said.target={target.word(place)}&{pronoun}" for place in links.targets_of(said)
                ]
        return names


def head_of(tokens: AnnotatedTokens, at: int) -> tuple[int | None, str]:
    """The head of a token and its relation to it, from the tree or by rule."""
    tree = tokens.analysis.tree
    if tree is not None:
        return tree.heads[at], tree.relations[at]
    if at in tokens.analysis.subjects:
        return _first_verb(tokens, range(at + 1, min(at + _REACH, len(tokens.tags)))), "subject"
    return _first_verb(tokens, range(at - 1, max(at - _REACH, -1), -1), prepositions=True), "object"


def _first_verb(tokens: AnnotatedTokens, places: range, *, prepositions: bool = False) -> int | None:
    tags = tokens.tags
    for place in places:
        tag = tags[place]
        if tag == "VERB" or (tag == "AUX" and tokens.lemma(place) in _BE) or (prepositions and tag == "ADP"):
            return place
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfIt(FeatureGroup):
    """Whether *it* is referential, refers to an event, or is pleonastic.

    The classifier in `anaphor.analyse.function` replaces NADA. It was trained on the talks of the 2015
    development set, so systems that use it get optimistic results on that set.

    - `fi=pleonastic`: the most likely function; `fi.sure=pleonastic`: it has a probability of at least 0.8.
    - `fi.share`: the probability of the most likely function, as one feature per function.
    """

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=True, sentences=1, sufficient=(_is_sufficient,))

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        is_it = [context.pronoun == "it" for context in contexts]
        guesses = functions_of([*compress(contexts, is_it)])
        rows: list[Sequence[Feature]] = []
        for applies in is_it:
            if not applies:
                rows.append(())
                continue
            function, probability = next(guesses)
            row: list[Feature] = [f"fi={function}", (f"fi.share&{function}", probability)]
            rows.append([*row, f"fi.sure={function}"] if probability >= _SURE else row)
        return [rows]


def _is_sufficient(context: SlotContext) -> bool:
    """Other pronouns have no features, and for *it* at most one preceding sentence is used."""
    return context.pronoun != "it" or bool(context.before)


def functions_of(contexts: Sequence[SlotContext]) -> Iterator[FunctionGuess]:
    """The most likely function of each source pronoun, and its probability."""

    def sentence(analysed: AnalysedSegment) -> AnalysedSentence:
        return AnalysedSentence(analysed.segment.source, analysed.source.analysis)

    positions = [
        ItPosition(
            sentence(context.here),
            context.slot.source,
            sentence(context.before[0]) if context.before else None,
        )
        for context in contexts
    ]
    return iter(FunctionClassifier.built_in().guess_all(positions))
