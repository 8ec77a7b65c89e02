"""The witnesses that look at the surface and at references. All sentences are invented."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import pytest

from anaphor.antecedents import TargetLanguage
from anaphor.core import Outcome
from anaphor.verdict import Case, contract, reference
from anaphor.verdict.rendering import rendering_of
from anaphor.verdict.surface import CoverageWitness, RenderingWitness

CaseMaker = Callable[..., list[Case]]


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
