"""The result file: JSON with everything that affected the numbers, so that anyone can verify them.

`result_content` creates it, `read_result` reads the experiment it describes, and `read_stored` reads what a
report needs: typed, and rejected if its numbers are inconsistent.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from anaphor import __version__
from anaphor.core import (
    Bound,
    Counts,
    Files,
    FunctionScores,
    InputError,
    Interval,
    OptionError,
    Outcome,
    Result,
    Settings,
    UserError,
    VerdictCounts,
    digest,
)
from anaphor.core.records import Record
from anaphor.core.table import plain
from anaphor.corpus.text import unreadable
from anaphor.metrics.options import known_options, option_value
from anaphor.report.cards import Cards, cards_content, read_cards

FORMAT = "anaphor-result"
FORMAT_VERSION = 2
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_FIX = "pass an unmodified file written by `anaphor score --output`"


@dataclass(frozen=True, slots=True)
class ResultFile:
    """A result file: the experiment it names, and all of its content."""

    files: Files
    settings: Settings
    content: Mapping[str, Any]


def result_content(
    result: Result,
    files: Files,
    *,
    notes: Sequence[str] = (),
    analyses: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """A result for JSON, sealed, with the content of `analyses` by name; cards are not in it. NaN is None."""
    systems = []
    for system in result.systems:
        labels = sorted({label for pair in system.confusion for label in pair})
        systems.append(
            {
                "system": system.name,
                "metrics": [
                    {
                        "name": score.metric,
                        "score": score.value,
                        "signature": str(score.signature),
                        "signature_fields": score.signature.as_dict(),
                        "interval": score.interval,
                        "details": score.details,
                        "by_pronoun": system.by_pronoun.get(score.metric, {}),
                        "by_document": system.by_document.get(score.metric, {}),
                    }
                    for score in system.scores
                ],
                # Rows and columns in alphabetical order, so that the same result gives the same bytes.
                "confusion": {
                    reference: {
                        candidate: system.confusion[reference, candidate]
                        for candidate in labels
                        if (reference, candidate) in system.confusion
                    }
                    for reference in labels
                },
            }
        )
    content: dict[str, Any] = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "version": __version__,
        "files": asdict(files),
        "settings": settings_content(result.settings),
        # By role, so that `anaphor verify` can say which input has changed.
        "digests": dict(result.digests),
        "segments": result.segments,
        "documents": None if result.documents is None else len(set(result.documents)),
        "pronouns": len(result.systems[0].verdicts),
        "systems": systems,
        "comparisons": result.comparisons,
        "ceiling": result.ceiling,
        "notes": list(dict.fromkeys([*result.notes, *notes])),
    }
    if result.segmentations:
        content["segmentation"] = {
            name: segmentation.facts() for name, segmentation in result.segmentations.items()
        }
    content |= {name: finding for name, finding in analyses.items() if finding is not None}
    return sealed(plain(content))


def content_json(
    content: Mapping[str, Any], cards: Cards | None = None, counts: MetricCounts | None = None
) -> str:
    """The text of a result file; equal experiments give identical bytes."""
    parts = {} if cards is None else {"cards": cards_content(cards)}
    if counts is not None:
        rows = _counts_content(counts)
        parts["counts"] = {"digest": _counts_digest(rows), "metrics": rows}
    text = json.dumps(content, ensure_ascii=False, indent=2).removesuffix("\n}")
    for key, value in parts.items():
        # One line: they are many, and indented like the rest they would take three times the space.
        text += f',\n  "{key}": {json.dumps(value, ensure_ascii=False, separators=(",", ":"))}'
    return text + "\n}\n"


def result_json(
    result: Result, files: Files, *, cards: Cards | None = None, counts: bool = False, **more: Any
) -> str:
    """The text of the result file of an experiment; `more` are arguments of `result_content`."""
    return content_json(result_content(result, files, **more), cards, counts_of(result) if counts else None)


#: By metric and system, with one row per document, or per segment if no documents are known.
MetricCounts: TypeAlias = Mapping[str, Mapping[str, Counts]]


def counts_of(result: Result) -> MetricCounts:
    """The counts of a result, from which any difference between systems can be tested."""
    metrics = result.systems[0].counts
    return {metric: {system.name: system.counts[metric] for system in result.systems} for metric in metrics}


def _counts_content(counts: MetricCounts) -> dict[str, Any]:
    def rows(counts: Counts) -> list[list[float]]:
        # Most counts are whole numbers, and `3` is shorter than `3.0`.
        return [
            [int(value) if value.is_integer() else value for value in row] for row in counts.rows.tolist()
        ]

    return {
        metric: {
            system: {"names": list(counts.names), "rows": rows(counts)} for system, counts in systems.items()
        }
        for metric, systems in counts.items()
    }


def _read_counts(content: Any, *, path: str) -> MetricCounts:
    try:
        if _counts_digest(content["metrics"]) != content["digest"]:
            raise ValueError("the digest does not match")
        return {
            metric: {
                system: Counts(
                    tuple(map(str, entry["names"])),
                    np.array(entry["rows"], np.float64).reshape(len(entry["rows"]), len(entry["names"])),
                )
                for system, entry in systems.items()
            }
            for metric, systems in content["metrics"].items()
        }
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"the counts were changed after they were written: {error}"
        raise InputError(what, where=path, fix=_FIX) from error


def _counts_digest(content: Any) -> str:
    return digest([json.dumps(content, sort_keys=True, separators=(",", ":")).encode("ascii")])


def settings_content(settings: Settings) -> dict[str, Any]:
    """Settings for JSON: each built-in metric option has a key, those of third-party metrics are grouped."""
    built_in = known_options()
    content = {
        field.name: getattr(settings, field.name) for field in fields(settings) if field.name != "options"
    }
    content |= {key: option_value(settings, key) for key in built_in}
    if others := {key: value for key, value in settings.options.items() if key not in built_in}:
        content["metric_options"] = others
    return content


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the seal that fits it: a hash of all but cards and counts, which have their own.

    It reveals a file that was edited. A forger can renew the seal; `anaphor verify` still detects every
    number that does not follow from the inputs.
    """
    return {**content, "seal": _seal(content)}


