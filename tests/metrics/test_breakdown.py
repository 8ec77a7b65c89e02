"""Parts of a score: by source pronoun, by document, reference against candidate."""

from __future__ import annotations

import math
from copy import deepcopy

import numpy as np
import pytest

from anaphor.core import Counterpart, LanguagePair, Outcome, Pronoun, PronounPair, Settings, Verdict
from anaphor.languages import load_pair
from anaphor.metrics import METRICS, Metric, MetricContext, MetricInput
from anaphor.metrics.apt import Apt, PronounComparer
from anaphor.metrics.breakdown import by_document, confusion, count_by_pronoun, identical
from anaphor.pronouns import PronounPairs

EN_FR = load_pair(LanguagePair("en", "fr"))
COMPARER = PronounComparer(EN_FR, other="different")
LINES = ("a b", "c d", "e f")


def built(name: str) -> Metric:
    return METRICS.get(name).build(MetricContext.of(Settings(pair="en-fr", tokenized=True)))


def given(*forms: str) -> Counterpart:
    return Counterpart(tuple(range(len(forms))), forms, forms)


def pair(
    segment: int, form: str, reference: Counterpart | None, candidate: Counterpart | None
) -> PronounPair:
    return PronounPair(Pronoun(segment, 0, form), (reference,), candidate)


# it: identical, different; they: identical, no candidate, both in segment 1; nothing in segment 2.
PAIRS = (
    pair(0, "it", given("il"), given("il")),
    pair(0, "it", given("il"), given("elle")),
    pair(1, "they", given("ils"), given("ils")),
    pair(1, "they", given("elles"), None),
)
TRIAL = MetricInput("a", (LINES,), LINES, PAIRS)


def test_counts_of_each_pronoun_come_in_alphabetical_order() -> None:
    parts = dict(count_by_pronoun(built("apt"), MetricInput("a", (LINES,), LINES, PAIRS[::-1])))
    assert list(parts) == ["it", "they"]
    assert parts["it"].totals().tolist() == [1, 0, 1, 0, 0, 0]
    assert parts["they"].totals().tolist() == [1, 0, 0, 1, 0, 0]


@pytest.mark.parametrize("name", ["apt", "autoprf"])
def test_the_parts_add_up_to_the_whole(name: str) -> None:
    metric = built(name)
    parts = dict(count_by_pronoun(metric, TRIAL))
    total = np.sum([part.rows for part in parts.values()], axis=0)
    assert total.tolist() == metric.count(TRIAL).rows.tolist()


@pytest.mark.parametrize("name", ["apt", "autoprf"])
def test_pairs_in_any_order_count_where_they_stand(name: str) -> None:
    metric = built(name)
    mixed = MetricInput("a", (LINES,), LINES, [PAIRS[number] for number in (2, 0, 3, 1)])
    assert metric.count(mixed).rows.tolist() == metric.count(TRIAL).rows.tolist()
    for form, numbers in {"it": (0, 1), "they": (2, 3)}.items():
        alone = MetricInput("a", (LINES,), LINES, [PAIRS[number] for number in numbers])
        assert dict(count_by_pronoun(metric, mixed))[form].rows.tolist() == metric.count(alone).rows.tolist()


@pytest.mark.parametrize("name", ["apt", "autoprf"])
def test_pairs_with_equal_counterparts_are_of_one_kind(name: str) -> None:
    """Also where they are not the same objects; the count is that of each pair by itself."""
    again = [*PAIRS, *(PronounPair(Pronoun(2, 0, "it"), one.references, one.candidate) for one in PAIRS)]
    copies = [PronounPair(one.source, *deepcopy((one.references, one.candidate))) for one in again]
    assert len(PronounPairs(again).distinct[0]) == 4
    assert len(PronounPairs(copies).distinct[0]) == 4
    metric = built(name)
    shared, apart = (metric.count(MetricInput("a", (LINES,), LINES, pairs)) for pairs in (again, copies))
    assert shared.rows.tolist() == apart.rows.tolist()
    # Segments 0 and 1 again, together.
    assert shared.rows[2].tolist() == (shared.rows[0] + shared.rows[1]).tolist()


def test_a_metric_of_whole_texts_and_a_text_without_pronouns_have_no_parts() -> None:
    assert list(count_by_pronoun(built("bleu"), TRIAL)) == []
    assert list(count_by_pronoun(built("apt"), MetricInput("a", (LINES,), LINES, ()))) == []


def test_documents_come_in_the_order_of_the_corpus_and_may_be_interrupted() -> None:
    metric = built("apt")
    counts = metric.count(TRIAL)
    assert by_document(metric, counts, ("z", "a", "z")) == pytest.approx({"z": 0.5, "a": 0.5})
    assert list(by_document(metric, counts, ("z", "a", "z"))) == ["z", "a"]


def test_a_document_without_a_pronoun_is_nan_and_no_documents_are_nothing() -> None:
    metric = built("apt")
    scores = by_document(metric, metric.count(TRIAL), ("d0", "d1", "d2"))
    assert (scores["d0"], scores["d1"]) == (0.5, 0.5)
    assert math.isnan(scores["d2"])
    assert by_document(metric, metric.count(TRIAL), None) == {}


def test_only_identical_is_right_for_mcnemar() -> None:
    verdicts = [Verdict(PAIRS[0], outcome, 0) for outcome in Outcome]
    assert identical(verdicts).tolist() == [True, False, False, False, False, False]
    assert identical([]).shape == (0,)


# Reference and candidate, then the labels they are counted under; hand-made, forms of apt-2017, Table 2.
@pytest.mark.parametrize(
    ("reference", "candidate", "labels"),
    [
        (given("il"), given("il"), ("il", "il")),
        (given("ce"), given("c'"), ("ce", "ce")),
        (given("cela"), given("ç'"), ("ça", "ça")),
        (given("c'"), given("il"), ("ce", "il")),
        (given("il"), given("elle"), ("il", "elle")),
        (given("il", "elle"), given("elle"), ("elle", "elle")),
        (given("il", "on"), given("elle", "ils"), ("il", "elle")),
        (given("il"), Counterpart((0,), ("que",), ()), ("il", "OTHER")),
        (Counterpart((0,), ("que",), ()), given("il"), ("OTHER", "il")),
        (given("il"), None, ("il", "NONE")),
        (None, given("il"), ("NONE", "il")),
        (None, None, ("NONE", "NONE")),
    ],
)
def test_labels_of_the_confusion_matrix(
    reference: Counterpart | None, candidate: Counterpart | None, labels: tuple[str, str]
) -> None:
    example = pair(0, "it", reference, candidate)
    verdict = Verdict(example, COMPARER.outcome(reference, candidate), 0)
    assert confusion([verdict, verdict], COMPARER) == {labels: 2}


def test_the_reference_that_gave_the_outcome_gives_the_label() -> None:
    example = PronounPair(Pronoun(0, 0, "it"), (given("il"), given("elle")), given("elle"))
    verdicts = Apt(EN_FR, weights=(1, 0.5, 0, 0, 0, 0), discard=frozenset(), other="different").verdicts(
        [example]
    )
    assert confusion(verdicts, COMPARER) == {("elle", "elle"): 1}


def test_words_outside_the_list_that_count_as_identical_stay_other() -> None:
    word = Counterpart((0,), ("que",), ())
    comparer = PronounComparer(EN_FR, other="identical")
    verdict = Verdict(pair(0, "it", word, word), Outcome.IDENTICAL, 0)
    assert confusion([verdict], comparer) == {("OTHER", "OTHER"): 1}
