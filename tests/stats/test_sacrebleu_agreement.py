"""The same p-values as sacrebleu on invented BLEU data, where both define the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest, Result

from anaphor.core.array_types import Doubles
from anaphor.stats import bootstrap, paired_bootstrap, paired_permutation

SAMPLES = 4000
ORDERS = 4
# AllocationStratum of words that a system changes at random; the baseline changes 0.2.
CHANGED = (0.205, 0.22, 0.235)


@dataclass(frozen=True, slots=True)
class Rival:
    """A system beside the baseline, and sacrebleu's two p-values for it."""

    totals: Doubles
    randomisation: float
    resampling: float


def _bleu(totals: Doubles) -> Doubles:
    """BLEU from sums of lengths, matches and n-grams; no count is zero in this data."""
    candidate, reference = totals[..., 0], totals[..., 1]
    matches, ngrams = totals[..., 2 : 2 + ORDERS], totals[..., 2 + ORDERS :]
    brevity = np.minimum(0, 1 - reference / candidate)
    score: Doubles = np.exp(brevity + np.log(matches / ngrams).mean(axis=-1))
    return score


def _spoil(lines: list[list[str]], share: float, *, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join("wrong" if rng.random() < share else word for word in line) for line in lines]


def _statistics(lines: list[str], references: list[str]) -> Doubles:
    """sacrebleu's own counts: two lengths, matches by order, n-grams by order."""
    return np.array(BLEU()._extract_corpus_statistics(lines, [references]), dtype=np.float64)


def _p_values(
    systems: list[tuple[str, Sequence[str]]], references: list[str], *, test_type: str
) -> list[float]:
    metric = {"BLEU": BLEU(references=[references])}
    _, found = PairedTest(systems, metric, None, test_type=test_type, n_samples=SAMPLES)()
    results = [result for result in found["BLEU"][1:] if isinstance(result, Result)]
    return [result.p_value for result in results if result.p_value is not None]


@pytest.fixture(scope="module")
def invented() -> tuple[Doubles, list[Rival]]:
    """The baseline's totals, and its rivals with sacrebleu's p-values; each sentence is a cluster."""
    rng = np.random.default_rng(77)
    words = [f"w{i}" for i in range(300)]
    lines = [list(rng.choice(words, size=rng.integers(8, 30))) for _ in range(150)]
    references = [" ".join(line) for line in lines]
    texts = [_spoil(lines, share, seed=i) for i, share in enumerate((0.2, *CHANGED))]
    named: list[tuple[str, Sequence[str]]] = [(f"system {i}", text) for i, text in enumerate(texts)]
    ar = _p_values(named, references, test_type="ar")
    bs = _p_values(named, references, test_type="bs")
    totals = [_statistics(text, references) for text in texts]
    rivals = [Rival(t, randomisation=a, resampling=b) for t, a, b in zip(totals[1:], ar, bs, strict=True)]
    return totals[0], rivals


def _monte_carlo_error(p: float) -> float:
    """Four standard deviations of the difference between two p-values from this many samples."""
    return 4 * float(np.sqrt(2 * p * (1 - p) / SAMPLES))


@pytest.mark.parametrize("rival", range(len(CHANGED)))
def test_permutation_is_sacrebleus_approximate_randomisation(
    invented: tuple[Doubles, list[Rival]], rival: int
) -> None:
    baseline, rivals = invented
    expected = rivals[rival].randomisation
    found = paired_permutation(baseline, rivals[rival].totals, _bleu, samples=SAMPLES, seed=1)
    assert found == pytest.approx(expected, abs=_monte_carlo_error(expected))


@pytest.mark.parametrize("rival", range(len(CHANGED)))
def test_resampled_differences_are_sacrebleus(invented: tuple[Doubles, list[Rival]], rival: int) -> None:
    baseline, rivals = invented
    samples = bootstrap([baseline, rivals[rival].totals], _bleu, samples=SAMPLES, seed=1)
    # sacrebleu's definition: absolute values first, then centred, then one side counted.
    gaps = np.abs(samples[:, 1] - samples[:, 0])
    observed = abs(_difference(baseline, rivals[rival].totals))
    theirs = (int((gaps - gaps.mean() > observed).sum()) + 1) / (SAMPLES + 1)
    expected = rivals[rival].resampling
    assert theirs == pytest.approx(expected, abs=_monte_carlo_error(expected))


def test_a_clear_difference_has_twice_sacrebleus_one_sided_p(invented: tuple[Doubles, list[Rival]]) -> None:
    baseline, rivals = invented
    clear = rivals[-1]
    samples = bootstrap([baseline, clear.totals], _bleu, samples=SAMPLES, seed=1)
    found = paired_bootstrap(
        samples[:, 1] - samples[:, 0], difference=_difference(baseline, clear.totals), clusters=1e6
    )
    assert found == pytest.approx(2 * clear.resampling, abs=2 * _monte_carlo_error(clear.resampling))


def _difference(baseline: Doubles, system: Doubles) -> float:
    return float(_bleu(system.sum(axis=0)) - _bleu(baseline.sum(axis=0)))