def is_unchanged(content: Mapping[str, Any]) -> bool:
    """Whether a result file is as it was written."""
    return bool(content.get("seal") == _seal(content))


def _seal(content: Mapping[str, Any]) -> str:
    body = {key: value for key, value in content.items() if key not in ("seal", "cards", "counts")}
    return digest([json.dumps(body, sort_keys=True, separators=(",", ":")).encode("ascii")])


def read_result(path: str | Path, *, unchanged: bool = True) -> ResultFile:
    """A result file; one that is broken, foreign or of another format is an error.

    So is one that was changed after it was written, unless `unchanged` is false.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error, what="the result") from error
    return parse_result(data, path=str(path), unchanged=unchanged)


def parse_result(data: bytes, *, path: str, unchanged: bool = True) -> ResultFile:
    """The same from the bytes of a file; `path` is their name in messages."""
    try:
        content = json.loads(data.decode("utf-8"))
        if _SURROGATE.search(data):  # only an escape can spell half of a character, which nothing can print
            json.dumps(content, ensure_ascii=False).encode()
        if content["format"] != FORMAT or content["format_version"] != FORMAT_VERSION:
            raise KeyError("format")
        if not isinstance(content["version"], str):
            raise TypeError("version")
        files = _typed_fields(Files, content["files"])
        files["candidates"] = tuple((name, place) for name, place in files["candidates"])
        stored = content["settings"]
        given = dict(stored.get("metric_options", {}))
        for key, option in known_options().items():
            try:
                value = option.checked(stored[key])
            except OptionError as error:
                raise TypeError(f"{key}: {error.what}") from error
            # Only what differs from the default is an option of the experiment, as in `Settings` itself.
            if value != option.default:
                given[key] = value
        settings = Settings(options=given, **_typed_fields(Settings, stored))
        result = ResultFile(Files(**files), settings, content)
    except UserError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        reason = "it is not JSON" if isinstance(error, json.JSONDecodeError) else error
        raise InputError(
            f"not a result file of format {FORMAT_VERSION}: {reason}", where=path, fix=_FIX
        ) from error
    if unchanged and not is_unchanged(content):
        what = "the result was changed after it was written"
        fix = "use the file as written by `anaphor score --output`; `anaphor verify` reports what differs"
        raise InputError(what, where=path, fix=fix)
    return result


def _typed_fields(kind: type[Files] | type[Settings], stored: Mapping[str, Any]) -> dict[str, Any]:
    """The stored fields of a dataclass but metric options, each of the type that it declares."""
    values = {}
    for declared in fields(kind):
        if declared.name == "options":
            continue
        value = stored[declared.name]
        if not _KINDS[str(declared.type)](value):
            raise TypeError(f"{declared.name} is {value!r}")
        if isinstance(value, list):
            value = tuple(tuple(each) if isinstance(each, list) else each for each in value)
        values[declared.name] = value
    return values


def _is(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds


def _list_of(is_element: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_element, value))


#: What JSON must hold for each type that a field of the two dataclasses has.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "bool": _is(bool),
    "int": _is(int),
    "float": _is(int, float),
    "str": _is(str),
    "str | None": _is(str, type(None)),
    "tuple[str, ...]": _list_of(_is(str)),
    "tuple[tuple[str, str], ...]": _list_of(lambda value: _list_of(_is(str))(value) and len(value) == 2),
}


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
    record = _ResultRecord(result.content, where=path, fix=_FIX)
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
        counts = _read_counts(record.raw("counts"), path=path)
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
        record.scores("ceiling") if "ceiling" in record else {},
        _bounds(record.table("bounds"), level=result.settings.level) if "bounds" in record else (),
    )
    for contradiction in _contradictions(stored):
        raise InputError(contradiction, where=path, fix=_FIX)
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
    weights, discard = (option_value(stored.settings, key) for key in ("weights", "discard"))
    kept = [case.value - 1 for case in Outcome if case.value not in discard]
    systems = {system.name: system for system in stored.systems}
    for name, system in systems.items():
        apt = system.score("apt")
        if apt is not None:
            if apt.cases is None:
                yield f"the cases of {name} are not six counts"
                continue
            total = sum(apt.cases[i] for i in kept)
            expected = sum(weights[i] * apt.cases[i] for i in kept) / total if total else math.nan
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
