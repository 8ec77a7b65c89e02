"""The witnesses that look at the surface, at a predictor and at references. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import permutations

import pytest

from anaphor.antecedents import TargetLanguage
from anaphor.core import Outcome, PredictedForm
from anaphor.verdict import Case, RenderingKind, contract, reference
from anaphor.verdict.prediction import PredictionWitness
from anaphor.verdict.rendering import rendering_of
from anaphor.verdict.surface import CoverageWitness, RenderingWitness

CaseMaker = Callable[..., list[Case]]


# Prediction


def predicted(
    cases_of: CaseMaker, form: str, shares: Mapping[str, float], frequency: Mapping[str, float] | None = None
) -> contract.Testimony | None:
    often = frequency or {}
    forms = {one: PredictedForm(share, often.get(one, 0.5)) for one, share in shares.items()}
    (case,) = cases_of(
        "en-fr", ("It works .",), (f"{form} marche .",), ("0-0 1-1",), predicted={(0, 0): forms}
    )
    return PredictionWitness().testify(case, rendering_of(case))


def test_without_a_prediction_the_predictor_says_nothing(cases_of: CaseMaker) -> None:
    assert predicted(cases_of, "Elle", {}) is None


def test_of_what_is_no_pronoun_the_predictor_says_nothing(cases_of: CaseMaker) -> None:
    forms = {(0, 0): {"elle": PredictedForm(0.9)}}
    (case,) = cases_of("en-fr", ("It works .",), ("marche .",), ("1-0",), predicted=forms)
    assert rendering_of(case).kind is RenderingKind.NOTHING
    assert PredictionWitness().testify(case, rendering_of(case)) is None


def test_the_less_probable_a_form_is_the_greater_the_surprise(cases_of: CaseMaker) -> None:
    found = [predicted(cases_of, "Elle", {"elle": share, "il": 1 - share}) for share in (0.9, 0.5, 0.1)]
    surprise = [one.signals["surprise"] for one in found if one]
    gender = [one.signals["gender"] for one in found if one]
    assert surprise == sorted(surprise)
    assert gender == sorted(gender)
    assert gender[0] < 0 < gender[2]
    assert gender[1] == pytest.approx(0)


def test_a_form_that_is_rarely_right_needs_less_probability(cases_of: CaseMaker) -> None:
    shares = {"elle": 0.5, "il": 0.5}
    rare = predicted(cases_of, "Elle", shares, {"elle": 0.1, "il": 0.9})
    common = predicted(cases_of, "Elle", shares, {"elle": 0.9, "il": 0.1})
    assert rare
    assert common
    assert rare.signals["gender"] < 0 < common.signals["gender"]


def test_forms_without_gender_are_not_compared_by_gender(cases_of: CaseMaker) -> None:
    found = predicted(cases_of, "Elle", {"elle": 0.1, "il": 0.05, "ce": 0.85})
    assert found
    assert "gender" not in found.signals
    assert found.signals["certainty"] == 0.85


def test_a_form_outside_the_classes_is_not_surprising(cases_of: CaseMaker) -> None:
    found = predicted(cases_of, "Lui", {"elle": 0.6, "OTHER": 0.4})
    assert found
    assert "surprise" not in found.signals
    assert not found.accepts
    assert not found.rejects


def test_spellings_share_a_class_and_the_reason_quotes_the_expected_form(cases_of: CaseMaker) -> None:
    found = predicted(cases_of, "Ça", {"cela": 0.7, "il": 0.3})
    assert found
    assert found.accepts == "the predictor expects *ça* (0.70)"
    found = predicted(cases_of, "Il", {"cela": 0.7, "il": 0.3})
    assert found
    assert not found.accepts
    assert found.rejects == "the predictor expects *cela* (0.70) and gives *il* only 0.30"


# Reference


def test_without_a_reference_there_is_no_testimony() -> None:
    assert reference.testimony([]) is None


@pytest.mark.parametrize("outcome", list(Outcome))
def test_what_each_outcome_says(outcome: Outcome) -> None:
    found = reference.testimony([outcome])
    assert found
    same = outcome in (Outcome.IDENTICAL, Outcome.EQUIVALENT)
    assert found.signals["same"] == same
    assert found.signals["different"] == (outcome is Outcome.DIFFERENT)
    assert found.signals["candidate_missing"] == (outcome is Outcome.CANDIDATE_MISSING)
    assert bool(found.accepts) == same
    assert bool(found.rejects) == (outcome in (Outcome.DIFFERENT, Outcome.CANDIDATE_MISSING))


def test_the_best_of_several_references_counts_in_any_order() -> None:
    for outcomes in permutations((Outcome.DIFFERENT, Outcome.IDENTICAL, Outcome.CANDIDATE_MISSING)):
        assert reference.testimony(outcomes) == reference.testimony([Outcome.IDENTICAL])


# Rendering and coverage


def surface(
    cases_of: CaseMaker, source: str, candidate: str, links: str
) -> tuple[contract.Testimony, contract.Testimony]:
    (case,) = cases_of("en-fr", (source,), (candidate,), (links,))
    rendering = rendering_of(case)
    return RenderingWitness().testify(case, rendering), CoverageWitness().testify(case, rendering)


def test_a_missing_subject_is_told_from_a_missing_object(cases_of: CaseMaker) -> None:
    subject, _ = surface(cases_of, "It works well .", "marche bien .", "1-0 2-1")
    assert subject.signals["no_subject"] == 1
    assert subject.rejects == "no word is linked to *it*, the subject"
    found, _ = surface(cases_of, "We saw it .", "Nous avons vu .", "0-0 1-1 1-2")
    assert "no_subject" not in found.signals
    assert found.signals["no_object"] == 1
    assert found.rejects == "no word is linked to *it*, the object"
    found, _ = surface(cases_of, "We talk about it .", "Nous parlons .", "0-0 1-1")
    assert found.signals["no_complement"] == 1


def test_a_language_may_leave_out_objects(cases_of: CaseMaker) -> None:
    for pair, candidate, signal in (("en-pt", "Prefiro .", None), ("en-it", "Preferisco .", 1)):
        (case,) = cases_of(pair, ("I prefer it .",), (candidate,), ("0-0 1-0 3-1",))
        found = RenderingWitness().testify(case, rendering_of(case))
        assert found.signals.get("no_object") == signal
        assert ("may be left out" in found.accepts) == (signal is None)


def test_the_pack_of_the_source_says_which_pronouns_are_plural(cases_of: CaseMaker) -> None:
    (case,) = cases_of("pt-en", ("Elas funcionam .",), ("They work .",), ("0-0 1-1",))
    for source, plural in ((TargetLanguage.load("pt"), 1), (None, None)):
        found = RenderingWitness(source).testify(case, rendering_of(case))
        assert found.signals.get("plural") == plural


def test_demonstratives_and_fallbacks_are_told_apart(cases_of: CaseMaker) -> None:
    cela, _ = surface(cases_of, "It works .", "Cela marche .", "0-0 1-1")
    assert cela.signals["demonstrative"] == 1
    assert not cela.rejects
    il, _ = surface(cases_of, "It works .", "Il marche .", "0-0 1-1")
    assert il.signals["fallback"] == 1
    assert il.rejects == "systems often fall back on *il*"
    elle, _ = surface(cases_of, "It works .", "Elle marche .", "0-0 1-1")
    assert not elle.signals.keys() & {"demonstrative", "fallback"}


def test_signals_that_are_zero_are_left_out(cases_of: CaseMaker) -> None:
    found, _ = surface(cases_of, "It works .", "Elle marche .", "0-0 1-1")
    assert found.signals == {}


@pytest.mark.parametrize(
    ("candidate", "links", "clause"),
    [
        ("Elle marche bien dans la maison .", "0-0 1-1 2-2 3-3 4-4 5-5 6-6", ""),
        ("Elle marche well in the house with the .", "0-0 1-1 2-2 3-3 4-4 5-5", "left in English"),
        ("Elle .", "0-0 6-1", "cut short"),
        ("Elle et nous dans un ou deux .", "0-0 6-7", "has no translation"),
    ],
)
def test_coverage_says_what_happened_to_the_clause(
    cases_of: CaseMaker, candidate: str, links: str, clause: str
) -> None:
    _, found = surface(cases_of, "It works well in the house .", candidate, links)
    assert clause in found.rejects
    assert bool(found.rejects) == bool(clause)
    assert not found.accepts
