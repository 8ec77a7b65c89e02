"""The types of pronoun translation: source pronouns, their counterparts, outcomes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

from anaphor.core.text import Span


@dataclass(frozen=True, slots=True)
class Pronoun:
    """An evaluated source pronoun: segment, token position and case-folded form."""

    segment: int
    position: int
    form: str


class RepairKind(Enum):
    """The problem with the links of a source pronoun (apt-2017, section 2.3)."""

    UNALIGNED = "unaligned"
    NON_PRONOUN = "non-pronoun"
    MULTIPLE = "multiple"


@dataclass(frozen=True, slots=True)
class Repair:
    """How the alignment repair found its target positions, in enough detail to display.

    `before` and `words_before` are the aligner's original links. `markers` are the target positions linked to
    the neighbours of the pronoun, `window` the range searched (end excluded), `options` the positions of
    likely translations in it, `chosen` the result. Choosing among several links needs no search: markers and
    window are then None.
    """

    kind: RepairKind
    before: tuple[int, ...]
    words_before: tuple[str, ...]
    options: tuple[int, ...]
    chosen: tuple[int, ...]
    markers: tuple[int, ...] | None = None
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class DroppedSubject:
    """A subject that a verb carries: the `number` of the verb (singular, plural or any), and what the links
    give in place of the verb.
    """

    number: str
    linked: Counterpart | None = None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """The rendering of one source pronoun in a translation: linked positions, words, and forms found in them.

    `forms` are the listed pronoun forms inside the words (`ils` in `disent-ils`), in order. If it is empty,
    the linked words contain no listed pronoun: OTHER in the original tool. `articles` are the words analysed
    as articles, prepositions or conjunctions. With `dropped`, the word is a verb that carries the subject.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    forms: tuple[str, ...]
    repair: Repair | None = None
    articles: tuple[str, ...] = ()
    dropped: DroppedSubject | None = None

    @property
    def linked_words(self) -> tuple[str, ...]:
        """The words originally linked by the aligner, before any repair."""
        return self.words if self.repair is None else self.repair.words_before


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A source pronoun with its counterparts in all references and in the candidate; None if nothing is
    linked.
    """

    source: Pronoun
    references: tuple[Counterpart | None, ...]
    candidate: Counterpart | None


class Outcome(Enum):
    """The six cases of apt-2017, section 2.4. Values are the case numbers in the paper."""

    IDENTICAL = 1
    EQUIVALENT = 2
    DIFFERENT = 3
    CANDIDATE_MISSING = 4
    REFERENCE_MISSING = 5
    BOTH_MISSING = 6

    @property
    def label(self) -> str:
        """The name as files and options have it: `reference_missing`."""
        return self.name.lower()


class MarkedPronoun(NamedTuple):
    """A source pronoun and the words that render it, by position in a segment; there may be none.

    `dropped` is true for a null subject, and the words are then its verb.
    """

    segment: int
    source: int
    targets: tuple[int, ...] = ()
    dropped: bool = False


class Detection(NamedTuple):
    """A detector's output for a pronoun: log odds that the rendering is wrong, and the expected forms.

    `expected` has probabilities by form, most likely first; an empty form is a null subject.
    """

    log_odds: float
    expected: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PronounScore:
    """A metric's verdict on one pronoun of a candidate, with its reason.

    The verdict is `accepted`, `rejected`, or `open` if the evidence is insufficient. The value is between 0
    and 1, or None without any evidence. `antecedent` is the segment and token of the most likely antecedent
    in the source, if the metric looks for one.
    """

    value: float | None
    verdict: str
    reason: str
    antecedent: tuple[int, int] | None = None


class VerdictCounts(NamedTuple):
    """The number of pronouns of a candidate that a metric accepts, rejects and leaves open."""

    accepted: int
    rejected: int
    open: int

    @classmethod
    def of(cls, details: Mapping[str, float]) -> VerdictCounts | None:
        """Extract the counts from the details of a score; None for a metric that does not judge individual
        pronouns.
        """
        numbers = [details.get(name, math.nan) for name in cls._fields]
        if not all(number >= 0 and float(number).is_integer() for number in numbers):
            return None
        return cls(*map(int, numbers))

    @property
    def judged(self) -> int:
        """The number of accepted and rejected pronouns."""
        return self.accepted + self.rejected

    @property
    def total(self) -> int:
        return self.judged + self.open


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one evaluated pronoun in one candidate.

    Attributes:
        pair: The source pronoun and its counterparts in references and candidate.
        outcome: The APT case.
        reference: The index of the reference that produced the outcome; 0 without a reference.
    """

    pair: PronounPair
    outcome: Outcome
    reference: int

    @property
    def expected(self) -> Counterpart | None:
        """The counterpart in the reference that produced the outcome."""
        return self.pair.references[self.reference] if self.pair.references else None


#: Lines before a pronoun that a reader sees where its antecedent is not known.
CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class PronounContext:
    """An evaluated pronoun in context: the preceding lines, its own line, and its character span.

    `antecedent` is the most likely antecedent: its segment and the character span of its head.
    """

    before: tuple[str, ...]
    line: str
    span: Span
    antecedent: tuple[int, Span] | None = None

    @property
    def marked(self) -> str:
        """The line with the pronoun in brackets: `The lamp was old, and [it] smelled of oil.`"""
        return marked(self.line, [self.span])


def first_context_line(
    segment: int,
    documents: Sequence[str] | None,
    antecedents: Iterable[int] = (),
    *,
    least: int = CONTEXT_LINES,
) -> int:
    """The first line of a segment's context: `least` lines before it, or earlier to include an antecedent.

    The context never crosses a document boundary.
    """
    wanted = max(0, min([segment - least, *antecedents]))
    if documents is None:
        return wanted
    first = segment
    while first > wanted and documents[first - 1] == documents[segment]:
        first -= 1
    return first


def marked(line: str, spans: Iterable[Span]) -> str:
    """Put square brackets around the given spans of the line."""
    for span in sorted(spans, reverse=True):
        line = f"{line[: span.start]}[{line[span.start : span.end]}]{line[span.end :]}"
    return line
