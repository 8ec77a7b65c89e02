"""Invented segments of the prediction task."""

from __future__ import annotations

from anaphor.core import Alignment, Slot, TaskSegment


def segment(source: str, target: str, *labels: str, document: str | None = "a") -> TaskSegment:
    """A segment whose placeholders are the words `REPLACE_k` of the target; without links."""
    words = tuple(target.split())
    places = [place for place, word in enumerate(words) if word.startswith("REPLACE_")]
    given = labels or (None,) * len(places)
    slots = tuple(
        Slot(int(words[place].partition("_")[2]), place, label)
        for place, label in zip(places, given, strict=True)
    )
    return TaskSegment(tuple(source.split()), words, slots, Alignment((), ()), document)
