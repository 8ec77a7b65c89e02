"""The contract of a witness and its testimony about one pronoun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from anaphor.core import Alignment, Detection, MarkedPronoun
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering


class Testimony(NamedTuple):
    """Evidence about one pronoun.

    `signals` are named numbers; only the fusion knows their weights. `accepts` and `rejects` are clauses for
    the reason: why the rendering is acceptable, and why it is not. Either may be empty. `antecedent` is the
    segment and token of the most likely antecedent, from the witness that looks for one. Clauses that state
    what readers can check in the text are `checkable`; others are an opinion.
    """

    signals: Mapping[str, float]
    accepts: str = ""
    rejects: str = ""
    antecedent: tuple[int, int] | None = None
    checkable: bool = False


class Detector(Protocol):
    """Reads linked text and estimates for each marked pronoun how likely it is to be wrong."""

    def detect(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        links: Sequence[Alignment],
        marks: Sequence[MarkedPronoun],
        *,
        written: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> Sequence[Detection]:
        """Return one detection per mark; `written` has the original lines of both sides, including spaces."""
        ...


class Witness(Protocol):
    """Examines one pronoun in a linked document, independently of other witnesses."""

    @property
    def name(self) -> str:
        """The prefix of its signals."""
        ...

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """Return the testimony on a pronoun; None if there is no evidence."""
        ...
