"""The script of a text."""

from __future__ import annotations

import pytest

from anaphor.languages.identify import script


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Она видела it", "и их"], "Cyrillic"),
        (["she saw", "это"], "Latin"),
        (["ab дв"], "Latin"),
        (["дв ab"], "Cyrillic"),  # as many letters of both: the script that comes first
        (["ひとカ字 ab"], "Cjk"),
        (["Ａ 字"], "Latin"),
        (["1.ª 2.º"], "Latin"),
        (["12 ... 😀", ""], None),
        ([], None),
        (["\ud800 a"], "Latin"),
    ],
)
def test_the_script_of_most_letters(lines: list[str], expected: str | None) -> None:
    assert script(lines) == expected
