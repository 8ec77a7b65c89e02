"""From links between words to links between tokens, for many sentence pairs at once.

A token may hold several words (`sentirla` is `sentir` and `la`); the engines know words alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anaphor.align.model import Bitext, Bools, Links, Longs
from anaphor.align.vocabulary import Vocabulary
from anaphor.core import Alignment

Sides = tuple[Sequence[Sequence[str]], Sequence[Sequence[str]]]


class Places(NamedTuple):
    """For every link the number of its pair, and where its two words stand in the text."""

    pair: Longs
    source: Longs
    target: Longs


def word_places(text: Bitext, links: Links) -> Places:
    pairs = np.repeat(np.arange(len(text)), np.diff(links.start))
    return Places(pairs, text.source_start[pairs] + links.source, text.target_start[pairs] + links.target)


def between_tokens(
    sides: Sides,
    text: Bitext,
    links: Links,
    places: Places,
    kept: Bools,
    *,
    source: Vocabulary,
    target: Vocabulary,
) -> Iterator[Alignment]:
    """The kept links of every pair between its tokens; of several links of two tokens the surest stands."""
    pairs = places.pair[kept]
    from_token = _owners(sides[0], text.source_start, source)[places.source[kept]]
    to_token = _owners(sides[1], text.target_start, target)[places.target[kept]]
    confidence = links.confidence[kept]
    order = np.lexsort((-confidence, to_token, from_token, pairs))
    pairs, from_token, to_token = pairs[order], from_token[order], to_token[order]
    first = np.ones(len(pairs), np.bool_)
    first[1:] = (np.diff(pairs) | np.diff(from_token) | np.diff(to_token)) != 0
    bounds = np.searchsorted(pairs[first], np.arange(len(text) + 1)).tolist()
    columns = [values[first].tolist() for values in (from_token, to_token, confidence[order])]
    for start, end in pairwise(bounds):
        sources, targets, sure = (tuple(column[start:end]) for column in columns)
        yield Alignment(sources, targets, confidence=sure)


def _owners(sentences: Sequence[Sequence[str]], starts: Longs, vocabulary: Vocabulary) -> Longs:
    """For every word of a side the position of its token: in most sentences its own."""
    lengths = np.diff(starts)
    owners = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    cut = np.flatnonzero(lengths != np.array([len(tokens) for tokens in sentences], np.int64))
    for number in cut.tolist():
        owners[starts[number] : starts[number + 1]] = vocabulary.owners(sentences[number])
    return owners
