"""The tables of the original AutoPRF, to the last space.

Ratios are 32-bit floats and are rounded half up from their shortest decimal form, as Java does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

_PLACES = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class Tally:
    """Matching words, and all words, aligned to some source pronouns."""

    matches: int = 0
    reference: int = 0
    candidate: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.matches + other.matches,
            self.reference + other.reference,
            self.candidate + other.candidate,
        )

    @property
    def precision(self) -> np.float32:
        return _ratio(self.matches, self.candidate)

    @property
    def recall(self) -> np.float32:
        return _ratio(self.matches, self.reference)

    @property
    def f1(self) -> np.float32:
        """The harmonic mean, NaN if precision and recall are both 0 or one is undefined."""
        return _ratio(np.float32(2) * self.precision * self.recall, self.precision + self.recall)


def total(tallies: Iterable[Tally]) -> Tally:
    return sum(tallies, Tally())


def recall_table(
    names: Sequence[str], rows: Sequence[Mapping[str, Tally]], pronouns: Sequence[str], *, decimal: str
) -> str:
    """Recall per document and pronoun; a row of the table for each document, then the sums."""
    lines = [
        "Pronoun translation recall per document:",
        " " * 20 + "".join(f"{form:>9}   " for form in pronouns),
    ]
    for name, row in zip(names, rows, strict=True):
        lines.append(_recall_row(f"{name:>18}", [row.get(form, Tally()) for form in pronouns], decimal))
    sums = [total(row.get(form, Tally()) for row in rows) for form in pronouns]
    lines.append(_recall_row(" " * 18, sums, decimal))
    return "\n".join(lines) + "\n"


def score_table(tallies: Mapping[str, Tally], *, decimal: str) -> str:
    """Precision, recall and F1 per pronoun in the order of `tallies`, and in total."""
    return "\n".join(
        [
            "Precision and recall per input pronoun:",
            "",
            "            Precision            Recall              F1",
            "",
            *(_score_row(f"{form:>8}", tally, decimal) for form, tally in tallies.items()),
            "",
            _score_row(f"{'TOTAL':<8}", total(tallies.values()), decimal),
            "",
        ]
    )


def _recall_row(head: str, tallies: Sequence[Tally], decimal: str) -> str:
    cells = [
        _fraction(tally.matches, tally.reference) if tally.reference else "   -/   -" for tally in tallies
    ]
    whole = total(tallies)
    return f"{head}  " + "   ".join(
        [*cells, _fraction(whole.matches, whole.reference), _number(whole.recall, decimal)]
    )


def _score_row(head: str, tally: Tally, decimal: str) -> str:
    return "   ".join(
        [
            head,
            _fraction(tally.matches, tally.candidate),
            _number(tally.precision, decimal),
            _fraction(tally.matches, tally.reference),
            _number(tally.recall, decimal),
            _number(tally.f1, decimal),
        ]
    )


def _ratio(part: float | np.float32, whole: float | np.float32) -> np.float32:
    if not whole:
        return np.float32(np.nan)
    return np.float32(np.float32(part) / np.float32(whole))


def _fraction(part: int, whole: int) -> str:
    return f"{part:4d}/{whole:4d}"


def _number(value: np.float32, decimal: str) -> str:
    if np.isnan(value):
        return "NaN"
    rounded = Decimal(repr(float(value))).quantize(_PLACES, ROUND_HALF_UP)
    return str(rounded).replace(".", decimal)
