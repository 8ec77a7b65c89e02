"""Training and test data: validation before any long work, description for model cards, sampling."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, TaskSegment, digest
from anaphor.languages import load_language
from anaphor.languages.identify import other_language
from anaphor.predict.contract import ModelCard
from anaphor.task.classes import TaskClasses
from anaphor.task.files import documents_beside, read_task
from anaphor.task.streams import STDIN

_INSPECTED = 200  # segments that show whether a file has word forms or lemmas
_TOLERANCE = 0.05  # share of tokens that may look like the other format by chance


def check_training(segments: Sequence[TaskSegment], classes: TaskClasses) -> tuple[str, ...]:
    """The classes that occur, in sub-task order.

    A class that never occurs is a warning, since it cannot be predicted; a slot without a label, an unknown
    label, or fewer than two classes are errors.
    """
    counts: Counter[str] = Counter()
    for number, segment in enumerate(segments, start=1):
        for slot in segment.slots:
            if slot.label is None:
                raise _unusable(f"segment {number} has a placeholder without a label", number)
            counts[slot.label] += 1
    unknown = [label for label in counts if label not in classes.classes]
    if unknown:
        raise _unusable(f"{classes.pair} of {classes.year} has no class {', '.join(sorted(unknown))}")
    present = tuple(label for label in classes.classes if counts[label])
    if len(present) < 2:
        raise _unusable(f"there are {len(present)} classes to tell apart")
    if len(present) < len(classes.classes):
        missing = ", ".join(label for label in classes.classes if not counts[label])
        warnings.warn(
            f"these classes never occur in the training data and cannot be predicted: {missing}",
            InputWarning,
            stacklevel=2,
        )
    return present


def _unusable(what: str, segment: int | None = None) -> InputError:
    return InputError(
        what,
        where="the training data" if segment is None else f"the training data, segment {segment}",
        fix="pass prepared data of this pair and year with the classes in column 1",
    )


def has_forms(segments: Iterable[TaskSegment]) -> bool:
    """Whether targets have word forms (2015) instead of `lemma|TAG` (2016, 2017); a mixture is an error."""
    tagged = total = 0
    for segment in islice((segment for segment in segments if segment.target), _INSPECTED):
        hidden = {slot.target for slot in segment.slots}
        tokens = [token for place, token in enumerate(segment.target) if place not in hidden]
        tagged += sum("|" in token[1:-1] for token in tokens)
        total += len(tokens)
    if total * _TOLERANCE < tagged < total * (1 - _TOLERANCE):
        raise InputError(
            f"{tagged} of the first {total} target tokens have a tag",
            where="the data",
            fix="use a single target format: prepare all data in the same way",
        )
    return tagged * 2 <= total


def format_name(*, forms: bool) -> str:
    """A description of the target format."""
    return "word forms" if forms else "lemmas with tags"


def check_fit(card: ModelCard, *, classes: TaskClasses, segments: Sequence[TaskSegment]) -> None:
    """Raise an error if a model was trained for another pair, other classes or another target format.

    Targets that look like another language cause a warning, since a file does not name its pair.
    """
    problem = None
    if card.pair != str(classes.pair):
        problem = f"the model is for {card.pair}, not {classes.pair}"
    elif card.classes != classes.classes:
        problem = f"the model has the classes of {card.year}, not of {classes.year}"
    elif card.forms != has_forms(segments):
        problem = (
            f"the model was trained on {format_name(forms=card.forms)}, "
            f"the data has {format_name(forms=not card.forms)}"
        )
    if problem is not None:
        raise MismatchError(
            problem,
            where=f"the model of {card.recipe}",
            fix="use a model that was trained on this type of data",
        )
    words = (token.partition("|")[0] for segment in segments[:_INSPECTED] for token in segment.target)
    if (other := other_language(words, classes.pair.target)) is not None:
        language = load_language(classes.pair.target).name
        warnings.warn(
            f"the targets look like {other}, but the model predicts {language}", InputWarning, stacklevel=2
        )


def document_window(
    segments: Sequence[TaskSegment], number: int, *, before: int, after: int
) -> tuple[int, int]:
    """The range of segments around `number`, end exclusive, within its document.

    Without a document id, nothing is known about its neighbours, and the segment is used alone.
    """
    document = segments[number].document
    first, last = number, number + 1
    if document is None:
        return first, last
    while first > max(0, number - before) and segments[first - 1].document == document:
        first -= 1
    while last < min(len(segments), number + after + 1) and segments[last].document == document:
        last += 1
    return first, last


def describe(segments: Sequence[TaskSegment]) -> dict[str, Any]:
    """The number of segments and slots and a hash of all training input, for the card."""
    # Cards of saved models hold the hash of these lines: they must never change.
    lines = (
        "\t".join(
            (
                str(segment.document),
                " ".join([str(slot.label) for slot in segment.slots]),
                " ".join(segment.source),
                " ".join(segment.target),
                f"{segment.alignment.sources}{segment.alignment.targets}",
            )
        ).encode()
        for segment in segments
    )
    slots = sum(len(segment.slots) for segment in segments)
    return {"segments": len(segments), "slots": slots, "hash": digest(lines)}


def sample_documents(segments: Sequence[TaskSegment], *, slots: int, seed: int) -> tuple[TaskSegment, ...]:
    """Whole documents in random order until they have `slots` placeholders, returned in file order.

    Documents are not split, so the last one may exceed the number. Segments without documents are sampled one
    by one. The sample is the same on every machine.
    """
    if slots < 1:
        raise OptionError(
            f"the number of placeholders cannot be {slots}", where="--slots", fix="use 1 or more"
        )
    runs = groupby(enumerate(segments), key=lambda entry: entry[1].document or entry[0])
    documents = [[segment for _, segment in run] for _, run in runs]
    # Numbers are shuffled instead of documents, so that the sample can be returned in file order.
    order = list(range(len(documents)))
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret depends on it
    kept, total = set(), 0
    for number in order:
        if total >= slots:
            break
        kept.add(number)
        total += sum(len(segment.slots) for segment in documents[number])
    return tuple(segment for number in sorted(kept) for segment in documents[number])


def document_ids_beside(path: str) -> str | None:
    """The document id file next to a file, if there is one."""
    beside = documents_beside(Path(path))
    return str(beside) if path != STDIN and beside.is_file() else None


def read_segments(
    path: str, *, classes: TaskClasses | None, documents: str | None = None
) -> tuple[TaskSegment, ...]:
    """The segments of a file, with document ids from the given or accompanying file.

    Labels are checked against `classes`; with None they are not read.
    """
    return tuple(read_task(path, classes=classes, documents=documents or document_ids_beside(path)))
