"""What a witness says of one pronoun, and what every witness does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from anaphor.core import Alignment, Detection, MarkedPronoun
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering


class Testimony(NamedTuple):
    """Evidence about one pronoun.

    `signals` are named numbers; fusion alone knows what each is worth. `accepts` and `rejects` are clauses
    for the reason: why the rendering is acceptable, and why it is not. Either may be empty. `antecedent` has
    segment and token of the likeliest antecedent, from the witness that looks for one.
    """

    signals: Mapping[str, float]
    accepts: str = ""
    rejects: str = ""
    antecedent: tuple[int, int] | None = None


class Detector(Protocol):
    """Reads a text given by its words and links, and says of marked pronouns how likely each is wrong."""

    def detect(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        links: Sequence[Alignment],
        marks: Sequence[MarkedPronoun],
        *,
        written: tuple[Sequence[str], Sequence[str]] | None = None,
    ) -> Sequence[Detection]:
        """One opinion for each mark; `written` has the lines of both sides, spaces and all."""
        ...


class Witness(Protocol):
    """Looks at one pronoun in a linked document, and knows no other witness."""

    @property
    def name(self) -> str:
        """The prefix of its signals."""
        ...

    def testify(self, case: Case, rendering: Rendering) -> Testimony | None:
        """What it has to say about a pronoun; None if it knows nothing."""
        ...
