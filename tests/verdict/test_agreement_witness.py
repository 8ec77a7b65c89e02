"""Shares of agreement between a rendering and its antecedents. All sentences are invented."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from anaphor.analyse.gender import GenderReading
from anaphor.antecedents import Expectation, TargetLanguage
from anaphor.verdict import Case, Rendering, RenderingKind, contract
from anaphor.verdict.agreement import AgreementWitness, Shares, shares_of
from anaphor.verdict.rendering import rendering_of

CaseMaker = Callable[..., list[Case]]
GERMAN, FRENCH, SPANISH = (TargetLanguage.load(code) for code in ("de", "fr", "es"))


def reading(text: str) -> GenderReading:
    return GenderReading(*text)


def expected(nouns: dict[str, float], **more: float) -> Expectation:
    readings = {reading(one): share for one, share in nouns.items()}
    return Expectation(
        readings,
        event=more.get("event", 0.0),
        pleonastic=more.get("pleonastic", 0.0),
        demonstrative=more.get("demonstrative", 0.0),
        unknown=more.get("unknown", 0.0),
        groups=more.get("groups", 0.0),
        generic=more.get("generic", 0.0),
    )


def pronoun(form: str, language: TargetLanguage) -> Rendering:
    return Rendering(RenderingKind.PRONOUN, form, language.pronouns.get(form, frozenset()))


def null_subject(*readings: str) -> Rendering:
    return Rendering(RenderingKind.NULL_SUBJECT, "es", frozenset(reading(one) for one in readings))


def test_nouns_that_fit_and_nouns_that_differ() -> None:
    found = shares_of(pronoun("er", GERMAN), expected({"ms": 0.7, "fs": 0.2}, unknown=0.1), GERMAN)
    assert found == pytest.approx((0.7, 0.2, 0.0, 0.0, 0.1))


@pytest.mark.parametrize("form", ["er", "es", "sie", "das"])
def test_shares_sum_to_what_was_expected(form: str) -> None:
    given = expected(
        {"ms": 0.2, "fs": 0.2, "np": 0.1}, event=0.1, pleonastic=0.1, demonstrative=0.1, unknown=0.2
    )
    assert sum(shares_of(pronoun(form, GERMAN), given, GERMAN)) == pytest.approx(1)


def test_a_plural_agrees_with_a_group_by_sense() -> None:
    team = expected({"ns": 0.9}, groups=0.9)
    assert shares_of(pronoun("ils", FRENCH), team, FRENCH).noun_differs == pytest.approx(0)
    assert shares_of(pronoun("il", FRENCH), team, FRENCH).noun_fits < 0.9
    company = expected({"fs": 0.9}, groups=0.0)
    assert shares_of(pronoun("elles", FRENCH), company, FRENCH).noun_differs == pytest.approx(0.9)


def test_people_in_general_take_a_plural_or_an_impersonal_form() -> None:
    people = expected({}, generic=0.8)
    assert shares_of(pronoun("on", FRENCH), people, FRENCH).other_fits == pytest.approx(0.8)
    assert shares_of(pronoun("ils", FRENCH), people, FRENCH).other_fits == pytest.approx(0.8)
    assert shares_of(pronoun("elle", FRENCH), people, FRENCH).other_differs == pytest.approx(0.8)


def test_genderless_forms_never_contradict_a_noun() -> None:
    form = min(FRENCH.genderless & set(FRENCH.pronouns))
    found = shares_of(pronoun(form, FRENCH), expected({"ms": 0.4, "fp": 0.5}), FRENCH)
    assert found.noun_differs == 0
    assert found.noun_fits + found.unknown == pytest.approx(0.9)


def test_a_neutral_form_is_never_wrong_where_the_pronoun_names_something() -> None:
    nouns = {"mp": 0.9}
    naming = Expectation({reading(one): share for one, share in nouns.items()}, 0, 0, 0, 0, True)
    assert shares_of(pronoun("ce", FRENCH), naming, FRENCH).noun_differs == 0
    assert shares_of(pronoun("elles", FRENCH), naming, FRENCH).noun_differs == pytest.approx(0.9)


def test_events_and_empty_subjects_need_their_own_forms() -> None:
    given = expected({}, event=0.5, pleonastic=0.5)
    assert shares_of(pronoun("es", GERMAN), given, GERMAN).other_differs == 0
    assert shares_of(pronoun("sie", GERMAN), given, GERMAN).other_differs == pytest.approx(1)


def test_a_spanish_verb_alone_can_be_impersonal() -> None:
    given = expected({}, event=0.5, pleonastic=0.5)
    assert shares_of(null_subject("ms", "fs"), given, SPANISH).other_differs == 0
    assert shares_of(null_subject("fs"), given, SPANISH).other_differs == pytest.approx(1)
    assert shares_of(null_subject("mp", "fp"), given, SPANISH).other_differs == pytest.approx(1)


def test_demonstratives_are_half_events() -> None:
    given = expected({}, demonstrative=0.6)
    assert shares_of(pronoun("das", GERMAN), given, GERMAN) == pytest.approx((0, 0, 0.3, 0, 0.3))
    assert shares_of(pronoun("er", GERMAN), given, GERMAN) == pytest.approx((0, 0, 0, 0, 0.6))


def test_log_odds_are_finite_and_rise_with_disagreement() -> None:
    values = [Shares(1 - share, share, 0, 0, 0).log_odds for share in (0, 0.25, 0.5, 0.75, 1)]
    assert values == sorted(values)
    assert all(math.isfinite(value) for value in values)
    assert values[2] == pytest.approx(0)
    assert Shares(0, 0, 0, 0, 1).log_odds == pytest.approx(0)


# The witness


def heard(
    cases_of: CaseMaker, *lines: str, pair: str = "en-fr", links: tuple[str, str]
) -> contract.Testimony:
    (case,) = cases_of(pair, ("We bought a lamp .", lines[0]), ("Nous achetons une lampe .", lines[1]), links)
    found = AgreementWitness(TargetLanguage.load("en")).testify(case, rendering_of(case))
    assert found is not None
    return found


FIRST = "0-0 1-1 2-2 3-3"


def test_the_witness_names_the_antecedent_and_compares_it(cases_of: CaseMaker) -> None:
    right = heard(cases_of, "It works .", "Elle marche .", links=(FIRST, "0-0 1-1"))
    wrong = heard(cases_of, "It works .", "Il marche .", links=(FIRST, "0-0 1-1"))
    assert right.antecedent == wrong.antecedent == (0, 3)
    assert "→ *lampe* (feminine); *elle* agrees" in right.accepts
    assert "→ *lampe* (feminine); *il* does not agree" in wrong.rejects
    assert right.signals["log_odds"] < 0 < wrong.signals["log_odds"]
    assert right.signals["noun_fits"] > wrong.signals["noun_fits"]


def test_an_earlier_pronoun_has_the_readings_of_its_own_number(cases_of: CaseMaker) -> None:
    """*sie* for an earlier *it* is a feminine, and never a plural."""
    source = ("We bought a lamp .", "It works .", "It is new .")
    target = ("Wir kaufen eine Lampe .", "Sie geht .", "Sie ist neu .")
    *_, last = cases_of("en-de", source, target, (FIRST, "0-0 1-1", "0-0 1-1 2-2"))
    readings = last.document.target.expectation(last.place).readings
    assert readings[reading("fs")] > 0.2
    assert not [found for found in readings if found.number == "p"]


def test_another_number_than_that_of_the_source_is_reported(cases_of: CaseMaker) -> None:
    same = heard(cases_of, "It works .", "Elle marche .", links=(FIRST, "0-0 1-1"))
    other = heard(cases_of, "It works .", "Elles marchent .", links=(FIRST, "0-0 1-1"))
    assert (same.signals["number"], other.signals["number"]) == (0, 1)


def test_of_what_is_no_pronoun_only_the_antecedent_is_reported(cases_of: CaseMaker) -> None:
    found = heard(cases_of, "It works .", "marche .", links=(FIRST, "1-0"))
    assert not found.signals
    assert found.antecedent == (0, 3)


def test_without_a_resolved_pronoun_the_witness_says_nothing(cases_of: CaseMaker) -> None:
    cases = cases_of("de-en", ("Kennen Sie ihn ?",), ("Do you know him ?",), ("0-2 1-1 2-3",))
    polite = next(case for case in cases if case.pair.source.form == "sie")
    assert AgreementWitness().testify(polite, rendering_of(polite)) is None


@pytest.mark.parametrize(
    ("candidate", "mentioned"),
    [("Das hilft .", False), ("Er hilft .", True)],
    ids=["a form that can refer to an event", "one that cannot"],
)
def test_an_event_is_a_reason_only_against_forms_that_cannot_refer_to_one(
    cases_of: CaseMaker, candidate: str, mentioned: bool
) -> None:
    source, links = ("We sleep late , and it helps .",), ("5-0 6-1 7-2",)
    (case,) = cases_of("en-de", source, (candidate,), links)
    testimony = AgreementWitness().testify(case, rendering_of(case))
    assert testimony is not None
    assert ("cannot do so" in testimony.rejects) == mentioned
