"""Sentence alignment of two versions of a document.

The cost of a bead is that of its length in characters (Gale and Church 1993) minus a bonus for words with a
common prefix; a bead joins up to three sentences of one side. Every sentence is aligned.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anaphor.core import MismatchError, Span, Where

_VARIANCE = 6.8  # of a target's length for each character of the source (Gale and Church 1993, section 3)
_STEM = 5
_SHARED = 1.0  # bonus of each pair of words that begin alike, in nats
#: Numbers of source and reference sentences in a bead, and its cost compared with one to one, in nats.
_BEADS = {(1, 1): 0.0, (1, 2): 3.0, (2, 1): 3.0, (2, 2): 5.0, (1, 3): 6.0, (3, 1): 6.0}


class SentenceBead(NamedTuple):
    """Sentences of the source and sentences of the reference that translate each other."""

    source: Span
    reference: Span


class _SentenceStats:
    """Length and word beginnings of the sentences of one version."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._lengths = [max(1, len("".join(sentence.split()))) for sentence in sentences]
        self._stems = [frozenset(_stems(sentence)) for sentence in sentences]

    def length(self, span: Span) -> int:
        return sum(self._lengths[slice(*span)])

    def stems(self, span: Span) -> frozenset[str]:
        return frozenset().union(*self._stems[slice(*span)])


def _stems(sentence: str) -> Iterator[str]:
    """The first letters of long words without accents; numbers as they are."""
    plain = unicodedata.normalize("NFD", sentence.casefold())
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    for word in plain.split():
        if (word.isalpha() and len(word) >= _STEM) or word.isdigit():
            yield word[:_STEM]


def align_sentences(
    source: Sequence[str], reference: Sequence[str], *, where: Where
) -> tuple[SentenceBead, ...]:
    """The beads of the cheapest alignment, in order, by dynamic programming in a band around the diagonal."""
    rows, columns = _SentenceStats(source), _SentenceStats(reference)
    slope = len(reference) / len(source)
    # The band keeps the search linear; documents that differ in length need a wider one.
    band = 20 + abs(len(source) - len(reference))
    ratio = columns.length(Span(0, len(reference))) / rows.length(Span(0, len(source)))
    # By numbers of sentences: the cost up to there, and where the last bead starts.
    best: dict[tuple[int, int], tuple[float, tuple[int, int]]] = {(0, 0): (0.0, (0, 0))}
    for row in range(1, len(source) + 1):
        middle = round(row * slope)
        for column in range(max(1, middle - band), min(len(reference), middle + band) + 1):
            ways = []
            for (height, width), price in _BEADS.items():
                start = (row - height, column - width)
                if start in best:
                    these, other = Span(start[0], row), Span(start[1], column)
                    cost = _length_cost(rows.length(these), columns.length(other), ratio)
                    shared = len(rows.stems(these) & columns.stems(other))
                    ways.append((best[start][0] + price + cost - _SHARED * shared, start))
            if ways:
                # Equal costs are decided by the start, so that results do not depend on the order of beads.
                best[row, column] = min(ways)
    end = (len(source), len(reference))
    if end not in best:
        what = f"{len(source)} source sentences cannot be aligned with {len(reference)} of the reference"
        raise MismatchError(what, where=where, fix="pass the translation of the same document")
    beads = []
    while end != (0, 0):
        start = best[end][1]
        beads.append(SentenceBead(Span(start[0], end[0]), Span(start[1], end[1])))
        end = start
    return tuple(reversed(beads))


def _length_cost(source: int, reference: int, ratio: float) -> float:
    """The negative log probability, in nats, of this length difference between translations."""
    # Standard deviations from the expected length; P(|Z| > away) = erfc(away / √2).
    away = abs(reference - source * ratio) / math.sqrt(source * ratio * _VARIANCE)
    return -math.log(max(math.erfc(away / math.sqrt(2)), 1e-12))
