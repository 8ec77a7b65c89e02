"""Which document each segment belongs to.

Two forms of file, told apart by their number of lines:

    as many lines as segments    the document id of each segment, any string
    fewer lines                  `N` or `N id`: a document starts at segment N, counted from 0

In the second form a document without an id is called `document-0`, `document-1` and so on.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from anaphor.core import InputError, MismatchError, Where
from anaphor.corpus.text import Text, read_text

_START = re.compile(r"([0-9]{1,9})(?:[ \t]+(\S.*?))?[ \t]*")


def read_documents(path: str | Path, *, segments: int) -> tuple[str, ...]:
    """The document id of every segment."""
    text = read_text(path)
    if len(text) == segments:
        _refuse_blank(text)
        return text.lines
    if len(text) > segments:
        raise _mismatch(f"the file has {len(text)} lines", text, line=segments + 1, segments=segments)
    starts, names = _starts(text, segments=segments)
    spans = zip(names, pairwise((*starts, segments)), strict=True)
    return tuple(name for name, (start, end) in spans for _ in range(start, end))


def _refuse_blank(text: Text) -> None:
    for number, line in enumerate(text.lines, start=1):
        if not line.strip():
            raise InputError(
                "a document id is blank",
                where=Where(text.path, number),
                fix="write the id of the segment's document on every line",
            )


def _starts(text: Text, *, segments: int) -> tuple[list[int], list[str]]:
    starts: list[int] = []
    names: dict[str, int] = {}
    for number, line in enumerate(text.lines, start=1):
        start, name = _parse_start(text, number, segments=segments)
        if starts and start <= starts[-1]:
            raise _mismatch(f"start {start} follows start {starts[-1]}", text, line=number, segments=segments)
        if name in names:
            raise _mismatch(f"the id in {line!r} is used twice", text, line=number, segments=segments)
        starts.append(start)
        names[name] = number
    return starts, list(names)


def _parse_start(text: Text, number: int, *, segments: int) -> tuple[int, str]:
    line = text.lines[number - 1]
    match = _START.fullmatch(line)
    if match is None:
        raise _mismatch(f"{line[:40]!r} is not a start line", text, line=number, segments=segments)
    start = int(match[1])
    if number == 1 and start != 0:
        raise _mismatch(f"the first document starts at {start}, not 0", text, line=1, segments=segments)
    if start >= segments:
        raise _mismatch(f"start {start} lies past the last segment", text, line=number, segments=segments)
    return start, match[2] or f"document-{number - 1}"


def _mismatch(what: str, text: Text, *, line: int, segments: int) -> MismatchError:
    return MismatchError(
        f"{what}, and there are {segments} segments",
        where=Where(text.path, line),
        fix=f"give {segments} lines with a document id each, or fewer lines `N` or `N id`: the segment "
        "where a document starts, counted from 0, ascending, the first one 0",
    )
