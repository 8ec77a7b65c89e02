"""The five-column files of the prediction task, and prediction files: docs/task/formats.md."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from anaphor.core import InputError, MismatchError, Slot, TaskSegment, Where
from anaphor.core.engine import native
from anaphor.corpus import format_alignment, read_documents
from anaphor.task.classes import TaskClasses
from anaphor.task.lines import PLACEHOLDER, parse_labels, parse_segment, parse_unseen
from anaphor.task.streams import STDIN, count_lines, decode_line, name_of, read_lines, read_whole, write_lines


def read_task(
    path: str | Path, *, classes: TaskClasses | None = None, documents: str | Path | None = None
) -> Iterator[TaskSegment]:
    """Read the segments of a five-column file, one at a time.

    Args:
        path: The file.
        classes: The sub-task. With it, unknown labels are errors, and an alias (`ça` in 2016) is replaced by
            its class; without it, labels are unchanged.
        documents: The file with the document of every segment.

    Yields:
        The segments.

    Raises:
        UserError: The file cannot be read, or a line is invalid.
    """
    ids = None
    if documents is not None:
        refuse_stdin(path)
        ids = read_documents(documents, segments=count_lines(path))
    name = name_of(path)
    number = 0
    for number, line in read_lines(path):
        document = None if ids is None else ids[number - 1]
        yield parse_segment(line, name, number, classes=classes, document=document)
    if not number:
        raise no_segments(name)


def write_task(path: str | Path, segments: Iterable[TaskSegment]) -> None:
    """Write segments as five columns, atomically; compressed if the name ends in `.gz`."""
    write_lines(path, map(format_segment, segments))


def format_segment(segment: TaskSegment) -> str:
    """One line without its newline; content that could not be read back is an error."""
    labels = [slot.label for slot in segment.slots if slot.label is not None]
    words = [slot.word for slot in segment.slots if slot.word is not None]
    # All or none: readers could not tell to which placeholder a single label belongs.
    if not {len(labels), len(words)} <= {0, len(segment.slots)}:
        raise _unwritable(segment, "some placeholders have a label or a word and some have none")
    columns = []
    for tokens in (labels, words, segment.source, segment.target):
        text = " ".join(tokens)
        if "" in tokens or text.count(" ") != max(len(tokens) - 1, 0) or "\t" in text or "\n" in text:
            raise _unwritable(segment, "a token is empty or has white space in it")
        columns.append(text)
    return "\t".join([*columns, format_alignment(segment.alignment)])


def _unwritable(segment: TaskSegment, what: str) -> InputError:
    return InputError(
        what,
        where=f"the segment {' '.join(segment.source)[:60]!r}",
        fix="give every placeholder of a segment the same columns, and tokens without white space",
    )


def read_predictions(path: str | Path, *, classes: TaskClasses | None = None) -> Iterator[tuple[str, ...]]:
    """The predicted labels of every segment, none for a segment without placeholders.

    Labels come before the first tab; further columns are allowed by the rules of the task and ignored. With
    `classes`, labels are checked and aliases become their classes.
    """
    for number, line in read_lines(path):
        yield parse_labels(line.partition("\t")[0], where=Where(name_of(path), number), classes=classes)


def write_predictions(
    path: str | Path,
    predictions: Iterable[Sequence[str]],
    *,
    segments: Iterable[TaskSegment] | None = None,
) -> None:
    """Write one column of labels, or five columns if their segments are given."""
    if segments is None:
        write_lines(path, map(" ".join, predictions))
    else:
        write_task(path, with_labels(segments, predictions))


def with_labels(
    segments: Iterable[TaskSegment], predictions: Iterable[Sequence[str]]
) -> Iterator[TaskSegment]:
    """The segments with predicted labels replacing their own, and without the hidden words."""
    for number, (segment, labels) in enumerate(zip(segments, predictions, strict=True), start=1):
        if len(labels) != len(segment.slots):
            raise MismatchError(
                f"{len(labels)} labels for {len(segment.slots)} placeholders",
                where=f"segment {number}",
                fix="predict one label for every placeholder",
            )
        pairs = zip(segment.slots, labels, strict=True)
        slots = tuple(Slot(slot.source, slot.target, label) for slot, label in pairs)
        yield replace(segment, slots=slots) if slots else segment


def documents_beside(path: Path) -> Path:
    """The location of a file's document ids: `a.doc-ids` for `a.tsv`, `a.doc-ids.gz` for `a.tsv.gz`."""
    compressed = path.suffix == ".gz"
    plain = path.with_suffix("") if compressed else path
    return plain.with_suffix(".doc-ids.gz" if compressed else ".doc-ids")


