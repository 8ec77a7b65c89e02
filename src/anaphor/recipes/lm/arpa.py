"""Strict reading of ARPA files: every count, word, context and number is checked."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anaphor.core import InputError, InputWarning, Where
from anaphor.core.array_types import Longs
from anaphor.recipes.lm.columns import AnyFloats
from anaphor.recipes.lm.model import ABSENT, BEGIN_MARK, END_MARK, UNKNOWN_MARK, NgramModel, Ngrams
from anaphor.recipes.lm.smoothing import SmoothedLevel
from anaphor.task.streams import read_lines, write_lines

UNKNOWN_LOG10 = -100.0  # kenlm's value for models without <unk>
_BATCH = 1 << 16
_SIZE = re.compile(r"ngram\s+([1-9][0-9]?)\s*=\s*([0-9]{1,12})")
_FIX = "rebuild the model, or copy it again if it was truncated"

Line = tuple[int, str]


def read_arpa(path: str | Path, *, double: bool = False) -> NgramModel:
    """The model of a file, `.gz` decompressed. Anything before `\\data\\` is ignored.

    Values are in single precision as in kenlm, or with `double` as exact as in the file.
    """
    source = _Source(str(path), read_lines(path), "f8" if double else "f4")
    sizes = source.sizes()
    words, level = source.vocabulary(sizes[0], longest=len(sizes) == 1)
    levels = [level]
    for length, size in enumerate(sizes[1:], start=2):
        levels.append(source.level(length, size, words, levels, longest=length == len(sizes)))
    source.end()
    return NgramModel(words, tuple(levels))


class _Rows(NamedTuple):
    """Parsed lines of one section: the words of each by position, values, line numbers."""

    words: tuple[tuple[str, ...], ...]
    probability: AnyFloats
    backoff: AnyFloats
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Source:
    """The unread lines of a file."""

    path: str
    lines: Iterator[Line]
    dtype: str

    def sizes(self) -> tuple[int, ...]:
        """The number of n-grams of each length, from the head of the file."""
        for _, line in self.lines:
            if line.strip() == "\\data\\":
                break
        else:
            raise self.error("the file has no line \\data\\, so it is not an ARPA model", None)
        sizes: list[int] = []
        for number, line in self.lines:
            if match := _SIZE.fullmatch(line.strip()):
                if int(match[1]) != len(sizes) + 1:
                    raise self.error(f"the size of {len(sizes) + 1}-grams is missing", number)
                sizes.append(int(match[2]))
            elif line.strip() == "\\1-grams:":
                if not sizes or not all(sizes):
                    raise self.error("a length has no n-grams", number)
                return tuple(sizes)
            elif line.strip():
                raise self.error(f"not a size such as `ngram 1=1000`: {line.strip()[:40]!r}", number)
        raise self.error("the file ends before its 1-grams", None)

    def vocabulary(self, size: int, *, longest: bool) -> tuple[dict[str, int], Ngrams]:
        """The number of each word, and the 1-grams."""
        numbers: dict[str, int] = {}
        parts = []
        for rows in self._batches(1, size, longest=longest):
            for word, line in zip(rows.words[0], rows.lines, strict=True):
                if word in numbers:
                    raise self.error(f"the word {word} occurs twice", line)
                numbers[word] = len(numbers)
            parts.append(rows)
        for mark in (BEGIN_MARK, END_MARK):
            if mark not in numbers:
                raise self.error(f"the model has no {mark}", None)
        probability = np.concatenate([rows.probability for rows in parts])
        backoff = np.concatenate([rows.backoff for rows in parts])
        if UNKNOWN_MARK not in numbers:
            warnings.warn(f"{self.path}: no <unk>; unknown words have log10 -100", InputWarning, stacklevel=2)
            numbers[UNKNOWN_MARK] = len(numbers)
            probability = np.append(probability, np.array([UNKNOWN_LOG10], self.dtype))
            if not longest:
                backoff = np.append(backoff, np.zeros(1, self.dtype))
        return numbers, Ngrams(np.arange(len(numbers)), probability, backoff)

    def level(
        self, length: int, size: int, words: Mapping[str, int], levels: Sequence[Ngrams], *, longest: bool
    ) -> Ngrams:
        """The n-grams of one length; `levels` are those of the lengths before."""
        for number, line in self.lines:
            if line.strip() == f"\\{length}-grams:":
                break
            if line.strip():
                raise self.error(f"expected \\{length}-grams: and found {line.strip()[:40]!r}", number)
        else:
            raise self.error(f"the file ends before its {length}-grams", None)
        keys, parts = [], []
        for rows in self._batches(length, size, longest=longest):
            keys.append(self._keys(rows, words, levels))
            parts.append(rows)
        key = np.concatenate(keys)
        order = np.argsort(key, kind="stable")
        twice = np.flatnonzero(np.diff(key[order]) == 0)
        if len(twice):
            lines = [line for rows in parts for line in rows.lines]
            raise self.error(f"the {length}-gram occurs twice", lines[order[twice[0] + 1]])
        probability = np.concatenate([rows.probability for rows in parts])[order]
        backoff = np.concatenate([rows.backoff for rows in parts])
        return Ngrams(key[order], probability, backoff[order] if len(backoff) else backoff)

    def end(self) -> None:
        """Read the last line."""
        for number, line in self.lines:
            if line.strip() == "\\end\\":
                return
            if line.strip():
                raise self.error(f"unexpected line after the last n-gram: {line.strip()[:40]!r}", number)
        raise self.error("the file has no line \\end\\, so it is truncated", None)

    def error(self, what: str, line: int | None) -> InputError:
        return InputError(what, where=Where(self.path, line), fix=_FIX)

    def _batches(self, length: int, size: int, *, longest: bool) -> Iterator[_Rows]:
        allowed = {length + 1} if longest else {length + 1, length + 2}
        left = size
        while left:
            batch = list(islice(self.lines, min(left, _BATCH)))
            if not batch:
                raise self.error(f"the file ends {left} lines before the end of its {length}-grams", None)
            left -= len(batch)
            fields = [line.replace("\t", " ").split(" ") for _, line in batch]
            lengths = set(map(len, fields))
            if not lengths <= allowed:
                place = next(place for place, row in enumerate(fields) if len(row) not in allowed)
                number, line = batch[place]
                if not line.strip() or line.startswith("\\"):
                    what = f"the {length}-grams end before the number that the head of the file gives"
                else:
                    what = f"not a {length}-gram with its numbers: {line[:40]!r}"
                raise self.error(what, number)
            if not longest and lengths != {length + 2}:
                # A backoff weight of 0 may be left out.
                fields = [row if len(row) == length + 2 else [*row, "0"] for row in fields]
            columns = list(zip(*fields, strict=True))
            lines = tuple(number for number, _ in batch)
            backoff = np.zeros(0, self.dtype) if longest else self._floats(columns[-1], lines)
            probability = self._floats(columns[0], lines)
            if (probability > 0).any():
                raise self.error("a probability is above 1", lines[int(np.argmax(probability > 0))])
            yield _Rows(tuple(columns[1 : length + 1]), probability, backoff, lines)

    def _floats(self, texts: Sequence[str], lines: Sequence[int]) -> AnyFloats:
        try:
            values = np.fromiter(map(float, texts), self.dtype, len(texts))
        except ValueError:
            # Slow, but only on the way to an error: which of the texts was it?
            for text, line in zip(texts, lines, strict=True):
                try:
                    float(text)
                except ValueError:
                    raise self.error(f"not a number: {text[:40]!r}", line) from None
            raise
        if not np.isfinite(values).all():
            raise self.error("a number is not finite", lines[int(np.argmin(np.isfinite(values)))])
        return values

    def _keys(self, rows: _Rows, words: Mapping[str, int], levels: Sequence[Ngrams]) -> Longs:
        """The key of every n-gram, by way of its first words, its first two words, and so on."""
        numbers = self._word_numbers(rows.words[0], words, rows.lines)
        for place, column in enumerate(rows.words[1:], start=1):
            keys = numbers * len(words) + self._word_numbers(column, words, rows.lines)
            if place == len(rows.words) - 1:
                return keys
            numbers = levels[place].numbers(keys)
            if (numbers == ABSENT).any():
                row = int(np.argmax(numbers == ABSENT))
                missing = " ".join(column[row] for column in rows.words[: place + 1])
                raise self.error(f"the model has no {place + 1}-gram {missing!r}", rows.lines[row])
        return numbers

    def _word_numbers(self, column: Iterable[str], words: Mapping[str, int], lines: Sequence[int]) -> Longs:
        try:
            return np.fromiter(map(words.__getitem__, column), np.int64)
        except KeyError as error:
            row = list(column).index(error.args[0])
            raise self.error(f"the word {error.args[0]} is not among the 1-grams", lines[row]) from None


_BLOCK = 1 << 16


def write_arpa(path: str | Path, levels: Sequence[SmoothedLevel], words: Sequence[bytes]) -> None:
    """Write the model atomically; compressed if the name ends in `.gz`."""
    write_lines(path, arpa_text(levels, words))


def arpa_text(levels: Sequence[SmoothedLevel], words: Sequence[bytes]) -> Iterator[str]:
    """The lines of the file, many in one string, without the newline at the end of each string."""
    sizes = (f"ngram {level.length}={level.size}" for level in levels)
    yield "\n".join(["\\data\\", *sizes])
    names = [word.decode() for word in words]
    for level in levels:
        yield f"\n\\{level.length}-grams:"
        for start, kept in level.blocks(_BLOCK):
            if not kept.any():  # an empty string would be written as an empty line
                continue
            end = start + len(kept)
            texts = _texts(levels, level.length, names, start=start, end=end)
            columns: list[list[Any]] = [level.log_probabilities(start, end).tolist(), texts]
            if len(level.backoff):
                columns.append(level.log_backoffs(start, end).tolist())
            pattern = "\t".join(("%.7g", "%s", "%.7g")[: len(columns)])
            yield "\n".join(pattern % row for row in compress(zip(*columns, strict=True), kept.tolist()))
    yield "\n\\end\\"


def _texts(
    levels: Sequence[SmoothedLevel], length: int, names: Sequence[str], *, start: int, end: int
) -> list[str]:
    """The words of a stretch of n-grams. Their prefixes are a stretch of the length before."""
    table = levels[length - 1].table
    last = [names[word] for word in table.word.read(start, end).tolist()]
    if length == 1:
        return last
    prefix = table.prefix.read(start, end)
    first = int(prefix[0])
    stems = _texts(levels, length - 1, names, start=first, end=int(prefix[-1]) + 1)
    return [f"{stems[place]} {word}" for place, word in zip((prefix - first).tolist(), last, strict=True)]
