"""Fewer examples to learn from: a sample of whole documents, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import groupby

from anaphor.core import OptionError, TaskSegment


def capped(segments: Sequence[TaskSegment], *, slots: int, seed: int) -> tuple[TaskSegment, ...]:
    """Documents in a random order until they have `slots` placeholders, given back in the order of the file.

    Context stays whole: no document is cut, so the last one may bring a few more. Segments without documents
    are samples on their own.
    """
    if slots < 1:
        raise OptionError(f"no number of placeholders: {slots}", where="--slots", fix="give 1 or more")
    documents = _documents(segments)
    order = list(range(len(documents)))
    random.Random(seed).shuffle(order)  # noqa: S311 - no secret depends on it
    kept, total = set(), 0
    for number in order:
        if total >= slots:
            break
        kept.add(number)
        total += sum(len(segment.slots) for segment in documents[number])
    return tuple(segment for number in sorted(kept) for segment in documents[number])


def _documents(segments: Sequence[TaskSegment]) -> list[list[TaskSegment]]:
    """Runs of segments with the same id; those without an id alone."""
    numbered = enumerate(segments)
    runs = groupby(numbered, key=lambda entry: entry[1].document or entry[0])
    return [[segment for _, segment in run] for _, run in runs]
