"""English subjects, with their verbs and reflexive pronouns. Every expected line is English grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pytest

from anaphor.analyse.contract import load_analyser
from anaphor.core import Analysis
from anaphor.predict.postedit import Occurrence
from anaphor.predict.postedit.english import EnglishSpeller, english_warnings, third_person
from anaphor.predict.postedit.spelling import UngrammaticalError

Mark = Callable[..., Occurrence]


@cache
def analyse(words: Sequence[str]) -> Analysis:
    return next(iter(load_analyser("built-in", language="en").analyse([words])))


def written(occurrence: Occurrence, label: str) -> str:
    edit, new = EnglishSpeller(analyse).write(occurrence, label, tokenized=False)
    assert new.lower() in edit.text.lower()
    text, (start, end) = occurrence.sentence.text, edit.span
    return text[:start] + edit.text + text[end:]


@pytest.mark.parametrize(
    ("line", "label", "expected"),
    [
        # The number stays, and so does the verb.
        ("[He] is old.", "she", "She is old."),
        ("[It] was found.", "he", "He was found."),
        ("[It]'s old.", "she", "She's old."),
        ("I know that [she] works.", "it", "I know that it works."),
        ("[You] know them.", "they", "They know them."),
        # The verb follows.
        ("[It] is old.", "they", "They are old."),
        ("[It] was old.", "they", "They were old."),
        ("[They] were old.", "it", "It was old."),
        ("[She] has three doors.", "they", "They have three doors."),
        ("[They] have three doors.", "she", "She has three doors."),
        ("[He] works here.", "they", "They work here."),
        ("[They] work here.", "he", "He works here."),
        ("[It] often tries again.", "they", "They often try again."),
        ("[It] lies there.", "they", "They lie there."),
        ("[They] never watch films.", "he", "He never watches films."),
        ("[It] does not matter.", "they", "They do not matter."),
        ("[They] don't matter.", "it", "It doesn't matter."),
        ("[It] isn't here.", "they", "They aren't here."),
        ("[You] are late.", "he", "He is late."),
        # Past, modal and future say nothing of number.
        ("[It] worked.", "they", "They worked."),
        ("[They] burned.", "it", "It burned."),
        ("[They] came late.", "it", "It came late."),
        ("[They] will come.", "she", "She will come."),
        ("[It] can swim.", "they", "They can swim."),
        ("[They]'ll come.", "it", "It'll come."),
        ("[He]'d like that.", "they", "They'd like that."),
        # Reduced verbs.
        ("[It]'s new.", "they", "They're new."),
        ("[It]’s new.", "they", "They’re new."),
        ("[They]'re new.", "it", "It's new."),
        ("[It]'s been repaired.", "they", "They've been repaired."),
        ("[They]'ve got wheels.", "it", "It's got wheels."),
        ("[He]'s waiting.", "they", "They're waiting."),
        ("[It]'s new.", "this", "This is new."),
        ("[It]'s been long.", "this", "This has been long."),
        ("[They]'re new.", "these", "These are new."),
        ("[They]'ll come.", "these", "These will come."),
        ("[It]'s a pity.", "there", "There's a pity."),
        # Questions.
        ("Is [it] new?", "they", "Are they new?"),
        ("Why are [they] late?", "he", "Why is he late?"),
        ("What does [it] cost?", "they", "What do they cost?"),
        ("Don't [they] work?", "it", "Doesn't it work?"),
        ("Where's [he] going?", "they", "Where are they going?"),
        ("Can [they] swim?", "it", "Can it swim?"),
        ("The truth is [it] works.", "they", "The truth is they work."),
        ("The truth is [they] work.", "it", "The truth is it works."),
        # Several verbs of one subject.
        ("[It] comes and goes.", "they", "They come and go."),
        ("[They] come and go.", "it", "It comes and goes."),
        ("[He] sits down and never speaks.", "they", "They sit down and never speak."),
        ("[They] are small and have no windows.", "it", "It is small and has no windows."),
        ("[They] want to come and go.", "she", "She wants to come and go."),
        ("[He] sings and she dances.", "they", "They sing and she dances."),
        ("[They] came and went.", "it", "It came and went."),
        # The reflexive pronoun follows, unless another subject is nearer.
        ("[He] hurt himself.", "she", "She hurt herself."),
        ("[It] repairs itself.", "they", "They repair themselves."),
        ("[He] says that the boy hurt himself.", "she", "She says that the boy hurt himself."),
        # Demonstratives near and far.
        ("[Those] are mine.", "this", "That is mine."),
        ("[This] is mine.", "these", "These are mine."),
        ("[That]'s mine.", "it", "It's mine."),
        ("[There] are many.", "they", "They are many."),
        # Capitals.
        ("[IT] IS NEW.", "they", "THEY ARE NEW."),
        ("[IT]'S NEW.", "they", "THEY'RE NEW."),
        ("“[It] is new”, we said.", "they", "“They are new”, we said."),
        ("- [It] works", "they", "- They work"),
    ],
)
def test_the_verb_follows_a_new_subject(mark: Mark, line: str, label: str, expected: str) -> None:
    assert written(mark(line, pair="de-en", source="sie"), label) == expected


@pytest.mark.parametrize(
    ("line", "label", "reason"),
    [
        ("[He]'s made a cake.", "they", "'s may mean is or has"),
        ("[It]'d gone.", "this", "'d may mean would or had"),
        ("[They] put it there.", "she", "put may be past or present"),
        ("[They] are teachers.", "he", "teachers does not agree"),
        ("[It] is a good dog.", "they", "dog does not agree"),
        ("[They] will be our teachers.", "he", "teachers does not agree"),
        ("[He] and Anna are here.", "they", "no verb was found"),
        ("[They] all go to school.", "she", "all does not agree"),
        ("[It] works.", "there", "there only occurs before a form of be"),
        ("We saw [it].", "they", "it may not be a subject"),
        ("[That] house is old.", "it", "that may not be a subject"),
        ("He stayed [there].", "it", "there may not be a subject"),
        ("The house [that] burned was his.", "it", "that may introduce a relative clause"),
    ],
)
def test_what_cannot_be_made_to_agree_is_refused(mark: Mark, line: str, label: str, reason: str) -> None:
    with pytest.raises(UngrammaticalError, match=reason):
        written(mark(line, pair="de-en", source="sie"), label)


def test_separate_tokens_stay_separate(mark: Mark) -> None:
    line = "[It] 's new , and it does n't work ."
    assert written(mark(line, pair="fr-en", tokenized=True), "they").startswith("They 're new ,")
    assert written(mark(line, pair="fr-en", tokenized=True), "this").startswith("This is new ,")


@pytest.mark.parametrize(
    ("line", "label", "warnings"),
    [
        ("[He] lost his key.", "she", ["agreement: his -> her?"]),
        (
            "[She] saw her friend, who greeted her.",
            "he",
            ["agreement: her -> his?", "agreement: her -> him?"],
        ),
        ("[It] wagged its tail.", "they", ["agreement: its -> their?"]),
        (
            "[They] sold their house, not theirs.",
            "he",
            ["agreement: their -> his?", "agreement: theirs -> his?"],
        ),
        ("[He] lost a key.", "she", []),
        ("[This] lost its key.", "it", []),
    ],
)
def test_possessives_are_for_a_reader(mark: Mark, line: str, label: str, warnings: list[str]) -> None:
    occurrence = mark(line, pair="fr-en", source="il")
    assert list(english_warnings(occurrence, label, analyse(occurrence.sentence.tokens))) == warnings


@pytest.mark.parametrize(
    ("base", "third"),
    [
        ("go", "goes"),
        ("try", "tries"),
        ("play", "plays"),
        ("catch", "catches"),
        ("miss", "misses"),
        ("say", "says"),
    ],
)
def test_the_third_person_is_regular(base: str, third: str) -> None:
    assert third_person(base) == third
