"""Counts of different columns brought together: a metric that counts words has other columns per part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anaphor.core import Counts


def same_columns(counts: Sequence[Counts]) -> list[Counts]:
    """The same counts over the union of all their columns, in alphabetical order where they differ."""
    if all(c.names == counts[0].names for c in counts):
        return list(counts)
    names = tuple(sorted(set().union(*(c.names for c in counts))))
    column = {name: i for i, name in enumerate(names)}
    widened = []
    for c in counts:
        rows = np.zeros((len(c.rows), len(names)))
        rows[:, [column[name] for name in c.names]] = c.rows
        widened.append(Counts(names, rows))
    return widened


def add(counts: Sequence[Counts]) -> Counts:
    """The counts of parts of one candidate, together."""
    widened = same_columns(counts)
    return Counts(widened[0].names, np.sum([c.rows for c in widened], axis=0))
