"""What the statistics promise, kept in invented worlds where the truth is known.

A world has documents of unequal length (lognormal), and each document and system its own rate (beta), so
that pronouns of one document go right or wrong together. The score is like APT's: identical counts 1,
equivalent 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from anaphor.core.array_types import Doubles
from anaphor.stats import Resampled, bootstrap, compare, mcnemar, resampled_scores

pytestmark = pytest.mark.slow

REPEATS = 2000
SAMPLES = 400
EQUIVALENT = 0.3  # the share of pronouns not identical that are equivalent


def _apt(totals: Doubles) -> Doubles:
    with np.errstate(invalid="ignore"):
        score: Doubles = (totals[..., 0] + 0.5 * totals[..., 1]) / totals[..., 2]
    return score


@dataclass(frozen=True, slots=True)
class World:
    """Where corpora come from. `correlation` is that of two pronouns of one document, `spread` the sigma of
    the log-normal lengths, `pronouns` their mean; a cluster has at least `least` pronouns."""

    clusters: int
    rate: float
    correlation: float
    spread: float
    pronouns: float = 12.0
    least: int = 1

    @property
    def truth(self) -> float:
        return self.rate + 0.5 * EQUIVALENT * (1 - self.rate)

    def lengths(self, rng: np.random.Generator) -> Doubles:
        scale = rng.lognormal(-(self.spread**2) / 2, self.spread, size=self.clusters)
        return (self.least + rng.poisson(self.pronouns * scale)).astype(np.float64)

    def rates(self, rng: np.random.Generator) -> Doubles:
        weight = 1 / self.correlation - 1
        return rng.beta(self.rate * weight, (1 - self.rate) * weight, size=self.clusters)


def _system(rng: np.random.Generator, *, lengths: Doubles, rates: Doubles) -> Doubles:
    identical = rng.binomial(lengths.astype(np.int64), rates)
    equivalent = rng.binomial(lengths.astype(np.int64) - identical, EQUIVALENT)
    return np.array([identical, equivalent, lengths], dtype=np.float64).T


WORLDS = {
    "25 documents": World(25, rate=0.6, correlation=0.3, spread=0.6),
    "25 documents, very unequal": World(25, rate=0.6, correlation=0.3, spread=1.0),
    "25 documents, high score": World(25, rate=0.85, correlation=0.2, spread=0.7),
    "40 documents": World(40, rate=0.5, correlation=0.1, spread=0.5),
    "40 documents, very unequal": World(40, rate=0.35, correlation=0.5, spread=1.0),
    "200 segments": World(200, rate=0.7, correlation=0.3, spread=0.3, pronouns=0.8, least=0),
}
every_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())


@every_world
def test_a_95_percent_interval_covers_the_truth_93_to_97_times_in_100(world: World) -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for seed in range(REPEATS):
        totals = _system(rng, lengths=world.lengths(rng), rates=world.rates(rng))
        resamples = bootstrap([totals], _apt, samples=SAMPLES, seed=seed)
        (score,) = resampled_scores([totals], _apt, resamples=resamples)
        assert score is not None
        found = score.interval(level=0.95)
        covered += found.low <= world.truth <= found.high
    assert 0.93 <= covered / REPEATS <= 0.97


@every_world
def test_equal_systems_seem_to_differ_in_about_5_of_100_comparisons(world: World) -> None:
    rng = np.random.default_rng(2)
    alarms = np.zeros(3)
    for seed in range(REPEATS):
        lengths = world.lengths(rng)
        totals = [_system(rng, lengths=lengths, rates=world.rates(rng)) for _ in range(2)]
        (found,) = compare(
            "apt",
            names=["a", "b"],
            totals=totals,
            value=_apt,
            resampled=_resampled(totals, seed=seed),
            right=None,
            seed=seed,
            level=0.95,
        )
        missed = not found.interval.low <= 0 <= found.interval.high
        alarms += [found.p_bootstrap < 0.05, found.p_permutation < 0.05, missed]
    by_bootstrap, by_permutation, by_interval = alarms / REPEATS
    assert 0.035 <= by_bootstrap <= 0.065
    assert 0.035 <= by_permutation <= 0.065
    assert 0.03 <= by_interval <= 0.07


def test_mcnemar_seldom_alarms_on_equal_systems_with_independent_pronouns() -> None:
    rng = np.random.default_rng(3)
    right = rng.random((2, 4000, 250)) < 0.6
    alarms = np.mean([mcnemar(a, b) < 0.05 for a, b in zip(*right, strict=True)])
    # The exact test is conservative: it cannot reach 5 % exactly, but it must not be far below either.
    assert 0.025 <= alarms <= 0.065


@pytest.mark.parametrize("clusters", [40, 200])
def test_the_detectable_difference_is_found_8_times_in_10(clusters: int) -> None:
    world = World(clusters, rate=0.5, correlation=0.1, spread=0.6)
    rng = np.random.default_rng(4)
    promised = float(np.median([_paired(world, rng, shift=0.0, seed=s)[0] for s in range(300)]))
    # A shift of the rate moves the score by less: some of the gained pronouns were equivalent before.
    shift = promised / (1 - 0.5 * EQUIVALENT)
    found = np.mean([_paired(world, rng, shift=shift, seed=s)[1] < 0.05 for s in range(1000)])
    assert 0.74 <= found <= 0.86


def _resampled(totals: list[Doubles], *, seed: int) -> Sequence[Resampled | None]:
    return resampled_scores(totals, _apt, resamples=bootstrap(totals, _apt, samples=SAMPLES, seed=seed))


def _paired(world: World, rng: np.random.Generator, *, shift: float, seed: int) -> tuple[float, float]:
    """The detectable difference and the permutation p of two systems whose rates differ by `shift`."""
    lengths = world.lengths(rng)
    rates = (world.rates(rng), np.clip(world.rates(rng) + shift, 0, 1))
    totals = [_system(rng, lengths=lengths, rates=r) for r in rates]
    (found,) = compare(
        "apt",
        names=["a", "b"],
        totals=totals,
        value=_apt,
        resampled=_resampled(totals, seed=seed),
        right=None,
        seed=seed,
        level=0.95,
    )
    return found.detectable, found.p_permutation
