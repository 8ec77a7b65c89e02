"""The five-column files of the prediction task, and files of predictions.

One segment a line, columns separated by tabs:

    1  labels of the placeholders, single spaces between them; empty where withheld or none
    2  the words that were hidden, in the same order; empty where withheld or none
    3  source tokens
    4  target tokens, inflected (2015) or `lemma|POS` (2016, 2017); `REPLACE_k` stands for a hidden word,
       k counting the source token it is aligned to from 0
    5  alignment `s-t`, counted from 0, a placeholder being a token like any other

docs/task/formats.md has examples and lists every error.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from anaphor.core import InputError, MismatchError, Slot, TaskSegment, Where
from anaphor.corpus import format_alignment, read_documents
from anaphor.task.classes import TaskClasses
from anaphor.task.labels import parse_labels
from anaphor.task.lines import segment_at
from anaphor.task.streams import STDIN, count_lines, name_of, read_lines, write_lines


def read_task(
    path: str | Path, *, classes: TaskClasses | None = None, documents: str | Path | None = None
) -> Iterator[TaskSegment]:
    """The segments of a file, one at a time, with the ids of their documents where these are given.

    With `classes`, a label that the sub-task does not have is an error, and an alias (`ça` in 2016)
    becomes its class; without, labels stay as they are.
    """
    ids = None if documents is None else _document_ids(documents, path)
    name = name_of(path)
    number = 0
    for number, line in read_lines(path):
        document = None if ids is None else ids[number - 1]
        yield segment_at(name, number, line, classes=classes, document=document)
    if not number:
        raise no_segments(name)


def write_task(path: str | Path, segments: Iterable[TaskSegment]) -> None:
    """Write segments as five columns, whole or not at all; compressed where the name ends in `.gz`."""
    write_lines(path, map(format_segment, segments))


def format_segment(segment: TaskSegment) -> str:
    """One line without its newline; what could not be read back the same is an error."""
    labels = [slot.label for slot in segment.slots if slot.label is not None]
    words = [slot.word for slot in segment.slots if slot.word is not None]
    if not {len(labels), len(words)} <= {0, len(segment.slots)}:
        raise _unwritable(segment, "some placeholders have a label or a word and some have none")
    columns = [_joined(tokens, segment) for tokens in (labels, words, segment.source, segment.target)]
    return "\t".join([*columns, format_alignment(segment.alignment)])


def _joined(tokens: Sequence[str], segment: TaskSegment) -> str:
    text = " ".join(tokens)
    if "" in tokens or text.count(" ") != max(len(tokens) - 1, 0) or "\t" in text or "\n" in text:
        raise _unwritable(segment, "a token is empty or has white space in it")
    return text


def _unwritable(segment: TaskSegment, what: str) -> InputError:
    return InputError(
        what,
        where=f"the segment {' '.join(segment.source)[:60]!r}",
        fix="give every placeholder of a segment the same columns, and tokens without white space",
    )


def read_predictions(path: str | Path, *, classes: TaskClasses | None = None) -> Iterator[tuple[str, ...]]:
    """The predicted labels of every segment, none for a segment without placeholders.

    Labels stand before the first tab; further columns are allowed by the rules of the task and not read.
    With `classes`, labels are checked and aliases become their classes.
    """
    for number, line in read_lines(path):
        yield parse_labels(line.partition("\t")[0], where=Where(name_of(path), number), classes=classes)


def write_predictions(
    path: str | Path,
    predictions: Iterable[Sequence[str]],
    *,
    segments: Iterable[TaskSegment] | None = None,
) -> None:
    """Write one column of labels, or five columns where the segments they belong to are given."""
    if segments is None:
        write_lines(path, map(" ".join, predictions))
    else:
        write_task(path, with_labels(segments, predictions))


def with_labels(
    segments: Iterable[TaskSegment], predictions: Iterable[Sequence[str]]
) -> Iterator[TaskSegment]:
    """The segments with predicted labels in place of their own, and without the hidden words."""
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
    """Where the document ids of a file are: `a.doc-ids` for `a.tsv`, `a.doc-ids.gz` for `a.tsv.gz`."""
    compressed = path.suffix == ".gz"
    plain = path.with_suffix("") if compressed else path
    return plain.with_suffix(".doc-ids.gz" if compressed else ".doc-ids")


def _document_ids(documents: str | Path, path: str | Path) -> tuple[str, ...]:
    refuse_stdin(path)
    return read_documents(documents, segments=count_lines(path))


def no_segments(name: str) -> InputError:
    """What is said of a file without a line."""
    return InputError("the file has no segments", where=name, fix="give a file with one segment a line")


def refuse_stdin(path: str | Path) -> None:
    """Documents are counted with the segments, and most readers would have to read these twice."""
    if str(path) == STDIN:
        raise InputError(
            "the segments cannot be counted before they are read",
            where=name_of(path),
            fix="give a file instead of the standard input, or leave the documents out",
        )
