"""The lines of a five-column file before they are parsed: several processes can parse a part of them each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from anaphor.core import TaskSegment
from anaphor.corpus import read_documents
from anaphor.task.files import no_segments, refuse_stdin
from anaphor.task.lines import PLACEHOLDER, segment_at, unseen_at
from anaphor.task.streams import decode_line, name_of, read_whole

try:
    from anaphor.task._lines import scan
except ImportError:
    scan = None  # type: ignore[assignment]

_PLACEHOLDER = PLACEHOLDER.encode()


@dataclass(frozen=True, slots=True)
class TaskLines:
    """All lines of a file.

    `content` has them in one piece, `starts` where each begins and where the last ends. `placeholders` are
    how many each seems to have, for nothing was checked, and `documents` those of each where they are known.
    """

    name: str
    content: bytes
    starts: Sequence[int]
    placeholders: Sequence[int]
    documents: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.placeholders)

    def segments(self, places: range, *, reach: int | None = None) -> Iterator[TaskSegment]:
        """The segments at some places, counted from 0; labels stay as they are.

        With `reach`, segments further before a placeholder are checked, but come without their tokens.
        """
        seen = None if reach is None else self._seen(places, reach)
        for place in places:
            line = self.content[self.starts[place] : self.starts[place + 1] - 1]
            text, document = decode_line(line, self.name, place + 1), self.documents[place]
            if seen is None or place in seen:
                yield segment_at(self.name, place + 1, text, classes=None, document=document)
            else:
                yield unseen_at(self.name, place + 1, text, document=document)

    def _seen(self, places: range, reach: int) -> set[int]:
        """The places of lines with a placeholder, and as many before each as it reaches."""
        hidden = (place for place in places if self.placeholders[place])
        return {seen for place in hidden for seen in range(place - reach, place + 1)}

    def answered(self, places: range, labels: Sequence[str]) -> Iterator[bytes]:
        """The lines at some places with predicted labels in place of their own, and without the hidden words.

        Lines that stay as they are come in one piece.
        """
        content, starts = self.content, self.starts
        kept = starts[places.start]
        for place, said in zip(places, labels, strict=True):
            start, end = starts[place], starts[place + 1]
            if said or not content.startswith(b"\t\t", start):
                yield content[kept:start]
                yield said.encode() + b"\t" + content[_behind_words(content, start) : end]
                kept = end
        yield content[kept : starts[places.stop]]


def _behind_words(content: bytes, start: int) -> int:
    """Where the tab behind the first two columns of a line is."""
    return content.index(b"\t", content.index(b"\t", start) + 1)


def read_task_lines(path: str | Path, *, documents: str | Path | None = None) -> TaskLines:
    """All lines of a file, with the ids of their documents where these are given."""
    if documents is not None:
        refuse_stdin(path)
    content = read_whole(path)
    if not content:
        raise no_segments(name_of(path))
    starts, placeholders = scanned(content) if scan is None else scan(content, _PLACEHOLDER)
    size = len(placeholders)
    ids = (None,) * size if documents is None else read_documents(documents, segments=size)
    return TaskLines(name_of(path), content, starts, placeholders, ids)


def scanned(content: bytes) -> tuple[list[int], list[int]]:
    """Where lines start and the last one ends, and the placeholders of each: what native code does faster."""
    starts = [0, *_ends(content)]
    return starts, [content.count(_PLACEHOLDER, start, end) for start, end in pairwise(starts)]


def _ends(content: bytes) -> Iterator[int]:
    at = content.find(b"\n") + 1
    while at:
        yield at
        at = content.find(b"\n", at) + 1
