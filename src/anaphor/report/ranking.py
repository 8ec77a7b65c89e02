"""Which results may share a table: those whose signatures have the same test and options."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import MismatchError, Outcome, Settings
from anaphor.core.array_types import Doubles
from anaphor.metrics.apt import apt_columns, apt_of_columns
from anaphor.report.cards import Cards
from anaphor.report.stored import StoredResult
from anaphor.stats import SIGNIFICANCE, cluster_ids, cluster_totals, pairwise_permutations

#: Fields that differ between systems by nature: the candidate's own text, and the links made with it.
OWN = ("cand", "links")

Shared = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A result file that is not comparable with the others, and why."""

    path: str
    reason: str


def shared_fields(stored: StoredResult) -> Shared:
    """For every metric the signature fields that comparable results must share."""
    return tuple(
        (score.metric, tuple(field for field in score.signature.items() if field[0] not in OWN))
        for score in stored.systems[0].scores
    )


def require_comparable(results: Sequence[StoredResult]) -> None:
    """Raise for the first result that is not comparable with the first one, and for a duplicate system."""
    for stored in results[1:]:
        reason = difference(shared_fields(results[0]), shared_fields(stored))
        if reason:
            what = f"not comparable with {results[0].path}: {reason}"
            fix = "score all systems on the same set with the same options and version"
            raise MismatchError(what, where=stored.path, fix=fix)
    names = Counter(system.name for stored in results for system in stored.systems)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        what = f"{twice[0]} occurs in two results"
        fix = "use different names for candidates: --candidate NAME=PATH"
        raise MismatchError(what, where=", ".join(stored.path for stored in results), fix=fix)


def sort_out(results: Sequence[StoredResult]) -> tuple[tuple[StoredResult, ...], tuple[Refusal, ...]]:
    """The largest group of comparable results, and why each of the others is rejected.

    Of groups of equal size, the one with the earliest file is used.
    """
    standard = Counter(map(shared_fields, results)).most_common(1)[0][0]
    kept: list[StoredResult] = []
    refused: list[Refusal] = []
    seen: set[str] = set()
    for stored in results:
        reason = difference(standard, shared_fields(stored))
        twice = [system.name for system in stored.systems if system.name in seen]
        if not reason and twice:
            reason = f"{twice[0]} is already listed"
        if reason:
            refused.append(Refusal(stored.path, reason))
            continue
        seen.update(system.name for system in stored.systems)
        kept.append(stored)
    return tuple(kept), tuple(refused)


def difference(expected: Shared, actual: Shared) -> str:
    """A description of the first field in which two signatures differ; empty if there is none."""
    metrics = [metric for metric, _ in expected]
    if metrics != [metric for metric, _ in actual]:
        return f"it has {', '.join(metric for metric, _ in actual)}, not {', '.join(metrics)}"
    for (metric, fields), (_, others) in zip(expected, actual, strict=True):
        wanted, given = dict(fields), dict(others)
        for key in {**wanted, **given}:
            if wanted.get(key) != given.get(key):
                return f"{metric} has {key} {given.get(key, 'none')}, not {wanted.get(key, 'none')}"
    return ""


#: Random swaps for each pair under test. Holm multiplies the smallest p by the number of pairs, so few swaps
#: could not show a difference among many systems: 1 / 1001 of 190 pairs becomes 0.19.
SWAPS = 50

Pair = tuple[str, str]


def apt_totals(cards: Cards) -> dict[str, Doubles]:
    """For every system the cases of each cluster, `[clusters, 6]`: by document, or else by segment."""
    # Without lines that are there as context alone: a cluster without a pronoun would change the tests.
    segments = sorted({pronoun.segment for pronoun in cards.pronouns})
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


def pairwise_p(totals: Mapping[str, Doubles], settings: Settings) -> dict[Pair, float]:
    """The corrected p-values of all pairs of systems; empty if nothing can be tested."""
    names, columns = list(totals), apt_columns(settings)
    sums = [counts @ columns for counts in totals.values()]
    if len(names) < 2 or any(math.isnan(float(apt_of_columns(counts.sum(axis=0)))) for counts in sums):
        return {}
    samples = max(settings.samples, SWAPS * len(names) * (len(names) - 1) // 2)
    p_values = pairwise_permutations(sums, apt_of_columns, samples=samples, seed=settings.seed)
    return {(names[first], names[second]): p for (first, second), p in p_values.items()}


def significance_clusters(ranked: Sequence[str], p_values: Mapping[Pair, float]) -> dict[str, int]:
    """The cluster of each system, from 1: every system differs significantly from all systems of other
    clusters.

    `ranked` are the systems from the best score down. Without tests all are in one cluster.
    """
    clusters, number, lowest = {}, 1, 0
    for place, name in enumerate(ranked):
        # A cluster begins where every system above differs from every system from here on down.
        if place > lowest:
            number += 1
        clusters[name] = number
        # A pair is tested in one order only, and one that was not tested is not told apart.
        p_below = [p_values.get((name, b), p_values.get((b, name), 1.0)) for b in ranked[place:]]
        equal = [below for below, p in enumerate(p_below, start=place) if p >= SIGNIFICANCE]
        lowest = max(lowest, *equal)
    return clusters
