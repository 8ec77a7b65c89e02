"""Verbs that carry the subject: found through links, compared by APT, and shown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import anaphor
from anaphor.analyse.builtin import build
from anaphor.core import Counterpart, DroppedSubject, OptionError, Outcome, Pronoun, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.languages import load_language, split_words
from anaphor.metrics import MetricContext
from anaphor.metrics.apt import Apt
from anaphor.pronouns import AlignedTranslation, DroppedSubjects, as_linked
from anaphor.report.emit import render
from anaphor.report.result_tables import result_blocks
from anaphor.report.rows import item_rows
from anaphor.scoring.score_report import ScoreReport

#: Source, the position of its pronoun, translation, links, and the verb with its number; None for none.
CASES = [
    (
        "The lamp is old , but it still works .",
        6,
        "La lámpara es vieja , pero aún funciona .",
        "7-6 8-7",
        "funciona s",
    ),
    ("They came late .", 0, "Llegaron tarde .", "1-0 2-1", "Llegaron p"),
    ("It has not been sold .", 0, "No se ha vendido .", "1-2 2-0 4-3", "ha s"),
    # The link of *'s* is missing: the verb stands before the first word that has one.
    ("It 's blue .", 0, "Es azul .", "2-1", "Es s"),
    # A plural verb for *it*: what it says is the number of the translation.
    ("It argued that .", 0, "Argumentaron eso .", "1-0 2-1", "Argumentaron p"),
    # No subject, no third person, no verb, no translation.
    ("We saw it .", 2, "Vimos eso .", "1-0", None),
    ("They left .", 0, "Salimos .", "1-0", None),
    ("It works .", 0, "Gracias .", "1-0", None),
    ("It works .", 0, "", "", None),
]


def translation(line: str, links: str) -> AlignedTranslation:
    alignments = AlignmentFile.of(parse_pharaoh(f"{links}\n".encode(), path="links"), path="links")
    return AlignedTranslation((line,), split_words, alignments)


def finder(source: str, *, tags: bool = True) -> DroppedSubjects:
    spanish = load_language("es")
    assert spanish.agreement is not None
    return DroppedSubjects(
        pack=spanish,
        facts=spanish.agreement,
        lines=(source,),
        words=split_words,
        analyse=build("en", None).analyse,
        tag=build("es", None).tags if tags else None,
    )


@pytest.mark.parametrize(("source", "position", "target", "links", "verb"), CASES)
def test_the_verb_of_the_subject_is_found_with_its_number(
    source: str, position: int, target: str, links: str, verb: str | None
) -> None:
    pronoun = Pronoun(0, position, source.split()[position].lower())
    (marked,) = finder(source).mark([pronoun], [None], translation(target, links))
    if verb is None:
        assert marked is None
        return
    word, number = verb.split()
    assert marked is not None
    assert marked.dropped == DroppedSubject({"s": "singular", "p": "plural"}[number])
    assert (marked.words, marked.forms) == ((word,), ())
    assert target.split()[marked.positions[0]] == word
    assert as_linked(marked) is None


@pytest.mark.parametrize(
    ("code", "singular", "plural", "neither"),
    [
        ("cs", "funguje fungovala nalezena", "fungují fungovaly nalezeny jsou", "vidí fungovat vidíme"),
        (
            "pl",
            "działa działała znaleziona",
            "działają działali działały znalezione są",
            "działać działamy robię",
        ),
        ("ru", "работает работала найдена стоит", "работают работали найдены стоят", "работать вижу"),
        ("uk", "працює працювала знайдена робить", "працюють працювали знайдені роблять", "працювати бачу"),
    ],
)
def test_slavic_verbs_show_the_number_of_their_subject(
    code: str, singular: str, plural: str, neither: str
) -> None:
    facts = load_language(code).agreement
    assert facts is not None
    for words, number in ((singular, "s"), (plural, "p"), (neither, "")):
        assert {word: facts.verb_number(word) for word in words.split()} == dict.fromkeys(
            words.split(), number
        )


def test_a_written_pronoun_stays_and_another_word_can_be_restored() -> None:
    pronoun, source = Pronoun(0, 0, "it"), "It works ."
    written = Counterpart((0,), ("Ella",), ("ella",))
    side = translation("Ella funciona .", "0-0 1-1")
    assert finder(source).mark([pronoun], [written], side) == [written]
    # The pronoun is linked to the reflexive, and the verb stands after it.
    linked = Counterpart((0,), ("Se",), ())
    (marked,) = finder("It broke .").mark([pronoun], [linked], translation("Se rompió .", "0-0"))
    assert marked is not None
    assert marked.words == ("rompió",)
    assert marked.dropped == DroppedSubject("singular", linked)
    assert as_linked(marked) is linked


@pytest.mark.parametrize(
    ("target", "links", "word", "number"),
    [
        ("Funciona aún .", "2-0 1-1", "Funciona", "singular"),
        ("Funcionan aún .", "2-0 1-1", "Funcionan", "plural"),
        # No form of the third person: its number is not known.
        ("Funcionar .", "2-0", "Funcionar", "any"),
        ("No .", "2-0", None, ""),
        (". Funciona", "2-0", None, ""),
    ],
)
def test_without_an_analyser_the_word_linked_to_the_verb_is_taken(
    target: str, links: str, word: str | None, number: str
) -> None:
    """Neither a particle of the pack (*no*) nor a full stop can be a verb."""
    found = finder("It still works .", tags=False)
    (marked,) = found.mark([Pronoun(0, 0, "it")], [None], translation(target, links))
    assert (None if marked is None else marked.words[0]) == word
    assert marked is None or marked.dropped == DroppedSubject(number)


def verb(number: str) -> Counterpart:
    return Counterpart((0,), ("es",), (), dropped=DroppedSubject(number))


def pronoun(form: str) -> Counterpart:
    return Counterpart((0,), (form,), (form,))


@pytest.mark.parametrize(
    ("reference", "candidate", "different", "equivalent"),
    [
        (verb("singular"), verb("singular"), Outcome.IDENTICAL, Outcome.IDENTICAL),
        (verb("singular"), verb("any"), Outcome.IDENTICAL, Outcome.IDENTICAL),
        (verb("singular"), verb("plural"), Outcome.DIFFERENT, Outcome.DIFFERENT),
        (verb("singular"), pronoun("ella"), Outcome.DIFFERENT, Outcome.EQUIVALENT),
        (pronoun("ellos"), verb("plural"), Outcome.DIFFERENT, Outcome.EQUIVALENT),
        (pronoun("ellos"), verb("singular"), Outcome.DIFFERENT, Outcome.DIFFERENT),
        (verb("singular"), Counterpart((0,), ("lámpara",), ()), Outcome.DIFFERENT, Outcome.DIFFERENT),
        (verb("singular"), None, Outcome.CANDIDATE_MISSING, Outcome.CANDIDATE_MISSING),
        (None, verb("singular"), Outcome.REFERENCE_MISSING, Outcome.REFERENCE_MISSING),
    ],
)
def test_two_verbs_are_identical_and_a_verb_and_a_pronoun_what_the_option_says(
    reference: Counterpart | None, candidate: Counterpart | None, different: Outcome, equivalent: Outcome
) -> None:
    for option, outcome in (("different", different), ("equivalent", equivalent)):
        settings = Settings(pair="en-es", options={"dropped": option})
        comparer = Apt.build(MetricContext.of(settings)).comparer
        assert comparer.outcome(reference, candidate) is outcome


SOURCE = ("It works .", "They left .", "It works .", "It works .")
REFERENCE = ("Funciona .", "Se fueron .", "Ella funciona .", "Funciona .")
CANDIDATE = ("Funciona .", "Ellos se fueron .", "Funciona .", "Gracias .")
LINKS = {
    REFERENCE: ("1-0", "1-1", "0-0 1-1", "1-0"),
    CANDIDATE: ("1-0", "0-0 1-2", "1-0", "1-0"),
}


def scored(tmp_path: Path, **options: Any) -> ScoreReport:
    def write(name: str, lines: Sequence[str]) -> str:
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return str(tmp_path / name)

    return anaphor.evaluate(
        source=write("source", SOURCE),
        references=write("reference", REFERENCE),
        systems={"one": write("candidate", CANDIDATE)},
        reference_alignments=[write("reference.align", LINKS[REFERENCE])],
        system_alignments={"one": write("candidate.align", LINKS[CANDIDATE])},
        pair="en-es",
        metrics=["apt", "autoprf"],
        tokenized=True,
        any_language=True,
        samples=0,
        **options,
    )


def outcomes(report: ScoreReport) -> list[int]:
    return [verdict.outcome.value for verdict in report.result.systems[0].verdicts]


def test_by_default_nothing_changes(tmp_path: Path) -> None:
    report = scored(tmp_path)
    # The repair finds the likely *se*, which is no listed pronoun.
    assert outcomes(report) == [6, 3, 4, 6]
    assert "dropped" not in str(report.result.systems[0].scores[0].signature)
    assert "reference_kind" not in item_rows(report.result, report.inputs)[0]


def test_apt_compares_verbs_and_autoprf_does_not(tmp_path: Path) -> None:
    """By hand: identical; a verb and *ellos*; *ella* and a verb; a verb and nothing."""
    default = scored(tmp_path)
    for option, expected, apt in (("different", [1, 3, 3, 4], 0.25), ("equivalent", [1, 2, 2, 4], 0.5)):
        report = scored(tmp_path, dropped=option)
        assert outcomes(report) == expected
        scores = {score.metric: score.value for score in report.result.systems[0].scores}
        assert scores["apt"] == apt
        assert report.result.ceiling["apt"] == 1.0
        assert scores["autoprf"] == default.result.systems[0].scores[1].value
        rows = item_rows(report.result, report.inputs)
        assert [(row["reference_kind"], row["candidate_kind"]) for row in rows] == [
            ("verb", "verb"),
            ("verb", "pronoun"),
            ("pronoun", "verb"),
            ("verb", None),
        ]
        assert f"dropped:{option}" in str(report.result.systems[0].scores[0].signature)
        table = render(result_blocks(report.result, parts=["case"]), "text")
        assert "verbs with the subject  both  reference only  candidate only" in table
        assert report.result.systems[0].confusion["VERB", "VERB"] == 1
        assert report.result.systems[0].confusion["ella", "VERB"] == 1


@pytest.mark.parametrize("option", ["ignore", "different"])
def test_bounds_say_what_the_reference_has_whatever_is_compared(option: str, tmp_path: Path) -> None:
    report = scored(tmp_path, dropped=option, bounds=True)
    (reference,) = [bound for bound in report.findings["bounds"] if bound.name == "reference"]
    assert reference.counterparts == {"pronoun": 1, "verb": 3, "other": 0, "nothing": 0}
    assert report.to_dict()["bounds"]["reference"]["apt"]["counterparts"]["verb"] == 3


def test_a_pair_that_does_not_drop_subjects_is_an_error_before_anything_is_read() -> None:
    settings = Settings(pair="en-fr", options={"dropped": "different"})
    inputs = Inputs(Text.of(["It works."], path="source"), (), {}, None)
    with pytest.raises(OptionError, match="not available for en-fr") as caught:
        Experiment.of(inputs, settings)
    assert str(caught.value.where) == "--dropped"
