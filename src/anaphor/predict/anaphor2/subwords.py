"""Splitting words into subwords of a fixed vocabulary, by longest match from left to right.

The vocabulary is built by merging the most frequent neighbours (byte-pair encoding); longest match needs no
list of merges, so a model file contains only the subwords.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from anaphor.core.remembering import Remembered

PAD, UNKNOWN, MASK, SLOT, SEPARATOR, FIRST_DOMAIN = range(6)
DOMAINS = 8
#: Precedes the first letter of a word, so that a piece shows whether it begins one.
START = "▁"
SPECIALS = ("<pad>", "<unknown>", "<mask>", "<slot>", "<sep>", *(f"<domain-{n}>" for n in range(DOMAINS)))
#: Rarer letters are unknown.
_LEAST_LETTER = 20


class Subwords:
    """Splits lower-cased words into subword numbers."""

    def __init__(self, pieces: Sequence[str]) -> None:
        self.pieces = tuple(pieces)
        # Text that is spelled like a special piece is ordinary text.
        self._number = {piece: n for n, piece in enumerate(self.pieces) if n >= len(SPECIALS)}
        self._longest = max(map(len, self.pieces))
        self._known = Remembered(self._split)

    def __len__(self) -> int:
        return len(self.pieces)

    def encode(self, word: str) -> tuple[int, ...]:
        """The subwords of a word, at least one."""
        return self._known[word]

    def encode_all(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The subwords of every word; most were seen before, and a text has many."""
        return list(map(self._known.__getitem__, words))

    def _split(self, word: str) -> tuple[int, ...]:
        text, start, numbers = START + word.lower(), 0, []
        while start < len(text):
            for end in range(min(len(text), start + self._longest), start, -1):
                if (number := self._number.get(text[start:end])) is not None:
                    break
            else:
                end, number = start + 1, UNKNOWN
            numbers.append(number)
            start = end
        return tuple(numbers)


def learn_pieces(counts: Mapping[str, int], size: int) -> tuple[str, ...]:
    """Build at most `size` subwords from words with these counts; deterministic."""
    merger = _PairMerger(counts)
    pieces = [*SPECIALS, *merger.letters]
    known = set(pieces)
    while len(pieces) < size and (piece := merger.merge_next()) is not None:
        if piece not in known:
            known.add(piece)
            pieces.append(piece)
    return tuple(pieces)


class _PairMerger:
    """Words as lists of subwords, and the frequency of neighbouring pairs."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._words = [[START + word[0], *word[1:]] for word in counts if word]
        self._weights = [count for word, count in counts.items() if word]
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._where: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
        letters: Counter[str] = Counter()
        for number, word in enumerate(self._words):
            for letter in word:
                letters[letter] += self._weights[number]
            self._count(number, 1)
        self.letters = sorted(
            {START, *(letter for letter, count in letters.items() if count >= _LEAST_LETTER)}
        )
        self._heap = [(-count, pair) for pair, count in self._pairs.items()]
        heapq.heapify(self._heap)

    def merge_next(self) -> str | None:
        """Merge the most frequent neighbours, ties in alphabetical order; None at the end."""
        # Counts in the heap are never updated, only pushed again: stale entries are skipped when popped.
        while self._heap:
            count, pair = heapq.heappop(self._heap)
            if self._pairs.get(pair, 0) == -count != 0:
                break
        else:
            return None
        changed: set[tuple[str, str]] = set()
        for number in sorted(self._where[pair]):
            changed.update(self._count(number, -1))
            self._words[number] = _merged(self._words[number], pair)
            changed.update(self._count(number, 1))
        for other in sorted(changed):
            if self._pairs[other] > 0:
                heapq.heappush(self._heap, (-self._pairs[other], other))
        return "".join(pair)

    def _count(self, number: int, sign: int) -> list[tuple[str, str]]:
        """Add the neighbours of a word to the counts, or subtract them."""
        word = self._words[number]
        neighbours = list(pairwise(word))
        for pair in neighbours:
            self._pairs[pair] += sign * self._weights[number]
            if sign > 0:
                self._where[pair].add(number)
            else:
                self._where[pair].discard(number)
        return neighbours


def _merged(word: Sequence[str], pair: tuple[str, str]) -> list[str]:
    merged: list[str] = []
    at = 0
    while at < len(word):
        if at + 1 < len(word) and (word[at], word[at + 1]) == pair:
            merged.append(word[at] + word[at + 1])
            at += 2
        else:
            merged.append(word[at])
            at += 1
    return merged
