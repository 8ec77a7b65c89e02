"""Neutral pronouns and *they* for one person: known forms, right for people, and decided by the policy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.antecedents import TargetLanguage
from anaphor.core import Counterpart, Detection, LanguagePair, Outcome
from anaphor.languages import load_pair
from anaphor.metrics.apt import PronounComparer
from anaphor.verdict import Case, contract
from anaphor.verdict.agreement import AgreementWitness
from anaphor.verdict.detection import DetectionWitness
from anaphor.verdict.rendering import RenderingKind, rendering_of

CaseMaker = Callable[..., list[Case]]
LINKS = ("0-0 1-1 2-2 3-3", "0-0 1-1")
TEXTS = {
    "en-de": ("Wir sehen einen Arzt .", "{} schläft ."),
    "en-fr": ("Nous voyons le médecin .", "{} dort ."),
    "en-es": ("Nosotros vemos al médico .", "{} duerme ."),
}


def case(cases_of: CaseMaker, pair: str, form: str, source: str = "They sleep .") -> Case:
    first, second = TEXTS[pair]
    (found,) = cases_of(pair, ("We see the doctor .", source), (first, second.format(form)), LINKS)
    return found


def heard(case: Case, they: str = "default") -> contract.Testimony:
    found = AgreementWitness(TargetLanguage.load("en").under(they)).testify(case, rendering_of(case))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("pair", "form"), [("en-de", "Xier"), ("en-de", "Dey"), ("en-fr", "Iel"), ("en-es", "Elle")]
)
def test_a_neutral_form_is_a_pronoun_for_a_person(pair: str, form: str, cases_of: CaseMaker) -> None:
    they = case(cases_of, pair, form)
    rendering = rendering_of(they)
    assert (rendering.kind, rendering.form) == (RenderingKind.PRONOUN, form.lower())
    assert {reading.gender for reading in rendering.readings} == {"m", "f"}
    found = heard(they)
    assert found.signals["number"] == 0
    assert found.signals["noun_differs"] == pytest.approx(0)
    assert found.accepts
    # *it* stands for no person.
    it = heard(case(cases_of, pair, form, "It sleeps ."))
    assert it.rejects == f"*{form.lower()}* is neutral and for people, and *it* is for things"
    assert it.signals["noun_fits"] == 0


def test_the_detector_says_nothing_of_forms_it_never_saw(cases_of: CaseMaker) -> None:
    for form, known in (("Il", True), ("Iel", False)):
        they = case(cases_of, "en-fr", form)
        object.__setattr__(they, "detected", Detection(3.0, {}))
        assert (DetectionWitness().testify(they, rendering_of(they)) is not None) == known


@pytest.mark.parametrize(
    ("they", "singular", "plural"),
    [("default", 1, 0), ("plural", 1, 0), ("singular", 0, 1), ("either", 0, 0)],
)
def test_the_policy_says_which_number_differs_from_they(
    they: str, singular: int, plural: int, cases_of: CaseMaker
) -> None:
    assert heard(case(cases_of, "en-fr", "Il"), they).signals["number"] == singular
    assert heard(case(cases_of, "en-fr", "Ils"), they).signals["number"] == plural
    assert heard(case(cases_of, "en-fr", "Iel"), they).signals["number"] == (they == "plural")


def test_under_a_policy_the_other_number_agrees_with_nothing(cases_of: CaseMaker) -> None:
    one, several = case(cases_of, "en-fr", "Il"), case(cases_of, "en-fr", "Ils")
    assert heard(one, "singular").signals["noun_fits"] == heard(one).signals["noun_fits"]
    assert heard(one, "plural").signals["noun_fits"] == 0
    assert heard(several, "singular").signals["noun_fits"] == 0
    it = case(cases_of, "en-fr", "Il", "It sleeps .")
    assert heard(it, "plural").signals == heard(it).signals


def test_in_english_the_policy_restricts_what_they_stands_for() -> None:
    english = TargetLanguage.load("en")
    assert english.under("default").pronouns == english.pronouns == english.under("either").pronouns
    for policy, numbers in (("plural", {"p"}), ("singular", {"s"})):
        restricted = english.under(policy)
        assert {reading.number for reading in restricted.pronouns["they"]} == numbers
        assert restricted.pronouns["he"] == english.pronouns["he"]
    assert {reading.gender for reading in english.pronouns["ze"]} == {"c", "m", "f"}


@pytest.mark.parametrize(
    ("reference", "candidate", "one"),
    [
        ("he", "they", Outcome.EQUIVALENT),
        ("they", "she", Outcome.EQUIVALENT),
        ("ze", "he", Outcome.EQUIVALENT),
        ("it", "they", Outcome.DIFFERENT),
        ("these", "they", Outcome.DIFFERENT),
        ("he", "she", Outcome.DIFFERENT),
        ("they", "they", Outcome.IDENTICAL),
        ("ze", "ze", Outcome.IDENTICAL),
    ],
)
def test_apt_counts_they_for_one_person_as_equivalent_under_a_policy(
    reference: str, candidate: str, one: Outcome
) -> None:
    pack = load_pair(LanguagePair.parse("de-en"))
    sides = [Counterpart((0,), (form,), (form,)) for form in (reference, candidate)]
    for policy in ("default", "plural", "singular", "either"):
        found = PronounComparer(pack, other="different", they=policy).outcome(*sides)
        wanted = one
        if one is Outcome.EQUIVALENT and policy in ("default", "plural"):
            wanted = Outcome.DIFFERENT
        assert found is wanted
