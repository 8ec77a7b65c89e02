"""The facts in the built-in packs, against the papers they come from."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair
from anaphor.languages import (
    Equivalence,
    FormMatcher,
    LanguagePack,
    PairPack,
    PronounForm,
    Tokenizer,
    known_languages,
    known_pairs,
    load_pair,
)


@pytest.fixture(scope="module", params=known_pairs())
def pair(request: pytest.FixtureRequest) -> PairPack:
    return load_pair(LanguagePair.parse(request.param))


@pytest.fixture(scope="module")
def english_french() -> PairPack:
    return load_pair(LanguagePair("en", "fr"))


def test_french_list_is_that_of_the_paper(english_french: PairPack) -> None:
    """apt-2017, caption of Table 2, with the forms before a vowel that the table adds."""
    assert english_french.target_pronouns == (
        *("il", "elle", "ils", "elles"),
        *("ce", "c'", "on", "ça", "ç'", "cela"),
    )


def test_identical_and_equivalent_forms_are_those_of_the_paper(english_french: PairPack) -> None:
    """apt-2017, Table 2."""
    assert english_french.identical == (("ce", "c'"), ("ça", "ç'", "cela"))
    assert english_french.equivalent == (Equivalence(("ce", "il"), 0.6), Equivalence(("ce", "ça"), 0.6))


def test_likely_translations_find_the_options_of_the_worked_example(english_french: PairPack) -> None:
    """apt-2017, Table 1, step 4: il and l' in the range around the two markers."""
    matcher = FormMatcher(english_french.target, english_french.likely["it"])
    window = ["sain", "qu'", "il", "purifie", "l'"]
    assert [form for token in window for form in matcher.forms_in(token)] == ["il", "l'"]


@pytest.mark.parametrize(
    ("name", "sources", "targets"),
    [
        ("en-fr", "it they", "ce elle elles il ils cela ça on"),
        ("fr-en", "elle elles il ils", "he she it they this these there"),
        ("en-de", "it they", "er sie es man"),
        ("de-en", "er sie es", "he she it you they this these there"),
        ("es-en", "", "he she it you they there"),
    ],
)
def test_lists_hold_the_classes_of_the_shared_tasks(name: str, sources: str, targets: str) -> None:
    """discomt17-findings, Table 1. Spanish sources are dropped subjects there and cannot be listed."""
    pack = load_pair(LanguagePair.parse(name))
    assert set(sources.split()) in (set(), set(pack.source_pronouns))
    assert set(targets.split()) <= set(pack.target_pronouns)


@pytest.mark.parametrize("code", known_languages())
def test_every_language_has_all_persons_and_numbers(languages: dict[str, LanguagePack], code: str) -> None:
    marked = {(entry.person, entry.number) for entry in languages[code].forms}
    for person in (1, 2, 3):
        for number in ("singular", "plural"):
            assert {(person, number), (person, "any")} & marked


@pytest.mark.parametrize(
    ("code", "reading"),
    [
        ("fr", PronounForm("eux", 3, "plural", "masculine", "disjunctive")),
        ("fr", PronounForm("ç'", 3, "singular", "neuter", "nominative")),
        ("de", PronounForm("sie", 3, "singular", "feminine", "accusative")),
        ("de", PronounForm("sie", 3, "plural", "any", "nominative")),
        ("de", PronounForm("sie", 2, "any", "any", "nominative")),
        ("en", PronounForm("her", 3, "singular", "feminine", "oblique")),
        ("es", PronounForm("ello", 3, "singular", "neuter", "nominative")),
    ],
)
def test_readings_are_in_the_inventory(
    languages: dict[str, LanguagePack], code: str, reading: PronounForm
) -> None:
    assert reading in languages[code].forms


def test_every_pack_names_its_source_and_licence(pair: PairPack) -> None:
    for pack in (pair, pair.source, pair.target):
        assert pack.facts
        assert pack.licence.startswith("Apache-2.0")


def test_every_listed_form_is_found_as_a_word(pair: PairPack) -> None:
    listed = {*pair.target_pronouns, *pair.object_pronouns}
    listed.update(form for likely in pair.likely.values() for form in likely)
    matcher = FormMatcher(pair.target, listed)
    assert listed
    for form in listed:
        assert matcher.forms_in(form.capitalize()) == (form,)


def test_every_form_is_one_token(pair: PairPack) -> None:
    forms = list(pair.target.inventory())
    assert forms
    for form in forms:
        assert Tokenizer(pair.target)(form).tokens == (form,)


def test_only_the_measured_pair_has_probabilities(pair: PairPack) -> None:
    measured = [entry for entry in pair.equivalent if entry.probability is not None]
    assert bool(measured) == (str(pair.pair) == "en-fr")
