"""Source pronouns by form and by position."""

from __future__ import annotations

from typing import Any

import pytest

from anaphor.core import InputError, LanguagePair, Pronoun, Settings
from anaphor.corpus import Text
from anaphor.languages import FormMatcher, Runs, Tokenizer, load_pair, split_words
from anaphor.pronouns import find_by_form, read_positions
from anaphor.pronouns.find import EvaluatedForms

EN_FR = load_pair(LanguagePair("en", "fr"))
WATCHED = FormMatcher(EN_FR.source, EN_FR.source_pronouns)


def test_forms_are_found_in_any_case_and_inside_contractions() -> None:
    lines = ("IT was late .", "no", "They say it's fine", "wit and theyre")
    assert list(find_by_form(lines, Runs.of(lines), WATCHED, words=split_words)) == [
        Pronoun(0, 0, "it"),
        Pronoun(2, 0, "they"),
        Pronoun(2, 2, "it"),
    ]


def test_objects_are_evaluated_on_request() -> None:
    def evaluated(**options: Any) -> tuple[str, ...]:
        return EvaluatedForms.of(EN_FR, Settings(pair="en-fr", **options)).pronouns

    assert evaluated() == ("it", "they")
    assert evaluated(objects=True) == ("it", "they", "them")
    # Who names the pronouns gets these and no others.
    assert evaluated(objects=True, pronouns=("it",)) == ("it",)


def test_raw_text_gives_the_same_pronouns_at_its_own_positions() -> None:
    words = Tokenizer(EN_FR.source).words
    lines = ["They’re here, isn't it?"]
    found = find_by_form(lines, Runs.of(lines), WATCHED, words=words)
    assert [(p.position, p.form) for p in found] == [(0, "they"), (6, "it")]


def test_positions_name_any_token() -> None:
    listing = Text.of(("1 0", "0 2"), path="positions")
    assert read_positions(listing, ["a b c", "D e"], words=split_words) == (
        Pronoun(0, 2, "c"),
        Pronoun(1, 0, "d"),
    )


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("", "not a position"),
        ("1", "not a position"),
        ("1 x", "not a position"),
        ("1 2 3", "not a position"),
        ("-1 0", "not a position"),
        ("9 0", "no token 0 in segment 9"),
        ("0 3", "no token 3 in segment 0"),
    ],
)
def test_bad_positions_name_their_line(line: str, what: str) -> None:
    listing = Text.of(("0 0", line), path="positions")
    with pytest.raises(InputError) as caught:
        read_positions(listing, ["a b c"], words=split_words)
    assert what in caught.value.what
    assert str(caught.value.where) == "positions:2"
