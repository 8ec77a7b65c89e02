"""Parallel text in tables: one line a segment, tabs between columns, no quoting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import NamedTuple

from anaphor.core import InputError, LanguagePair, OptionError, Where
from anaphor.task.prepare_inputs import RawPair, short_name
from anaphor.task.streams import read_lines

#: ISO 639-3 codes, by which Tatoeba's files name their languages.
_LONG_CODES = {"de": "deu", "en": "eng", "es": "spa", "fr": "fra"}


class Columns(NamedTuple):
    """Which columns of a table, from 0, have what, how many it has, and whether it starts with a header."""

    source: int
    target: int
    document: int | None
    header: bool
    width: int


@dataclass(frozen=True, slots=True)
class Table:
    """A file with tabs between columns and no quoting.

    `columns` names source, target and, where there is one, document: by the names of the header line, or by
    numbers from 1 where there is no header. Without it, texts stand in the columns whose header is the
    language's code, and ids in the first column unless it is one of these; Tatoeba's files are known by the
    two language codes that every line starts with, and have no documents.
    """

    path: str
    pair: LanguagePair
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return short_name(self.path)

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.path,)

    @property
    def names_documents(self) -> bool:
        return any(self._find_columns(row).document is not None for _, row in islice(self._rows(), 1))

    def read(self) -> Iterator[RawPair]:
        """The pairs in order; a line with too few or too many columns is an error."""
        rows = self._rows()
        first = next(rows, None)
        if first is None:
            raise InputError("the file has no lines", where=self.path, fix="give a table with tabs")
        columns = self._find_columns(first[1])
        for number, row in rows if columns.header else chain([first], rows):
            yield self._pair(number, row, columns)

    def _pair(self, number: int, row: Sequence[str], columns: Columns) -> RawPair:
        """The pair of a line; without a column of documents every line is a document of its own."""
        if len(row) != columns.width:
            raise InputError(
                f"the line has {len(row)} columns instead of {columns.width}",
                where=Where(self.path, number),
                fix="write as many columns as in the first line, and no tab inside a text",
            )
        document = str(number) if columns.document is None else row[columns.document]
        if not document.strip():
            raise InputError(
                "the document id is blank",
                where=Where(self.path, number),
                fix="write the id of the segment's document on every line",
            )
        return RawPair(row[columns.source], row[columns.target], document)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        return ((number, line.split("\t")) for number, line in read_lines(self.path))

    def _find_columns(self, first: list[str]) -> Columns:
        if self.columns and all(name.isdecimal() for name in self.columns):
            places = [self._numbered(name, first) for name in self.columns]
            return _columns(places, header=False, width=len(first))
        if self.columns:
            return _columns(
                [self._named(name, first) for name in self.columns], header=True, width=len(first)
            )
        codes = [self.pair.source, self.pair.target]
        if all(code in first for code in codes):
            places = [first.index(code) for code in codes]
            return _columns(places if 0 in places else [*places, 0], header=True, width=len(first))
        return self._tatoeba_columns(first)

    def _tatoeba_columns(self, first: list[str]) -> Columns:
        codes = [_LONG_CODES.get(code, code) for code in (self.pair.source, self.pair.target)]
        if len(first) == 4 and sorted(first[:2]) == sorted(codes):
            return _columns([2 + first.index(code) for code in codes], header=False, width=4)
        raise InputError(
            f"no column of the first line is called {self.pair.source} or {self.pair.target}",
            where=Where(self.path, 1),
            fix="say with --columns where source, target and document are: en,fr,doc or 3,4,1",
        )

    def _numbered(self, name: str, first: Sequence[str]) -> int:
        if not 1 <= int(name) <= len(first):
            raise OptionError(
                f"there is no column {name}: the first line has {len(first)}",
                where="--columns",
                fix="count columns from 1",
            )
        return int(name) - 1

    def _named(self, name: str, first: Sequence[str]) -> int:
        if name not in first:
            raise OptionError(
                f"{self.path} has no column {name}", where="--columns", fix=f"it has {', '.join(first)}"
            )
        return list(first).index(name)


def _columns(places: Sequence[int], *, header: bool, width: int) -> Columns:
    return Columns(places[0], places[1], places[2] if len(places) > 2 else None, header, width)
