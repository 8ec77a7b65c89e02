"""The scripts of letters and of words."""

from __future__ import annotations

import pytest

from anaphor.languages import known_languages, load_language
from anaphor.languages.scripts import foreign_letter, main_script, script_of


@pytest.mark.parametrize(
    ("letter", "script"),
    [
        ("a", "Latin"),
        ("ü", "Latin"),
        ("я", "Cyrillic"),
        ("ὁ", "Greek"),
        ("她", "CJK"),
        ("そ", "CJK"),
        ("々", "CJK"),
    ],
)
def test_a_letter_has_a_script(letter: str, script: str) -> None:
    assert script_of(letter) == script


@pytest.mark.parametrize(
    ("word", "script", "letter"),
    [
        ("elle", "Latin", None),
        ("c'", "Latin", None),
        ("он", "Cyrillic", None),
        ("oн", "Cyrillic", "o"),
        ("elle", "Cyrillic", "e"),
        ("彼ら", "CJK", None),
        ("з\u02bcїзд", "Cyrillic", None),
    ],
)
def test_a_letter_of_another_script_is_found(word: str, script: str, letter: str | None) -> None:
    assert foreign_letter(word, script) == letter


def test_most_letters_decide() -> None:
    assert main_script("она и it") == "Cyrillic"
    assert main_script("123 '!") is None


def test_built_in_packs_name_the_script_of_their_forms() -> None:
    packs = [load_language(code) for code in known_languages()]
    assert {pack.code for pack in packs if pack.script == "Cyrillic"} >= {"ru", "uk"}
    assert all(pack.script == main_script("".join(pack.inventory())) for pack in packs)