def no_segments(name: str) -> InputError:
    """The error for a file without a line."""
    return InputError("the file has no segments", where=name, fix="pass a file with one segment per line")


def refuse_stdin(path: str | Path) -> None:
    """Raise for standard input, which cannot be read twice: to count segments, and to parse them."""
    if str(path) == STDIN:
        raise InputError(
            "the segments cannot be counted before they are read",
            where=name_of(path),
            fix="pass a file instead of standard input, or leave the documents out",
        )


_PLACEHOLDER = PLACEHOLDER.encode()


@dataclass(frozen=True, slots=True)
class TaskLines:
    """All lines of a file.

    `content` has them in one piece, `starts` the offset of each and the end of the last. `placeholders`
    counts apparent placeholders, since nothing is validated yet; `documents` are their document ids.
    """

    name: str
    content: bytes
    starts: Sequence[int]
    placeholders: Sequence[int]
    documents: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.placeholders)

    def head(self, count: int) -> TaskLines:
        """The first lines, or all if there are fewer."""
        count = min(count, len(self))
        starts = self.starts[: count + 1]
        content = self.content[: starts[-1]]
        return TaskLines(self.name, content, starts, self.placeholders[:count], self.documents[:count])

    def segments(self, places: range, *, reach: int | None = None) -> Iterator[TaskSegment]:
        """The segments at some 0-based positions; labels are unchanged.

        With `reach`, segments further than that before a placeholder are validated but have no tokens.
        """
        seen: Container[int] = places
        if reach is not None:
            hidden = (place for place in places if self.placeholders[place])
            seen = {before for place in hidden for before in range(place - reach, place + 1)}
        for place in places:
            line = self.content[self.starts[place] : self.starts[place + 1] - 1]
            text, document = decode_line(line, self.name, place + 1), self.documents[place]
            if place in seen:
                yield parse_segment(text, self.name, place + 1, classes=None, document=document)
            else:
                yield parse_unseen(text, self.name, place + 1, document=document)

    def answered(self, places: range, labels: Sequence[str]) -> Iterator[bytes]:
        """The lines at some positions with predicted labels replacing their own, and without the hidden
        words.

        Unchanged lines come in one piece.
        """
        content, starts = self.content, self.starts
        kept = starts[places.start]
        for place, answer in zip(places, labels, strict=True):
            start, end = starts[place], starts[place + 1]
            # A line without answers whose first two columns are empty stays as it is.
            if answer or not content.startswith(b"\t\t", start):
                yield content[kept:start]
                third_column = content.index(b"\t", content.index(b"\t", start) + 1)
                yield answer.encode() + b"\t" + content[third_column:end]
                kept = end
        yield content[kept : starts[places.stop]]


def read_task_lines(path: str | Path, *, documents: str | Path | None = None) -> TaskLines:
    """All lines of a file, with document ids if given."""
    if documents is not None:
        refuse_stdin(path)
    content = read_whole(path)
    if not content:
        raise no_segments(name_of(path))
    starts, placeholders = scanned(content) if native is None else native.scan_lines(content, _PLACEHOLDER)
    size = len(placeholders)
    ids = (None,) * size if documents is None else read_documents(documents, segments=size)
    return TaskLines(name_of(path), content, starts, placeholders, ids)


def scanned(content: bytes) -> tuple[list[int], list[int]]:
    """The offsets of lines and their numbers of placeholders; native code does this faster."""
    starts = [0, *(match.end() for match in re.finditer(b"\n", content))]
    return starts, [content.count(_PLACEHOLDER, start, end) for start, end in pairwise(starts)]
