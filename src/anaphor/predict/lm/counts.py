"""The n-grams of a text, counted length by length with as much memory as is allowed.

An n-gram is known by its number among all n-grams of its length, in ascending order of the numbers of its
words. Without its last word it is an n-gram of the length before, its prefix; so the pair (number of the
prefix, last word) names it, and fits in one 64-bit key at any length. Keys are sorted a chunk of the text
at a time, and the sorted chunks are merged on disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anaphor.core import InputError, Where
from anaphor.predict.lm.columns import ColumnStore, DiskColumn, Longs, Run, grouped, merge


@dataclass(frozen=True, slots=True)
class NgramTable:
    """All n-grams of one length by number, sorted by prefix and then by last word.

    `prefix` is the number of the n-gram without its last word and `suffix` without its first, both 0 for
    single words. The first `openings` n-grams are those that begin a sentence.
    """

    prefix: DiskColumn
    word: DiskColumn
    suffix: DiskColumn
    count: DiskColumn
    openings: int

    def __len__(self) -> int:
        return len(self.word)


@dataclass(frozen=True, slots=True, eq=False)
class _Extended:
    """What a chunk has of the next length: keys in the order of the text, their suffixes and last words."""

    key: Longs
    suffix: Longs
    word: Longs


def count_ngrams(text: EncodedText, order: int, store: ColumnStore) -> Iterator[NgramTable]:
    """The tables of length 1 up to `order`; one that the text is too short for is empty.

    The files of the text are used up on the way.
    """
    table = _single_words(text, store)
    yield table
    chunks: Sequence[TextChunk] = text.chunks
    for length in range(2, order + 1):
        runs, local = _sort_pieces(chunks, len(text.words), store, length)
        table = _merge_runs(runs, len(text.words), store, length, openings=table.openings)
        yield table
        if length < order:
            chunks = _renumbered(local, runs, store, length)


def _single_words(text: EncodedText, store: ColumnStore) -> NgramTable:
    """Every word is a 1-gram, in the order of the numbers; the unknown word has no count."""
    counts = np.zeros(len(text.words), dtype=np.int64)
    for chunk in text.chunks:
        counts += np.bincount(chunk.word.read(), minlength=len(counts))
    nothing = np.zeros(len(counts), dtype=np.int64)
    table = _new_table(store, 1, openings=BEGIN + 1)
    table.prefix.append(nothing)
    table.word.append(np.arange(len(counts)))
    table.suffix.append(nothing)
    table.count.append(counts)
    return table


def _new_table(store: ColumnStore, length: int, *, openings: int) -> NgramTable:
    return NgramTable(
        prefix=store.column(f"{length}-gram.prefix", "i8"),
        word=store.column(f"{length}-gram.word", "i4"),
        suffix=store.column(f"{length}-gram.suffix", "i8"),
        count=store.column(f"{length}-gram.count", "i8"),
        openings=openings,
    )


def _sort_pieces(
    chunks: Sequence[TextChunk], words: int, store: ColumnStore, length: int
) -> tuple[list[Run], list[TextChunk]]:
    """A sorted run for every chunk, and the chunks with n-grams numbered as in their run."""
    runs, local = [], []
    for place, chunk in enumerate(chunks):
        extended = _extend(chunk, words)
        chunk.remove()
        groups = grouped(extended.key)
        runs.append(_new_run(store, f"{length}-run-{place}"))
        runs[-1].key.append(groups.values)
        runs[-1].count.append(np.bincount(groups.number, minlength=len(groups.values)))
        runs[-1].suffix.append(extended.suffix[groups.first])
        local.append(_new_piece(store, f"{length}-local-{place}"))
        local[-1].number.append(groups.number)
        local[-1].word.append(extended.word)
    return runs, local


def _extend(chunk: TextChunk, words: int) -> _Extended:
    """Every n-gram of the chunk that has a word after it, with that word.

    N-grams stand in the order of the text, so the next one has the suffix and the last word.
    """
    number, word = chunk.number.read(), chunk.word.read()
    going_on = np.flatnonzero(word != END)
    last = word[going_on + 1]
    return _Extended(number[going_on] * words + last, number[going_on + 1], last)


def _merge_runs(
    runs: Sequence[Run], words: int, store: ColumnStore, length: int, *, openings: int
) -> NgramTable:
    table = _new_table(store, length, openings=0)
    beginning = 0
    for part in merge(runs, block=store.block):
        prefix = part.key // words
        table.prefix.append(prefix)
        table.word.append(part.key - prefix * words)
        table.suffix.append(part.suffix)
        table.count.append(part.count)
        # <unk> does not occur, so that what begins with <s> has the lowest numbers.
        beginning += int(np.searchsorted(prefix, openings))
    for run in runs:
        run.remove()
    return replace(table, openings=beginning)


def _renumbered(
    local: Sequence[TextChunk], runs: Sequence[Run], store: ColumnStore, length: int
) -> list[TextChunk]:
    """The chunks with n-grams numbered as in the whole text."""
    chunks = []
    for place, (chunk, run) in enumerate(zip(local, runs, strict=True)):
        chunks.append(_new_piece(store, f"{length}-chunk-{place}"))
        chunks[-1].number.append(run.merged.read()[chunk.number.read()])
        chunks[-1].word.append(chunk.word.read())
        chunk.remove()
        run.merged.remove()
    return chunks


def _new_run(store: ColumnStore, name: str) -> Run:
    return Run(*(store.column(f"{name}.{part}", "i8") for part in ("key", "count", "suffix", "merged")))


def _new_piece(store: ColumnStore, name: str) -> TextChunk:
    return TextChunk(store.column(f"{name}.number", "i8"), store.column(f"{name}.word", "i4"))


SPECIAL = (b"<unk>", b"<s>", b"</s>")
BEGIN, END = 1, 2  # their numbers
_MARKS = frozenset(SPECIAL)


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Whole sentences of the text: for each n-gram in them its number and its last word."""

    number: DiskColumn
    word: DiskColumn

    def remove(self) -> None:
        """Free the space on disk."""
        self.number.remove()
        self.word.remove()


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The words by number, the chunks of the text, and how much there is of it, marks not counted."""

    words: tuple[bytes, ...]
    chunks: tuple[TextChunk, ...]
    sentences: int
    tokens: int


class _Numbers(dict[bytes, int]):
    """The number of every word; a new word takes the next one."""

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


def encode_text(lines: Iterable[tuple[Where, str]], store: ColumnStore) -> EncodedText:
    """Number the words of sentences, one a line, and put them on disk in chunks of whole sentences.

    Words are separated by ASCII white space and an empty line is an empty sentence, both as in lmplz. A
    mark of sentences or of unknown words in the text is an error.
    """
    numbers = _Numbers({word: number for number, word in enumerate(SPECIAL)})
    chunks: list[TextChunk] = []
    waiting = array("i")
    sentences = tokens = 0
    for words in _sentences(lines):
        waiting.append(BEGIN)
        waiting.extend(map(numbers.__getitem__, words))
        waiting.append(END)
        sentences += 1
        tokens += len(words)
        if len(waiting) >= store.block:
            chunks.append(_store(waiting, store, f"words-{len(chunks)}"))
            waiting = array("i")
    if waiting:
        chunks.append(_store(waiting, store, f"words-{len(chunks)}"))
    return EncodedText(tuple(numbers), tuple(chunks), sentences, tokens)


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


def _store(numbers: array[int], store: ColumnStore, name: str) -> TextChunk:
    """A chunk of single words, whose numbers as n-grams are those of the words."""
    values = np.asarray(numbers, dtype=np.int32)
    chunk = TextChunk(store.column(f"{name}.number", "i8"), store.column(f"{name}.word", "i4"))
    chunk.number.append(values)
    chunk.word.append(values)
    return chunk
