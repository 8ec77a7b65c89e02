"""CoNLL-U: sentences with lemma, tag, features and dependency tree, one word a line.

Ten columns separated by tabs; `#` starts a comment, an empty line ends a sentence. A range such as `3-4`
names the token that the words 3 and 4 were cut from (*du* = *de* + *le*). Empty nodes (`8.1`) belong to the
enhanced graph, not to the text: they stand beside the words, not among them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from anaphor.core import InputError, InputWarning, Where
from anaphor.corpus.conllu_nouns import Contraction, EmptyNode, ParsedSentence, Word
from anaphor.corpus.reading import clean, decode, display_name, read_bytes, split_lines

__all__ = [
    "Contraction",
    "EmptyNode",
    "ParsedSentence",
    "Word",
    "features_of_cell",
    "parse_conllu",
    "read_conllu",
]

_COLUMNS = 10
_WORD = re.compile(r"[1-9]\d*")
_RANGE = re.compile(r"[1-9]\d{0,8}-[1-9]\d{0,8}")
_HEAD = re.compile(r"[0-9]{1,9}")
_EMPTY_NODE = re.compile(r"\d+\.[1-9]\d*")


def read_conllu(path: str | Path) -> Iterator[ParsedSentence]:
    """The sentences of a file. What is not CoNLL-U is an `InputError` with its line and column.

    Comments that an empty line separates from all words are left out with a warning.
    """
    name = display_name(path)
    lines = split_lines(clean(read_bytes(path), path=name))
    yield from parse_conllu((decode(line, path=name) for line in lines), name)


def parse_conllu(lines: Iterable[str], name: str) -> Iterator[ParsedSentence]:
    """The sentences of lines without their ends, as `read_conllu` gives them; `name` stands in messages."""
    comments: list[str] = []
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            yield from _block(comments, rows, Where(name, number))
            comments, rows = [], []
        elif not line.startswith("#"):
            rows.append((number, line))
        elif rows:
            where = Where(name, number)
            raise InputError("a comment between the words", where=where, fix="move it before the first word")
        else:
            comments.append(line)
    yield from _block(comments, rows, Where(name))


def _block(comments: Sequence[str], rows: Sequence[tuple[int, str]], end: Where) -> Iterator[ParsedSentence]:
    """The sentence between two empty lines, if there is one; `end` is where they end."""
    if rows:
        yield _sentence(comments, rows, end.path)
    elif comments:
        warnings.warn(f"{end}: left out comments without a sentence", InputWarning, stacklevel=2)


def _sentence(comments: Sequence[str], rows: Sequence[tuple[int, str]], name: str) -> ParsedSentence:
    words: list[Word] = []
    contractions: list[Contraction] = []
    empty_nodes: list[EmptyNode] = []
    lines: list[int] = []
    for number, line in rows:
        where = Where(name, number)
        cells = _columns(line, where)
        if _WORD.fullmatch(cells[0]):
            words.append(_word(cells, len(words), where))
            lines.append(number)
        elif _RANGE.fullmatch(cells[0]):
            contractions.append(_contraction(cells, len(words), contractions, where))
        elif contractions and contractions[-1].start == len(words):
            raise _bad_cell(cells[0], f"the word number {len(words) + 1}", Where(name, number, 1))
        else:
            empty_nodes.append(_empty_node(cells, len(words), empty_nodes, where))
    _check_places(words, contractions, lines, rows[0][0], name)
    return ParsedSentence(tuple(words), tuple(contractions), rows[0][0], tuple(comments), tuple(empty_nodes))


def _columns(line: str, where: Where) -> list[str]:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        found = f"the line has {len(cells)} columns, CoNLL-U has {_COLUMNS}"
        raise InputError(found, where=where, fix="separate ten columns with single tabs")
    return cells


def _word(cells: Sequence[str], before: int, where: Where) -> Word:
    if cells[0] != str(before + 1):
        raise _bad_cell(cells[0], f"the word number {before + 1}", Where(where.path, where.line, 1))
    for column, what in ((1, "a form"), (3, "a part of speech"), (7, "a relation")):
        if not cells[column] or (cells[column] == "_" and column != 1):
            raise _bad_cell(cells[column], what, Where(where.path, where.line, column + 1))
    if not _HEAD.fullmatch(cells[6]):
        raise _bad_cell(cells[6], "a head", Where(where.path, where.line, 7))
    head = int(cells[6])
    lemma = cells[1] if cells[2] == "_" else cells[2]
    features = _features(cells[5], Where(where.path, where.line, 6))
    parent = head - 1 if head else None
    return Word(cells[1], lemma, cells[3], features, parent, cells[7], cells[4], cells[8], cells[9])


def _contraction(
    cells: Sequence[str], before: int, others: Sequence[Contraction], where: Where
) -> Contraction:
    first, last = (int(part) for part in cells[0].split("-"))
    if first != before + 1 or last < first or (others and others[-1].end > before):
        raise _bad_cell(cells[0], f"a range that starts at {before + 1}", Where(where.path, where.line, 1))
    for column in (2, 3, 4, 6, 7, 8):
        if cells[column] != "_":
            raise _bad_cell(cells[column], "_, as a range has", Where(where.path, where.line, column + 1))
    features = _features(cells[5], Where(where.path, where.line, 6))
    return Contraction(cells[1], before, last, features, cells[9])


def _empty_node(cells: Sequence[str], before: int, others: Sequence[EmptyNode], where: Where) -> EmptyNode:
    if not _EMPTY_NODE.fullmatch(cells[0]):
        raise _bad_cell(cells[0], "a word number", Where(where.path, where.line, 1))
    number = 1 + (others[-1].number if others and others[-1].after == before else 0)
    if cells[0] != f"{before}.{number}":
        raise _bad_cell(cells[0], f"the empty node {before}.{number}", Where(where.path, where.line, 1))
    return EmptyNode(before, number, tuple(cells[1:9]), cells[9])


def features_of_cell(cell: str) -> Mapping[str, str]:
    """`Number=Sing|Person=3` by name, nothing for `_`; a `ValueError` when it is neither."""
    parts = [] if cell == "_" else cell.split("|")
    features = dict(_feature(part) for part in parts)
    if len(features) != len(parts):
        raise ValueError(cell)
    return features


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
            numbers = f"{contraction.start + 1}-{contraction.end}"
            raise _bad_cell(numbers, "a range in the sentence", Where(name, first))


def _is_in_cycle(words: Sequence[Word], at: int | None) -> bool:
    for _ in words:
        at = words[at].head if at is not None and at < len(words) else None
        if at is None:
            return False
    return True


def _bad_cell(cell: str, wanted: str, where: Where) -> InputError:
    return InputError(f"not {wanted}: {cell!r}", where=where, fix="see universaldependencies.org/format.html")
