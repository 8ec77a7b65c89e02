"""What an English *it* does: stand for a thing, stand for an event, or for nothing.

The classifier is small and errs often on events; `docs/suites/function-of-it.md` has its figures. Whatever
rests on it is marked as automatic, for people to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from anaphor.analyse.function_features import AnalysedSentence, features_of
from anaphor.analyse.function_model import MaxentModel, read_maxent

FUNCTIONS = ("anaphoric", "event", "pleonastic")
_MODEL = Path(__file__).parent / "models" / "function-of-it.en.json"


class Place(NamedTuple):
    """A token of a sentence, and the sentence before, if any."""

    sentence: AnalysedSentence
    position: int
    before: AnalysedSentence | None


class FunctionGuess(NamedTuple):
    """The likeliest function, and its probability under the model."""

    function: str
    probability: float


class FunctionClassifier:
    """Guesses the function of *it*."""

    def __init__(self, model: MaxentModel) -> None:
        self._model = model

    @classmethod
    def built_in(cls) -> FunctionClassifier:
        """The classifier that ships with the package."""
        return cls(_built_in())

    def digest(self) -> str:
        """Names the model by its content."""
        return self._model.digest()

    def guess(self, sentences: Sequence[AnalysedSentence], segment: int, position: int) -> FunctionGuess:
        """The function of the token at a position of a segment of a document."""
        before = sentences[segment - 1] if segment else None
        return self.guess_all([Place(sentences[segment], position, before)])[0]

    def guess_all(self, places: Sequence[Place]) -> list[FunctionGuess]:
        """The function of each of many tokens."""
        shares = self._model.probabilities_of_all(features_of(*place) for place in places)
        labels = map(self._model.labels.__getitem__, shares.argmax(axis=1).tolist())
        return [*map(FunctionGuess, labels, shares.max(axis=1).tolist())]


@cache
def _built_in() -> MaxentModel:
    """Read once; the file is part of the package."""
    return read_maxent(_MODEL)
