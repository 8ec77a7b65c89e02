"""Scores of systems, by metrics or by annotators: one column per score, whatever file it came from.

    mine.tsv                 header `system` and the names of the scores, one row per system
    mine.jsonl               the same, one JSON object per line
    result.json              result of `anaphor score --output`
    NAME.sys.score           a score file of mt-metrics-eval: `SYSTEM SCORE` per line, no header
    a folder                 the layout of mt-metrics-eval, the toolkit of the WMT metrics tasks:
        metric-scores/SRC-TGT/METRIC-REF.sys.score     scores of metrics
        human-scores/SRC-TGT.NAME.sys.score            human scores

In human scores of mt-metrics-eval, `None` marks a system without a score, which is left out with a note;
metric scores must not contain it. Only scores of whole systems are read: not those of domains, documents and
segments, nor the ratings of segments (`.seg.rating`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Self, TypeVar

from anaphor.core import (
    InputError,
    InputWarning,
    LanguagePair,
    MismatchError,
    Outcome,
    UnknownNameError,
    Where,
)
from anaphor.core.records import Row
from anaphor.corpus import read_text
from anaphor.corpus.text import is_folder
from anaphor.files.folders import files_inside
from anaphor.report.charts import apt_cases
from anaphor.report.stored import StoredResult, read_stored

CASES = tuple(f"case_{case.value}" for case in Outcome)
ENDING = ".sys.score"
_REPAIRS = ("paper", "none")


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SystemValues(Generic[T]):
    """A named value of every system that has it, in the order of the file; `path` is for messages."""

    name: str
    path: str
    values: Mapping[str, T]

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.values)

    def without(self, systems: Collection[str]) -> Self:
        """The same for the other systems."""
        return self.only([name for name in self.values if name not in systems])

    def only(self, systems: Collection[str]) -> Self:
        """The same for these systems."""
        return replace(self, values={name: self.values[name] for name in self.values if name in systems})


class ScoreColumn(SystemValues[float]):
    """A score, by a metric or by annotators."""


class CaseCounts(SystemValues[tuple[int, ...]]):
    """How often each APT case occurred; the name is that of the link repair: paper or none."""


V = TypeVar("V", ScoreColumn, CaseCounts)


def read_rows(path: str | Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> list[Row]:
    """All rows of a table of judgements or scores. Missing and unknown columns are errors."""
    rows = any_rows(path)
    check_columns(rows, required=required, optional=optional)
    return rows


def check_columns(rows: Sequence[Row], *, required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Reject rows with missing or unknown columns."""
    for row in rows:
        row.allow(*required, *optional)
    for column in required:
        if not any(column in row for row in rows):
            what = f"there is no column {column}"
            raise InputError(what, where=rows[0].where.path, fix=f"use the columns {', '.join(required)}")


def any_rows(path: str | Path) -> list[Row]:
    """All rows of a file with any columns; a file without rows is an error.

    A file whose name ends in `.jsonl` (or `.jsonl.gz`) has one JSON object per line, any other is TSV.
    """
    text = read_text(path)
    json_lines = str(path).removesuffix(".gz").endswith(".jsonl")
    rows = list((Row.from_objects if json_lines else Row.from_tsv)(text.lines, path=text.path))
    if not rows:
        raise InputError("the file has a header and no rows", where=text.path, fix="add the rows")
    return rows


def read_columns(paths: Sequence[str], *, pair: str | None, human: bool) -> tuple[ScoreColumn, ...]:
    """The columns of files of any type; those with the same name are joined."""
    results = _read_results(paths)
    columns: list[ScoreColumn] = []
    for path in paths:
        if is_folder(path):
            parsed = None if pair is None else LanguagePair.parse(pair)
            columns += read_score_folder(path, pair=parsed, human=human)
        elif path.endswith(ENDING):
            columns.append(read_score_file(path, human=human))
        elif path in results:
            columns += result_columns(results[path])
        else:
            columns += read_score_table(path)
    return join_values(columns)


