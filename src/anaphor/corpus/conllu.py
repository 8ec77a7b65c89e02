"""CoNLL-U: sentences with lemma, tag, features and dependency tree, one word a line.

Ten columns separated by tabs; `#` starts a comment, an empty line ends a sentence. A range such as `3-4`
names the token that the words 3 and 4 were cut from (*du* = *de* + *le*). Empty nodes (`8.1`) belong to the
enhanced graph, not to the text, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, Where
from anaphor.corpus.reading import clean, decode, display_name, read_bytes, split_lines

_COLUMNS = 10
_WORD = re.compile(r"[1-9]\d*")
_RANGE = re.compile(r"([1-9]\d*)-([1-9]\d*)")
_EMPTY_NODE = re.compile(r"\d+\.[1-9]\d*")


@dataclass(frozen=True, slots=True)
class Word:
    """One syntactic word; `head` is a position counted from 0, None at the root."""

    form: str
    lemma: str
    tag: str
    features: Mapping[str, str]
    head: int | None
    relation: str


@dataclass(frozen=True, slots=True)
class Contraction:
    """A token of the text that stands for the words from `start` to `end` (not included)."""

    form: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence and the contractions in its text; `line` is where it starts in its file."""

    words: tuple[Word, ...]
    contractions: tuple[Contraction, ...]
    line: int


def read_conllu(path: str | Path) -> Iterator[ParsedSentence]:
    """The sentences of a file in order. What is not CoNLL-U is an `InputError` with its line and column."""
    name = display_name(path)
    lines = split_lines(clean(read_bytes(path), path=name))
    rows: list[tuple[int, str]] = []
    for number, raw in enumerate(lines, start=1):
        line = decode(raw, path=name)
        if line.startswith("#"):
            continue
        if line:
            rows.append((number, line))
        elif rows:
            yield _sentence(rows, name)
            rows = []
    if rows:
        yield _sentence(rows, name)


def _sentence(rows: Sequence[tuple[int, str]], name: str) -> ParsedSentence:
    words: list[Word] = []
    contractions: list[Contraction] = []
    lines: list[int] = []
    for number, line in rows:
        cells = line.split("\t")
        if len(cells) != _COLUMNS:
            found = f"the line has {len(cells)} columns, CoNLL-U has {_COLUMNS}"
            raise InputError(found, where=Where(name, number), fix="separate ten columns with single tabs")
        if _WORD.fullmatch(cells[0]):
            words.append(_word(cells, len(words), Where(name, number)))
            lines.append(number)
        elif _RANGE.fullmatch(cells[0]):
            contractions.append(_contraction(cells, len(words), Where(name, number)))
        elif not _EMPTY_NODE.fullmatch(cells[0]):
            raise _bad_cell(cells[0], "a word number", Where(name, number, 1))
    _check_places(words, contractions, lines, rows[0][0], name)
    return ParsedSentence(tuple(words), tuple(contractions), rows[0][0])


def _word(cells: Sequence[str], before: int, where: Where) -> Word:
    if cells[0] != str(before + 1):
        raise _bad_cell(cells[0], f"the word number {before + 1}", Where(where.path, where.line, 1))
    for column, what in ((1, "a form"), (3, "a part of speech"), (7, "a relation")):
        if not cells[column] or (cells[column] == "_" and column != 1):
            raise _bad_cell(cells[column], what, Where(where.path, where.line, column + 1))
    if not cells[6].isascii() or not cells[6].isdecimal():
        raise _bad_cell(cells[6], "a head", Where(where.path, where.line, 7))
    head = int(cells[6])
    lemma = cells[1] if cells[2] == "_" else cells[2]
    features = _features(cells[5], Where(where.path, where.line, 6))
    return Word(cells[1], lemma, cells[3], features, head - 1 if head else None, cells[7])


def _contraction(cells: Sequence[str], before: int, where: Where) -> Contraction:
    first, last = (int(part) for part in cells[0].split("-"))
    if first != before + 1 or last < first:
        raise _bad_cell(cells[0], f"a range that starts at {before + 1}", Where(where.path, where.line, 1))
    return Contraction(cells[1], before, last)


def features_of_cell(cell: str) -> Mapping[str, str]:
    """`Number=Sing|Person=3` by name, nothing for `_`; a `ValueError` when it is neither."""
    return {} if cell == "_" else dict(_feature(part) for part in cell.split("|"))


def _feature(part: str) -> tuple[str, str]:
    name, equals, value = part.partition("=")
    if not (name and equals and value):
        raise ValueError(part)
    return name, value


def _features(cell: str, where: Where) -> Mapping[str, str]:
    try:
        return features_of_cell(cell)
    except ValueError:
        raise _bad_cell(cell, "features such as Number=Sing|Person=3", where) from None


def _check_places(
    words: Sequence[Word],
    contractions: Sequence[Contraction],
    lines: Sequence[int],
    first: int,
    name: str,
) -> None:
    """No head, and no contraction, may reach outside the sentence; no word is above itself."""
    if not words:
        raise InputError("a sentence without words", where=Where(name, first), fix="remove it")
    for at, (word, line) in enumerate(zip(words, lines, strict=True)):
        if word.head is not None and (word.head >= len(words) or word.head == at):
            raise _bad_cell(str(word.head + 1), "a head in the sentence", Where(name, line, 7))
        if _is_in_cycle(words, at):
            what = f"the heads of the word {at + 1} lead in a circle"
            raise InputError(what, where=Where(name, line, 7), fix="make one word the root, with head 0")
    for contraction in contractions:
        if contraction.end > len(words):
            raise _bad_cell(
                f"{contraction.start + 1}-{contraction.end}", "a range in the sentence", Where(name, first)
            )


def _is_in_cycle(words: Sequence[Word], start: int) -> bool:
    at: int | None = start
    for _ in words:
        at = words[at].head if at is not None and at < len(words) else None
        if at is None:
            return False
    return True


def _bad_cell(cell: str, wanted: str, where: Where) -> InputError:
    return InputError(f"not {wanted}: {cell!r}", where=where, fix="see universaldependencies.org/format.html")
