"""Parallel text in, line by line: two plain files, and what every form of text has in common."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, Protocol

from anaphor.core import InputError, MismatchError, Where
from anaphor.corpus import read_documents
from anaphor.task.streams import count_lines, read_lines

_BLOCK = 1 << 20


class RawPair(NamedTuple):
    """A source line, its translation, and the document they belong to."""

    source: str
    target: str
    document: str


class ParallelText(Protocol):
    """Parallel text that can be read more than once."""

    @property
    def name(self) -> str:
        """Short, for the ids of documents."""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file it is read from."""

    @property
    def names_documents(self) -> bool:
        """Whether its documents have ids of their own, and are not just counted."""

    def read(self) -> Iterator[RawPair]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPair:
    """A source file and a target file with one segment a line.

    `documents` is a file with an id a line, or start lines; `mark` is a line that stands in both texts where
    a document starts, and is no segment itself. Without either the whole text is one document.
    """

    source: str
    target: str
    documents: str | None = None
    mark: str | None = None

    @property
    def name(self) -> str:
        return short_name(self.source)

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
                    fix="give two texts in which line n is the translation of line n",
                )
            yield source[0], source[1], target[1]

    def _marked(self, lines: Iterator[tuple[int, str, str]], mark: str) -> Iterator[RawPair]:
        documents = 0
        for number, source, target in lines:
            if (source == mark) != (target == mark):
                raise MismatchError(
                    f"only one of the two lines is the mark {mark!r}",
                    where=Where(self.source if source == mark else self.target, number),
                    fix="let documents start at the same lines in both texts",
                )
            if source == mark:
                documents += 1
            elif not documents:
                raise InputError(
                    f"a segment comes before the first mark {mark!r}",
                    where=Where(self.source, number),
                    fix="start the text with the mark, or leave --document-mark out",
                )
            else:
                yield RawPair(source, target, str(documents))


def read_all(texts: Sequence[ParallelText]) -> Iterator[RawPair]:
    """The pairs of all texts, document ids with the prefix of theirs."""
    for text, prefix in zip(texts, text_prefixes(texts), strict=True):
        yield from read_prefixed(text, prefix)


def read_prefixed(text: ParallelText, prefix: str) -> Iterator[RawPair]:
    """The pairs of a text, with `prefix` before the ids of its documents."""
    if not prefix:
        return text.read()
    return (RawPair(source, target, f"{prefix}{document}") for source, target, document in text.read())


def text_prefixes(texts: Sequence[ParallelText]) -> list[str]:
    """What document ids start with: with several texts, the number and the name of theirs."""
    if len(texts) == 1:
        return [""]
    return [f"{number}.{text.name}/" for number, text in enumerate(texts, start=1)]


def digest_of(path: str) -> str:
    """SHA-256 of a file's bytes as they lie on disk."""
    total = hashlib.sha256()
    try:
        with Path(path).open("rb") as file:
            while block := file.read(_BLOCK):
                total.update(block)
    except OSError as error:
        raise InputError(
            f"the file cannot be read ({error.strerror})",
            where=path,
            fix="check the path and its permissions",
        ) from error
    return total.hexdigest()


def short_name(path: str) -> str:
    """The name of a file up to its first full stop."""
    return Path(path).name.partition(".")[0]
