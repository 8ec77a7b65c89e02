"""A sentence pair with its placeholders in place, as a line of the task's files has it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from anaphor.core import Alignment, Slot, TaskSegment
from anaphor.task.classes import NONE, TaskClasses
from anaphor.task.extract import Place
from anaphor.task.lines import PLACEHOLDER


def hide_words(
    source: Sequence[str],
    *,
    words: Sequence[str],
    shown: Sequence[str],
    places: Sequence[Place],
    links: Alignment,
    classes: TaskClasses,
) -> TaskSegment:
    """The segment; `words` are the target's own tokens and `shown` the same as the file writes them.

    The word of a slot is the token as written there, with its tag where tokens have one; `NONE` for a
    placeholder that hides nothing. Every placeholder is linked to its source token.
    """
    if not places:
        return TaskSegment(tuple(source), tuple(shown), (), links)
    # At one place inserted placeholders come before the one that hides the word there.
    ordered = sorted(places, key=lambda place: (place.target, place.hides, place.source))
    slots = tuple(
        _slot(place, place.target + inserted, words, shown, classes)
        for place, inserted in zip(ordered, _inserted_before(ordered), strict=True)
    )
    return TaskSegment(
        source=tuple(source),
        target=_with_placeholders(shown, ordered),
        slots=slots,
        alignment=_moved(links, ordered, slots),
    )


def _inserted_before(places: Sequence[Place]) -> list[int]:
    """For every place how many placeholders were inserted before it."""
    return [0, *accumulate(not place.hides for place in places)][: len(places)]


def _with_placeholders(shown: Sequence[str], ordered: Sequence[Place]) -> tuple[str, ...]:
    target = list(shown)
    for place in reversed(ordered):  # from the end, so that places before it still hold
        target[place.target : place.target + place.hides] = [f"{PLACEHOLDER}_{place.source}"]
    return tuple(target)


def _slot(
    place: Place, target: int, words: Sequence[str], shown: Sequence[str], classes: TaskClasses
) -> Slot:
    if not place.hides:
        return Slot(place.source, target, classes.other, NONE)
    word = words[place.target]
    _, bar, tag = shown[place.target].rpartition("|") if shown is not words else ("", "", "")
    return Slot(place.source, target, classes.class_of(word), f"{word}{bar}{tag}")


def _moved(links: Alignment, places: Sequence[Place], slots: Sequence[Slot]) -> Alignment:
    """The links with their targets counted in the new text, and those of the placeholders."""
    gaps = [place.target for place in places if not place.hides]
    moved = {
        (source, target + bisect_right(gaps, target))
        for source, target in zip(links.sources, links.targets, strict=True)
    }
    moved |= {(slot.source, slot.target) for slot in slots}
    sources, targets = zip(*sorted(moved), strict=True)
    return Alignment(sources, targets)
