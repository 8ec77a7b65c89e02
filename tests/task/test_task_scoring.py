"""Confusion matrices and averages, against hand counts, the official outputs and a slow twin."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import LanguagePair, MismatchError
from anaphor.task import task_classes
from anaphor.task.scoring import (
    METRICS,
    ClassScore,
    TaskScore,
    confusion_counts,
    metric_value,
    official_metric,
    score_labels,
)
from anaphor.task.systems import read_gold, read_predicted

EN_DE = task_classes(LanguagePair("en", "de"))
#: er right twice of three, sie taken for es, OTHER right; es and man are not in gold.
GOLD = [("er", "er"), ("er",), (), ("sie", "OTHER")]
PREDICTED = [("er", "sie"), ("er",), (), ("es", "OTHER")]


def test_the_matrix_has_gold_in_rows_and_predictions_in_columns() -> None:
    score = score_labels(GOLD, PREDICTED, classes=EN_DE)
    assert score.matrix == ((2, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0,) * 5, (0,) * 5, (0, 0, 0, 0, 1))
    assert (score.slots, score.correct) == (5, 3)
    assert score.by_class()[:2] == (
        ClassScore("er", gold=3, predicted=2, correct=2),
        ClassScore("sie", gold=1, predicted=1, correct=0),
    )


#: By hand: recalls er 2/3, sie 0, OTHER 1; precisions er 1, sie 0, OTHER 1; F1 er 4/5, sie 0, OTHER 1.
@pytest.mark.parametrize(
    ("metric", "average", "expected"),
    [
        ("accuracy", "present", 3 / 5),
        ("accuracy", "all", 3 / 5),
        ("macro-recall", "present", (2 / 3 + 0 + 1) / 3),
        ("macro-recall", "all", (2 / 3 + 0 + 1) / 5),
        ("macro-precision", "present", (1 + 0 + 1) / 3),
        ("macro-precision", "all", (1 + 0 + 1) / 5),
        ("macro-f1", "present", (4 / 5 + 0 + 1) / 3),
        ("macro-f1", "all", (4 / 5 + 0 + 1) / 5),
    ],
)
def test_averages_follow_from_the_matrix(metric: str, average: str, expected: float) -> None:
    score = score_labels(GOLD, PREDICTED, classes=EN_DE, average=average)
    assert score.value(metric) == pytest.approx(expected)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("average", ["present", "all"])
def test_nothing_to_score_is_undefined(metric: str, average: str) -> None:
    assert math.isnan(score_labels([()], [()], classes=EN_DE, average=average).value(metric))


def test_a_perfect_prediction_of_two_classes_of_eight_is_a_quarter_of_all() -> None:
    """Case w03 of the official scorer prints 25.00."""
    classes = task_classes(LanguagePair("en", "fr"))
    gold = [("il", "il", "OTHER", "OTHER")]
    assert score_labels(gold, gold, classes=classes, average="all").value("macro-recall") == 0.25
    assert score_labels(gold, gold, classes=classes, average="present").value("macro-recall") == 1.0


def test_a_pair_of_classes_that_a_segment_has_twice_counts_twice() -> None:
    score = score_labels([("er", "sie", "er")], [("er", "er", "er")], classes=EN_DE)
    assert (score.slots, score.correct, score.matrix[0][0], score.matrix[1][0]) == (3, 2, 2, 1)


def test_lengths_that_differ_are_refused() -> None:
    with pytest.raises(MismatchError, match="1 predicted segments for 4"):
        score_labels(GOLD, PREDICTED[:1], classes=EN_DE)


@pytest.mark.parametrize(
    ("year", "metric"), [(2015, "macro-f1"), (2016, "macro-recall"), (2017, "macro-recall")]
)
def test_the_official_metric_changed_after_2015(year: int, metric: str) -> None:
    assert official_metric(year) == metric


def slow_value(score: TaskScore, metric: str) -> float:
    """The same from single classes, as a reader of the papers would compute it."""
    if metric == "accuracy":
        return score.correct / score.slots
    counted = [entry for entry in score.by_class() if entry.gold or score.average == "all"]
    name = {"macro-recall": "recall", "macro-precision": "precision", "macro-f1": "f1"}[metric]
    return math.fsum(getattr(entry, name) for entry in counted) / len(counted)


LABELS = st.sampled_from(EN_DE.classes)


@given(
    st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30),
    st.sampled_from(METRICS),
    st.sampled_from(["present", "all"]),
)
def test_vectors_and_single_classes_agree(pairs: list[tuple[str, str]], metric: str, average: str) -> None:
    gold, predicted = [(g,) for g, _ in pairs], [(p,) for _, p in pairs]
    score = score_labels(gold, predicted, classes=EN_DE, average=average)
    assert score.value(metric) == pytest.approx(slow_value(score, metric))


def test_many_totals_are_scored_at_once() -> None:
    rows = confusion_counts(GOLD, PREDICTED, classes=EN_DE).rows
    values = metric_value("accuracy", average="present")(np.stack([rows[:1].sum(0), rows.sum(0), rows[2]]))
    np.testing.assert_allclose(values, [0.5, 0.6, np.nan])


@pytest.mark.parametrize(
    ("name", "macro_f1", "accuracy"),
    # teddev.*.official-scores.txt, last line.
    [
        ("kenlm-baseline", 46.9576010570659, 65.4618473895582),
        ("participant", 54.7332336805067, 78.3132530120482),
    ],
)
def test_the_predictions_of_2015_score_as_the_official_scorer_says(
    data_dir: Path, name: str, macro_f1: float, accuracy: float
) -> None:
    folder = data_dir / "discomt2015-task"
    classes = task_classes(LanguagePair("en", "fr"), year=2015)
    gold = read_gold(folder / "teddev.tsv", classes=classes)
    predicted = read_predicted(folder / f"teddev.{name}.predictions.tsv", gold, classes=classes)
    score = score_labels(gold.labels, predicted, classes=classes)
    assert 100 * score.value("macro-f1") == pytest.approx(macro_f1, abs=1e-11)
    assert 100 * score.value("accuracy") == pytest.approx(accuracy, abs=1e-11)


def published_block(page: str) -> list[tuple[str, int, int, int]]:
    """Label, right, predicted and gold of the sample lines on the task's page of 2016."""
    pattern = r"(\w+)\s+:\s+P =\s+(\d+)/\s*(\d+) .*?R =\s+\d+/\s*(\d+) "
    return [(m[1], int(m[2]), int(m[3]), int(m[4])) for m in re.finditer(pattern, page)]


def test_the_sample_of_the_task_page_of_2016_has_its_macro_recall(data_dir: Path) -> None:
    page = (data_dir / "wmt16-task-page" / "pronoun-task.txt").read_text(encoding="utf-8")
    classes = [
        ClassScore(label, gold=gold, predicted=predicted, correct=correct)
        for label, correct, predicted, gold in published_block(page)
    ]
    assert [entry.label for entry in classes] == list(
        task_classes(LanguagePair("en", "fr"), year=2016).classes
    )
    recall = sum(entry.recall for entry in classes) / len(classes)
    assert f"{100 * recall:.2f}" == "40.63"  # "or a macro-averaged R of 40.63%"
