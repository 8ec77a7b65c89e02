"""APT: the six cases, the French sets of Table 2, every weight option of apt-2017, section 2.4."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from anaphor.core import Counterpart, LanguagePair, OptionError, Outcome, Pronoun, PronounPair, Settings
from anaphor.languages import load_pair
from anaphor.metrics import MetricContext, MetricInput
from anaphor.metrics.apt import Apt, PronounComparer

EN_FR = load_pair(LanguagePair("en", "fr"))


def given(*forms: str) -> Counterpart:
    return Counterpart(tuple(range(len(forms))), forms, forms)


def other(word: str) -> Counterpart:
    return Counterpart((0,), (word,), ())


def pair(
    reference: Counterpart | None, candidate: Counterpart | None, *more: Counterpart | None
) -> PronounPair:
    return PronounPair(Pronoun(0, 0, "it"), (reference, *more), candidate)


def apt(**options: object) -> Apt:
    return Apt.build(MetricContext.of(Settings(pair="en-fr", options=options)))


#: One pair for each case, in the order of the cases.
SIX = (
    pair(given("il"), given("il")),
    pair(given("ce"), given("il")),
    pair(given("il"), given("elle")),
    pair(given("il"), None),
    pair(None, given("il")),
    pair(None, None),
)


@pytest.mark.parametrize(("number", "example"), list(enumerate(SIX, start=1)))
def test_the_six_cases(number: int, example: PronounPair) -> None:
    assert apt().verdicts([example])[0].outcome.value == number


@pytest.mark.parametrize("named", ["cela", "ça", "ç'"])
@pytest.mark.parametrize("wanted", ["cela", "ça", "ç'"])
def test_an_equivalence_holds_for_all_forms_of_a_set_whichever_it_names(named: str, wanted: str) -> None:
    (first, *_) = EN_FR.equivalent
    pack = replace(EN_FR, equivalent=(replace(first, forms=("on", named)),))
    comparer = PronounComparer(pack, other="different")
    assert comparer.outcome(given("on"), given(wanted)) is Outcome.EQUIVALENT
    assert comparer.outcome(given(wanted), given("on")) is Outcome.EQUIVALENT
    assert comparer.outcome(given("on"), given("il")) is Outcome.DIFFERENT


# apt-2017, Table 2: identical {ce, c'} and {ça, ç', cela}; equivalent ce~il and ce~ça.
@pytest.mark.parametrize(
    ("reference", "candidate", "outcome"),
    [
        ("ce", "c'", Outcome.IDENTICAL),
        ("ça", "ç'", Outcome.IDENTICAL),
        ("ça", "cela", Outcome.IDENTICAL),
        ("ç'", "cela", Outcome.IDENTICAL),
        ("ce", "il", Outcome.EQUIVALENT),
        ("c'", "il", Outcome.EQUIVALENT),
        ("ce", "ça", Outcome.EQUIVALENT),
        ("c'", "cela", Outcome.EQUIVALENT),
        ("il", "ça", Outcome.DIFFERENT),
        ("il", "elle", Outcome.DIFFERENT),
        ("il", "ils", Outcome.DIFFERENT),
        ("on", "ils", Outcome.DIFFERENT),
    ],
)
def test_table_2_in_both_directions(reference: str, candidate: str, outcome: Outcome) -> None:
    comparer = PronounComparer(EN_FR, other="different")
    assert comparer.outcome(given(reference), given(candidate)) is outcome
    assert comparer.outcome(given(candidate), given(reference)) is outcome


def test_table_2_probabilities() -> None:
    assert [(entry.forms, entry.probability) for entry in EN_FR.equivalent] == [
        (("ce", "il"), 0.6),
        (("ce", "ça"), 0.6),
    ]


def test_identical_beats_equivalent_with_several_pronouns() -> None:
    assert PronounComparer(EN_FR, other="different").outcome(given("ce", "elle"), given("il", "elle")) is (
        Outcome.IDENTICAL
    )


@pytest.mark.parametrize(
    ("option", "same", "unlike"),
    [
        ("different", Outcome.DIFFERENT, Outcome.DIFFERENT),
        ("identical", Outcome.IDENTICAL, Outcome.IDENTICAL),
        ("same-word", Outcome.IDENTICAL, Outcome.DIFFERENT),
    ],
)
def test_words_that_are_no_listed_pronoun(option: str, same: Outcome, unlike: Outcome) -> None:
    comparer = PronounComparer(EN_FR, other=option)
    assert comparer.outcome(other("Que"), other("que")) is same
    assert comparer.outcome(other("que"), other("qui")) is unlike
    assert comparer.outcome(other("que"), given("il")) is Outcome.DIFFERENT


# Section 2.4: w2 and w6 are 0, 0.5 or 1, cases 5 and 6 counted or discarded; one pair in each case.
@pytest.mark.parametrize("w2", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("w6", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(("discard", "kept"), [((), 6), ((5,), 5), ((6,), 5), ((5, 6), 4)])
def test_every_weight_option_of_the_paper(w2: float, w6: float, discard: tuple[int, ...], kept: int) -> None:
    metric = apt(weights=(1, w2, 0, 0, 0, w6), discard=frozenset(discard))
    counts = metric.count(MetricInput("a", (("",),), ("",), SIX))
    expected = (1 + w2 + (0 if 6 in discard else w6)) / kept
    assert float(metric.value(counts.totals())) == pytest.approx(expected)


def test_counts_have_a_row_per_segment_and_a_column_per_case() -> None:
    pairs = [PronounPair(Pronoun(2, 0, "it"), (given("il"),), given("il"))] * 2
    counts = apt().count(MetricInput("a", (("",) * 3,), ("",) * 3, pairs))
    assert counts.rows.shape == (3, 6)
    assert counts.rows[2].tolist() == [2, 0, 0, 0, 0, 0]
    assert counts.rows[:2].sum() == 0


def test_nothing_to_score_is_nan() -> None:
    assert math.isnan(float(apt().value(np.zeros(6))))
    only_sixth = np.array([0, 0, 0, 0, 0, 3.0])
    assert math.isnan(float(apt(discard=frozenset({6})).value(only_sixth)))


@pytest.mark.parametrize(
    ("candidate", "first", "second", "outcome", "used"),
    [
        ("elle", "il", "elle", Outcome.IDENTICAL, 1),
        ("il", "ce", "il", Outcome.IDENTICAL, 1),
        ("il", "ce", "elle", Outcome.EQUIVALENT, 0),
        ("il", "elle", "ce", Outcome.EQUIVALENT, 1),
        ("ils", "il", "elle", Outcome.DIFFERENT, 0),
    ],
)
def test_several_references_give_the_best_outcome(
    candidate: str, first: str, second: str, outcome: Outcome, used: int
) -> None:
    verdict = apt().verdicts([pair(given(first), given(candidate), given(second))])[0]
    assert (verdict.outcome, verdict.reference) == (outcome, used)


def test_a_reference_without_a_counterpart_is_used_only_if_no_other_has_one() -> None:
    assert apt().verdicts([pair(None, given("il"), given("elle"))])[0].reference == 1
    assert apt().verdicts([pair(None, None, given("elle"))])[0].outcome is Outcome.CANDIDATE_MISSING


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("weights", (1.0, 0.5)),
        ("weights", (1.0, 0.5, 0, 0, 0, float("nan"))),
        ("weights", (1.0, 2.0, 0, 0, 0, 0)),
        ("weights", (1.0, -0.1, 0, 0, 0, 0)),
        ("discard", frozenset({7})),
        ("discard", frozenset({1, 2, 3, 4, 5, 6})),
        ("other", "maybe"),
    ],
)
def test_options_that_make_no_sense(option: str, value: object) -> None:
    with pytest.raises(OptionError) as caught:
        apt(**{option: value})
    assert str(caught.value.where) == f"--{option}"


@pytest.mark.parametrize(
    ("references", "weights", "chosen"),
    [
        # Identical beats equivalent beats different, wherever it stands.
        (["elle", "il", "ce"], (1, 0.5, 0, 0, 0, 0), 1),
        (["elle", "ce", "elle"], (1, 0.5, 0, 0, 0, 0), 1),
        # Two equally good references: the first.
        (["elle", "ils"], (1, 0.5, 0, 0, 0, 0), 0),
        (["il", "il"], (1, 0.5, 0, 0, 0, 0), 0),
        # Weights decide before the order of the cases, and the order of the cases before the position.
        (["il", "elle"], (0.5, 0.5, 1, 0, 0, 0), 1),
        (["elle", "il"], (1, 0.5, 1, 0, 0, 0), 1),
    ],
)
def test_ties_between_several_references(
    references: list[str], weights: tuple[float, ...], chosen: int
) -> None:
    many = PronounPair(Pronoun(0, 0, "it"), tuple(given(word) for word in references), given("il"))
    assert apt(weights=weights).verdicts([many])[0].reference == chosen
