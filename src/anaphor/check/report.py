"""The result of a check: findings, what was looked at, and what was not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anaphor.check.findings import Finding, Kind
from anaphor.core import LanguagePair, Span
from anaphor.core.table import Block, Paragraph, Styled, counted


@dataclass(frozen=True, slots=True)
class FileSummary:
    """One checked file: the number of compared units, and of skipped ones by reason."""

    path: str
    format: str
    pair: LanguagePair
    units: int
    skipped: Mapping[str, int]
    first_skipped: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        return {
            "file": self.path,
            "format": self.format,
            "pair": str(self.pair),
            "units": self.units,
            "skipped": dict(self.skipped),
        }

    def skipped_line(self) -> str:
        """What was skipped, why, and the first place; empty if nothing was."""
        reasons = [
            f"{number} {reason} (first: {self.first_skipped[reason]})"
            for reason, number in Counter(self.skipped).most_common()
        ]
        return f"{self.path}: skipped units: {'; '.join(reasons)}" if reasons else ""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found, most probable first.

    Attributes:
        findings: Findings at or above the minimum confidence that are neither ignored nor in the baseline.
        files: The files that were read.
        pronouns: The number of pronouns judged.
        known: Findings that are in the baseline.
        ignored: Findings in units whose notes say `anaphor-ignore`.
        min_confidence: The minimum confidence; None for the defaults, by kind.
    """

    findings: Sequence[Finding]
    files: Sequence[FileSummary]
    pronouns: int
    known: int
    ignored: int
    min_confidence: float | None

    @property
    def units(self) -> int:
        return sum(file.units for file in self.files)

    @property
    def limit(self) -> str:
        """A description of the minimum confidence."""
        if self.min_confidence is None:
            return "default confidence"
        return f"confidence {self.min_confidence:g} or higher"

    def counts(self) -> dict[str, int]:
        """The number of findings of each kind."""
        kinds = Counter(finding.kind for finding in self.findings)
        return {kind.value: kinds[kind] for kind in Kind}

    def to_dict(self) -> dict[str, Any]:
        """The whole report for programs."""
        return {
            "files": [file.to_dict() for file in self.files],
            "pronouns": self.pronouns,
            "min_confidence": self.min_confidence,
            "known": self.known,
            "ignored": self.ignored,
            "counts": self.counts(),
            "findings": [finding.to_dict() for finding in self.findings],
        }

    def tables(self) -> Sequence[Block]:
        """Every finding with its texts, then one line with counts."""
        blocks: list[Block] = [Paragraph(finding_lines(finding)) for finding in self.findings]
        skipped = sum(sum(file.skipped.values()) for file in self.files)
        counts = ", ".join(f"{number} {kind}" for kind, number in self.counts().items() if number)
        summary = (
            f"{counted(len(self.findings), 'finding')}{f' ({counts})' if counts else ''} in "
            f"{counted(self.units, 'unit')} of {counted(len(self.files), 'file')}, "
            f"{counted(self.pronouns, 'pronoun')} judged; {self.limit}"
        )
        if skipped:
            summary += f"; {counted(skipped, 'unit')} skipped"
        if self.known:
            summary += f"; {self.known} known from the baseline"
        if self.ignored:
            summary += f"; {self.ignored} ignored by notes"
        return [*blocks, summary]


def finding_lines(finding: Finding) -> list[str | list[str | Styled]]:
    """The lines of one finding: its place, source, translation and reason."""
    heading = f"{finding.path}:{finding.line}:{finding.column}"
    unit = f"  {finding.kind.value}  {finding.confidence:.2f}  {finding.unit}"
    lines: list[str | list[str | Styled]] = [
        [Styled(heading, "bold"), unit],
        ["  ", *_with_mark(finding.source, finding.source_span)],
        ["  ", *_with_mark(finding.target, finding.target_span)],
        f"  {finding.message}",
    ]
    if finding.places:
        lines.append(f"  also: {', '.join(finding.places)}")
    return lines


def _with_mark(text: str, span: Span | None) -> list[str | Styled]:
    """A text in one line, with square brackets around a word."""
    flat = text.translate({ord("\n"): " ", ord("\r"): " ", ord("\t"): " "})
    if span is None:
        return [flat]
    return [flat[: span.start], Styled(f"[{flat[span.start : span.end]}]", "mark"), flat[span.end :]]
