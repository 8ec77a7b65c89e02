"""Cells with what is predicted of them, none too small to be estimated from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.stats.stratified import CellPrediction, SampleCell


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A cell, and what the predictor says of it."""

    cell: SampleCell
    predicted: CellPrediction


def joined(found: Sequence[Part]) -> list[Part]:
    """The parts, those with too few judgements to say how much they vary joined with the likest other.

    A part that still has too few is the only one.
    """
    parts = list(found)
    while len(parts) > 1 and (small := next((part for part in parts if not part.cell.is_enough), None)):
        parts.remove(small)
        distances = [abs(part.cell.expected - small.cell.expected) for part in parts]
        likest = distances.index(min(distances))
        parts[likest] = _union(parts[likest], small)
    return parts


def _union(one: Part, other: Part) -> Part:
    size = one.cell.size + other.cell.size
    share = one.cell.size / size

    def mixed(first: float, second: float) -> float:
        return share * first + (1 - share) * second

    return Part(
        SampleCell(
            size,
            np.concatenate([one.cell.values, other.cell.values]),
            np.concatenate([one.cell.keys, other.cell.keys]),
            mixed(one.cell.expected, other.cell.expected),
        ),
        CellPrediction(
            np.concatenate([one.predicted.judged, other.predicted.judged]),
            mixed(one.predicted.mean, other.predicted.mean),
        ),
    )
