"""The types of pronoun translation: source pronoun, its counterpart in a translation, the outcome."""

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
    """One evaluated pronoun in the source: segment, token position, its case-folded form."""

    segment: int
    position: int
    form: str


class RepairKind(Enum):
    """What was wrong with the links of a source pronoun (apt-2017, section 2.3)."""

    UNALIGNED = "unaligned"
    NON_PRONOUN = "non-pronoun"
    MULTIPLE = "multiple"


@dataclass(frozen=True, slots=True)
class Repair:
    """How the alignment repair reached its target positions, complete enough to be shown.

    `before` and `words_before` are the links as the aligner gave them. `markers` are the target
    positions linked to the words before and after the pronoun, `window` the range searched (end
    excluded), `options` the positions of likely translations in it, `chosen` the result. A choice among
    several links needs no search: markers and window are then None.
    """

    kind: RepairKind
    before: tuple[int, ...]
    words_before: tuple[str, ...]
    options: tuple[int, ...]
    chosen: tuple[int, ...]
    markers: tuple[int, ...] | None = None
    window: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Counterpart:
    """What a translation has for one source pronoun: linked positions, their words, the forms in them.

    `forms` are the listed pronoun forms found inside the words (`ils` in `disent-ils`), in order.
    Empty means that something is linked, but no listed pronoun: the original tool's OTHER.
    `articles` are those of the words that the analysis calls articles, prepositions or conjunctions.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    forms: tuple[str, ...]
    repair: Repair | None = None
    articles: tuple[str, ...] = ()

    @property
    def linked_words(self) -> tuple[str, ...]:
        """The words as the aligner linked them, before any repair."""
        return self.words if self.repair is None else self.repair.words_before


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A source pronoun with its counterpart in every reference and in the candidate; None = none linked."""

    source: Pronoun
    references: tuple[Counterpart | None, ...]
    candidate: Counterpart | None


class Outcome(Enum):
    """The six cases of apt-2017, section 2.4. Values are the paper's case numbers."""

    IDENTICAL = 1
    EQUIVALENT = 2
    DIFFERENT = 3
    CANDIDATE_MISSING = 4
    REFERENCE_MISSING = 5
    BOTH_MISSING = 6

    # Enum hashes the name, in Python; each case is one object, and outcomes are counted by the thousand.
    __hash__ = object.__hash__


class PredictedForm(NamedTuple):
    """The probability that a predictor gives to a form, and how often the form was right in training."""

    probability: float
    frequency: float = 1.0


class MarkedPronoun(NamedTuple):
    """A source pronoun and the words that render it, by positions in a segment; nothing may render it.

    `dropped` is whether it is a subject that is not written, and the words are its verb.
    """

    segment: int
    source: int
    targets: tuple[int, ...] = ()
    dropped: bool = False


class Detection(NamedTuple):
    """What a detector says of a pronoun: log odds that its rendering is wrong, and forms that it expects.

    `expected` has probabilities by form, likeliest first; an empty form is a subject that is dropped.
    """

    log_odds: float
    expected: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PronounScore:
    """What a metric says of one pronoun of a candidate, and why.

    The verdict is `accepted`, `rejected` or `open`: it cannot tell. The value is from 0 to 1, and None where
    there is no evidence at all. `antecedent` has segment and token of the likeliest antecedent in the source,
    where the metric looks for one.
    """

    value: float | None
    verdict: str
    reason: str
    antecedent: tuple[int, int] | None = None


class VerdictCounts(NamedTuple):
    """How many pronouns of a candidate a metric accepts, rejects and leaves open."""

    accepted: int
    rejected: int
    open: int

    @classmethod
    def of(cls, details: Mapping[str, float]) -> VerdictCounts | None:
        """The counts among the details of a score; None for a metric that does not judge single pronouns."""
        numbers = [details.get(name, math.nan) for name in cls._fields]
        if not all(number >= 0 and float(number).is_integer() for number in numbers):
            return None
        return cls(*map(int, numbers))

    @property
    def judged(self) -> int:
        """Those that are not open."""
        return self.accepted + self.rejected

    @property
    def total(self) -> int:
        return self.judged + self.open


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one evaluated pronoun in one candidate.

    Attributes:
        pair: The source pronoun and its counterparts in references and candidate.
        outcome: The case of APT.
        reference: The number of the reference that gave the outcome, from 0; 0 without a reference.
    """

    pair: PronounPair
    outcome: Outcome
    reference: int

    @property
    def expected(self) -> Counterpart | None:
        """The counterpart in that reference."""
        return self.pair.references[self.reference] if self.pair.references else None


#: Lines before a pronoun that a reader sees where its antecedent is not known.
CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True)
class PronounContext:
    """An evaluated pronoun in the source: the lines before it, its own line, and its characters there.

    `antecedent` is the likeliest one that a metric found: its segment, and the characters of its head.
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
    """Where the context of a segment begins: `least` lines before it, or earlier where an antecedent is.

    It never reaches into another document.
    """
    wanted = max(0, min([segment - least, *antecedents]))
    if documents is None:
        return wanted
    first = segment
    while first > wanted and documents[first - 1] == documents[segment]:
        first -= 1
    return first


def marked(line: str, spans: Iterable[Span]) -> str:
    """The line with square brackets around some stretches of it."""
    for span in sorted(spans, reverse=True):
        line = f"{line[: span.start]}[{line[span.start : span.end]}]{line[span.end :]}"
    return line
