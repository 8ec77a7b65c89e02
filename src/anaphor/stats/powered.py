"""Prediction-powered estimates: what is known of every item helps where only a sample was judged.

A predictor gives each item a probability of being right. Its mean over all items is known; the judged ones
tell how far it is off, and the estimate is corrected by that (Angelopoulos et al. 2023). So a poor
predictor costs nothing but its help: `strength` says how much of it is used, chosen as for a control
variate to leave the least variance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from anaphor.stats.cells import Cell, Keys
from anaphor.stats.clusters import Floats
from anaphor.stats.stratified import Estimate, stratified


@dataclass(frozen=True, slots=True, eq=False)
class Predicted:
    """What a predictor says of one cell: for each judged item, and on average for all items of the cell.

    The predictor of a judged item must not have seen the judgements of its pronoun.
    """

    judged: Floats
    mean: float


@dataclass(frozen=True, slots=True, eq=False)
class Powered:
    """An estimate, the strength of its predictor, and the cells with what the predictor leaves."""

    estimate: Estimate
    strength: float
    unexplained: tuple[Cell, ...]


def powered(cells: Sequence[Cell], predicted: Sequence[Predicted]) -> Powered:
    """The share right in all cells, with the help of a predictor.

    Its variance is that of the stratified estimate times the part that the predictor leaves. A predictor that
    says the same of all items of a cell leaves everything: its stratum has used what it knows already.
    """
    plain = stratified(cells)
    strength, left = _strength(cells, predicted)
    total = sum(cell.size for cell in cells)
    gained = math.fsum(
        cell.size / total * (said.mean - float(said.judged.mean()))
        for cell, said in zip(cells, predicted, strict=True)
    )
    estimate = replace(plain, value=plain.value + strength * gained, variance=plain.variance * left)
    unexplained = (
        replace(cell, values=cell.values - strength * said.judged)
        for cell, said in zip(cells, predicted, strict=True)
    )
    return Powered(estimate, strength, tuple(unexplained))


def group_shares(groups: Keys, values: Floats, *, towards: Floats, pull: float) -> Floats:
    """The share right of every group, drawn towards a guess for each that is worth `pull` judgements."""
    right = np.bincount(groups, weights=values, minlength=len(towards))
    count = np.bincount(groups, minlength=len(towards))
    shares: Floats = (right + pull * towards) / (count + pull)
    return shares


def left_out_shares(groups: Keys, values: Floats, keys: Keys, *, towards: Floats, pull: float) -> Floats:
    """For each judged item the share right of its group, without the items of its own pronoun."""
    _, places = np.unique(np.stack([groups, keys]), axis=1, return_inverse=True)
    own_right = np.bincount(places, weights=values)[places]
    own_count = np.bincount(places)[places]
    right = np.bincount(groups, weights=values)[groups] - own_right
    count = np.bincount(groups)[groups] - own_count
    shares: Floats = (right + pull * towards[groups]) / (count + pull)
    return shares


def _strength(cells: Sequence[Cell], predicted: Sequence[Predicted]) -> tuple[float, float]:
    """The strength that leaves the least variance, and the part of the variance that is left.

    It is at most 1: few judgements could make a predictor look as if it should be exaggerated. A strength
    that is fitted to the judgements makes what it leaves look smaller than it is, and the estimate varies
    more for it, each by about one part in as many as there are degrees of freedom; both are given back. A
    predictor that does not pay for its fit is not used.
    """
    total = sum(cell.size for cell in cells)
    sums = np.zeros(3)
    for cell, said in zip(cells, predicted, strict=True):
        if cell.judged > 1:
            factor = (cell.size / total) ** 2 * (1 - cell.probability) / cell.judged
            spread = np.cov(cell.values, said.judged)
            sums += factor * np.array([spread[0, 0], spread[0, 1], spread[1, 1]])
    values, both, predictions = sums.tolist()
    if values == 0 or predictions == 0:
        return 0.0, 1.0
    strength = min(1.0, max(0.0, both / predictions))
    left = (values - 2 * strength * both + strength**2 * predictions) / values
    freedom = sum(cell.judged - 1 for cell in cells)
    honest = left * (freedom + 1) / (freedom - 1) if freedom > 1 else 1.0
    return (strength, honest) if honest < 1 else (0.0, 1.0)
