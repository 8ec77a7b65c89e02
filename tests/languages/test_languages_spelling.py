from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.languages import fold
from anaphor.languages.spelling import APOSTROPHES, HYPHENS, spellings


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Elle", "elle"),
        ("C’", "c'"),
        ("Çʼ", "ç'"),
        ("c\u0327a", "ça"),
        ("ÇA", "ça"),
        ("é", "é"),
        ("C`EST", "c'est"),
        ("est\u2011il", "est-il"),
        ("Él", "él"),
        ("STRASSE", "strasse"),
        ("weiß", "weiß"),
        ("Она\u0301", "она"),
        ("ЇЇ\u0301", "її"),
        ("\u0438\u0306", "й"),
        ("Její", "její"),
        ("", ""),
    ],
)
def test_fold_gives_lower_case_composed_text_with_plain_marks(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_fold_keeps_accents_apart() -> None:
    assert fold("él") != fold("el")
    assert fold("là") != fold("la")


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_fold_does_not_see_the_normalisation(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


@pytest.mark.parametrize("form", ["ç'", "-t-il", "él", "aujourd'hui", "її", "об'єм"])
@pytest.mark.parametrize("apostrophe", APOSTROPHES)
@pytest.mark.parametrize("hyphen", HYPHENS)
def test_spellings_fit_every_way_to_write_a_form(form: str, apostrophe: str, hyphen: str) -> None:
    written = form.replace("'", apostrophe).replace("-", hyphen)
    for text in (written, written.upper(), unicodedata.normalize("NFD", written)):
        assert re.fullmatch(spellings(form), text)


def test_spellings_fit_a_marked_stress() -> None:
    assert re.fullmatch(spellings("вона"), "Вона\u0301")
    assert not re.fullmatch(spellings("la"), "la\u0301")


def test_spellings_fit_no_other_form() -> None:
    assert not re.fullmatch(spellings("la"), "là")
    assert not re.fullmatch(spellings("c'"), "ç'")
    assert not re.fullmatch(spellings("a.b"), "axb")
