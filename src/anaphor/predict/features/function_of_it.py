"""What an English *it* does: the guess of the package's own classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

from anaphor.analyse.function import FunctionClassifier, FunctionGuess, Place
from anaphor.analyse.function_features import AnalysedSentence
from anaphor.predict.features.groups import Feature, Said
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene, Staged


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


def _place(scene: Scene) -> Place:
    before = _sentence(scene.before[0]) if scene.before else None
    return Place(_sentence(scene.here), scene.slot.source, before)


def _sentence(staged: Staged) -> AnalysedSentence:
    return AnalysedSentence(staged.segment.source, staged.source.analysis)


def _features(guess: FunctionGuess) -> list[Feature]:
    function, probability = guess
    found: list[Feature] = [f"fi={function}", (f"fi.share&{function}", probability)]
    return [*found, f"fi.sure={function}"] if probability >= 0.8 else found
