"""Pharaoh alignments: one line a segment, links `i-j` separated by spaces, counted from 0.

`i?j` and `ipj` are possible links, the others are sure. An empty line is a segment without links.
Order and duplicates are kept. The whole file is parsed at once on its bytes, because this is the
largest input of a scoring run; only a faulty file is read again line by line to name the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Alignment, InputError, Where
from anaphor.corpus.links import Links
from anaphor.corpus.reading import split_lines

_LINK = re.compile(rb"[0-9]{1,6}[-?p][0-9]{1,6}")
_MAX_DIGITS = 6
_NEWLINE = ord("\n")
_SPACE = ord(" ")
_SURE = ord("-")
_ZERO = ord("0")


def parse_pharaoh(data: bytes, *, path: str) -> Links:
    """The links of every line of cleaned bytes."""
    # A newline on either side spares every look at a neighbouring byte the question of the file's edge.
    ending = b"\n" if data and not data.endswith(b"\n") else b""
    octets = np.frombuffer(b"\n" + data + ending, np.uint8)
    joints = np.flatnonzero((octets == _SURE) | (octets == ord("?")) | (octets == ord("p")))
    sources, before = _numbers(octets, joints, step=-1)
    targets, after = _numbers(octets, joints, step=1)
    if not _well_formed(octets, joints, before=before, after=after):
        raise _malformed(data, path)
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
    """One Pharaoh line without its newline; possible links are written `i?j`, confidences are left out."""
    if alignment.sure is None:
        pairs = zip(alignment.sources, alignment.targets, strict=True)
        return " ".join([f"{source}-{target}" for source, target in pairs])
    return " ".join([f"{link.source}{'-' if link.sure else '?'}{link.target}" for link in alignment.links()])


def _numbers(
    octets: NDArray[np.uint8], joints: NDArray[np.int64], *, step: int
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Value and number of digits of the runs that touch the joints, to the left (step -1) or right (1).

    All runs grow by one digit a round. A run longer than allowed is followed one digit too far, so
    that its length shows it.
    """
    values = np.zeros(len(joints), np.int32)
    lengths = np.zeros(len(joints), np.uint8)
    for place in range(_MAX_DIGITS + 1):
        # Unsigned: every byte that is no digit becomes 10 or more.
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
    """Whether the file is nothing but links with spaces and newlines between them.

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


def _malformed(data: bytes, path: str) -> InputError:
    line, column, word = next(_faults(data))
    return InputError(
        f"not an alignment link: {word[:40].decode('utf-8', 'replace')!r}",
        where=Where(path, line, column),
        fix=f"write links as source-target, such as 0-0 1-2, counted from 0, at most {_MAX_DIGITS} digits",
    )


def _faults(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    for number, line in enumerate(split_lines(data), start=1):
        column = 1
        for word in line.split(b" "):
            if word and _LINK.fullmatch(word) is None:
                yield number, column, word
            column += len(word) + 1
