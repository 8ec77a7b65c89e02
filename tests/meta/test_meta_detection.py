"""Metrics as detectors of marked pronouns, on invented scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from anaphor.core import InputError, OptionError, Outcome, UnknownNameError
from anaphor.meta.detection import MarkedItem, Over, evaluate_marks


def random_items(seed: int, *, documents: int = 12, opened: float = 0.1) -> list[MarkedItem]:
    """Four systems of unequal quality; `good` sees the marks, `noise` does not."""
    rng = np.random.default_rng(seed)
    items = []
    for document in range(documents):
        for system, quality in zip("abcd", (0.05, 0.15, 0.25, 0.4), strict=True):
            for _ in range(int(rng.integers(3, 12))):
                marked = bool(rng.random() < quality)
                good = 1 / (1 + np.exp(rng.normal() + 2 * marked - 1))
                scores = {
                    "good": None if rng.random() < opened else float(good),
                    "noise": round(rng.random(), 1),
                }
                items.append(MarkedItem(system, f"d{document}", marked, Outcome.IDENTICAL, scores))
    return items


def test_the_area_is_the_share_of_pairs_in_the_right_order() -> None:
    items = random_items(1)
    found = {one.metric: one for one in evaluate_marks(items, samples=0).metrics}
    for name in ("good", "noise"):
        values = [item.scores[name] for item in items]
        mean = np.mean([value for value in values if value is not None])
        filled = [mean if value is None else value for value in values]
        pairs = [
            (one < other) + 0.5 * (one == other)
            for one, first in zip(filled, items, strict=True)
            for other, second in zip(filled, items, strict=True)
            if first.marked and not second.marked
        ]
        assert found[name].auc.value == pytest.approx(np.mean(pairs))
    # Every outcome is the same, so APT cannot tell anything apart.
    assert found["apt"].auc.value == 0.5
    assert found["apt"].pearson.value is None


def test_correlation_is_over_systems_or_documents() -> None:
    items = random_items(2)
    sides: tuple[Over, ...] = ("systems", "documents")
    assert sides
    for over in sides:
        means: list[float] = []
        rates: list[float] = []
        for name in sorted({getattr(item, over[:-1]) for item in items}):
            part = [item for item in items if getattr(item, over[:-1]) == name]
            means.append(sum(one.scores["noise"] or 0.0 for one in part) / len(part))
            rates.append(sum(one.marked for one in part) / len(part))
        found = evaluate_marks(items, metrics=["noise"], over=over, samples=0)
        assert found.metrics[0].pearson.value == pytest.approx(np.corrcoef(means, rates)[0, 1])


@pytest.mark.parametrize("over", ["systems", "documents"])
def test_correlation_leaves_open_verdicts_out(over: Over) -> None:
    """A mean is over what a metric scored; a system or document of which it scored nothing is no point."""
    items = [
        replace(one, scores={"noise": None if number % 3 == 0 else one.scores["noise"]})
        for number, one in enumerate(random_items(2))
    ]
    found = evaluate_marks(items, metrics=["noise"], over=over, samples=0)
    means, rates = [], []
    for name in sorted({getattr(item, over[:-1]) for item in items}):
        part = [item for item in items if getattr(item, over[:-1]) == name]
        scored = [score for one in part if (score := one.scores["noise"]) is not None]
        means.append(sum(scored) / len(scored))
        rates.append(sum(one.marked for one in part) / len(part))
    assert found.metrics[0].pearson.value == pytest.approx(np.corrcoef(means, rates)[0, 1])


def test_a_metric_that_sees_the_marks_is_significantly_better() -> None:
    found = evaluate_marks(random_items(3, documents=30), metrics=["good", "noise"])
    good, noise = found.metrics
    assert good.auc.interval is not None
    assert good.auc.interval.low > 0.75
    assert noise.auc.interval is not None
    assert noise.auc.interval.low < 0.5 < noise.auc.interval.high
    (difference,) = found.differences
    assert difference.auc.interval is not None
    assert difference.auc.interval.low > 0
    assert difference.auc_p is not None
    assert difference.auc_p < 0.01
    assert good.pearson.value is not None
    assert good.pearson.value < -0.9
    assert difference.williams is not None
    assert difference.williams.t > 0


def test_intervals_cover_the_true_area() -> None:
    # The truth: normal scores two apart have an area of Phi(2 / sqrt(2)).
    truth, inside = 0.9214, 0
    for seed in range(60):
        found = evaluate_marks(random_items(100 + seed, opened=0), metrics=["good"], samples=200)
        limits = found.metrics[0].auc.interval
        assert limits is not None
        inside += limits.low <= truth <= limits.high
    assert inside >= 53


def test_the_default_threshold_rejects_as_many_as_are_marked() -> None:
    items = random_items(4)
    found = evaluate_marks(items, samples=0)
    good = next(one for one in found.metrics if one.metric == "good")
    assert good.rejected == found.marked
    assert good.precision.value == good.recall.value
    fixed = evaluate_marks(items, metrics=["good"], threshold=0.5, samples=0).metrics[0]
    below = [one for one in items if (one.scores["good"] or 1) < 0.5]
    assert fixed.rejected == len(below)
    assert fixed.precision.value == pytest.approx(np.mean([one.marked for one in below]))


def test_one_document_has_figures_and_no_intervals() -> None:
    found = evaluate_marks(random_items(5, documents=1))
    assert all(one.auc.value is not None and one.auc.interval is None for one in found.metrics)
    assert [one.auc_p for one in found.differences] == [None] * 3


def test_many_documents_are_resampled_in_groups() -> None:
    items = [
        MarkedItem("a", f"d{i}", i % 5 == 0, Outcome.IDENTICAL, {"m": (i * 7 % 11) / 11}) for i in range(2500)
    ]
    found = evaluate_marks(items, metrics=["m"], samples=50)
    assert found.documents == 2500
    assert found.metrics[0].auc.interval is not None


def test_what_cannot_be_evaluated_is_a_user_error() -> None:
    items = random_items(6)
    with pytest.raises(UnknownNameError, match="unknown metric: god"):
        evaluate_marks(items, metrics=["god"])
    with pytest.raises(OptionError, match="confidence level"):
        evaluate_marks(items, level=95)
    with pytest.raises(InputError, match="metrics cannot be compared"):
        evaluate_marks([one for one in items if one.marked])
    mute = [MarkedItem(one.system, one.document, one.marked, one.outcome, {"m": None}) for one in items]
    with pytest.raises(InputError, match="m leaves every pronoun open"):
        evaluate_marks(mute)


def test_a_metric_with_verdicts_of_its_own_is_shown_by_them() -> None:
    verdicts = ("accepted", "rejected", "open", "rejected")
    items = [
        MarkedItem("a", f"d{i}", i % 4 == 1, Outcome.IDENTICAL, {"m": i / 10}, {"m": verdicts[i % 4]})
        for i in range(8)
    ]
    (found,) = (one for one in evaluate_marks(items, samples=0).metrics if one.metric == "m")
    assert [(one.verdict, one.items, one.marked) for one in found.verdicts] == [
        ("accepted", 2, 0),
        ("open", 2, 0),
        ("rejected", 4, 2),
    ]
