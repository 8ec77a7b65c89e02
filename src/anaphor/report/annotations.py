"""What annotators know about single pronouns and a result does not: judgements, categories, antecedents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anaphor.core import Span


@dataclass(frozen=True, slots=True)
class AntecedentMention:
    """An antecedent: its words, and where they stand in the source."""

    segment: int
    span: Span
    words: str


@dataclass(frozen=True, slots=True)
class Annotation:
    """The category of a source pronoun and its antecedents, none where it has no antecedent."""

    category: str
    antecedents: tuple[AntecedentMention, ...] = ()


@dataclass(frozen=True, slots=True)
class HumanAnnotations:
    """Judgements in words, by system, segment and token; categories of judgements; items of a suite.

    `items` has the segment and the first character of a pronoun as key, because suites know no tokens;
    `source` are the lines of the suite, by segment.
    """

    words: Mapping[tuple[str, int, int], Sequence[str]] = field(default_factory=dict)
    categories: Mapping[tuple[int, int], str] = field(default_factory=dict)
    items: Mapping[tuple[int, int], Annotation] = field(default_factory=dict)
    source: Mapping[int, str] = field(default_factory=dict)
