"""All alignments of a file: arrays inside, `Alignment` at the boundary."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Alignment, InputError, InputWarning, Where, digest
from anaphor.corpus.links import Links
from anaphor.languages import distinct


class Around(NamedTuple):
    """The target positions linked to a source position and to its neighbours, ascending, each once."""

    before: tuple[int, ...]
    linked: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentFile:
    """A sequence of `Alignment`, one a segment, made when asked for.

    The digest depends on the links alone: the same links written as Pharaoh or GIZA, compressed or
    not, have the same digest.
    """

    path: str
    digest: str
    links: Links

    @classmethod
    def of(cls, links: Links, *, path: str) -> AlignmentFile:
        return cls(path, _digest(links), links)

    @classmethod
    def made(cls, alignments: Iterable[Alignment], *, path: str) -> AlignmentFile:
        """The same from alignments in memory; `path` is what messages call them."""
        found = list(alignments)
        counts = np.array([0, *map(len, found)], np.int64)
        sources = np.array([s for one in found for s in one.sources], np.int32)
        targets = np.array([t for one in found for t in one.targets], np.int32)
        sure = None
        if any(one.sure is not None for one in found):
            sure = np.array([link.sure for one in found for link in one.links()], np.bool_)
        confidence = None
        told = [one.confidence for one in found if len(one)]
        if told and None not in told:
            confidence = np.array([value for one in told for value in one or ()], np.float32)
        columns = np.ones_like(sources)
        links = Links(sources, targets, sure, counts.cumsum(), columns, confidence=confidence)
        return cls.of(links, path=path)

    def __len__(self) -> int:
        return len(self.links)

    def __getitem__(self, index: int) -> Alignment:
        """The links of one segment in the order of the file."""
        place = range(len(self.links))[index]  # as a list would: from the end for a negative index
        start, end = self.links.offsets[place : place + 2]
        sources = tuple(self.links.sources[start:end].tolist())
        targets = tuple(self.links.targets[start:end].tolist())
        sure = None if self.links.sure is None else tuple(self.links.sure[start:end].tolist())
        known = self.links.confidence
        confidence = None if known is None else tuple(known[start:end].tolist())
        return Alignment(sources, targets, None if sure is None or all(sure) else sure, confidence)

    def __iter__(self) -> Iterator[Alignment]:
        return map(self.__getitem__, range(len(self)))

    def around(self, segments: Sequence[int], positions: Sequence[int]) -> list[Around]:
        """For many source positions at once, the links of each and of the words beside it."""
        links, wanted, numbers = self.links, np.array(positions, np.int64), np.array(segments, np.int64)
        starts = links.offsets[numbers]
        counts = links.offsets[numbers + 1] - starts
        owners = np.repeat(np.arange(len(wanted)), counts)
        places = np.arange(len(owners)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        sides = links.sources[places] - wanted[owners] + 1  # 0 before, 1 the position itself, 2 after
        near = np.flatnonzero((sides >= 0) & (sides <= 2))
        slots = 3 * owners[near] + sides[near]
        # Sorted by slot, then target; a link given twice counts once.
        pairs = distinct(slots << 32 | links.targets[places[near]])
        bounds = np.searchsorted(pairs >> 32, np.arange(3 * len(wanted) + 1)).tolist()
        found = (pairs & 0xFFFFFFFF).tolist()
        tuples = [tuple(found[start:end]) for start, end in pairwise(bounds)]
        return list(map(Around, tuples[0::3], tuples[1::3], tuples[2::3]))

    def where(self, link: int) -> Where:
        """The place of one link, counted over the whole file from 0."""
        segment = int(np.searchsorted(self.links.offsets, link, side="right"))
        return Where(self.path, self.links.lines_each * segment, int(self.links.columns[link]))


def within_range(
    alignments: AlignmentFile,
    *,
    source_lengths: NDArray[np.integer],
    target_lengths: NDArray[np.integer],
    drop: bool = False,
) -> AlignmentFile:
    """The alignments, once no link leads outside its sentence; lengths are tokens per segment.

    The first such link is an error, because the other links of its segment are then in doubt as well.
    With `drop` they are left out, and a warning says how many.
    """
    links = alignments.links
    counts = np.diff(links.offsets)
    source_limits = np.repeat(source_lengths, counts)
    target_limits = np.repeat(target_lengths, counts)
    outside = (links.sources >= source_limits) | (links.targets >= target_limits)
    if not outside.any():
        return alignments
    first = int(outside.argmax())
    if drop:
        warnings.warn(
            f"{alignments.path}: dropped {np.count_nonzero(outside)} links outside their sentences, "
            f"first in line {alignments.where(first).line}",
            InputWarning,
            stacklevel=2,
        )
        return AlignmentFile.of(links.without(outside), path=alignments.path)
    raise InputError(
        f"link {links.sources[first]}-{links.targets[first]} leads outside the sentence: the source "
        f"has {source_limits[first]} tokens, the target {target_limits[first]}",
        where=alignments.where(first),
        fix="align the same tokenised text that is scored, positions counted from 0; "
        "or leave such links out with --outside-links drop",
    )


def _digest(links: Links) -> str:
    arrays = [links.offsets.astype("<i8"), links.sources.astype("<i4"), links.targets.astype("<i4")]
    if links.sure is not None:
        arrays.append(links.sure)
    return digest(array.tobytes() for array in arrays)
