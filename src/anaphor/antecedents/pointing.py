"""A second opinion on antecedents: a network that reads the text around a pronoun.

The resolver weighs features of each candidate; a `Pointer` gives every candidate one more score. It is passed
in, because networks are in a package that this one does not import. Without a pointer the resolver uses its
features alone.
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
    """A pronoun by sentence and position, with its candidates and how well they fit.

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
        """For each pronoun, return the log probability of every candidate, then of every function.

        A candidate that is too far away to be read has none: NaN.
        """
        ...


class Influence(NamedTuple):
    """The weights of the features and of each opinion of a pointer for one pronoun.

    `unread` is the score of a candidate that the pointer has not read.
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
        """The combined scores of candidates and functions."""
        # Log probabilities and sums of weights have different scales, hence a weight for each.
        kinds = [self.pronouns if one.kind == "pronoun" else self.nouns for one in candidates]
        kinds += [self.event, self.pleonastic, self.generic]
        return [
            self.features * feature + (self.unread if math.isnan(opinion) else kind * opinion)
            for feature, opinion, kind in zip(features, opinions, kinds, strict=True)
        ]


def parse_influence(text: str, *, path: str) -> dict[str, Influence]:
    """Parse the weights for each pronoun, from lines with a pronoun, a name and a value."""
    values: dict[str, dict[str, float]] = {}
    for row in shipped_rows(text.split("\n")):
        values.setdefault(row[0], {})[row[1]] = float(row[2])
    try:
        return {pronoun: Influence(**own) for pronoun, own in values.items()}
    except TypeError as error:
        raise InputError(str(error), where=Where(path), fix="list every part once") from None