def read_counts(paths: Sequence[str]) -> tuple[CaseCounts, ...]:
    """The cases of APT in result files and tables, by repair."""
    results = _read_results(paths)
    counts: list[CaseCounts] = []
    for path in paths:
        counts += [result_counts(results[path])] if path in results else read_case_counts(path)
    return join_values(counts)


def _read_results(paths: Sequence[str]) -> dict[str, StoredResult]:
    """The result files among the paths, which must all be of one version."""
    # Numbers may change between versions, so a correlation over two of them would compare two metrics.
    results = {path: read_stored(path) for path in paths if path.endswith(".json")}
    if len({stored.version for stored in results.values()}) > 1:
        raise MismatchError(
            "the result files were written by different versions",
            where=", ".join(f"{path} ({stored.version})" for path, stored in results.items()),
            fix="score again with one version, so that the numbers can be compared",
        )
    return results


def read_score_table(path: str | Path) -> tuple[ScoreColumn, ...]:
    """Every column of a TSV file except `system`. An empty cell means that the system lacks this score."""
    rows = any_rows(path)
    where = rows[0].where.path
    if not any("system" in row for row in rows):
        raise InputError(
            "the column `system` is missing",
            where=where,
            fix="add the columns `system` and one or more scores",
        )
    names = list(dict.fromkeys(column for row in rows for column in row if column != "system"))
    systems: set[str] = set()
    for row in rows:
        system = row.text("system")
        if system in systems:
            row.refuse("system", f"{system} has two rows", fix="keep one row for each system")
        systems.add(system)
    if not names:
        raise InputError("there are no scores", where=where, fix="add a column with scores")
    return tuple(
        ScoreColumn(name, where, {row.text("system"): row.number(name) for row in rows if name in row})
        for name in names
    )


def format_score_table(columns: Sequence[ScoreColumn]) -> str:
    """The text that `read_score_table` reads; a system without a score has an empty cell."""
    systems = dict.fromkeys(system for column in columns for system in column.values)
    rows = [["system", *(column.name for column in columns)]]
    for system in systems:
        cells = [repr(column.values[system]) if system in column.values else "" for column in columns]
        rows.append([system, *cells])
    return "".join("\t".join(row) + "\n" for row in rows)


def read_score_file(path: str | Path, *, human: bool, name: str | None = None) -> ScoreColumn:
    """One score file; its name without `.sys.score` names the score, unless another name is given."""
    text = read_text(path)
    values: dict[str, float] = {}
    absent: list[str] = []
    for number, line in enumerate(text.lines, start=1):
        where = Where(text.path, number)
        try:
            system, score = line.split()
            value = None if score == "None" else float(score)
            if value is not None and not math.isfinite(value):
                raise ValueError(score)
        except ValueError:
            what = f"not a system and a score: {line[:40]!r}"
            fix = "write the system, a tab and a number, or None for no score"
            raise InputError(what, where=where, fix=fix) from None
        if system in values or system in absent:
            raise InputError(
                f"there are two scores for {system}", where=where, fix="keep one line per system"
            )
        # Not every system was judged by annotators, but a metric costs nothing: a gap in it is a mistake.
        if value is None and not human:
            what = f"the metric has no score for {system}"
            raise InputError(what, where=where, fix="omit the system: only human scores can be None")
        if value is None:
            absent.append(system)
        else:
            values[system] = value
    if absent:
        message = f"{text.path}: no score for {', '.join(absent)}, left out"
        warnings.warn(message, InputWarning, stacklevel=2)
    return ScoreColumn(name or Path(path).name.removesuffix(ENDING), text.path, values)


def read_score_folder(
    folder: str | Path, *, pair: LanguagePair | None, human: bool
) -> tuple[ScoreColumn, ...]:
    """All metric scores or all human scores for one language pair, sorted by name."""
    root = Path(folder)
    if pair is None:
        raise InputError(
            "the folder has scores of several language pairs", where=str(root), fix="choose one with --pair"
        )
    pattern = f"human-scores/{pair}.*{ENDING}" if human else f"metric-scores/{pair}/*{ENDING}"
    files = files_inside(root, pattern)
    if not files:
        what = f"there is no file {pattern}"
        fix = "pass a folder in the layout of mt-metrics-eval that has scores of this language pair"
        raise InputError(what, where=str(root), fix=fix)
    prefix = f"{pair}." if human else ""
    return tuple(
        read_score_file(path, human=human, name=path.name.removeprefix(prefix).removesuffix(ENDING))
        for path in files
    )


