"""A backoff language model in arrays, the probabilities it gives, and its file.

The file is mapped into memory instead of being parsed. Its arrays are `vocabulary` (words by number, one per
line) and for each length `N.key`, `N.probability` and, except for the longest, `N.backoff`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core.array_types import Longs
from anaphor.core.engine import native
from anaphor.files.arrays import Array, ArrayFile, StreamedArray, check_arrays, read_object, write_arrays
from anaphor.recipes.lm.columns import AnyFloats, ColumnStore, DiskColumn
from anaphor.recipes.lm.smoothing import SmoothedLevel

BEGIN_MARK, END_MARK, UNKNOWN_MARK = "<s>", "</s>", "<unk>"
ABSENT = -1  # inside arrays of numbers only

#: For each length the number of the last words, where the model has them as an n-gram.
State = tuple[int | None, ...]

#: The states of many lines: for each length below the order an array of numbers, `ABSENT` where a state has
#: none. What lines have in common is stored once: the arrays broadcast, and a longer length has all axes of
#: a shorter one.
States = tuple[Longs, ...]

SUFFIX = ".lm"
KIND = "language model"
VERSION = 1
_FIELDS: dict[str, np.dtype[Any]] = {
    "key": np.dtype(np.int64),
    "probability": np.dtype(np.float32),
    "backoff": np.dtype(np.float32),
}


@dataclass(frozen=True, slots=True, eq=False)
class Ngrams:
    """The n-grams of one length, numbered in ascending order of their keys.

    A key is the number of the n-gram without its last word, times the number of words, plus the last word.
    Values are log10; the longest n-grams have no backoff weights.
    """

    key: Longs
    probability: AnyFloats
    backoff: AnyFloats

    def number(self, key: int) -> int | None:
        """The number of one n-gram, None if the model lacks it."""
        place = int(self.key.searchsorted(key))
        return place if place < len(self.key) and self.key[place] == key else None

    def numbers(self, keys: Longs) -> Longs:
        """The numbers of many n-grams; `ABSENT` if the model lacks one."""
        if native is None:
            return self._searched(keys)
        return native.search_sorted(self.key, keys, ABSENT)

    def _searched(self, keys: Longs) -> Longs:
        """The same in NumPy."""
        places = self.key.searchsorted(keys)  # past the end for keys greater than all
        numbers: Longs = np.where(self.key.take(places, mode="clip") == keys, places, ABSENT)
        return numbers


@dataclass(frozen=True, slots=True, eq=False)
class NgramModel:
    """Words by number, and the n-grams of every length from 1 up."""

    words: Mapping[str, int]
    levels: tuple[Ngrams, ...]

    @property
    def order(self) -> int:
        return len(self.levels)

    def knows(self, word: str) -> bool:
        """Whether the word is in the vocabulary."""
        return word in self.words

    def numbers(self, words: Iterable[str]) -> list[int]:
        """The number of each word; all that the vocabulary lacks have the same one."""
        return [*map(self.words.get, words, repeat(self.words[UNKNOWN_MARK]))]

    def begin(self) -> State:
        """The state before the first word of a sentence."""
        return (self.words[BEGIN_MARK],)

    def step(self, state: State, word: str) -> tuple[float, State]:
        """The log10 probability of a word, and the state after it."""
        last = self.words.get(word, self.words[UNKNOWN_MARK])
        reached: list[int | None] = [last]
        matched, value = 1, self.levels[0].probability[last]
        for length, context in enumerate(state, start=2):
            number = None
            if context is not None:
                number = self.levels[length - 1].number(context * len(self.words) + last)
            if number is not None:
                matched, value = length, self.levels[length - 1].probability[number]
            reached.append(number)
        # In the precision of the model and from short contexts to long ones, as kenlm adds them.
        for length, context in enumerate(state[matched - 1 :], start=matched):
            if context is not None:
                value += self.levels[length - 1].backoff[context]
        after = reached[: self.order - 1]
        # Without the lengths at the end that the model lacks, so that equal states are equal tuples.
        while after and after[-1] is None:
            after.pop()
        return float(value), tuple(after)

    def states_after(self, words: Longs) -> States:
        """The state after each row of words; a row that has fewer words than others begins with `ABSENT`."""
        states: States = (np.full(len(words), ABSENT),) * (self.order - 1)
        for word in words.T:
            states = self._reached(states, word)[:-1]
        return states

    def step_all(self, states: States, words: Longs) -> tuple[AnyFloats, States]:
        """`step` for many states and words at once, which broadcast: the values, and the states after.

        The model must also contain every suffix of its n-grams, as all unpruned models do. After
        the word `ABSENT` a state is undefined and its value meaningless.
        """
        reached = self._reached(states, words)
        return self._values(states, reached), reached[:-1]

    def _values(self, states: States, reached: States) -> AnyFloats:
        """The log10 probabilities of words, from the n-grams that they reach."""
        values = self.levels[0].probability[reached[0]]
        for (shorter, longer), context, numbers in zip(
            pairwise(self.levels), states, reached[1:], strict=True
        ):
            # As in `step`: a match replaces all that was, otherwise another backoff weight comes on top.
            weights = shorter.backoff.take(context, mode="clip")
            values = values + np.where(context == ABSENT, np.float32(0), weights)
            known = np.flatnonzero(numbers != ABSENT)
            values.reshape(-1)[known] = longer.probability.take(numbers.take(known))
        return values

    def _reached(self, states: States, words: Longs) -> States:
        """The n-gram numbers of every length that words form with their context."""
        reached = [words]
        for level, context in zip(self.levels[1:], states, strict=True):
            # Where the last words are no n-gram, no longer one ends with them.
            known = np.flatnonzero((context != ABSENT) & (reached[-1] != ABSENT))
            keys = context * len(self.words) + words
            numbers = np.full(keys.shape, ABSENT)
            numbers.reshape(-1)[known] = level.numbers(keys.take(known))
            reached.append(numbers)
        return tuple(reached)

    def score_all(self, sentences: Sequence[Sequence[str]]) -> list[AnyFloats]:
        """For every sentence the log10 probabilities of its words and of its end: `step`, all at once."""
        lengths = np.array([len(sentence) + 2 for sentence in sentences])
        marked = ((BEGIN_MARK, *sentence, END_MARK) for sentence in sentences)
        words = np.array(self.numbers(chain.from_iterable(marked)))
        starts = np.cumsum(lengths) - lengths
        contexts, reached = [], [words]
        for level in self.levels[1:]:
            context = np.roll(reached[-1], 1)
            context[starts] = ABSENT  # nothing stands before a sentence
            contexts.append(context)
            known = np.flatnonzero(context != ABSENT)
            numbers = np.full(len(words), ABSENT)
            numbers[known] = level.numbers(context[known] * len(self.words) + words[known])
            reached.append(numbers)
        values = self._values(tuple(contexts), tuple(reached))
        return [part[1:] for part in np.split(values, starts[1:])]


def write_lm(path: Path, model: NgramModel) -> None:
    """Write a model that is in memory, whole or not at all."""
    levels = [
        [getattr(level, name).astype(dtype, copy=False) for name, dtype in _FIELDS.items()]
        for level in model.levels
    ]
    _write(path, [word.encode() for word in model.words], levels)


def _write(path: Path, words: Sequence[bytes], levels: Sequence[Sequence[Array | StreamedArray]]) -> None:
    arrays: dict[str, Array | StreamedArray] = {
        f"{length}.{name}": array
        for length, level in enumerate(levels, start=1)
        for name, array in zip(_FIELDS, level, strict=True)
        if array.shape[0]  # the longest n-grams have no backoff weights
    }
    arrays["vocabulary"] = np.frombuffer(b"\n".join(words), np.uint8)
    write_arrays(path, arrays, metadata={"kind": KIND, "version": str(VERSION)})


def read_lm(path: Path) -> NgramModel:
    """The model in a file; anything but a complete file of this type is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, make=_model, mapped=True)


