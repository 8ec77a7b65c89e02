"""GIZA++ alignments (`*.A3.final`): three lines a segment.

    # Sentence pair (1) source length 3 target length 2 alignment score : 0.01
    il dort
    NULL ({ }) it ({ 1 }) is ({ }) sleeping ({ 2 })

The words with braces on the third line are the source, the second line is the target, as the first
line calls them, and the numbers are target positions counted from 1. A GIZA run in the other
direction has the roles exchanged: take the file whose third line is in the source language. What is
aligned to NULL has no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from anaphor.core import InputError, Where
from anaphor.corpus.links import Links
from anaphor.corpus.reading import decode

_HEADER = re.compile(
    r"# Sentence pair \(([0-9]{1,9})\) source length ([0-9]{1,9}) target length ([0-9]{1,9}) "
    r"alignment score : [^ ]+ *"
)
_WORD = re.compile(r"([^ ]+) \(\{((?: [0-9]{1,6})*) \}\) *")
_NUMBER = re.compile(r"[0-9]+")
_NULL = "NULL"


def parse_giza(data: bytes, *, path: str) -> Links:
    """The links of every segment of cleaned bytes, in the order of the source words; all are sure."""
    lines = decode(data, path=path).removesuffix("\n").split("\n")
    if len(lines) % 3:
        raise _fault("the file ends inside a segment", path, len(lines), fix="every segment has three lines")
    offsets, found = [0], list[tuple[int, int, int]]()
    for segment in range(len(lines) // 3):
        found += _segment(lines, segment, path)
        offsets.append(len(found))
    columns = np.array(found, np.int32).reshape(-1, 3)
    return Links(
        sources=np.ascontiguousarray(columns[:, 0]),
        targets=np.ascontiguousarray(columns[:, 1]),
        sure=None,
        offsets=np.array(offsets, np.int64),
        columns=np.ascontiguousarray(columns[:, 2]),
        lines_each=3,
    )


def _segment(lines: list[str], segment: int, path: str) -> list[tuple[int, int, int]]:
    """Source, target and column of every link of one segment, its lengths and number checked."""
    first = 3 * segment
    header, target, words = lines[first : first + 3]
    match = _HEADER.fullmatch(header)
    if match is None:
        raise _fault(f"not the first line of a segment: {header[:40]!r}", path, first + 1)
    number, source_length, target_length = map(int, match.groups())
    if number != segment + 1:
        raise _fault(f"sentence pair {number} stands where {segment + 1} should be", path, first + 1)
    if len([word for word in target.split(" ") if word]) != target_length:
        raise _fault(f"the target has not the {target_length} words announced", path, first + 2)
    source = list(_words(words, path, first + 3))
    if len(source) != source_length + 1 or source[0][0] != _NULL:
        raise _fault(f"the source is not {_NULL} and the {source_length} words announced", path, first + 3)
    return list(_links(source, path, first + 3, target_length=target_length))


def _words(line: str, path: str, number: int) -> Iterator[tuple[str, list[tuple[int, int]]]]:
    """Every source word with its target positions (from 1) and their columns."""
    at = 0
    while at < len(line):
        match = _WORD.match(line, at)
        if match is None:
            raise _fault(f"not a word with its links: {line[at : at + 40]!r}", path, number, column=at + 1)
        places = _NUMBER.finditer(line, *match.span(2))
        yield match[1], [(int(place[0]), place.start() + 1) for place in places]
        at = match.end()


def _links(
    source: list[tuple[str, list[tuple[int, int]]]], path: str, number: int, *, target_length: int
) -> Iterator[tuple[int, int, int]]:
    for position, (_, places) in enumerate(source):
        for target, column in places:
            if not 1 <= target <= target_length:
                what = f"target position {target} is outside 1 to {target_length}"
                raise _fault(what, path, number, column=column)
            if position:
                yield position - 1, target - 1, column


def _fault(
    what: str,
    path: str,
    line: int,
    *,
    column: int | None = None,
    fix: str = "write the file with GIZA++ again, for all segments in order, and do not edit it",
) -> InputError:
    return InputError(what, where=Where(path, line, column), fix=fix)
