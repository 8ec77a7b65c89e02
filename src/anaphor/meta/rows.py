"""Tables of human work: tab-separated text with a header, or one JSON object a line.

Both give the same rows, so every file of this room may be either. A file whose name ends in `.jsonl`
(or `.jsonl.gz`) is JSON, any other is TSV. Every row knows its place, and every complaint names it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from anaphor.core import InputError, UnknownNameError, Where
from anaphor.corpus import Text, read_text


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of one line by the names of their columns; an empty cell is not there."""

    path: str
    line: int
    cells: Mapping[str, str]

    @property
    def where(self) -> Where:
        return Where(self.path, self.line)

    def has(self, column: str) -> bool:
        return column in self.cells

    def text(self, column: str) -> str:
        """The cell, which must not be empty."""
        if column not in self.cells:
            raise InputError(f"{column} is empty", where=self.where, fix=f"fill the column {column}")
        return self.cells[column]

    def optional(self, column: str) -> str | None:
        return self.cells.get(column)

    def number(self, column: str) -> float:
        """The cell as a finite number."""
        try:
            value = float(self.text(column))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.refuse(column, f"not a number: {self.cells[column]!r}", fix="write a number such as 0.544")
        return value

    def count(self, column: str) -> int:
        """The cell as a whole number from 0 up."""
        value = self.number(column)
        if value < 0 or value != int(value):
            self.refuse(column, f"not a count: {self.cells[column]!r}", fix="write a whole number from 0 up")
        return int(value)

    def one_of(self, column: str, known: Sequence[str]) -> str:
        """The cell, which must be one of the known words."""
        value = self.text(column)
        if value not in known:
            raise UnknownNameError.among(value, known, kind=column, where=self.where)
        return value

    def refuse(self, column: str, what: str, *, fix: str) -> NoReturn:
        raise InputError(f"{column}: {what}", where=self.where, fix=fix)


def read_rows(path: str | Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> list[Row]:
    """All rows of a file. A missing column is an error, and so is an unknown one."""
    rows = list(any_rows(path))
    known = {*required, *optional}
    for row in rows:
        for column in row.cells:
            if column not in known:
                raise UnknownNameError.among(column, known, kind="column", where=row.where)
    for column in required:
        if not any(row.has(column) for row in rows):
            raise InputError(
                f"there is no column {column}",
                where=rows[0].path,
                fix=f"give the columns {', '.join(required)}",
            )
    return rows


def any_rows(path: str | Path) -> list[Row]:
    """All rows of a file, whatever its columns are; a file without rows is an error."""
    text = read_text(path)
    lines = _json_rows(text) if str(path).removesuffix(".gz").endswith(".jsonl") else _tsv_rows(text)
    rows = list(lines)
    if not rows:
        raise InputError("the file has a header and no rows", where=text.path, fix="add the rows")
    return rows


def _tsv_rows(text: Text) -> Iterator[Row]:
    header = [cell.strip() for cell in text.lines[0].split("\t")]
    if len(set(header)) != len(header) or not all(header):
        raise InputError(
            "the header has a column twice or without a name",
            where=Where(text.path, 1),
            fix="give every column one name of its own",
        )
    for number, line in enumerate(text.lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise InputError(
                f"the line has {len(cells)} columns, the header has {len(header)}",
                where=Where(text.path, number),
                fix="write one cell for each column, with tabs between them",
            )
        named = zip(header, map(str.strip, cells), strict=True)
        yield Row(text.path, number, {column: cell for column, cell in named if cell})


def _json_rows(text: Text) -> Iterator[Row]:
    for number, line in enumerate(text.lines, start=1):
        where = Where(text.path, number)
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"not JSON: {error}", where=where, fix="write one JSON object on every line"
            ) from error
        if not isinstance(content, dict):
            raise InputError("not a JSON object", where=where, fix="write an object such as {...}")
        cells = {column: _cell(value, column, where) for column, value in content.items()}
        yield Row(text.path, number, {column: cell for column, cell in cells.items() if cell})


def _cell(value: object, column: str, where: Where) -> str:
    """A JSON value as a cell; a list of texts is joined by commas, null is an empty cell."""
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return "" if value is None else str(value)
    raise InputError(
        f"{column} is neither text nor a number", where=where, fix="write a text, a number or a list of texts"
    )
