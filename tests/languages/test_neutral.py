"""Neutral forms are known by every pack that has them, and *they* stands for what a policy says."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair, Settings
from anaphor.languages import NeutralForms, Tokenizer, load_language, load_pair
from anaphor.languages.identify import other_language
from anaphor.pronouns import EvaluatedForms

FORMS = {
    "en": {"xe", "xem", "ze", "zie", "hir", "zir"},
    "de": {"dey", "sier", "siem", "sien", "xier", "xiem", "xien"},
    "fr": {"iel", "ielle", "iels", "ielles"},
    "es": {"elle", "elles"},
}


@pytest.mark.parametrize("code", FORMS)
def test_neutral_forms_are_known_but_no_class_and_no_gendered_form(code: str) -> None:
    pack = load_language(code)
    assert NeutralForms.of(pack).always == FORMS[code]
    other_genders = {form.form for form in pack.forms if form.gender != "neutral"}
    assert not FORMS[code] & other_genders


def test_they_is_neutral_under_a_policy_alone() -> None:
    english = load_language("en")
    for policy, personal in (("default", False), ("plural", False), ("singular", True), ("either", True)):
        forms = NeutralForms.of(english, policy)
        assert ("they" in forms.personal, "them" in forms.personal) == (personal, personal)
        assert "ze" in forms.personal
    numbers = [
        NeutralForms.of(english, policy).numbers("they", "x")
        for policy in ("default", "plural", "singular", "either")
    ]
    assert numbers == ["x", "p", "s", "sp"]
    assert NeutralForms.of(english, "singular").numbers("these", "p") == "p"


def test_evaluated_forms_compare_them_after_those_of_the_pair() -> None:
    pack = load_pair(LanguagePair.parse("en-fr"))
    forms = EvaluatedForms.of(pack, Settings(pair="en-fr")).forms
    assert forms[: len(pack.target_pronouns)] == pack.target_pronouns
    assert set(forms[len(pack.target_pronouns) :]) == FORMS["fr"]


def test_french_inversion_has_them() -> None:
    tokens = Tokenizer(load_language("fr"))("Où va-t-iel, où vont-iels, qu'iel dort ?").tokens
    assert [token for token in tokens if "iel" in token] == ["-t-iel", "-iels", "iel"]


def test_french_text_is_not_taken_for_spanish_because_of_elle() -> None:
    lines = ["Elle dort et elle rêve.", "Elles sont parties.", "Elle ne dit rien.", "Qu'elle vienne !"] * 3
    assert other_language(lines, "fr", among=("es", "fr")) is None
