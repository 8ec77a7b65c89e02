"""Which systems can be told apart: paired tests between all of them, from the cards of a result."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from anaphor.core import Outcome, Settings
from anaphor.metrics.contract import ratio
from anaphor.metrics.options import option_value
from anaphor.report.cards import Cards
from anaphor.stats import Floats, Value, cluster_ids, cluster_totals, holm, paired_permutations

#: Below this, after Holm's correction over all pairs, two systems are told apart.
LEVEL = 0.05

#: Random swaps for each pair under test. Holm multiplies the smallest p by the number of pairs, so few swaps
#: could not show a difference among many systems: 1 / 1001 of 190 pairs becomes 0.19.
SWAPS = 50

Pair = tuple[str, str]


def apt_totals(cards: Cards) -> dict[str, Floats]:
    """For every system the cases of each cluster, `[clusters, 6]`: of each document, else of each segment."""
    segments = list(cards.source)
    documents = None if cards.documents is None else [cards.documents[segment] for segment in segments]
    ids = cluster_ids(documents, segments=len(segments))
    row = {segment: i for i, segment in enumerate(segments)}
    totals = {}
    for name, judged in cards.judged.items():
        counts = np.zeros((len(segments), len(Outcome)))
        for pronoun, card in zip(cards.pronouns, judged, strict=True):
            counts[row[pronoun.segment], card.outcome.value - 1] += 1
        totals[name] = cluster_totals(counts, ids)
    return totals


def apt_value(settings: Settings) -> Value:
    """APT as a function of the totals of the six cases, with the weights of the settings."""
    discard = option_value(settings, "discard")
    kept = np.array([case.value not in discard for case in Outcome], np.float64)
    weights = np.array(option_value(settings, "weights"), np.float64) * kept
    return lambda totals: ratio(totals @ weights, totals @ kept)


def pairwise_p(totals: Mapping[str, Floats], settings: Settings) -> dict[Pair, float]:
    """The p-value of every pair of systems, corrected over all pairs; empty where nothing can be tested."""
    names, value = list(totals), apt_value(settings)
    if len(names) < 2 or any(math.isnan(float(value(one.sum(axis=0)))) for one in totals.values()):
        return {}
    samples = max(settings.samples, SWAPS * len(names) * (len(names) - 1) // 2)
    raw: dict[Pair, float] = {}
    for i, name in enumerate(names[:-1]):
        others = [totals[other] for other in names[i + 1 :]]
        found = paired_permutations(totals[name], others, value, samples=samples, seed=settings.seed)
        raw |= {(name, other): p for other, p in zip(names[i + 1 :], found, strict=True)}
    return dict(zip(raw, holm(list(raw.values())), strict=True))


def significance_clusters(ranked: Sequence[str], p_values: Mapping[Pair, float]) -> dict[str, int]:
    """The cluster of each system, from 1: every one is told apart from all systems of other clusters.

    `ranked` are the systems from the best score down. Without tests all are in one cluster.
    """
    clusters, number = {}, 1
    for place, name in enumerate(ranked):
        above = ranked[:place]
        if above and all(_apart(pair, p_values) for pair in _across(above, ranked[place:])):
            number += 1
        clusters[name] = number
    return clusters


def _across(above: Sequence[str], below: Sequence[str]) -> list[Pair]:
    return [pair for pair in combinations([*above, *below], 2) if pair[0] in above and pair[1] in below]


def _apart(pair: Pair, p_values: Mapping[Pair, float]) -> bool:
    return p_values.get(pair, p_values.get((pair[1], pair[0]), 1.0)) < LEVEL
