"""Scores of systems, by metrics or by annotators: one column per score, whatever file it came from.

    mine.tsv                 header `system` and the names of the scores, one row per system
    mine.jsonl               the same, one JSON object per line
    result.json              what `anaphor score --output` wrote
    NAME.sys.score           a score file of mt-metrics-eval: `SYSTEM SCORE` per line, no header
    a folder                 the layout of mt-metrics-eval, the toolkit of the WMT metrics tasks:
        metric-scores/SRC-TGT/METRIC-REF.sys.score     scores of metrics
        human-scores/SRC-TGT.NAME.sys.score            human scores

In human scores of mt-metrics-eval `None` stands for a system without a score, which is left out with a note;
scores of metrics must not have it. Only scores of whole systems are read: not those of domains, documents and
segments, nor the ratings of segments (`.seg.rating`).

A score of APT in a result file must follow from the cases beside it and the weights of the settings: one that
does not was changed after it was written.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

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
from anaphor.report.result_file import read_result

CASES = tuple(f"case_{case.value}" for case in Outcome)
ENDING = ".sys.score"
_REPAIRS = ("paper", "none")


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """One score of every system that has it, in the order of the file; `path` is for messages."""

    name: str
    path: str
    values: MappingProxyType[str, float]

    @classmethod
    def of(cls, name: str, values: dict[str, float], *, path: str) -> ScoreColumn:
        return cls(name, path, MappingProxyType(values))

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(self.values)

    def without(self, systems: Collection[str]) -> ScoreColumn:
        """The same score of the other systems."""
        return self.only([name for name in self.values if name not in systems])

    def only(self, systems: Collection[str]) -> ScoreColumn:
        """The same score of these systems."""
        kept = {name: value for name, value in self.values.items() if name in systems}
        return replace(self, values=MappingProxyType(kept))


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """How often each case of APT occurred for each system, with or without the repair of links."""

    repair: str
    path: str
    systems: Mapping[str, tuple[int, ...]]

    def only(self, systems: Collection[str]) -> CaseCounts:
        """The same counts of these systems."""
        kept = {name: cases for name, cases in self.systems.items() if name in systems}
        return replace(self, systems=MappingProxyType(kept))


def read_rows(path: str | Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> list[Row]:
    """All rows of a table of judgements or scores. A missing column is an error, and so is an unknown one."""
    rows = any_rows(path)
    for row in rows:
        row.allow(*required, *optional)
    for column in required:
        if not any(column in row for row in rows):
            raise InputError(
                f"there is no column {column}",
                where=rows[0].where.path,
                fix=f"give the columns {', '.join(required)}",
            )
    return rows


def any_rows(path: str | Path) -> list[Row]:
    """All rows of a file, whatever its columns are; a file without rows is an error.

    A file whose name ends in `.jsonl` (or `.jsonl.gz`) has one JSON object per line, any other is TSV.
    """
    text = read_text(path)
    json_lines = str(path).removesuffix(".gz").endswith(".jsonl")
    rows = list((Row.from_objects if json_lines else Row.from_tsv)(text.lines, path=text.path))
    if not rows:
        raise InputError("the file has a header and no rows", where=text.path, fix="add the rows")
    return rows


def read_columns(paths: Sequence[str], *, pair: str | None, human: bool) -> tuple[ScoreColumn, ...]:
    """The columns of files of any kind; those of the same name are joined."""
    _require_same_version(paths)
    found: list[ScoreColumn] = []
    for path in paths:
        if is_folder(path):
            parsed = None if pair is None else LanguagePair.parse(pair)
            found += read_score_folder(path, pair=parsed, human=human)
        elif path.endswith(ENDING):
            found.append(read_score_file(path, human=human))
        elif _is_result(path):
            found += result_columns(read_result(path).content, path=path)
        else:
            found += read_score_table(path)
    return join_columns(found)


def read_counts(paths: Sequence[str]) -> tuple[CaseCounts, ...]:
    """The cases of APT in result files and tables, by repair."""
    _require_same_version(paths)
    found: list[CaseCounts] = []
    for path in paths:
        if _is_result(path):
            found.append(result_counts(read_result(path).content, path=path))
        else:
            found += read_case_counts(path)
    return join_counts(found)


def read_score_table(path: str | Path) -> tuple[ScoreColumn, ...]:
    """Every column of a TSV file but `system`. An empty cell means that the system lacks this score."""
    rows = any_rows(path)
    where = rows[0].where.path
    if not any("system" in row for row in rows):
        raise InputError("there is no column system", where=where, fix="give the columns system and scores")
    names = list(dict.fromkeys(column for row in rows for column in row if column != "system"))
    systems: set[str] = set()
    for row in rows:
        system = row.text("system")
        if system in systems:
            row.refuse("system", f"{system} has two rows", fix="keep one row for each system")
        systems.add(system)
    if not names:
        raise InputError("there is no score", where=where, fix="add a column with scores")
    return tuple(
        ScoreColumn.of(
            name, {row.text("system"): row.number(name) for row in rows if name in row}, path=where
        )
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
            raise InputError(
                f"not a system and a score: {line[:40]!r}",
                where=where,
                fix="write the system, a tab and a number, or None for no score",
            ) from None
        if system in values or system in absent:
            raise InputError(f"{system} has two scores", where=where, fix="keep one line per system")
        if value is None and not human:
            raise InputError(
                f"the metric has no score for {system}",
                where=where,
                fix="leave the system out: only human scores can be None",
            )
        if value is None:
            absent.append(system)
        else:
            values[system] = value
    if absent:
        message = f"{text.path}: no score for {', '.join(absent)}, left out"
        warnings.warn(message, InputWarning, stacklevel=2)
    return ScoreColumn.of(name or Path(path).name.removesuffix(ENDING), values, path=text.path)


def read_score_folder(
    folder: str | Path, *, pair: LanguagePair | None, human: bool
) -> tuple[ScoreColumn, ...]:
    """All scores of metrics, or all human scores, for one language pair, in the order of their names."""
    root = Path(folder)
    if pair is None:
        raise InputError(
            "a folder has scores of many language pairs", where=str(root), fix="name one with --pair"
        )
    pattern = f"human-scores/{pair}.*{ENDING}" if human else f"metric-scores/{pair}/*{ENDING}"
    files = sorted(root.glob(pattern))
    if not files:
        raise InputError(
            f"there is no file {pattern}",
            where=str(root),
            fix="give a folder in the layout of mt-metrics-eval that has scores of this language pair",
        )
    prefix = f"{pair}." if human else ""
    return tuple(
        read_score_file(path, human=human, name=path.name.removeprefix(prefix).removesuffix(ENDING))
        for path in files
    )


def follows_layout(path: str) -> bool:
    """Whether a path is in the layout of mt-metrics-eval, whose human scores may be any number."""
    return is_folder(path) or path.endswith(ENDING)


def join_columns(columns: Sequence[ScoreColumn]) -> tuple[ScoreColumn, ...]:
    """Columns of the same name from several files become one; a system must not have two scores."""
    joined: dict[str, ScoreColumn] = {}
    for column in columns:
        earlier = joined.get(column.name)
        if earlier is None:
            joined[column.name] = column
            continue
        if twice := [system for system in column.values if system in earlier.values]:
            raise InputError(
                f"{column.name} has two scores for {twice[0]}",
                where=column.path,
                fix=f"it is in {earlier.path} too: give each system in one file",
            )
        joined[column.name] = ScoreColumn.of(
            column.name, {**earlier.values, **column.values}, path=f"{earlier.path} and {column.path}"
        )
    return tuple(joined.values())


def choose(columns: Sequence[ScoreColumn], names: Sequence[str], *, option: str) -> tuple[ScoreColumn, ...]:
    """The columns of these names in their order; all where no name is given."""
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
    """Refuse a score outside the range that annotators could give."""
    for column in columns:
        for system, value in column.values.items():
            if not low <= value <= high:
                raise InputError(
                    f"the human score {column.name} of {system} is {value:g}, outside {low:g} to {high:g}",
                    where=column.path,
                    fix="correct the score, or give the range of the scores with --human-range",
                )


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
    return tuple(CaseCounts(repair, where, MappingProxyType(part)) for repair, part in systems.items())


def join_counts(parts: Sequence[CaseCounts]) -> tuple[CaseCounts, ...]:
    """Counts of the same repair from several files become one; a system must not occur twice in it."""
    joined: dict[str, CaseCounts] = {}
    for part in parts:
        earlier = joined.get(part.repair)
        if earlier is None:
            joined[part.repair] = part
            continue
        if twice := [system for system in part.systems if system in earlier.systems]:
            raise InputError(
                f"{twice[0]} has counts twice with the same repair ({part.repair})",
                where=part.path,
                fix=f"it is in {earlier.path} too: give each system once",
            )
        systems = MappingProxyType({**earlier.systems, **part.systems})
        joined[part.repair] = CaseCounts(part.repair, f"{earlier.path} and {part.path}", systems)
    return tuple(joined.values())


def result_columns(content: Mapping[str, Any], *, path: str) -> tuple[ScoreColumn, ...]:
    """A column for every metric of a result; a system whose score is undefined is an error."""
    columns: dict[str, dict[str, float]] = {}
    for system, metric, entry in _entries(content, path):
        score = _finite(entry.get("score"))
        if score is None or not 0 <= score <= 1:
            raise _changed(f"the score {metric} of {system} is {entry.get('score')}", path)
        values = columns.setdefault(metric, {})
        if system in values:
            raise _changed(f"{system} has two scores of {metric}", path)
        if metric == "apt":
            _check_apt(content, _cases(entry, system, path), system, score, path)
        values[system] = score
    return tuple(ScoreColumn.of(name, values, path=path) for name, values in columns.items())


def result_counts(content: Mapping[str, Any], *, path: str) -> CaseCounts:
    """The cases of APT of every system, and the repair that they were found with."""
    systems = {
        system: _cases(entry, system, path)
        for system, metric, entry in _entries(content, path)
        if metric == "apt"
    }
    if not systems:
        raise InputError(
            "the result has no cases of apt", where=path, fix="score with --metrics apt, then try again"
        )
    result_columns(content, path=path)  # checks that the scores follow from the cases
    return CaseCounts("paper" if content["settings"]["repair"] else "none", path, systems)


def require_same_version(versions: Mapping[str, str]) -> None:
    """Refuse scores that different versions made; the mapping goes from paths to versions."""
    if len(set(versions.values())) > 1:
        raise MismatchError(
            "the result files were written by different versions",
            where=", ".join(f"{path} ({version})" for path, version in versions.items()),
            fix="score again with one version, so that the numbers can be compared",
        )


def _is_result(path: str) -> bool:
    return path.endswith(".json")


def _require_same_version(paths: Sequence[str]) -> None:
    results = filter(_is_result, paths)
    require_same_version({path: str(read_result(path).content["version"]) for path in results})


def _entries(content: Mapping[str, Any], path: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """System, metric and content of every score."""
    try:
        return [
            (str(system["system"]), str(entry["name"]), entry)
            for system in content["systems"]
            for entry in system["metrics"]
            if isinstance(entry, dict)
        ]
    except (KeyError, TypeError) as error:
        raise _changed(f"its systems cannot be read: {error}", path) from error


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _cases(entry: Mapping[str, Any], system: str, path: str) -> tuple[int, ...]:
    details = entry.get("details")
    found = [_finite(details.get(case)) for case in CASES] if isinstance(details, dict) else [None]
    counts = [int(value) for value in found if value is not None and value >= 0 and value == int(value)]
    if len(counts) != len(CASES):
        raise _changed(f"the cases of {system} are not six counts", path)
    return tuple(counts)


def _check_apt(
    content: Mapping[str, Any], cases: Sequence[int], system: str, score: float, path: str
) -> None:
    """The score must be that of apt-2017, section 2.4, with the weights of the settings."""
    weights: Sequence[float] = content["settings"]["weights"]
    discard: Sequence[int] = content["settings"]["discard"]
    kept = [case.value - 1 for case in Outcome if case.value not in discard]
    total = sum(cases[i] for i in kept)
    if len(weights) != len(CASES) or not total:
        raise _changed(f"the cases of {system} leave nothing to score", path)
    expected = sum(weights[i] * cases[i] for i in kept) / total
    if not math.isclose(expected, score, abs_tol=1e-9):
        raise _changed(f"the apt of {system} is {score:g}, but its cases give {expected:g}", path)


def _changed(what: str, path: str) -> InputError:
    return InputError(what, where=path, fix="name a file that `anaphor score --output` wrote, unchanged")
