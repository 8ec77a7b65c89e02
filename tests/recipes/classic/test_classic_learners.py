"""Our arithmetic against the learners' own predictions."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import OptionError, UnknownNameError
from anaphor.core.array_types import Ints
from anaphor.predict.distributions import class_weights, softmax
from anaphor.predict.ensemble.mixture import Mixture, best_mixture, mixed
from anaphor.recipes.classic.forest import ForestLearner
from anaphor.recipes.classic.linear import LogisticLearner, SvmLearner, WeightedLearner
from anaphor.recipes.classic.scores import (
    DecisionRule,
    calibrated_rule,
    default_rule,
    macro_recall,
    recall_rule,
)
from anaphor.recipes.classic.sparse import SparseRows

WIDTH, CLASSES = 12, 3


def made_rows(seed: int = 0, count: int = 150) -> tuple[SparseRows, Ints]:
    """Rows whose class shows in one of their columns, mostly."""
    draw = np.random.default_rng(seed)
    columns: list[int] = []
    labels = draw.integers(0, CLASSES, count)
    for label in labels.tolist():
        told = label if draw.random() < 0.9 else int(draw.integers(CLASSES))
        others = draw.choice(np.arange(CLASSES, WIDTH), 3, replace=False).tolist()
        columns += [told, *others]
    values = np.tile(np.array([1.0, 1.0, 0.5, 2.0], np.float32), count)
    rows = SparseRows(np.arange(count + 1) * 4, np.array(columns, np.int32), values)
    return rows, labels.astype(np.int32)


def test_a_support_vector_machine_decides_as_scikit_learn_does() -> None:
    svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    rows, labels = made_rows()
    ours = SvmLearner(c=0.5).learn(rows, labels, width=WIDTH, classes=CLASSES, seed=3).scores(rows)
    machine = svm.LinearSVC(C=0.5, tol=0.1, random_state=3, dual=True).fit(rows.matrix(WIDTH), labels)
    assert ours == pytest.approx(machine.decision_function(rows.matrix(WIDTH)), abs=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_maximum_entropy_gives_the_probabilities_of_scikit_learn(classes: int) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not installed")
    rows, labels = made_rows()
    labels = np.minimum(labels, classes - 1)
    scorer = LogisticLearner(c=1.0).learn(rows, labels, width=WIDTH, classes=classes, seed=1)
    theirs = linear.LogisticRegression(C=1.0, tol=1e-3).fit(rows.matrix(WIDTH), labels)
    assert softmax(scorer.scores(rows)) == pytest.approx(theirs.predict_proba(rows.matrix(WIDTH)), abs=1e-5)


def test_a_forest_gives_the_probabilities_of_scikit_learn() -> None:
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rows, labels = made_rows()
    scorer = ForestLearner(trees=7, leaf=2).learn(rows, labels, width=WIDTH, classes=CLASSES, seed=5)
    forest = ensemble.RandomForestClassifier(7, min_samples_leaf=2, random_state=5)
    weights = np.ones(len(labels))  # drawing by weight is another draw than drawing without
    forest.fit(rows.matrix(WIDTH), labels, sample_weight=weights)
    theirs = forest.predict_proba(rows.matrix(WIDTH))
    assert softmax(scorer.scores(rows)) == pytest.approx(theirs, abs=1e-6)


def test_a_tree_of_one_leaf_gives_its_shares() -> None:
    """Leaves that must hold all rows leave no room for a question."""
    pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rows, labels = made_rows()
    learner = ForestLearner(trees=1, leaf=150)
    shares = softmax(learner.learn(rows, labels, width=WIDTH, classes=CLASSES, seed=5).scores(rows))
    assert shares == pytest.approx(np.broadcast_to(shares[0], shares.shape))


def test_a_forest_uses_the_most_frequent_columns_only() -> None:
    pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rows, labels = made_rows()
    scorer = ForestLearner(trees=5, most=4).learn(rows, labels, width=WIDTH, classes=CLASSES, seed=5)
    counts = np.bincount(rows.columns, minlength=WIDTH)
    assert counts[scorer.used].min() >= np.delete(counts, scorer.used).max()
    assert len(scorer.used) == 4
    assert len(scorer.scores(rows)) == len(rows)


@pytest.mark.parametrize("engine", ["vowpalwabbit", "scikit-learn"])
def test_weighted_regression_finds_the_informative_columns(engine: str) -> None:
    pytest.importorskip({"scikit-learn": "sklearn"}.get(engine, engine), reason=f"{engine} is not installed")
    rows, labels = made_rows()
    learner = WeightedLearner(engine=engine, passes=20)
    scorer = learner.learn(rows, labels, width=WIDTH, classes=CLASSES, seed=1)
    found = scorer.scores(rows).argmax(axis=1)
    assert (found == labels).mean() > 0.85  # nine in ten rows tell their class
    other, truth = made_rows(seed=1)
    assert (scorer.scores(other).argmax(axis=1) == truth).mean() > 0.85


def test_rows_have_an_average_weight_of_one() -> None:
    labels = np.array([0] * 6 + [1] * 3 + [2], np.int32)
    assert class_weights(labels, 3, 0.0).tolist() == [1, 1, 1]
    full = class_weights(labels, 3, 1.0)
    assert full == pytest.approx([10 / 18, 10 / 9, 10 / 3])  # n / (classes * count)
    assert class_weights(labels, 3, 0.5)[labels].mean() == pytest.approx(1)


def test_scores_are_scaled_to_maximize_the_likelihood_of_labels() -> None:
    """Labels that agree with the score three times out of four are likeliest under a softmax of 3 to 1."""
    scores = np.array([[8.0, 0.0]] * 4)
    labels = np.array([0, 0, 0, 1], np.int32)
    found = calibrated_rule(default_rule(labels, ("a", "b")), scores, labels)
    assert found.shares(scores)[0, 0] == pytest.approx(0.75, abs=0.05)


def test_dividing_by_priors_finds_rare_classes() -> None:
    shares = np.log(np.array([[0.9, 0.1], [0.8, 0.2], [0.6, 0.4]]))
    labels = np.array([0, 0, 1], np.int32)
    plain = DecisionRule(("a", "b"), (0.8, 0.2))
    assert macro_recall(plain.chosen(plain.shares(shares)), labels) == 0.5
    tuned = recall_rule(plain, shares, labels)
    assert macro_recall(tuned.chosen(tuned.shares(shares)), labels) == 1.0
    # The rare class wins from 4 ** strength > 1.5 on, which is 0.2925; of all grid points above, the lowest.
    assert tuned.strength == 0.3


def test_of_equal_strengths_the_lowest_is_chosen() -> None:
    scores = np.log(np.array([[0.9, 0.1], [0.1, 0.9]]))
    labels = np.array([0, 1], np.int32)
    assert recall_rule(DecisionRule(("a", "b"), (0.5, 0.5)), scores, labels).strength == 0.0


def test_of_equal_scores_the_first_class_is_chosen() -> None:
    rule = DecisionRule(("a", "b", "c"), (0.4, 0.3, 0.3))
    assert rule.chosen(np.array([[0.2, 0.4, 0.4], [0.5, 0.5, 0.0]])).tolist() == [1, 0]


def test_a_mixture_takes_the_better_model() -> None:
    right, wrong = np.array([[0.6, 0.4], [0.4, 0.6]]), np.array([[0.1, 0.9], [0.9, 0.1]])
    gold = np.array([0, 1])
    found = best_mixture(np.array([right, wrong]), gold, metric="accuracy", means="linear", steps=10)
    assert found == Mixture((0.9, 0.1), "linear")  # 0.8 gives 0.5 to 0.5; a tenth more decides
    assert mixed(np.array([right, wrong]), found)[0] == pytest.approx([0.55, 0.45])


def test_of_equal_mixtures_the_most_equal_weights_win() -> None:
    same = np.array([[[0.7, 0.3]], [[0.7, 0.3]]])
    found = best_mixture(same, np.array([0]), metric="macro-recall", means="log", steps=10)
    assert found.weights == (0.5, 0.5)


def test_weights_of_many_models_are_tuned_one_at_a_time() -> None:
    draw = np.random.default_rng(0)
    tables = draw.dirichlet(np.ones(3), size=(6, 20))
    gold = tables[4].argmax(axis=1)  # the fifth model is always right
    found = best_mixture(tables, gold, metric="accuracy", means="linear", steps=10)
    assert (mixed(tables, found).argmax(axis=1) == gold).mean() > 0.9
    assert sum(found.weights) == pytest.approx(1)


@pytest.mark.parametrize("means", ["linear", "log"])
def test_a_class_unseen_by_all_models_stays_impossible(means: str) -> None:
    tables = np.array([[[0.5, 0.5, 0.0]], [[0.9, 0.1, 0.0]]])
    shares = mixed(tables, Mixture((0.5, 0.5), means))[0]
    assert shares[2] == 0
    assert shares.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: SvmLearner(c=0.0), OptionError),
        (lambda: SvmLearner(balance=-1.0), OptionError),
        (lambda: LogisticLearner(least=0), OptionError),
        (lambda: SvmLearner(choose="best"), UnknownNameError),
        (lambda: WeightedLearner(engine="svm"), UnknownNameError),
        (lambda: ForestLearner(trees=0), OptionError),
    ],
)
def test_options_out_of_range_are_errors(make: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()  # type: ignore[operator]
