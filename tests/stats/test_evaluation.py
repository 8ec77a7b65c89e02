"""Counts become scores, intervals and comparisons, whatever was counted."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import Comparison, Counts, InputWarning, Interval, OptionError, Signature
from anaphor.core.array_types import Doubles
from anaphor.stats import (
    Accuracy,
    Evaluation,
    Measure,
    Resampled,
    accuracy_counts,
    accuracy_value,
    cluster_ids,
    comparison_table,
    evaluate_counts,
    gained_and_lost,
    same_columns,
)

RIGHT = {
    "a": np.array([True, False, True, False, True, False, True, False, True, True]),
    "b": np.array([True, True, True, True, True, False, True, True, True, False]),
    "c": np.array([False, False, True, False, False, False, True, False, False, False]),
}
DOCUMENTS = ["one", "one", "two", "two", "two", "three", "three", "four", "four", "four"]


def sign(system: str) -> Signature:
    return Signature("points", (("cand", system),), "0")


def measure(name: str = "points", *, judged: bool = True) -> Measure:
    counts = {system: accuracy_counts(right) for system, right in RIGHT.items()}
    return Measure(name, accuracy_value, counts, sign, right=RIGHT if judged else None)


def evaluate(*measures: Measure, paired: bool = True, samples: int = 200) -> tuple[Evaluation, ...]:
    ids = cluster_ids(DOCUMENTS, segments=len(DOCUMENTS))
    return evaluate_counts(measures, ids=ids, samples=samples, seed=7, level=0.9, paired=paired)


def test_every_system_has_its_score_signature_and_interval() -> None:
    (found,) = evaluate(measure(), paired=False)
    assert {name: score.value for name, score in found.scores.items()} == {"a": 0.6, "b": 0.8, "c": 0.2}
    assert [score.signature for score in found.scores.values()] == [sign(name) for name in RIGHT]
    assert found.signature == sign("a")
    for score in found.scores.values():
        assert score.interval is not None
        assert score.interval.low < score.value < score.interval.high
        assert score.interval.level == 0.9
    assert found.comparisons == ()


def test_every_other_system_is_compared_with_the_first_and_mcnemar_needs_judgements() -> None:
    judged, plain = evaluate(measure(), measure("plain", judged=False))
    assert [(one.baseline, one.system, one.metric) for one in judged.comparisons] == [
        ("a", "b", "points"),
        ("a", "c", "points"),
    ]
    assert [one.difference for one in judged.comparisons] == pytest.approx([0.2, -0.4])
    # b alone is right on items 1, 3 and 7, a alone on item 9: 2 (1 + 4) / 2^4.
    assert judged.comparisons[0].p_mcnemar == pytest.approx(0.625)
    assert [one.p_mcnemar for one in plain.comparisons] == [None, None]


def test_measures_together_give_what_each_gives_alone() -> None:
    together = evaluate(measure(), measure("again"))
    assert together == (*evaluate(measure()), *evaluate(measure("again")))


def test_without_resamples_there_are_scores_and_no_intervals() -> None:
    (found,) = evaluate(measure(), paired=False, samples=0)
    assert [(score.value, score.interval) for score in found.scores.values()] == [
        (0.6, None),
        (0.8, None),
        (0.2, None),
    ]


def test_a_single_cluster_is_a_warning_for_scores_and_an_error_for_tests() -> None:
    ids = np.zeros(len(DOCUMENTS), np.int64)
    with pytest.warns(InputWarning, match="no interval for points: .* at least two clusters"):
        (found,) = evaluate_counts([measure()], ids=ids, samples=100, seed=1, level=0.95, paired=False)
    assert found.scores["b"].value == 0.8
    with pytest.raises(OptionError, match="at least two clusters"):
        evaluate_counts([measure()], ids=ids, samples=100, seed=1, level=0.95, paired=True)


def test_an_undefined_score_cannot_be_compared() -> None:
    def value(sums: Doubles) -> Doubles:
        ratio: Doubles = np.divide(
            sums[..., 0], sums[..., 1], out=np.full(sums.shape[:-1], np.nan), where=sums[..., 1] > 0
        )
        return ratio

    counts = {"a": accuracy_counts(RIGHT["a"]), "nothing": Counts(("right", "items"), np.zeros((10, 2)))}
    with pytest.raises(OptionError, match="the score of nothing is undefined"):
        evaluate(Measure("points", value, counts, sign))
    (found,) = evaluate(Measure("points", value, counts, sign), paired=False)
    assert np.isnan(found.scores["nothing"].value)
    assert found.scores["nothing"].interval is None
    assert found.scores["a"].interval is not None


def test_systems_may_have_columns_of_their_own() -> None:
    first, second = Counts(("x", "y"), np.array([[1.0, 2.0]])), Counts(("y", "z"), np.array([[3.0, 4.0]]))
    joined = same_columns([first, second])
    assert [one.names for one in joined] == [("x", "y", "z")] * 2
    assert [one.rows.tolist() for one in joined] == [[[1.0, 2.0, 0.0]], [[0.0, 3.0, 4.0]]]
    assert same_columns([first, first])[0] is first


def test_a_difference_of_resampled_numbers_has_the_other_sign_and_the_same_p() -> None:
    rng = np.random.default_rng(3)
    one, other = (
        Resampled(mean, mean + rng.normal(0, 0.01, 20), mean + rng.normal(0, 0.05, 400))
        for mean in (0.5, 0.6)
    )
    forward, backward = one.minus(other), other.minus(one)
    assert forward.estimate == -backward.estimate
    assert forward.p_bootstrap() == backward.p_bootstrap()
    assert forward.detectable() == backward.detectable() > 0
    around = forward.t_interval(level=0.95)
    assert (around.low + around.high) / 2 == pytest.approx(forward.estimate)


def test_accuracies_count_right_items() -> None:
    found = Accuracy.of("total", RIGHT["b"].astype(np.float64), DOCUMENTS, level=0.95)
    assert (found.name, found.items, found.right, found.accuracy) == ("total", 10, 8, 0.8)
    assert found.interval.low < 0.8 < found.interval.high
    assert found.to_dict()["accuracy"] == 0.8


def test_gains_and_losses_are_places() -> None:
    assert gained_and_lost(RIGHT["a"], RIGHT["b"]) == ([1, 3, 7], [9])


def test_one_table_for_all_comparisons() -> None:
    around = Interval(-0.1, 0.3, 0.95)
    better = Comparison("points", "a", "b", 0.1, around, 0.02, 0.03, None, 0.04, 0.05)
    worse = Comparison("points", "a", "c", -0.1, around, 0.2, 0.3, 0.5, 0.6, 0.05)
    table = comparison_table([better, worse], digits=2)
    assert [column.heading for column in table.columns] == [
        *("against a", "metric", "difference", "p perm.", "p boot.", "p McNemar", "p Holm", "detectable"),
    ]
    assert [row[2].style for row in table.rows] == ["good", ""]
    cells = [column.format(cell) for column, cell in zip(table.columns, table.rows[1], strict=True)]
    assert cells == ["c", "points", "-10.00 [-10.00, +30.00]", "0.3000", "0.2000", "0.5000", "0.6000", "5.00"]
