"""Findings about a unit: five kinds, each finding with a place, a reason and a confidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from anaphor.core import Span, digest


class Kind(Enum):
    """The kind of a finding; values are the names used in files and options."""

    AGREEMENT = "agreement"
    MISSING = "missing"
    NUMBER = "number"
    CAST = "cast"
    CHAIN = "chain"

    @property
    def description(self) -> str:
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Kind.AGREEMENT: "A pronoun does not agree with its antecedent.",
    Kind.MISSING: "A pronoun is missing, lost with its clause, or left in the source language.",
    Kind.NUMBER: "A pronoun has the wrong person or number.",
    Kind.CAST: "A word contradicts the cast: who is he, she or they, and who is addressed how.",
    Kind.CHAIN: "Gender, number, noun or form of address changes for one referent without need.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One suspicious word.

    Attributes:
        kind: Its kind.
        path: The file.
        unit: The id of the unit in it.
        number: The number of the unit in it, from 0.
        line: The 1-based line of the word in the file.
        column: Its column there, from 1.
        source: The source text of the unit.
        target: Its translation.
        source_span: The source word, by characters; None if the finding is not about a word of it.
        target_span: The word of the translation; None if it is missing.
        refers_to: The source words it refers to; may be empty.
        reason: Why it is suspicious, in one or two clauses.
        suggestion: Possible replacements for the word; empty if none are known.
        confidence: The probability that a reviser would change the word, 0 to 1.
        places: For a chain, its other units, as `path:line`.
    """

    kind: Kind
    path: str
    unit: str
    number: int
    line: int
    column: int
    source: str
    target: str
    source_span: Span | None
    target_span: Span | None
    refers_to: str = ""
    reason: str
    suggestion: str = ""
    confidence: float
    places: Sequence[str] = ()

    @property
    def word(self) -> str:
        """The suspicious word, or empty if it is missing."""
        return "" if self.target_span is None else self.target[self.target_span.start : self.target_span.end]

    @property
    def source_word(self) -> str:
        return "" if self.source_span is None else self.source[self.source_span.start : self.source_span.end]

    @property
    def fingerprint(self) -> str:
        """Names the finding across versions of a file: units may move, but not change their texts."""
        span = self.target_span
        before = "" if span is None else str(self.target[: span.start].count(self.word))
        parts = (self.kind.value, self.unit, self.source, self.target, self.source_word, self.word, before)
        return digest(part.encode() for part in parts)

    @property
    def message(self) -> str:
        """The reason with the suggestion, in one line."""
        return f"{self.reason}; suggestion: {self.suggestion}" if self.suggestion else self.reason

    def to_dict(self) -> dict[str, Any]:
        """The finding for programs; offsets count characters from 0."""
        return {
            "kind": self.kind.value,
            "file": self.path,
            "line": self.line,
            "column": self.column,
            "unit": self.unit,
            "source": self.source,
            "target": self.target,
            "source_span": None if self.source_span is None else list(self.source_span),
            "target_span": None if self.target_span is None else list(self.target_span),
            "source_word": self.source_word,
            "word": self.word,
            "refers_to": self.refers_to,
            "reason": self.reason,
            "suggestion": self.suggestion,
            "confidence": round(self.confidence, 4),
            "places": list(self.places),
            "fingerprint": self.fingerprint,
        }
