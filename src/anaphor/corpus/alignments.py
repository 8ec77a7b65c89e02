"""Word alignments: Pharaoh and GIZA++ files, arrays inside, `Alignment` at the boundary.

`docs/formats.md` describes the files. A Pharaoh file is parsed as a whole from its bytes, because it is the
largest input of a scoring run; only an invalid one is read again line by line to locate the error. Order and
duplicates of links are kept.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Alignment, InputError, InputWarning, Where, digest
from anaphor.core.engine import native
from anaphor.corpus.text import decode, split_lines
from anaphor.languages import distinct

_LINK = re.compile(rb"[0-9]{1,6}[-?p][0-9]{1,6}")
_MAX_DIGITS = 6
_NEWLINE = ord("\n")
_SPACE = ord(" ")
_SURE = ord("-")
_ZERO = ord("0")

_GIZA_HEADER = re.compile(
    r"# Sentence pair \(([0-9]{1,9})\) source length ([0-9]{1,9}) target length ([0-9]{1,9}) "
    r"alignment score : [^ ]+ *"
)
_GIZA_WORD = re.compile(r"([^ ]+) \(\{((?: [0-9]{1,6})*) \}\) *")
_NUMBER = re.compile(r"[0-9]+")
_NULL = "NULL"


Positions: TypeAlias = NDArray[np.int16] | NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links of all segments, one after the other, as a parser found them.

    Segment k has the links `offsets[k]` to `offsets[k + 1]` (excluded). `sure` is None if every link is sure.
    `columns` are 1-based positions in the line, None if lines contain only links separated by single spaces.
    The line of segment k is `lines_each * (k + 1)`: one line per segment in Pharaoh files, the last of three
    in GIZA files. Positions take two bytes if all of them fit. `confidence` comes from our own aligners, and
    is None for links read from a file.
    """

    sources: Positions
    targets: Positions
    sure: NDArray[np.bool_] | None
    offsets: NDArray[np.int64]
    columns: NDArray[np.int32] | None
    lines_each: int = 1
    confidence: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def without(self, dropped: NDArray[np.bool_]) -> Links:
        """The links that are not marked; without columns, since they are not in a file."""
        inside = ~dropped
        return replace(
            self,
            sources=self.sources[inside],
            targets=self.targets[inside],
            sure=None if self.sure is None else self.sure[inside],
            offsets=self.offsets - np.searchsorted(np.flatnonzero(dropped), self.offsets),
            columns=None,
            confidence=None if self.confidence is None else self.confidence[inside],
        )


