"""Antecedents and predictions: what agrees with the candidate's own noun becomes more probable."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from anaphor.core import Settings
from anaphor.corpus import Text
from anaphor.evaluation.predictions import link_candidate
from anaphor.predict.postedit import (
    LinkedText,
    OccurrencePrediction,
    Proposer,
    combine_chains,
    find_occurrences,
    use_antecedents,
)

CAR = ("The car is old.", "It squeaks.")
#: A network that prefers es.
SHARES = {"es": 0.5, "sie": 0.2, "er": 0.15, "man": 0.05, "OTHER": 0.1}


def linked(source: tuple[str, ...], candidate: tuple[str, ...], pair: str = "en-de") -> LinkedText:
    return link_candidate(
        Settings(pair=pair),
        source=Text.of(source, path="source"),
        candidate=Text.of(candidate, path="candidate"),
        documents=None,
        links=None,
    )


def predicted(text: LinkedText, shares: Mapping[str, float]) -> list[OccurrencePrediction]:
    return [OccurrencePrediction(one, shares) for one in find_occurrences(text, year=2016)]


@pytest.mark.parametrize(
    ("noun", "right"), [("Die Maschine", "sie"), ("Der Wagen", "er"), ("Das Auto", "es")]
)
def test_the_gender_of_the_candidates_own_noun_decides(noun: str, right: str) -> None:
    text = linked(CAR, (f"{noun} ist alt.", "Es quietscht."))
    (one,) = use_antecedents(text, predicted(text, SHARES))
    assert one.first(but="OTHER")[0] == right
    assert list(one.probabilities.values()) == sorted(one.probabilities.values(), reverse=True)
    assert sum(one.probabilities.values()) == pytest.approx(1)
    # These show no gender, and an antecedent says nothing about them.
    assert (one.probabilities["man"], one.probabilities["OTHER"]) == (0.05, 0.1)


def test_no_pronoun_is_ruled_out() -> None:
    text = linked(CAR, ("Die Maschine ist alt.", "Es quietscht."))
    (one,) = use_antecedents(text, predicted(text, {**SHARES, "es": 0.695, "sie": 0.005}))
    assert one.first(but="OTHER")[0] == "es"


def test_pleonastic_it_has_no_antecedent_to_agree_with() -> None:
    text = linked(
        ("The car is old.", "It seems that nobody likes old cars."),
        ("Die Maschine ist alt.", "Es scheint, dass niemand alte Maschinen mag."),
    )
    (one,) = use_antecedents(text, predicted(text, SHARES))
    assert one.first(but="OTHER")[0] == "es"


def test_other_pronouns_of_the_candidate_do_not_count_because_they_may_be_wrong() -> None:
    found = []
    for wrong in ("Er", "Sie", "Es"):
        text = linked(
            (*CAR, "It is broken."), ("Die Maschine ist alt.", f"{wrong} quietscht.", "Es ist kaputt.")
        )
        found.append([one.probabilities for one in use_antecedents(text, predicted(text, SHARES))])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 2


def test_into_english_pronouns_with_one_antecedent_are_combined() -> None:
    text = linked(
        ("Les clés sont là.", "Elles brillent, mais elles sont vieilles."),
        ("The keys are there.", "They shine, but they are old."),
        "fr-en",
    )
    shares = {"they": 0.6, "it": 0.3, "he": 0.05, "she": 0.05}
    given = predicted(text, shares)
    assert use_antecedents(text, given) == combine_chains(text, given)
    assert len(given) == 2


def test_pronouns_with_one_antecedent_are_changed_together_or_not_at_all() -> None:
    text = linked(
        ("The flowers need water.", "If they dry, they die."),
        ("Les fleurs ont besoin d'eau.", "S'ils sèchent, ils meurent."),
        "en-fr",
    )
    first, second = find_occurrences(text, year=2016)
    sure, unsure = {"elles": 0.98, "ils": 0.02}, {"elles": 0.2, "OTHER": 0.79, "ils": 0.01}
    for shares, changed in ((sure, 2), (unsure, 0)):
        given = [OccurrencePrediction(first, sure), OccurrencePrediction(second, shares)]
        assert len(Proposer(text).propose(use_antecedents(text, given), threshold=0.9).applied) == changed
