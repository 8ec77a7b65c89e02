"""What an English *it* does: stand for a thing, stand for an event, or for nothing.

The classifier is small and errs often on events; `docs/suites/function-of-it.md` has its figures. Whatever
rests on it is marked as automatic, for people to confirm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anaphor.analyse.function_features import AnalysedSentence, features_of
from anaphor.analyse.function_model import MaxentModel, read_maxent

FUNCTIONS = ("anaphoric", "event", "pleonastic")
_MODEL = Path(__file__).parent / "models" / "function-of-it.en.json"


@dataclass(frozen=True, slots=True)
class FunctionGuess:
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

    def guess(self, sentences: Sequence[AnalysedSentence], segment: int, position: int) -> FunctionGuess:
        """The function of the token at a position of a segment of a document."""
        before = sentences[segment - 1] if segment else None
        shares = self._model.probabilities(features_of(sentences[segment], position, before))
        best = int(shares.argmax())
        return FunctionGuess(self._model.labels[best], float(shares[best]))


@cache
def _built_in() -> MaxentModel:
    """Read once; the file is part of the package."""
    return read_maxent(_MODEL)
