"""Where the nouns and determiners of many sentences are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.features.scene import NOUNS
from anaphor.predict.features.spelling import Told, split_tag

Places: TypeAlias = list[int]
_NOUN, _DETERMINER, _OTHER = 1, 2, 0


def _kind(tag: str) -> int:
    return _NOUN if tag in NOUNS else _DETERMINER if tag == "DET" else _OTHER


def _kind_of_tagged(token: str) -> int:
    return _kind(split_tag(token))


@cache
def _kinds(*, split: bool) -> Mapping[str, int]:
    return Told(_kind_of_tagged if split else _kind)


def places_of(sentences: Sequence[Sequence[str]], *, split: bool = False) -> Iterator[tuple[Places, Places]]:
    """The places of nouns and of determiners in every sentence of tags, or of `lemma|TAG` with `split`.

    All sentences are looked through at once, which takes half the time of one after another.
    """
    ends = np.cumsum([0, *map(len, sentences)])
    tokens = map(_kinds(split=split).__getitem__, chain.from_iterable(sentences))
    kinds = np.frombuffer(bytes(tokens), np.uint8)  # faster than `fromiter`, number by number
    return zip(_cut(kinds == _NOUN, ends), _cut(kinds == _DETERMINER, ends), strict=True)


def _cut(marked: NDArray[np.bool_], ends: NDArray[np.int64]) -> Iterator[Places]:
    """The marked places of each sentence, counted from its start."""
    found = np.flatnonzero(marked)
    cuts = np.searchsorted(found, ends)
    inside: Places = (found - np.repeat(ends[:-1], np.diff(cuts))).tolist()
    return (inside[start:end] for start, end in pairwise(cuts.tolist()))
