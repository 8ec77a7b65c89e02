"""The word that governs the pronoun."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from anaphor.analyse.function import AnalysedSentence, FunctionClassifier, FunctionGuess, ItPosition
from anaphor.predict.features.context import Needs, Scene, Staged, Tokens
from anaphor.predict.features.groups import Feature, Said
from anaphor.predict.options import option

_REACH = 6
_SKIPPED = frozenset({"ADV", "PART", "DET", "AUX"})
_BE = frozenset({"be", "être", "sein", "ser", "estar"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Head and relation of the source pronoun, and what they became in the target.

    Where the analyser makes trees, these are theirs. The built-in one makes none: there the head of a subject
    is the first verb behind it, *be* included, and that of another pronoun the nearest verb or preposition
    before it; the relation is `subject` or `object`.

    - `hd.lemma=work`, `hd.tag=VERB`, `hd.relation=subject`: of the source.
    - `hd.target=marche`: a target word aligned to the head.
    - `hd.said=important`, `hd.said.target=importante`: what *be* says of the subject (with `predicate`).
    """

    predicate: bool = option(True, "the word that the verb be ascribes to its subject")

    @property
    def needs(self) -> Needs:
        return Needs(source=True)

    def features(self, scene: Scene) -> list[str]:
        source, pronoun = scene.here.source, scene.pronoun
        head, relation = head_of(source, scene.slot.source)
        found = [f"hd.relation={relation}&{pronoun}"]
        if head is None:
            return [*found, f"hd.none&{pronoun}"]
        lemma = source.lemma(head)
        found += [
            f"hd.lemma={lemma}",
            f"hd.lemma={lemma}&{relation}&{pronoun}",
            f"hd.tag={source.tags[head]}&{pronoun}",
        ]
        found += [f"hd.target={word}&{pronoun}" for word in _linked(scene, head)]
        said = _said(source, head) if self.predicate and lemma == "be" else None
        if said is not None:
            found.append(f"hd.said={source.lemma(said)}&{pronoun}")
            found.append(f"hd.said.tag={source.tags[said]}&{pronoun}")
            found += [f"hd.said.target={word}&{pronoun}" for word in _linked(scene, said)]
        return found


def head_of(tokens: Tokens, at: int) -> tuple[int | None, str]:
    """The head of a token and its relation to it, from the tree or by rule."""
    tree = tokens.analysis.tree
    if tree is not None:
        return tree.heads[at], tree.relations[at]
    if at in tokens.analysis.subjects:
        return _verb(tokens, range(at + 1, min(at + _REACH, len(tokens.tags)))), "subject"
    return _verb(tokens, range(at - 1, max(at - _REACH, -1), -1), prepositions=True), "object"


def _verb(tokens: Tokens, places: range, *, prepositions: bool = False) -> int | None:
    tags = tokens.tags
    for place in places:
        tag = tags[place]
        if tag == "VERB" or (tag == "AUX" and tokens.lemma(place) in _BE) or (prepositions and tag == "ADP"):
            return place
    return None


def _said(tokens: Tokens, verb: int) -> int | None:
    places = range(verb + 1, min(verb + _REACH, len(tokens.tags)))
    return next((place for place in places if tokens.tags[place] not in _SKIPPED), None)


def _linked(scene: Scene, source: int) -> list[str]:
    here = scene.here
    return [*map(here.target.word, here.segment.alignment.targets_of(source))]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfIt:
    """Whether *it* stands for a thing, for an event, or for nothing.

    The classifier of `anaphor.analyse.function` takes the part of NADA. It learned from talks that are also
    the development set of 2015, so figures on that set flatter whatever uses it.

    - `fi=pleonastic`: the likeliest function; `fi.sure=pleonastic`: it has a probability of 0.8 or more.
    - `fi.share`: how probable the likeliest function is, a number, joined with the function.
    """

    @property
    def needs(self) -> Needs:
        return Needs(source=True, sentences=1, enough=(_is_enough,))

    def features(self, scene: Scene) -> Sequence[Feature]:
        return self._rows([scene])[0]

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        return [self._rows(scenes)]

    def _rows(self, scenes: Sequence[Scene]) -> list[Sequence[Feature]]:
        asked = [scene.pronoun == "it" for scene in scenes]
        found = functions_of([*compress(scenes, asked)])
        return [_features(next(found)) if one else () for one in asked]


def _is_enough(scene: Scene) -> bool:
    """Nothing is said of other pronouns, and of *it* no more than one sentence before is looked at."""
    return scene.pronoun != "it" or bool(scene.before)


def functions_of(scenes: Sequence[Scene]) -> Iterator[FunctionGuess]:
    """The likeliest function of each of the source pronouns, and how likely it is."""
    return iter(FunctionClassifier.built_in().guess_all([*map(_place, scenes)]))


def _place(scene: Scene) -> ItPosition:
    before = _sentence(scene.before[0]) if scene.before else None
    return ItPosition(_sentence(scene.here), scene.slot.source, before)


def _sentence(staged: Staged) -> AnalysedSentence:
    return AnalysedSentence(staged.segment.source, staged.source.analysis)


def _features(guess: FunctionGuess) -> list[Feature]:
    function, probability = guess
    found: list[Feature] = [f"fi={function}", (f"fi.share&{function}", probability)]
    return [*found, f"fi.sure={function}"] if probability >= 0.8 else found
