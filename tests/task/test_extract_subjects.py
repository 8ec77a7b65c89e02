"""Subjects and expletives, on analyses written by hand."""

from __future__ import annotations

import pytest

from anaphor.core import Analysis, LanguagePair
from anaphor.languages import load_language
from anaphor.task import task_classes
from anaphor.task.prepare.placeholders import Placeholder, PronounFilter, SourcePronouns, with_enclitics


def watched(pair: str) -> SourcePronouns:
    parsed = LanguagePair.parse(pair)
    return SourcePronouns.of(task_classes(parsed), load_language(parsed.source))


@pytest.mark.parametrize(
    ("pair", "ambiguous"),
    # wmt16-findings, section 3.3.3: English it, German es and sie; French has none
    [("en-fr", {"it"}), ("en-de", {"it"}), ("de-en", {"es", "sie", "'s"}), ("fr-en", set())],
)
def test_forms_that_can_be_objects_are_those_of_the_paper(pair: str, ambiguous: set[str]) -> None:
    assert {token for token in watched(pair).ambiguous if token == token.lower()} == ambiguous


def test_pronouns_are_found_in_any_case_and_after_a_verb() -> None:
    assert watched("en-fr").positions(["IT", "is", "theirs", ",", "They", "say", "it"]) == [0, 4, 6]
    assert watched("fr-en").positions(["Où", "sont", "-ils", "et", "a", "-t-elle", "dit"]) == [2, 5]


def test_pronouns_cut_off_a_verb_have_the_class_of_their_form() -> None:
    classes = with_enclitics(task_classes(LanguagePair("en", "fr")), load_language("fr"))
    assert [classes.class_of(word) for word in ("-ils", "-t-elle", "-ce", "-t-on", "-nous")] == [
        "ils",
        "elle",
        "ce",
        "on",
        "OTHER",
    ]


# It rains , he saw it : positions 0 (expletive subject) and 5 (object)
RAIN = Analysis(
    ("it", "rain", ",", "he", "see", "it"),
    ("PRON", "VERB", "PUNCT", "PRON", "VERB", "PRON"),
    subjects=frozenset([0, 3]),
    expletives=frozenset([0]),
)


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        (PronounFilter(), [0]),
        (PronounFilter(subjects=False), [0, 5]),
        (PronounFilter(expletives=False), []),
        (PronounFilter(subjects=False, expletives=False), [5]),
    ],
)
def test_the_filter_keeps_subjects_and_expletives_as_configured(
    chosen: PronounFilter, kept: list[int]
) -> None:
    forms = watched("en-fr")
    found = [at for at in (0, 5) if chosen.keeps(Placeholder(at, 0, hides=True), "it", forms, RAIN)]
    assert found == kept


def test_unambiguous_forms_need_no_analysis_and_always_stay() -> None:
    forms = watched("en-fr")
    assert not forms.need_analysis(["They", "go"], [0])
    assert forms.need_analysis(["They", "see", "It"], [0, 2])
    assert PronounFilter().keeps(Placeholder(0, 0, hides=True), "They", forms, RAIN)
