"""Guesses about pronouns that nobody annotated."""

from __future__ import annotations

import pytest

from anaphor.analyse.function import AnalysedSentence
from anaphor.core import Analysis
from anaphor.languages import load_language
from anaphor.suite.build.builder import form_group, refined_by_reference
from anaphor.suite.build.candidates import find_antecedent, guess_you


def plain(text: str) -> AnalysedSentence:
    """A sentence whose lemmas are its words."""
    tokens = tuple(text.split())
    return AnalysedSentence(tokens, Analysis(tokens, ("X",) * len(tokens)))


@pytest.mark.parametrize(
    ("text", "audience", "number"),
    [
        ("I love you all", "deictic", "plural"),
        ("many of you came", "deictic", "plural"),
        ("let me tell you a story", "deictic", "plural"),
        ("as you can see here", "deictic", "plural"),
        ("she said , “ do you like me ? ”", "deictic", "singular"),
        ("she said , ` ` do you like me", "deictic", "singular"),
        ('she said , " you are late "', "deictic", "singular"),
        ("“ Yes ” means that you can go", "generic", None),
        ("if you own a house", "generic", None),
        ("in this town you pay taxes", "generic", None),
    ],
)
def test_whom_you_means(text: str, audience: str, number: str | None) -> None:
    sentence = plain(text)
    guess = guess_you(sentence, sentence.tokens.index("you"))
    assert guess is not None
    features, confidence, antecedent = guess
    assert (features["audience"], features.get("number"), antecedent) == (audience, number, None)
    assert 0 < confidence < 1


@pytest.mark.parametrize(("text", "position"), [("it is , you know , late", 3), ("Thank you", 1)])
def test_set_phrases_have_no_addressee(text: str, position: int) -> None:
    assert guess_you(plain(text), position) is None


@pytest.mark.parametrize(
    ("form", "audience", "number", "confidence"),
    [
        ("tu", "deictic", "singular", 0.8),
        ("on", "generic", None, 0.8),
        ("vous", "deictic", "plural", 0.5),
    ],
)
def test_the_reference_says_more_of_you(
    form: str, audience: str, number: str | None, confidence: float
) -> None:
    features = {"form": "you", "audience": "deictic", "number": "plural"}
    found, sure = refined_by_reference(features, 0.5, load_language("fr"), (form,))
    assert (found["audience"], found.get("number"), sure) == (audience, number, confidence)
    assert refined_by_reference(features, 0.9, load_language("fr"), (form,))[1] == 0.9


@pytest.mark.parametrize(
    ("form", "group"),
    [
        ("il", "masculine singular"),
        ("le", "masculine singular"),
        ("elles", "feminine plural"),
        ("ce", "neuter"),
        ("cela", "neuter"),
        ("l'", "no gender"),
        ("y", "no gender"),
        ("on", "no gender"),
        ("lui", "lui"),
    ],
)
def test_forms_are_balanced_by_gender_and_number(form: str, group: str) -> None:
    assert form_group(load_language("fr"), (form,), person=3) == group


@pytest.mark.parametrize("form", ["tu", "vous", "on"])
def test_translations_of_you_are_balanced_by_form(form: str) -> None:
    assert form_group(load_language("fr"), (form,), person=2) == form


def tagged(text: str, subjects: frozenset[int] = frozenset()) -> AnalysedSentence:
    """A sentence from `word/lemma/TAG`."""
    tokens, lemmas, tags = zip(*(cell.split("/") for cell in text.split()), strict=True)
    return AnalysedSentence(tokens, Analysis(lemmas, tags, subjects))


DOG = tagged("dogs/dog/NOUN chase/chase/VERB the/the/DET cat/cat/NOUN", frozenset({0}))
THEY = tagged("they/they/PRON run/run/VERB", frozenset({0}))
TEAM = tagged("the/the/DET team/team/NOUN won/win/VERB and/and/CCONJ they/they/PRON sang/sing/VERB")
ANYONE = tagged("if/if/SCONJ someone/someone/PRON calls/call/VERB ,/,/PUNCT they/they/PRON lie/lie/VERB")


# two subjects; an object beside a noun that a preposition governs; a noun of time; a compound
SUBJECTS = tagged(
    "dog/dog/NOUN sees/see/VERB cat/cat/NOUN ,/,/PUNCT cow/cow/NOUN eats/eat/VERB", frozenset({0})
)
TWO_SUBJECTS = tagged("dog/dog/NOUN runs/run/VERB ,/,/PUNCT cat/cat/NOUN sits/sit/VERB", frozenset({0, 3}))
GOVERNED = tagged("see/see/VERB the/the/DET dog/dog/NOUN in/in/ADP the/the/DET old/old/ADJ park/park/NOUN")
ALL_GOVERNED = tagged("in/in/ADP town/town/NOUN or/or/CCONJ in/in/ADP parks/parks/PROPN")
TIME = tagged("the/the/DET dog/dog/NOUN barked/bark/VERB one/one/NUM day/day/NOUN")
COMPOUND = tagged("a/a/DET bed/bed/NOUN net/net/NOUN nets/net/NOUN")
IT_BIT = tagged("it/it/PRON bit/bite/VERB the/the/DET postman/postman/NOUN", frozenset({0}))
IT = tagged("it/it/PRON helps/help/VERB", frozenset({0}))


@pytest.mark.parametrize(
    ("sentences", "position", "plural", "expected"),
    [
        ([DOG, THEY], 0, True, (0, 0, "plural", False)),
        ([DOG, THEY], 0, False, (0, 3, "singular", False)),
        ([DOG, THEY, THEY], 0, True, (0, 0, "plural", False)),
        ([DOG, TEAM], 4, True, (1, 1, "plural", True)),
        ([DOG, ANYONE], 4, True, (1, 1, "singular", False)),
        ([SUBJECTS, IT], 0, False, (0, 0, "singular", False)),  # a subject before nearer nouns
        ([TWO_SUBJECTS, IT], 0, False, (0, 3, "singular", False)),  # the last of two subjects
        ([GOVERNED, IT], 0, False, (0, 2, "singular", False)),  # a free noun before a nearer governed one
        ([ALL_GOVERNED, IT], 0, False, (0, 4, "singular", False)),  # the last where all are governed
        ([TIME, IT], 0, False, (0, 1, "singular", False)),  # nouns of time are passed over
        ([IT_BIT], 0, False, None),  # what follows the pronoun is no antecedent
        ([DOG, IT_BIT], 0, False, (0, 3, "singular", False)),
        ([COMPOUND, IT], 0, False, None),  # the first two are inside a compound, whose head is plural
    ],
)
def test_the_nearest_noun_that_fits_is_the_antecedent(
    sentences: list[AnalysedSentence],
    position: int,
    plural: bool,
    expected: tuple[int, int, str, bool] | None,
) -> None:
    found = find_antecedent(sentences, len(sentences) - 1, position, plural=plural)
    assert (found and (found.segment, found.position, found.number, found.group)) == expected


def test_without_a_noun_that_fits_nothing_is_found() -> None:
    assert find_antecedent([THEY], 0, 0, plural=True) is None
    assert find_antecedent([DOG, THEY, THEY, THEY], 3, 0, plural=True) is None