def _model(content: ArrayFile) -> NgramModel:
    arrays = content.arrays
    order = sum(name.endswith(".key") for name in arrays)
    schema = {
        f"{length}.{name}": f"{dtype}[n{length}]{' ascending' if name == 'key' else ''}"
        for length in range(1, order + 1)
        for name, dtype in _FIELDS.items()
        if name != "backoff" or length < order
    }
    sizes = check_arrays(arrays, {**schema, "vocabulary": "strings[n1]"})
    words = {word: number for number, word in enumerate(arrays["vocabulary"].tobytes().decode().split("\n"))}
    marks = {BEGIN_MARK, END_MARK, UNKNOWN_MARK}
    if not order or min(sizes.values()) <= 0 or len(words) != sizes["n1"] or not marks <= set(words):
        raise ValueError("the vocabulary and the n-grams differ")
    none = np.zeros(0, np.float32)  # the longest n-grams have no backoff weights
    levels = (
        Ngrams(*(arrays.get(f"{length}.{name}", none) for name in _FIELDS)) for length in range(1, order + 1)
    )
    return NgramModel(words, tuple(levels))


def write_levels(
    path: Path, levels: Sequence[SmoothedLevel], words: Sequence[bytes], store: ColumnStore
) -> None:
    """Copy a model that is on disk, completely or not at all."""
    arrays = []
    numbers: DiskColumn | None = None  # of prefixes among those left after pruning; None where all are
    for level in levels:
        parts = (
            _keys(level, numbers, len(words), store.block),
            _kept_values(level, level.log_probabilities, store.block),
            _kept_values(level, level.log_backoffs, store.block),
        )
        sizes = (level.size, level.size, level.size if len(level.backoff) else 0)
        arrays.append([*map(StreamedArray, _FIELDS.values(), sizes, parts)])
        numbers = None
        if level.length < len(levels) and level.size < len(level.table):
            numbers = store.column(f"{level.length}-gram.left", "i8")
            base = 0
            for kept in level.kept.blocks(store.block):
                numbers.append(np.cumsum(kept, dtype=np.int64) - 1 + base)
                base += int(kept.sum())
    _write(path, words, arrays)


def _keys(level: SmoothedLevel, numbers: DiskColumn | None, words: int, block: int) -> Iterator[Longs]:
    for start, kept in level.blocks(block):
        prefix = level.table.prefix.read(start, start + len(kept))[kept]
        left = prefix if numbers is None else numbers.take(prefix)
        yield left * words + level.table.word.read(start, start + len(kept))[kept]


def _kept_values(level: SmoothedLevel, read: Callable[[int, int], Array], block: int) -> Iterator[Array]:
    return (read(start, start + len(kept))[kept] for start, kept in level.blocks(block))
