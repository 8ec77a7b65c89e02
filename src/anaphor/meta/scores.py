"""Scores of systems, by metrics or by people: one column a score, whatever file it came from.

mine.tsv                 header `system` and the names of the scores, a row for each system
NAME.sys.score           a score file of mt-metrics-eval: `SYSTEM SCORE` a line, no header
a folder                 the layout of mt-metrics-eval, see `mtme_scores.py`
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from anaphor.core import InputError, InputWarning, UnknownNameError
from anaphor.meta.rows import any_rows


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


def read_score_table(path: str | Path) -> tuple[ScoreColumn, ...]:
    """Every column of a TSV file but `system`. An empty cell means that the system lacks this score."""
    rows = any_rows(path)
    if not any("system" in row for row in rows):
        raise InputError(
            "there is no column system", where=rows[0].where.path, fix="give the columns system and scores"
        )
    names = list(dict.fromkeys(column for row in rows for column in row if column != "system"))
    systems: set[str] = set()
    for row in rows:
        system = row.text("system")
        if system in systems:
            row.refuse("system", f"{system} has two rows", fix="keep one row for each system")
        systems.add(system)
    if not names:
        raise InputError("there is no score", where=rows[0].where.path, fix="add a column with scores")
    return tuple(
        ScoreColumn.of(
            name,
            {row.text("system"): row.number(name) for row in rows if name in row},
            path=rows[0].where.path,
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


def choose(columns: Sequence[ScoreColumn], names: Sequence[str], *, option: str) -> tuple[ScoreColumn, ...]:
    """The columns of these names in their order; all where no name is given."""
    known = {column.name: column for column in columns}
    for name in names:
        if name not in known:
            raise UnknownNameError.among(name, known, kind="score", where=option)
    return tuple(known[name] for name in names) if names else tuple(columns)


def shared_systems(columns: Sequence[Collection[str]]) -> frozenset[str]:
    """The systems that all have; the others are named in a note."""
    everywhere = frozenset.intersection(*map(frozenset, columns))
    apart = sorted(frozenset.union(*map(frozenset, columns)) - everywhere)
    if apart:
        warnings.warn(f"not in every score, left out: {', '.join(apart)}", InputWarning, stacklevel=2)
    return everywhere


def check_range(columns: Sequence[ScoreColumn], *, low: float, high: float) -> None:
    """Refuse a score outside the range that people could give."""
    for column in columns:
        for system, value in column.values.items():
            if not low <= value <= high:
                raise InputError(
                    f"the human score {column.name} of {system} is {value:g}, outside {low:g} to {high:g}",
                    where=column.path,
                    fix="mend the score, or say the range of the scores with --human-range",
                )


def join_columns(columns: Sequence[ScoreColumn]) -> tuple[ScoreColumn, ...]:
    """Columns of the same name from several files become one; a system must not have two scores."""
    joined: dict[str, ScoreColumn] = {}
    for column in columns:
        if column.name not in joined:
            joined[column.name] = column
            continue
        earlier = joined[column.name]
        twice = [system for system in column.values if system in earlier.values]
        if twice:
            raise InputError(
                f"{column.name} has two scores for {twice[0]}",
                where=column.path,
                fix=f"it is in {earlier.path} too: give each system in one file",
            )
        joined[column.name] = ScoreColumn.of(
            column.name, {**earlier.values, **column.values}, path=f"{earlier.path} and {column.path}"
        )
    return tuple(joined.values())


def note_left_out(column: ScoreColumn, systems: Sequence[str]) -> None:
    """Say which systems a file names without a score."""
    if systems:
        warnings.warn(
            f"{column.path}: no score for {', '.join(systems)}, left out", InputWarning, stacklevel=2
        )
