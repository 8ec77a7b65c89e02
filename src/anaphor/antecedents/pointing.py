"""A second opinion on antecedents: a network that reads the text around a pronoun.

The resolver weighs what it knows of each candidate; a `Pointer` gives every candidate one more score. It is
handed in, because networks live in a package that this one does not know. Without one the resolver goes by
its features alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents.mentions import Mention
from anaphor.core import InputError, Where
from anaphor.core.records import shipped_rows


class PointedPronoun(NamedTuple):
    """A pronoun by sentence and position, and its candidates with how they suit it.

    See `EnglishText.fitting`.
    """

    sentence: int
    position: int
    candidates: Sequence[tuple[Mention, str]]


class Pointer(Protocol):
    """Scores candidates of pronouns."""

    def point(
        self, sentences: Sequence[AnalysedSentence], pronouns: Sequence[PointedPronoun]
    ) -> list[list[float]]:
        """For each pronoun the log probability of every candidate, then of every function.

        A candidate that is too far away to be read has none: NaN.
        """
        ...


class Influence(NamedTuple):
    """How much the features and each opinion of a pointer count for one pronoun.

    `unread` is what a candidate gets that the pointer has not read.
    """

    features: float
    nouns: float
    pronouns: float
    event: float
    pleonastic: float
    generic: float
    unread: float

    def scores(
        self, features: Sequence[float], opinions: Sequence[float], candidates: Sequence[Mention]
    ) -> list[float]:
        """The scores of candidates and functions by both."""
        kinds = [self.pronouns if one.kind == "pronoun" else self.nouns for one in candidates]
        kinds += [self.event, self.pleonastic, self.generic]
        return [
            self.features * feature + (self.unread if math.isnan(opinion) else kind * opinion)
            for feature, opinion, kind in zip(features, opinions, kinds, strict=True)
        ]


def parse_influence(text: str, *, path: str) -> dict[str, Influence]:
    """The influence on each pronoun, from lines with a pronoun, what counts, and how much."""
    values: dict[str, dict[str, float]] = {}
    for row in shipped_rows(text.split("\n")):
        values.setdefault(row[0], {})[row[1]] = float(row[2])
    try:
        return {pronoun: Influence(**own) for pronoun, own in values.items()}
    except TypeError as error:
        raise InputError(str(error), where=Where(path), fix="name every part once") from None
