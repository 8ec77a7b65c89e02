"""The n-grams of a text, counted length by length within a bound on memory.

An n-gram is identified by its number among all n-grams of its length, in ascending order of the numbers of
its words. Without its last word it is an n-gram of the length before, its prefix; so the pair (number of the
prefix, last word) identifies it, and fits into one 64-bit key at any length. Keys are sorted one chunk of the
text at a time, and the sorted chunks are merged on disk.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from anaphor.core import InputError, Where
from anaphor.recipes.lm.columns import ColumnStore, DiskColumn, Run, grouped, merge

SPECIAL = (b"<unk>", b"<s>", b"</s>")
BEGIN, END = 1, 2  # their numbers


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Whole sentences of the text: the number and last word of each of their n-grams."""

    number: DiskColumn
    word: DiskColumn

    def remove(self) -> None:
        """Free the space on disk."""
        self.number.remove()
        self.word.remove()

    @classmethod
    def empty(cls, store: ColumnStore, name: str) -> TextChunk:
        return cls(**store.columns(name, number="i8", word="i4"))


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The words by number, the chunks of the text, and its size without sentence marks."""

    words: tuple[bytes, ...]
    chunks: tuple[TextChunk, ...]
    sentences: int
    tokens: int


class _WordNumbers(dict[bytes, int]):
    """The number of every word; a new word takes the next one."""

    def __missing__(self, word: bytes) -> int:
        number = self[word] = len(self)
        return number


def encode_text(lines: Iterable[tuple[Where, str]], store: ColumnStore) -> EncodedText:
    """Number the words of sentences, one per line, and put them on disk in chunks of whole sentences.

    Words are separated by ASCII white space and an empty line is an empty sentence, both as in lmplz. A
    sentence mark or a mark for unknown words in the text is an error.
    """
    numbers = _WordNumbers({word: number for number, word in enumerate(SPECIAL)})
    marks = frozenset(SPECIAL)
    chunks: list[TextChunk] = []
    waiting = array("i")
    sentences = tokens = 0

    def write_chunk() -> None:
        # The numbers of words are their numbers as n-grams of length 1.
        values = np.asarray(waiting, dtype=np.int32)
        chunks.append(TextChunk.empty(store, f"words-{len(chunks)}"))
        chunks[-1].number.append(values)
        chunks[-1].word.append(values)

    for where, line in lines:
        words = line.encode().split()
        if not marks.isdisjoint(words):
            mark = next(word for word in words if word in marks)
            raise InputError(
                f"the text has the word {mark.decode()}, which language models use as a mark",
                where=where,
                fix="remove the marks; every line is a sentence and gets its own",
            )
        waiting.append(BEGIN)
        waiting.extend(map(numbers.__getitem__, words))
        waiting.append(END)
        sentences += 1
        tokens += len(words)
        if len(waiting) >= store.block:
            write_chunk()
            waiting = array("i")
    if waiting:
        write_chunk()
    return EncodedText(tuple(numbers), tuple(chunks), sentences, tokens)


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


def _new_table(store: ColumnStore, length: int, *, openings: int = 0) -> NgramTable:
    columns = store.columns(f"{length}-gram", prefix="i8", word="i4", suffix="i8", count="i8")
    return NgramTable(**columns, openings=openings)


def count_ngrams(text: EncodedText, order: int, store: ColumnStore) -> Iterator[NgramTable]:
    """The tables of length 1 up to `order`; one that the text is too short for is empty.

    The files of the text are deleted in the process.
    """
    words = len(text.words)
    # Every word is a 1-gram, in the order of the numbers; the unknown word has no count.
    counts = np.zeros(words, dtype=np.int64)
    for chunk in text.chunks:
        counts += np.bincount(chunk.word.read(), minlength=words)
    table = _new_table(store, 1, openings=BEGIN + 1)
    table.prefix.append(np.zeros(words, dtype=np.int64))
    table.word.append(np.arange(words))
    table.suffix.append(np.zeros(words, dtype=np.int64))
    table.count.append(counts)
    yield table
    chunks = [*text.chunks]
    for length in range(2, order + 1):
        runs, local = _sort_chunks(chunks, words, store, length)
        table = _merge_runs(runs, words, store, length, openings=table.openings)
        yield table
        if length == order:
            return
        # From numbers within a chunk to numbers in the whole text.
        chunks = []
        for place, (chunk, run) in enumerate(zip(local, runs, strict=True)):
            chunks.append(TextChunk.empty(store, f"{length}-chunk-{place}"))
            chunks[-1].number.append(run.merged.read()[chunk.number.read()])
            chunks[-1].word.append(chunk.word.read())
            chunk.remove()
            run.merged.remove()


def _sort_chunks(
    chunks: Sequence[TextChunk], words: int, store: ColumnStore, length: int
) -> tuple[list[Run], list[TextChunk]]:
    """A sorted run for every chunk, and the chunks with n-grams numbered as in their run."""
    runs, local = [], []
    for place, chunk in enumerate(chunks):
        number, word = chunk.number.read(), chunk.word.read()
        chunk.remove()
        # N-grams are in the order of the text, so that the next one has the suffix and the last word of the
        # n-gram that is one word longer; what ends a sentence has no next word.
        continued = np.flatnonzero(word != END)
        suffix, last = number[continued + 1], word[continued + 1]
        groups = grouped(number[continued] * words + last)
        columns = store.columns(f"{length}-run-{place}", key="i8", count="i8", suffix="i8", merged="i8")
        runs.append(Run(**columns))
        runs[-1].key.append(groups.values)
        runs[-1].count.append(np.bincount(groups.number, minlength=len(groups.values)))
        runs[-1].suffix.append(suffix[groups.first])
        local.append(TextChunk.empty(store, f"{length}-local-{place}"))
        local[-1].number.append(groups.number)
        local[-1].word.append(last)
    return runs, local


def _merge_runs(
    runs: Sequence[Run], words: int, store: ColumnStore, length: int, *, openings: int
) -> NgramTable:
    table = _new_table(store, length)
    beginning = 0
    for key, count, suffix in merge(runs, block=store.block):
        prefix = key // words
        table.prefix.append(prefix)
        table.word.append(key - prefix * words)
        table.suffix.append(suffix)
        table.count.append(count)
        # <unk> does not occur, so n-grams that begin with <s> have the lowest numbers.
        beginning += int(np.searchsorted(prefix, openings))
    for run in runs:
        run.remove()
    return replace(table, openings=beginning)
