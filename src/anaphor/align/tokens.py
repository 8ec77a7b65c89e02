"""From links between words to links between tokens, for many sentence pairs at once.

A token may hold several words (`sentirla` is `sentir` and `la`); the engines know words alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anaphor.align.model import Bools, Links, Longs
from anaphor.align.vocabulary import NumberedText
from anaphor.core import Alignment


class Places(NamedTuple):
    """For every link the number of its pair, and where its two words stand in the text."""

    pair: Longs
    source: Longs
    target: Longs


def word_places(numbered: NumberedText, links: Links, *, first: int) -> Places:
    """Places of the links of a range of pairs that begins with `first`."""
    text = numbered.text
    pairs = first + np.repeat(np.arange(len(links.start) - 1), np.diff(links.start))
    return Places(pairs, text.source_start[pairs] + links.source, text.target_start[pairs] + links.target)


def between_tokens(
    numbered: NumberedText, links: Links, places: Places, kept: Bools, *, first: int
) -> Iterator[Alignment]:
    """The kept links of every pair between its tokens; of several links of two tokens the surest stands."""
    text = numbered.text
    pairs, confidence = places.pair[kept], links.confidence[kept]
    source = _tokens(places.source[kept], text.source_start[pairs], numbered.source_inside)
    target = _tokens(places.target[kept], text.target_start[pairs], numbered.target_inside)
    if len(numbered.source_inside) or len(numbered.target_inside):
        order = np.lexsort((-confidence, target, source, pairs))
        pairs, source, target, confidence = pairs[order], source[order], target[order], confidence[order]
        new = np.ones(len(pairs), np.bool_)
        new[1:] = (np.diff(pairs) | np.diff(source) | np.diff(target)) != 0
        pairs, source, target, confidence = pairs[new], source[new], target[new], confidence[new]
    bounds = np.searchsorted(pairs, first + np.arange(len(links.start))).tolist()
    sources, targets, sure = (tuple(values.tolist()) for values in (source, target, confidence))
    for start, end in pairwise(bounds):
        yield Alignment(sources[start:end], targets[start:end], None, sure[start:end])


def _tokens(places: Longs, starts: Longs, inside: Longs) -> Longs:
    """The token of each word: its place in the sentence, less the words inside tokens up to it."""
    words = places - starts
    if len(inside) == 0:
        return words
    within = np.searchsorted(inside, places, "right") - np.searchsorted(inside, starts)
    return np.asarray(words - within, np.int64)
