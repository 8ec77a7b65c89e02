"""The script and the language of a text."""

from __future__ import annotations

import pytest

from anaphor.languages.identify import other_language, script


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Она видела it", "и их"], "Cyrillic"),
        (["she saw", "это"], "Latin"),
        (["ab дв"], "Latin"),
        (["дв ab"], "Cyrillic"),  # as many letters of both: the script that comes first
        (["ひとカ字 ab"], "CJK"),
        (["Ａ 字"], "Latin"),
        (["1.ª 2.º"], "Latin"),
        (["12 ... 😀", ""], None),
        ([], None),
        (["\ud800 a"], "Latin"),
    ],
)
def test_the_script_of_most_letters(lines: list[str], expected: str | None) -> None:
    assert script(lines) == expected


SLAVIC = {
    "Czech": (
        "cs",
        "Stará lampa, která je už dlouho v kuchyni, nebyla drahá, ale všichni ji mají rádi, protože svítí.",
    ),
    "Polish": (
        "pl",
        "Stara lampa, która od dawna jest w kuchni, nie była droga, ale wszyscy ją lubią, bo dobrze świeci.",
    ),
    "Russian": (
        "ru",
        "Старая лампа, которая уже давно на кухне, была не дорогой, но её все любят, потому что она светит.",
    ),
    "Ukrainian": (
        "uk",
        "Стара лампа, яка вже давно на кухні, була не дорогою, але її всі люблять, бо вона добре світить.",
    ),
}


@pytest.mark.parametrize("name", SLAVIC)
@pytest.mark.parametrize("expected", ["cs", "pl", "ru", "uk", "en"])
def test_slavic_languages_are_told_from_each_other(name: str, expected: str) -> None:
    code, sentence = SLAVIC[name]
    assert other_language([sentence] * 6, expected) == (None if code == expected else name)
    among = {code, expected}
    if len(among) == 2:
        assert other_language([sentence], expected, among=sorted(among)) == name