class Around(NamedTuple):
    """The target positions linked to a source position and to its neighbours, ascending, each once."""

    before: tuple[int, ...]
    linked: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class AlignmentFile:
    """A sequence of `Alignment`, one per segment, each created on access.

    `given` is the digest of the original links if some were dropped.
    """

    path: str
    links: Links
    given: str | None = None

    @classmethod
    def of(cls, links: Links, *, path: str) -> AlignmentFile:
        return cls(path, links)

    @cached_property
    def digest(self) -> str:
        """A hash of the links alone, whether a file has them as Pharaoh or as GIZA, compressed or not."""
        if self.given is not None:
            return self.given
        # Confidences do not count: only our own aligners give them, and a file cannot hold them.
        arrays = [self.links.offsets, self.links.sources, self.links.targets, self.links.sure]
        kinds = ("<i8", "<i4", "<i4", "?")
        # A generator, for positions of two bytes take four here.
        parts = (
            array.astype(k, copy=False) for array, k in zip(arrays, kinds, strict=True) if array is not None
        )
        return digest(np.ascontiguousarray(part).view(np.uint8).data for part in parts)

    def with_links(self, links: Links) -> AlignmentFile:
        """The same with other links, keeping the digest of the original ones."""
        return replace(self, links=links, given=self.digest)

    @classmethod
    def made(cls, alignments: Iterable[Alignment], *, path: str) -> AlignmentFile:
        """Build from alignments in memory; `path` is their name in messages."""
        listed = list(alignments)
        counts = np.array([0, *map(len, listed)], np.int64)
        sources = np.array([s for alignment in listed for s in alignment.sources], np.int32)
        targets = np.array([t for alignment in listed for t in alignment.targets], np.int32)
        sure = None
        if any(alignment.sure is not None for alignment in listed):
            sure = np.array([link.sure for alignment in listed for link in alignment.links()], np.bool_)
        confidence = None
        # A segment without links has no confidences to give, and must not hide those of the others.
        given = [alignment.confidence for alignment in listed if len(alignment)]
        if given and None not in given:
            confidence = np.array([value for values in given for value in values or ()], np.float32)
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
        """The links of many source positions and of their neighbours, in a single pass.

        Every link is visited once, however many positions its segment has.
        """
        bounds, targets = self.slots_around(np.array(segments, np.int64), np.array(positions, np.int64))
        flat = targets.tolist()
        tuples = [tuple(flat[start:end]) for start, end in pairwise(bounds.tolist())]
        return list(map(Around, tuples[0::3], tuples[1::3], tuples[2::3]))

    def slots_around(
        self, segments: NDArray[np.int64], positions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The same as arrays: position k has the targets `bounds[3 k]` to `bounds[3 k + 3]` (excluded).

        The previous word's come first, then its own, then the next word's.
        """
        links = self.links
        if native is not None:
            return native.links_around(links.sources, links.targets, links.offsets, segments, positions)
        if not len(positions):
            return np.zeros(1, np.int64), np.zeros(0, np.int32)
        # Two numbers below 2³² in one of 64 bits, the first above the second: pairs are then sorted, searched
        # and made distinct as plain numbers, and `>> 32` and `& 0xFFFFFFFF` take them apart.
        wanted = segments << 32 | positions
        order = distinct(wanted)
        numbers = distinct(order >> 32)
        starts = links.offsets[numbers]
        counts = links.offsets[numbers + 1] - starts
        places = np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        keys = np.repeat(numbers << 32, counts) | links.sources[places]
        # Up to three positions, which follow each other, are beside a link or on it.
        first = np.searchsorted(order, keys - 1)
        slots, hits = [], []
        for k in range(min(3, len(order))):
            at = np.minimum(first + k, len(order) - 1)
            sides = keys - order[at] + 1  # 0 before, 1 the position itself, 2 after
            near = np.flatnonzero((sides >= 0) & (sides <= 2) & (at == first + k))
            slots.append(3 * at[near] + sides[near])
            hits.append(links.targets[places[near]])
        # Sorted by slot, then target; a link given twice counts once.
        pairs = distinct(np.concatenate(slots) << 32 | np.concatenate(hits))
        bounds = np.searchsorted(pairs >> 32, np.arange(3 * len(order) + 1))
        # From the order of places to the order in which they were asked for.
        slots_wanted = (3 * np.searchsorted(order, wanted)[:, None] + np.arange(3)).ravel()
        sizes = np.diff(bounds)[slots_wanted]
        stops = np.cumsum(sizes)
        taken = np.arange(sizes.sum()) + np.repeat(bounds[slots_wanted] - stops + sizes, sizes)
        targets = (pairs & 0xFFFFFFFF).astype(np.int32)[taken]
        return np.concatenate(([0], stops)), targets

    def where(self, link: int) -> Where:
        """The place of one link, by its index in the whole file."""
        segment = int(np.searchsorted(self.links.offsets, link, side="right"))
        links = self.links
        if links.columns is not None:
            column = int(links.columns[link])
        else:
            before = slice(links.offsets[segment - 1], link)
            pairs = zip(links.sources[before].tolist(), links.targets[before].tolist(), strict=True)
            column = 1 + sum(len(f"{source}-{target} ") for source, target in pairs)
        return Where(self.path, links.lines_each * segment, column)


def within_range(
    alignments: AlignmentFile,
    *,
    source_lengths: NDArray[np.integer],
    target_lengths: NDArray[np.integer],
    drop: bool = False,
) -> AlignmentFile:
    """The alignments, once no link leads outside its sentence; lengths are tokens per segment.

    By default the first such link is an error, because the other links of its segment are then doubtful as
    well. With `drop` they are omitted, and a warning reports how many; the digest is still that of all links.
    """
    links = alignments.links
    lengths = source_lengths.astype(np.int64, copy=False), target_lengths.astype(np.int64, copy=False)
    if native is not None:
        flags = native.links_outside(links.sources, links.targets, links.offsets, *lengths)
        outside = flags.view(np.bool_)
    else:
        source_limits, target_limits = (np.repeat(length, np.diff(links.offsets)) for length in lengths)
        outside = (links.sources >= source_limits) | (links.targets >= target_limits)
    if not outside.any():
        return alignments
    first = int(outside.argmax())
    segment = int(np.searchsorted(links.offsets, first, side="right")) - 1
    if drop:
        warnings.warn(
            f"{alignments.path}: dropped {np.count_nonzero(outside)} links outside their sentences, "
            f"first in line {alignments.where(first).line}",
            InputWarning,
            stacklevel=2,
        )
        return alignments.with_links(links.without(outside))
    raise InputError(
        f"link {links.sources[first]}-{links.targets[first]} points outside the sentence: the source "
        f"has {lengths[0][segment]} tokens, the target {lengths[1][segment]}",
        where=alignments.where(first),
        fix="align the tokenized text that is scored, with positions counted from 0; "
        "or leave such links out with --outside-links drop",
    )


def parse_pharaoh(data: bytes, *, path: str) -> Links:
    """The links of every line of cleaned bytes."""
    if native is not None and (parsed := native.parse_links(data)) is not None:
        sources, targets, marks, offsets, columns = parsed
        if max(sources.max(initial=0), targets.max(initial=0)) <= np.iinfo(np.int16).max:
            sources, targets = (column.astype(np.int16, copy=False) for column in (sources, targets))
        return Links(
            sources=sources,
            targets=targets,
            sure=None if marks is None else marks.view(np.bool_),
            offsets=offsets,
            columns=columns if len(columns) == len(sources) else None,
        )
    # A newline on either side spares every look at a neighbouring byte the question of the file's edge.
    ending = b"\n" if data and not data.endswith(b"\n") else b""
    octets = np.frombuffer(b"\n" + data + ending, np.uint8)
    joints = np.flatnonzero((octets == _SURE) | (octets == ord("?")) | (octets == ord("p")))
    sources, before = _numbers(octets, joints, step=-1)
    targets, after = _numbers(octets, joints, step=1)
    if not _well_formed(octets, joints, before=before, after=after):
        for number, line in enumerate(split_lines(data), start=1):
            for word in re.finditer(rb"[^ ]+", line):
                if _LINK.fullmatch(word[0]) is None:
                    raise InputError(
                        f"not an alignment link: {word[0][:40].decode('utf-8', 'replace')!r}",
                        where=Where(path, number, word.start() + 1),
                        fix="write links as source-target, such as 0-0 1-2, counted from 0, "
                        f"at most {_MAX_DIGITS} digits",
                    )
    sure = octets[joints] == _SURE
    lines = np.flatnonzero(octets == _NEWLINE)
    offsets = np.searchsorted(joints, lines)
    columns = joints - before - np.repeat(lines[:-1], np.diff(offsets))
    return Links(
        sources=sources,
        targets=targets,
        sure=None if sure.all() else sure,
        offsets=offsets,
        columns=columns.astype(np.int32),
    )


def format_alignment(alignment: Alignment) -> str:
    """One Pharaoh line without its newline; possible links are written `i?j`, confidences are omitted."""
    if alignment.sure is None:
        pairs = zip(alignment.sources, alignment.targets, strict=True)
        return " ".join([f"{source}-{target}" for source, target in pairs])
    return " ".join([f"{link.source}{'-' if link.sure else '?'}{link.target}" for link in alignment.links()])


def _numbers(
    octets: NDArray[np.uint8], joints: NDArray[np.int64], *, step: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Value and number of digits of the runs that touch the joints, to the left (step -1) or right (1).

    All runs grow by one digit per round. A run longer than allowed is extended by one digit too many, so its
    length reveals it.
    """
    values = np.zeros(len(joints), np.int32)
    lengths = np.zeros(len(joints), np.uint8)
    for place in range(_MAX_DIGITS + 1):
        # Unsigned: every byte that is not a digit becomes 10 or more.
        digits = octets.take(joints + step * (place + 1), mode="clip") - np.uint8(_ZERO)
        grows = (lengths == place) & (digits < 10)
        if not grows.any():
            break
        longer = digits * np.int32(10**place) + values if step < 0 else values * 10 + digits
        values = np.where(grows, longer, values)
        lengths += grows
    return values, lengths


def _well_formed(
    octets: NDArray[np.uint8],
    joints: NDArray[np.int64],
    *,
    before: NDArray[np.uint8],
    after: NDArray[np.uint8],
) -> bool:
    """Whether the file contains only links separated by spaces and newlines.

    True if every joint has 1 to 6 digits on both sides, no run of digits is shared by two joints,
    and these runs are all the digits there are: then only spaces and newlines may be left.
    """
    digits = np.count_nonzero(octets - np.uint8(_ZERO) < 10)
    gaps = np.count_nonzero(octets == _SPACE) + np.count_nonzero(octets == _NEWLINE)
    lengths = np.concatenate((before, after))
    apart = joints[1:] - before[1:] > joints[:-1] + after[:-1]
    return (
        digits + gaps + len(joints) == len(octets)
        and bool(((lengths >= 1) & (lengths <= _MAX_DIGITS)).all())
        and bool(apart.all())
        and int(lengths.sum()) == digits
    )


def parse_giza(data: bytes, *, path: str) -> Links:
    """The links of every segment of cleaned bytes, in the order of the source words; all are sure."""

    def fault(what: str, line: int, column: int | None = None) -> InputError:
        fix = "rerun GIZA++ for all segments in order, and do not edit its output"
        return InputError(what, where=Where(path, line, column), fix=fix)

    lines = decode(data, path=path).removesuffix("\n").split("\n")
    if len(lines) % 3:
        what = "the file ends inside a segment"
        raise InputError(what, where=Where(path, len(lines)), fix="every segment needs three lines")
    offsets, links = [0], list[tuple[int, int, int]]()
    for first in range(0, len(lines), 3):
        header = _GIZA_HEADER.fullmatch(lines[first])
        if header is None:
            raise fault(f"not the first line of a segment: {lines[first][:40]!r}", first + 1)
        number, source_length, target_length = map(int, header.groups())
        if number != first // 3 + 1:
            raise fault(f"found sentence pair {number}, expected {first // 3 + 1}", first + 1)
        if len([word for word in lines[first + 1].split(" ") if word]) != target_length:
            raise fault(f"the target does not have the {target_length} words announced", first + 2)
        line, at, position = lines[first + 2], 0, 0
        while at < len(line):
            word = _GIZA_WORD.match(line, at)
            if word is None:
                raise fault(f"not a word with its links: {line[at : at + 40]!r}", first + 3, at + 1)
            if position == 0 and word[1] != _NULL:
                break
            for link in _NUMBER.finditer(line, *word.span(2)):
                target, column = int(link[0]), link.start() + 1
                if not 1 <= target <= target_length:
                    what = f"target position {target} is outside 1 to {target_length}"
                    raise fault(what, first + 3, column)
                if position:
                    links.append((position - 1, target - 1, column))
            at, position = word.end(), position + 1
        if position != source_length + 1:
            raise fault(f"the source is not {_NULL} and the {source_length} words announced", first + 3)
        offsets.append(len(links))
    columns = np.array(links, np.int32).reshape(-1, 3)
    return Links(
        sources=np.ascontiguousarray(columns[:, 0]),
        targets=np.ascontiguousarray(columns[:, 1]),
        sure=None,
        offsets=np.array(offsets, np.int64),
        columns=np.ascontiguousarray(columns[:, 2]),
        lines_each=3,
    )