def follows_layout(path: str) -> bool:
    """Whether a path is in the layout of mt-metrics-eval, whose human scores may be any number."""
    return is_folder(path) or path.endswith(ENDING)


def join_values(parts: Sequence[V]) -> tuple[V, ...]:
    """Join columns with the same name from several files; a system may occur in only one of them."""
    joined: dict[str, V] = {}
    for part in parts:
        earlier = joined.get(part.name)
        if earlier is None:
            joined[part.name] = part
            continue
        if twice := [system for system in part.values if system in earlier.values]:
            what = f"{twice[0]} is in two files ({part.name})"
            fix = f"it is in {earlier.path} too: give each system in one file"
            raise InputError(what, where=part.path, fix=fix)
        both = {**earlier.values, **part.values}
        joined[part.name] = type(part)(part.name, f"{earlier.path} and {part.path}", both)
    return tuple(joined.values())


def choose(columns: Sequence[ScoreColumn], names: Sequence[str], *, option: str) -> tuple[ScoreColumn, ...]:
    """The columns with these names, in order; by default all."""
    known = {column.name: column for column in columns}
    for name in names:
        if name not in known:
            raise UnknownNameError.among(name, known, kind="score", where=option)
    return tuple(known[name] for name in names) if names else tuple(columns)


def shared_systems(columns: Sequence[Collection[str]]) -> frozenset[str]:
    """The systems that all columns have; the others are named in a note."""
    everywhere = frozenset.intersection(*map(frozenset, columns))
    apart = sorted(frozenset.union(*map(frozenset, columns)) - everywhere)
    if apart:
        warnings.warn(f"not in every score, left out: {', '.join(apart)}", InputWarning, stacklevel=2)
    return everywhere


def check_range(columns: Sequence[ScoreColumn], *, low: float, high: float) -> None:
    """Reject scores outside the annotators' range."""
    for column in columns:
        for system, value in column.values.items():
            if not low <= value <= high:
                what = f"the human score {column.name} of {system} is {value:g}, outside {low:g} to {high:g}"
                fix = "correct the score, or pass the range of the scores with --human-range"
                raise InputError(what, where=column.path, fix=fix)


def read_case_counts(path: str | Path) -> tuple[CaseCounts, ...]:
    """A TSV file with `system`, `repair` (paper or none) and `case_1` to `case_6`."""
    systems: dict[str, dict[str, tuple[int, ...]]] = {}
    rows = read_rows(path, required=("system", "repair", *CASES))
    for row in rows:
        part = systems.setdefault(row.choice("repair", _REPAIRS), {})
        name = row.text("system")
        if name in part:
            row.refuse("system", f"{name} has two rows of this repair", fix="keep one of the two")
        part[name] = tuple(row.integer(case, low=0) for case in CASES)
    where = rows[0].where.path
    return tuple(CaseCounts(repair, where, part) for repair, part in systems.items())


def result_columns(stored: StoredResult) -> tuple[ScoreColumn, ...]:
    """A column for every metric of a result; a system whose score is undefined is an error."""
    columns: dict[str, dict[str, float]] = {}
    for system in stored.systems:
        for score in system.scores:
            if math.isnan(score.value):
                what = f"the {score.metric} of {system.name} is undefined"
                fix = "leave the system out: it has no pronoun to score"
                raise InputError(what, where=stored.path, fix=fix)
            columns.setdefault(score.metric, {})[system.name] = score.value
    return tuple(ScoreColumn(name, stored.path, values) for name, values in columns.items())


def result_counts(stored: StoredResult) -> CaseCounts:
    """The APT cases of every system, and the repair with which they were found."""
    cases = apt_cases(stored.systems)
    if not cases:
        what = "the result has no cases of apt"
        raise InputError(what, where=stored.path, fix="score with --metrics apt, then try again")
    return CaseCounts("paper" if stored.settings.repair else "none", stored.path, cases)
