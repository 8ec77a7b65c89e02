"""N-grams of what stands around pronouns, made for many scenes at once.

A column has what stands at one place of every scene. To join columns takes a third of the time that it takes
to join places scene by scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from anaphor.predict.features.scene import OUTSIDE

Column = Sequence[str]


class Span(NamedTuple):
    """The columns of an n-gram, and what its features begin with."""

    name: str
    start: int
    end: int


def columns_around(
    sides: Iterable[tuple[Sequence[str], int]], *, before: int, after: int
) -> list[tuple[str, ...]]:
    """A column for each place around the one given with the items; `OUTSIDE` where there is nothing."""
    rows = [padded(items, at, before, after) for items, at in sides]
    return list(zip(*rows, strict=True)) or [()] * (before + 1 + after)


def padded(items: Sequence[str], at: int, before: int, after: int) -> Sequence[str]:
    """As many items as asked for on either side of a place."""
    start, end = at - before, at + after + 1
    if start >= 0 and end <= len(items):
        return items[start:end]
    found = [OUTSIDE] * -min(start, 0) + list(items[max(start, 0) : end])
    return found + [OUTSIDE] * (end - start - len(found))


def ngrams(columns: Sequence[Column], spans: Iterable[Span]) -> list[list[str]]:
    """For every span a column of the names of its n-grams."""
    return [_names(span.name, columns[span.start : span.end]) for span in spans]


def _names(name: str, columns: Sequence[Column]) -> list[str]:
    if len(columns) == 1:
        return [name + item for item in columns[0]]
    return [name + gram for gram in map("_".join, zip(*columns, strict=True))]


def by_scene(columns: Sequence[Column], scenes: int) -> list[Sequence[str]]:
    """What all columns say of each of the scenes."""
    return [*zip(*columns, strict=True)] or [()] * scenes
