"""What an English *it* does: the guess of the package's own classifier."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.analyse.function import FunctionClassifier
from anaphor.analyse.function_features import AnalysedSentence
from anaphor.core import Analysis
from anaphor.predict.features.groups import Feature
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
        return Needs(source=True, sentences=1)

    def features(self, scene: Scene) -> list[Feature]:
        if scene.pronoun != "it":
            return []
        function, probability = function_of(scene)
        found: list[Feature] = [f"fi={function}", (f"fi.share&{function}", probability)]
        return [*found, f"fi.sure={function}"] if probability >= 0.8 else found


def function_of(scene: Scene) -> tuple[str, float]:
    """The likeliest function of the source pronoun, and how likely it is."""
    sentences = [_sentence(staged) for staged in (*scene.before[:1], scene.here)]
    guess = FunctionClassifier.built_in().guess(sentences, len(sentences) - 1, scene.slot.source)
    return guess.function, guess.probability


def _sentence(staged: Staged) -> AnalysedSentence:
    source = staged.source
    analysis = Analysis(source.lemmas, source.tags, source.subjects, source.expletives)
    return AnalysedSentence(staged.segment.source, analysis)
