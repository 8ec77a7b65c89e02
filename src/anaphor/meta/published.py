"""The printed tables of the three papers on the evaluation of pronoun translation, as data.

`published_data/NAME.tsv` has the figures as they are printed, one file per table. `tables.toml` has title,
source and remarks, including every place where printed numbers contradict each other. Empty cells are also
empty in the paper.
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

from anaphor.core import UnknownNameError
from anaphor.core.table import Block, Listing, Table, text
from anaphor.meta.scores import ScoreColumn, read_rows


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """One table: the first column names its rows, the others contain figures or words as printed."""

    name: str
    title: str
    source: str
    remarks: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """The cells of one column, from top to bottom."""
        if name not in self.header:
            raise UnknownNameError.among(name, self.header, kind="column", where=self.name)
        place = self.header.index(name)
        return tuple(row[place] for row in self.rows)

    def scores(self, name: str) -> ScoreColumn:
        """A column of numbers by row name, if the table has one row per system."""
        values = {
            row: float(cell) for row, cell in zip(self.column(self.header[0]), self.column(name), strict=True)
        }
        return ScoreColumn(name, self.name, values)

    def beside(self, path: str | Path) -> PublishedTable:
        """The table extended by the rows of a TSV file with some of its columns."""
        rows = read_rows(path, required=self.header[:1], optional=self.header[1:])
        known = {row[0] for row in self.rows}
        for row in rows:
            name = row.text(self.header[0])
            if name in known:
                row.refuse(self.header[0], f"{name} is in the table twice", fix="rename the row")
            known.add(name)
        more = tuple(tuple(row.optional_text(column) or "" for column in self.header) for row in rows)
        return replace(self, rows=(*self.rows, *more))

    def to_dict(self) -> list[dict[str, Any]]:
        """This table as a list of one, in the form that `published_tables` has for many."""
        rows = [dict(zip(self.header, row, strict=True)) for row in self.rows]
        facts = {"table": self.name, "title": self.title, "source": self.source}
        return [{**facts, "remarks": self.remarks, "rows": rows}]

    def tables(self) -> list[Block]:
        remarks = "\n".join(f"- {remark}" for remark in self.remarks)
        return [
            f"{self.title}\n{self.source}",
            Table([text(name) for name in self.header], self.rows),
            remarks,
        ]

    def tsv(self) -> str:
        return "".join("\t".join(row) + "\n" for row in (self.header, *self.rows))


def published_tables() -> Listing:
    """All tables in the order of the papers: only their titles when printed, everything as data."""
    tables = [published_table(name) for name in published_names()]
    # Padded, because tables set every column but the first flush right.
    width = max(len(table.title) for table in tables)
    rows = [(table.name, f"{table.title:{width}}") for table in tables]
    content = [entry for table in tables for entry in table.to_dict()]
    return Listing(content, [Table([text("table"), text(f"{'title':{width}}")], rows)])


def published_names() -> tuple[str, ...]:
    """The names of all tables, in the order of the papers."""
    return tuple(_index())


def published_table(name: str) -> PublishedTable:
    """A table by its name, such as `guillou-hardmeier-2018-table-1`."""
    index = _index()
    if name not in index:
        raise UnknownNameError.among(name, index, kind="table", where="--table")
    entry = index[name]
    header, *rows = csv.reader(StringIO(_data(f"{name}.tsv")), delimiter="\t")
    return PublishedTable(
        name=name,
        title=entry["title"],
        source=entry["source"],
        remarks=tuple(entry.get("remarks", ())),
        header=tuple(header),
        rows=tuple(map(tuple, rows)),
    )


def _index() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(_data("tables.toml"))


def _data(name: str) -> str:
    return (files("anaphor.meta") / "published_data" / name).read_text(encoding="utf-8")
