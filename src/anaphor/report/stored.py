"""What a report needs of a result file: typed, and rejected if its numbers are inconsistent."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import (
    Bound,
    Files,
    FunctionScores,
    InputError,
    Interval,
    Outcome,
    Result,
    Settings,
    VerdictCounts,
)
from anaphor.core.records import Record
from anaphor.metrics.apt import apt_value
from anaphor.report.cards import Cards, read_cards
from anaphor.report.result_file import (
    FIX,
    MetricCounts,
    ResultFile,
    counts_of,
    read_counts,
    read_result,
    result_content,
)


@dataclass(frozen=True, slots=True)
class StoredScore:
    """One metric of one system; NaN means undefined. `signature` are the fields that affected the number."""

    metric: str
    value: float
    interval: tuple[float, float] | None
    signature: Mapping[str, str]
    line: str
    cases: tuple[int, ...] | None
    by_pronoun: Mapping[str, float]
    verdicts: VerdictCounts | None = None


@dataclass(frozen=True, slots=True)
class StoredSystem:
    """One system: its scores in metric order, and its confusion by (reference, candidate)."""

    name: str
    scores: tuple[StoredScore, ...]
    confusion: Mapping[tuple[str, str], int]

    def score(self, metric: str) -> StoredScore | None:
        return next((score for score in self.scores if score.metric == metric), None)


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """A system against the baseline of its file."""

    metric: str
    baseline: str
    system: str
    difference: float
    interval: tuple[float, float]
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class StoredResult:
    """The part of a result that a report needs. `sensitivity` maps a symmetrization to the APT of every
    system.

    `flips` counts the outcomes that depend on it. `functions`, `cards` and `counts` are None if they were not
    asked for.
    """

    path: str
    version: str
    settings: Settings
    segments: int
    documents: int | None
    pronouns: int
    systems: tuple[StoredSystem, ...]
    comparisons: tuple[StoredComparison, ...]
    notes: tuple[str, ...]
    sensitivity: Mapping[str, Mapping[str, float]]
    flips: int
    functions: FunctionScores | None
    cards: Cards | None
    counts: MetricCounts | None = field(default=None, compare=False)
    files: Files | None = None
    ceiling: Mapping[str, float] = field(default_factory=dict)
    bounds: tuple[Bound, ...] = ()


class _ResultRecord(Record):
    """A record of a result file, which writes null for an undefined number."""

    __slots__ = ()

    def score(self, key: str) -> float:
        """A number, NaN for null."""
        return math.nan if self.raw(key) is None else self.number(key)

    def scores(self, key: str) -> dict[str, float]:
        """A table of numbers."""
        values = self.table(key)
        return {name: values.score(name) for name in values}

    def interval(self, key: str) -> tuple[float, float]:
        ends = self.elements(key)
        if len(ends) != 2:
            self.refuse(key, "expected two numbers")
        return ends.score("[0]"), ends.score("[1]")


def read_stored(path: str | Path) -> StoredResult:
    """Read a result file, as `ScoreReport.save` and `anaphor score --output` write it.

    Args:
        path: The result file.

    Returns:
        Settings, scores, comparisons and notes, with cards and counts if the file has them.

    Raises:
        UserError: The file is broken, is not a result file, or was changed after it was written.
    """
    return stored_of(read_result(path), path=str(path))


def stored_now(result: Result, files: Files, *, cards: Cards | None = None, **more: Any) -> StoredResult:
    """A result just computed, in the form that a report reads from a file; `more` as for `result_content`."""
    content = ResultFile(files, result.settings, result_content(result, files, **more))
    return stored_of(content, path="this result", cards=cards, counts=counts_of(result))


def stored_of(
    result: ResultFile, *, path: str, cards: Cards | None = None, counts: MetricCounts | None = None
) -> StoredResult:
    """The same from content in memory; `path` is its name in messages.

    `cards` and `counts` replace the stored ones.
    """
    record = _ResultRecord(result.content, where=path, fix=FIX)
    systems = tuple(_system(entry) for entry in record.tables("systems"))
    if len({system.name for system in systems}) != len(systems) or not systems:
        record.refuse("systems", "system names are missing or not unique")
    sensitivity: Mapping[str, Mapping[str, float]] = {}
    flips = 0
    if "alignment_sensitivity" in record:
        by_alignment = record.table("alignment_sensitivity")
        by_condition = by_alignment.table("scores")
        sensitivity, flips = (
            {name: by_condition.scores(name) for name in by_condition},
            len(by_alignment.elements("flips")),
        )
    functions = None
    if "functions" in record:
        by_function = record.table("functions")
        numbers, metrics = by_function.table("counts"), by_function.table("scores")
        functions = FunctionScores(
            {function: numbers.integer(function) for function in numbers},
            {
                metric: {system: by_system.scores(system) for system in by_system}
                for metric in metrics
                for by_system in [metrics.table(metric)]
            },
            by_function.text("classifier"),
        )
    if cards is None and record and "cards" in record:
        cards = read_cards(record.raw("cards"), path=path)
    if counts is None and record and "counts" in record:
        counts = read_counts(record.raw("counts"), path=path)
    notes = record.elements("notes")
    stored = StoredResult(
        path,
        record.text("version"),
        result.settings,
        record.integer("segments"),
        None if record.raw("documents") is None else record.integer("documents"),
        record.integer("pronouns"),
        systems,
        tuple(
            StoredComparison(
                entry.text("metric"),
                entry.text("baseline", blank=True),
                entry.text("system", blank=True),
                entry.score("difference"),
                entry.interval("interval"),
                entry.score("p_adjusted"),
            )
            for entry in record.tables("comparisons")
        ),
        tuple(notes.text(index, blank=True) for index in notes),
        sensitivity,
        flips,
        functions,
        cards,
        counts,
        result.files,
        record.scores("ceiling"),
        _bounds(record.table("bounds"), level=result.settings.level) if "bounds" in record else (),
    )
    for contradiction in _contradictions(stored):
        raise InputError(contradiction, where=path, fix=FIX)
    return stored


def _bounds(rows: _ResultRecord, *, level: float) -> tuple[Bound, ...]:
    bounds = []
    for name in rows:
        metrics = {metric: rows.table(name).table(metric) for metric in rows.table(name)}
        intervals = {
            metric: None if entry.raw("interval") is None else Interval(*entry.interval("interval"), level)
            for metric, entry in metrics.items()
        }
        scores = {metric: entry.score("score") for metric, entry in metrics.items()}
        by_pronoun = {metric: entry.scores("by_pronoun") for metric, entry in metrics.items()}
        bounds.append(Bound(name, scores, intervals, by_pronoun))
    return tuple(bounds)


def _system(entry: _ResultRecord) -> StoredSystem:
    scores: list[StoredScore] = []
    for measured in entry.tables("metrics"):
        metric, value = measured.text("name"), measured.score("score")
        if not math.isnan(value) and not 0 <= value <= 1:
            measured.refuse("score", f"a score of {metric} is {value:g}")
        if metric in [earlier.metric for earlier in scores]:
            measured.refuse("name", f"there are two scores of {metric}")
        details, signature = measured.table("details"), measured.table("signature_fields")
        keys = [f"case_{case.value}" for case in Outcome]
        cases = tuple(details.number(key) for key in keys if key in details)
        counted = len(cases) == len(keys) and all(number >= 0 and number.is_integer() for number in cases)
        scores.append(
            StoredScore(
                metric,
                value,
                None if measured.raw("interval") is None else measured.interval("interval"),
                {key: signature.text(key, blank=True) for key in signature},
                measured.text("signature"),
                tuple(map(int, cases)) if counted else None,
                measured.scores("by_pronoun"),
                VerdictCounts.of(
                    {key: details.score(key) for key in details if key in VerdictCounts._fields}
                ),
            )
        )
    rows = entry.table("confusion")
    confusion = {
        (row, column): columns.integer(column)
        for row in rows
        for columns in [rows.table(row)]
        for column in columns
    }
    return StoredSystem(entry.text("system", blank=True), tuple(scores), confusion)


def _contradictions(stored: StoredResult) -> Iterator[str]:
    """Find numbers that are inconsistent with each other; the seal cannot tell who sealed the file."""
    apt_of = apt_value(stored.settings)
    systems = {system.name: system for system in stored.systems}
    first, *_ = stored.systems
    metrics = [score.metric for score in first.scores]
    for name, system in systems.items():
        if [score.metric for score in system.scores] != metrics:
            yield f"the metrics of {name} are not those of {first.name}"
            continue
        apt = system.score("apt")
        if apt is not None:
            if apt.cases is None:
                yield f"the cases of {name} are not six counts"
                continue
            expected = float(apt_of(np.array(apt.cases, np.float64)))
            if not _same(expected, apt.value):
                yield f"the apt of {name} is {apt.value:g}, but its cases give {expected:g}"
        for own in system.scores:
            if own.verdicts is not None and own.verdicts.total != stored.pronouns:
                judged = f"the verdicts of {own.metric} on {name}"
                yield f"{judged} add up to {own.verdicts.total}, but there are {stored.pronouns} pronouns"
        if stored.cards is not None:
            cards = stored.cards.judged.get(name)
            if cards is None or Counter(card.labels for card in cards) != Counter(system.confusion):
                yield f"the cards of {name} do not add up to its confusion"
                continue
            counts = Counter(card.outcome for card in cards)
            if apt is not None and tuple(counts[case] for case in Outcome) != apt.cases:
                yield f"the cards of {name} do not add up to its cases"
    for comparison in stored.comparisons:
        if comparison.system not in systems or comparison.baseline not in systems:
            yield f"{comparison.system} is compared with {comparison.baseline}, but one of them is missing"
            continue
        score, other = (
            systems[comparison.system].score(comparison.metric),
            systems[comparison.baseline].score(comparison.metric),
        )
        difference = math.nan if score is None or other is None else score.value - other.value
        if not _same(difference, comparison.difference):
            yield (
                f"{comparison.system} and {comparison.baseline} differ by {difference:g} in "
                f"{comparison.metric}, but their comparison says {comparison.difference:g}"
            )


def _same(value: float, other: float) -> bool:
    return (math.isnan(value) and math.isnan(other)) or math.isclose(value, other, abs_tol=1e-9)
