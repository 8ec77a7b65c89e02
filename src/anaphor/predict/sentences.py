"""Text as numbers: every word numbered when it is first met, every sentence between its marks."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from anaphor.core import InputError, Where
from anaphor.predict.columns import Column, Shelf

SPECIAL = (b"<unk>", b"<s>", b"</s>")
BEGIN, END = 1, 2  # their numbers
_MARKS = frozenset(SPECIAL)


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole sentences of the text: for each n-gram in them its number and its last word."""

    number: Column
    word: Column

    def remove(self) -> None:
        """Free the space on disk."""
        self.number.remove()
        self.word.remove()


@dataclass(frozen=True, slots=True)
class NumberedText:
    """The words by number, the pieces of the text, and how much there is of it, marks not counted."""

    words: tuple[bytes, ...]
    pieces: tuple[Piece, ...]
    sentences: int
    tokens: int


class _Numbers(dict[bytes, int]):
    """The number of every word; a new word takes the next one."""

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


def number_text(lines: Iterable[tuple[Where, str]], shelf: Shelf) -> NumberedText:
    """Number the words of sentences, one a line, and put them on disk in pieces of whole sentences.

    Words are separated by ASCII white space and an empty line is an empty sentence, both as in lmplz. A
    mark of sentences or of unknown words in the text is an error.
    """
    numbers = _Numbers({word: number for number, word in enumerate(SPECIAL)})
    pieces: list[Piece] = []
    waiting = array("i")
    sentences = tokens = 0
    for words in _sentences(lines):
        waiting.append(BEGIN)
        waiting.extend(map(numbers.__getitem__, words))
        waiting.append(END)
        sentences += 1
        tokens += len(words)
        if len(waiting) >= shelf.block:
            pieces.append(_store(waiting, shelf, f"words-{len(pieces)}"))
            waiting = array("i")
    if waiting:
        pieces.append(_store(waiting, shelf, f"words-{len(pieces)}"))
    return NumberedText(tuple(numbers), tuple(pieces), sentences, tokens)


def _sentences(lines: Iterable[tuple[Where, str]]) -> Iterator[list[bytes]]:
    for where, line in lines:
        words = line.encode().split()
        if not _MARKS.isdisjoint(words):
            raise _mark_in_text(words, where)
        yield words


def _mark_in_text(words: list[bytes], where: Where) -> InputError:
    mark = next(word for word in words if word in _MARKS)
    return InputError(
        f"the text has the word {mark.decode()}, which language models use as a mark",
        where=where,
        fix="remove the marks; every line is a sentence and is given its own",
    )


def _store(numbers: array[int], shelf: Shelf, name: str) -> Piece:
    """A piece of single words, whose numbers as n-grams are those of the words."""
    values = np.asarray(numbers, dtype=np.int32)
    piece = Piece(shelf.column(f"{name}.number", "i8"), shelf.column(f"{name}.word", "i4"))
    piece.number.append(values)
    piece.word.append(values)
    return piece
