"""Which sentences of two versions of a document translate each other, where their numbers differ.

Length in characters (Gale and Church 1993) and words that begin alike, over all ways of joining up to three
sentences of a side. Every sentence finds a place: nothing is left out on either side.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anaphor.core import MismatchError, Span, Where

_VARIANCE = 6.8  # of a target's length for each character of the source (Gale and Church 1993, section 3)
_STEM = 5
_SHARED = 1.0  # what each pair of words that begin alike is worth, in nats
#: Sentences of either side that may stand together, and what each way costs beside one to one.
_WAYS = {(1, 1): 0.0, (1, 2): 3.0, (2, 1): 3.0, (2, 2): 5.0, (1, 3): 6.0, (3, 1): 6.0}


class SentenceBead(NamedTuple):
    """Sentences of the source and sentences of the reference that translate each other."""

    source: Span
    reference: Span


def align_sentences(
    source: Sequence[str], reference: Sequence[str], *, where: Where
) -> tuple[SentenceBead, ...]:
    """The cheapest way to pair all sentences, in order."""
    rows, columns = _SentenceStats(source), _SentenceStats(reference)
    slope = len(reference) / len(source)
    band = 20 + abs(len(source) - len(reference))
    ratio = columns.length(Span(0, len(reference))) / rows.length(Span(0, len(source)))
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for row in range(1, len(source) + 1):
        middle = round(row * slope)
        for column in range(max(1, middle - band), min(len(reference), middle + band) + 1):
            ways = list(_ways_to(row, column, best, rows, columns, ratio))
            if ways:
                best[row, column] = min(ways)
    if (len(source), len(reference)) not in best:
        raise MismatchError(
            f"{len(source)} sentences of the source cannot be paired with {len(reference)} of the reference",
            where=where,
            fix="give the translation of the same document",
        )
    return _path(best, (len(source), len(reference)))


class _SentenceStats:
    """Lengths and beginnings of words of all sentences of one version."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._lengths = [max(1, len("".join(sentence.split()))) for sentence in sentences]
        self._stems = [frozenset(_stems(sentence)) for sentence in sentences]

    def length(self, span: Span) -> int:
        return sum(self._lengths[slice(*span)])

    def stems(self, span: Span) -> frozenset[str]:
        return frozenset().union(*self._stems[slice(*span)])


def _ways_to(
    row: int,
    column: int,
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]],
    rows: _SentenceStats,
    columns: _SentenceStats,
    ratio: float,
) -> Iterator[tuple[float, tuple[int, int]]]:
    for (height, width), price in _WAYS.items():
        start = (row - height, column - width)
        if start in best:
            source, reference = Span(start[0], row), Span(start[1], column)
            cost = _length_cost(rows.length(source), columns.length(reference), ratio)
            shared = len(rows.stems(source) & columns.stems(reference))
            yield best[start][0] + price + cost - _SHARED * shared, start


def _length_cost(source: int, reference: int, ratio: float) -> float:
    """How unlikely this difference of lengths is between translations, in nats."""
    away = abs(reference - source * ratio) / math.sqrt(source * ratio * _VARIANCE)
    return -math.log(max(math.erfc(away / math.sqrt(2)), 1e-12))


def _stems(sentence: str) -> Iterator[str]:
    """The first letters of long words without accents; numbers as they are."""
    plain = unicodedata.normalize("NFD", sentence.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    for word in plain.split():
        if (word.isalpha() and len(word) >= _STEM) or word.isdigit():
            yield word[:_STEM]


def _path(
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]], end: tuple[int, int]
) -> tuple[SentenceBead, ...]:
    beads = []
    while end != (0, 0):
        start = best[end][1]
        beads.append(SentenceBead(Span(start[0], end[0]), Span(start[1], end[1])))
        end = start
    return tuple(reversed(beads))
