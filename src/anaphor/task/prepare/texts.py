"""Parallel text, read pair by pair: two plain files, or a table with one column per language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple, Protocol

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, Where
from anaphor.corpus import read_documents
from anaphor.corpus.text import unreadable
from anaphor.task.streams import count_lines, read_lines


class RawPair(NamedTuple):
    """A source line, its translation, and the document they belong to."""

    source: str
    target: str
    document: str


class ParallelText(Protocol):
    """Parallel text that can be read repeatedly."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file it is read from; it is named after the first."""

    @property
    def names_documents(self) -> bool:
        """Whether its documents have ids, and are not just numbered."""

    def read(self) -> Iterator[RawPair]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPair:
    """A source file and a target file with one segment per line.

    `documents` is a file with one id per line, or start lines; `mark` is a line in both texts that starts a
    document and is not a segment itself. Without either the whole text is one document.
    """

    source: str
    target: str
    documents: str | None = None
    mark: str | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.source, self.target, self.documents)))

    @property
    def names_documents(self) -> bool:
        return self.documents is not None

    def read(self) -> Iterator[RawPair]:
        """The pairs in order; texts of unequal length are an error."""
        lines = self._lines()
        if self.mark is not None:
            return self._marked(lines, self.mark)
        if self.documents is None:
            return (RawPair(source, target, "text") for _, source, target in lines)
        ids = read_documents(self.documents, segments=count_lines(self.source))
        return (RawPair(source, target, ids[number - 1]) for number, source, target in lines)

    def _lines(self) -> Iterator[tuple[int, str, str]]:
        for source, target in zip_longest(read_lines(self.source), read_lines(self.target)):
            if source is None or target is None:
                longer, shorter = (self.target, self.source) if source is None else (self.source, self.target)
                number = (source or target or (0, ""))[0]
                raise MismatchError(
                    f"the file has more lines than {shorter}, which has {number - 1}",
                    where=Where(longer, number),
                    fix="pass two texts in which line n is the translation of line n",
                )
            yield source[0], source[1], target[1]

    def _marked(self, lines: Iterator[tuple[int, str, str]], mark: str) -> Iterator[RawPair]:
        documents = 0
        for number, source, target in lines:
            if (source == mark) != (target == mark):
                raise MismatchError(
                    f"only one of the two lines is the mark {mark!r}",
                    where=Where(self.source if source == mark else self.target, number),
                    fix="begin documents on the same lines in both texts",
                )
            if source == mark:
                documents += 1
            elif not documents:
                raise InputError(
                    f"a segment comes before the first mark {mark!r}",
                    where=Where(self.source, number),
                    fix="start the text with the mark, or omit --document-mark",
                )
            else:
                yield RawPair(source, target, str(documents))


def read_all(texts: Sequence[ParallelText]) -> Iterator[RawPair]:
    """The pairs of all texts, document ids with the prefix of their text."""
    for text, prefix in zip(texts, text_prefixes(texts), strict=True):
        yield from read_prefixed(text, prefix)


def read_prefixed(text: ParallelText, prefix: str) -> Iterator[RawPair]:
    """The pairs of a text, with `prefix` before the ids of its documents."""
    if not prefix:
        return text.read()
    return (RawPair(source, target, f"{prefix}{document}") for source, target, document in text.read())


def text_prefixes(texts: Sequence[ParallelText]) -> list[str]:
    """The prefixes of document ids: with several texts, the number and the name of each."""
    if len(texts) == 1:
        return [""]
    return [f"{number}.{name_of_text(text)}/" for number, text in enumerate(texts, start=1)]


def digest_of(path: str) -> str:
    """SHA-256 of a file's bytes as they are on disk."""
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from error


def name_of_text(text: ParallelText) -> str:
    """A short name, for document ids and shards: that of its first file up to the first full stop."""
    return Path(text.paths[0]).name.partition(".")[0]


#: ISO 639-3 codes, by which Tatoeba's files name their languages.
_LONG_CODES = {"de": "deu", "en": "eng", "es": "spa", "fr": "fra"}


class TableColumns(NamedTuple):
    """The columns of a table, counted from 0, how many it has, and whether it starts with a header."""

    source: int
    target: int
    document: int | None
    header: bool
    width: int


@dataclass(frozen=True, slots=True)
class ParallelTable:
    """A file with tabs between columns and no quoting.

    `columns` names source, target and, if there is one, document: by the names of the header line, or by
    numbers from 1 if there is no header. By default, texts are in the columns whose header is the language
    code, and ids in the first column unless it is one of these; Tatoeba files are recognized by the two
    language codes at the start of every line, and have no documents.
    """

    path: str
    pair: LanguagePair
    columns: tuple[str, ...] = ()

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
            raise InputError("the file has no lines", where=self.path, fix="pass a table with tabs")
        columns = self._find_columns(first[1])
        for number, row in rows if columns.header else chain([first], rows):
            if len(row) != columns.width:
                raise InputError(
                    f"the line has {len(row)} columns instead of {columns.width}",
                    where=Where(self.path, number),
                    fix="write as many columns as in the first line, and no tab inside a text",
                )
            # Without a column of documents every line is a document of its own.
            document = str(number) if columns.document is None else row[columns.document]
            if not document.strip():
                raise InputError(
                    "the document id is blank",
                    where=Where(self.path, number),
                    fix="write the id of the segment's document on every line",
                )
            yield RawPair(row[columns.source], row[columns.target], document)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        return ((number, line.split("\t")) for number, line in read_lines(self.path))

    def _find_columns(self, first: list[str]) -> TableColumns:
        codes = [self.pair.source, self.pair.target]
        long_codes = [_LONG_CODES.get(code, code) for code in codes]
        header = not self.columns or not all(name.isdecimal() for name in self.columns)
        if self.columns:
            known = first if header else list(map(str, range(1, len(first) + 1)))
            for name in self.columns:
                if name not in known:
                    raise OptionError(
                        f"{self.path} has no column {name}",
                        where="--columns",
                        fix=f"it has {', '.join(first)}" if header else f"use numbers from 1 to {len(first)}",
                    )
            places = [known.index(name) for name in self.columns]
        elif all(code in first for code in codes):
            places = [first.index(code) for code in codes]
            places = places if 0 in places else [*places, 0]
        elif len(first) == 4 and sorted(first[:2]) == sorted(long_codes):
            places, header = [2 + first.index(code) for code in long_codes], False
        else:
            raise InputError(
                f"no column in the first line is called {self.pair.source} or {self.pair.target}",
                where=Where(self.path, 1),
                fix="specify the columns of source, target and document with --columns: en,fr,doc or 3,4,1",
            )
        document = places[2] if len(places) > 2 else None
        return TableColumns(places[0], places[1], document, header, len(first))
