"""How a pronoun is written into the place of another. Every expected line is French or German grammar."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from anaphor.core import Analysis, UnknownNameError
from anaphor.predict.postedit import Occurrence
from anaphor.predict.postedit.proposals import speller_for
from anaphor.predict.postedit.spelling import FrenchSpeller, GermanSpeller, UngrammaticalError
from anaphor.predict.postedit.types import Edit

Mark = Callable[..., Occurrence]

FRENCH = FrenchSpeller(informal=False)


def put(edit: Edit, occurrence: Occurrence) -> str:
    text, (start, end) = occurrence.sentence.text, edit.span
    return text[:start] + edit.text + text[end:]


@pytest.mark.parametrize(
    ("line", "label", "expected"),
    [
        ("[Il] dort.", "elle", "Elle dort."),
        ("[IL] DORT.", "elle", "ELLE DORT."),
        ("[C']est beau.", "il", "Il est beau."),
        ("[C’]est beau.", "il", "Il est beau."),
        ("[Il] est beau.", "ce", "C'est beau."),
        ("L’ami dit [il] est beau.", "ce", "L’ami dit c’est beau."),
        ("[Il] n'est pas beau.", "ce", "Ce n'est pas beau."),
        ("[Il] sera beau.", "ce", "Ce sera beau."),
        ("[Il] doit être beau.", "ce", "Ce doit être beau."),
        ("[Il] doit bien être beau.", "ce", "Ce doit bien être beau."),
        ("Je sais qu'[il] dort.", "elle", "Je sais qu'elle dort."),
        ("Je sais qu'[il] marche.", "cela", "Je sais que cela marche."),
        ("Je sais que [cela] marche.", "il", "Je sais qu'il marche."),
        ("Je sais que [c']est bon.", "elles", "Je sais qu'elles est bon."),
        ("S'[il] vient, tant mieux.", "elle", "Si elle vient, tant mieux."),
        ("Si [elle] vient, tant mieux.", "ils", "S'ils vient, tant mieux."),
        ("Si [elle] vient.", "on", "Si on vient."),
        ("Lorsqu'[il] marche.", "cela", "Lorsque cela marche."),
        ("Là où l'[on] dort.", "elle", "Là où elle dort."),
        ("Ce que l'[on] dit.", "il", "Ce qu'il dit."),
        ("Dort-[il] ici ?", "elle", "Dort-elle ici ?"),
        ("A-t-[il] faim ?", "on", "A-t-on faim ?"),
        ("[il]", "elle", "elle"),
    ],
)
def test_french_is_written_with_its_elisions_and_capitals(
    mark: Mark, line: str, label: str, expected: str
) -> None:
    # The tokeniser keeps the hyphens with the pronoun behind a verb.
    line = line.replace("-t-[", "[-t-").replace("-[", "[-")
    occurrence = mark(line)
    edit, _ = FRENCH.write(occurrence, label, tokenized=False)
    assert put(edit, occurrence) == expected


@pytest.mark.parametrize(
    ("line", "label", "expected"),
    [
        ("[C'] est beau .", "il", "Il est beau ."),
        ("[Il] est beau .", "ce", "C' est beau ."),
        ("je sais qu' [il] va", "cela", "je sais que cela va"),
        ("je sais que [cela] va", "elle", "je sais qu' elle va"),
    ],
)
def test_tokens_of_tokenized_text_stay_separate(mark: Mark, line: str, label: str, expected: str) -> None:
    occurrence = mark(line, tokenized=True)
    edit, _ = FRENCH.write(occurrence, label, tokenized=True)
    assert put(edit, occurrence) == expected


@pytest.mark.parametrize(
    ("line", "label", "reason"),
    [
        ("[Il] marche.", "ce", "ce is only the subject of être"),
        ("Il parle avec [elle].", "il", "not a subject after avec"),
        ("[Il] faut partir.", "elle", "il faut has no other subject"),
        ("[Il] y a des gens.", "ils", "il y has no other subject"),
        ("[Il] s'agit de nous.", "cela", "il s' has no other subject"),
        ("[C']est un ami.", "il", "il does not occur before être and un"),
        ("Est[-ce] vrai ?", "il", "il does not follow its verb"),
        ("Dort[-il] ?", "cela", "cela does not follow its verb"),
        ("Faut[-il] partir ?", "elle", "faut-il has no other subject"),
        ("De quoi s'agit[-il] ?", "elle", "agit-il has no other subject"),
        ("Y a[-t-il] du thé ?", "elle", "a-il has no other subject"),
    ],
)
def test_what_french_grammar_forbids_is_an_error_with_the_reason(
    mark: Mark, line: str, label: str, reason: str
) -> None:
    with pytest.raises(UngrammaticalError, match=reason):
        FRENCH.write(mark(line), label, tokenized=False)


def test_informal_text_gets_its_own_word_for_this(mark: Mark) -> None:
    assert FrenchSpeller(informal=True).write(mark("[Il] marche."), "cela", tokenized=False)[1] == "Ça"
    assert FRENCH.write(mark("[Il] marche."), "cela", tokenized=False)[1] == "Cela"


@pytest.mark.parametrize(
    ("line", "label", "expected"),
    [
        ("[Es] schläft.", "sie", "Sie schläft."),
        ("Ich weiß, dass [es] schläft.", "sie", "Ich weiß, dass sie schläft."),
        ("Ja! [Er] schläft.", "es", "Ja! Es schläft."),
        ("„[Er] schläft.“", "sie", "„Sie schläft.“"),
        ("Dort schläft [Sie].", "es", "Dort schläft es."),
    ],
)
def test_german_has_a_capital_only_at_the_beginning_of_a_sentence(
    mark: Mark, line: str, label: str, expected: str
) -> None:
    occurrence = mark(line, pair="en-de")
    edit, _ = GermanSpeller().write(occurrence, label, tokenized=False)
    assert put(edit, occurrence) == expected


def test_german_es_gibt_stays(mark: Mark) -> None:
    with pytest.raises(UngrammaticalError, match="es gibt"):
        GermanSpeller().write(mark("Hier gibt [es] Tee.", pair="en-de"), "er", tokenized=False)


def test_other_languages_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="language of post-editing: es"):
        speller_for("es", vocabulary=frozenset(), analyse=lambda _: Analysis((), ()))
