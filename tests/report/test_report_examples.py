"""The examples that tell systems apart, on texts in memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anaphor.core import Result, Settings
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.corpus.alignments import parse_pharaoh
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.emit import Paint, render
from anaphor.report.result_tables import example_blocks

SOURCE = ("It rains.", "They laugh.", "It is a lie.", "It works.")
REFERENCE = ("Il pleut.", "Elles rient.", "C'est un mensonge.", "Elle marche.")
GOOD = ("Il pleut.", "Elles rient.", "C'est un mensonge.", "Il marche.")
BAD = ("Elle pleut.", "Rient.", "Il est un mensonge.", "Il marche.")
DOCUMENTS = ("d1", "d1", "d1", "d2")
LINKS = b"0-0 1-1 2-2\n" * 4
BAD_LINKS = b"0-0 1-1 2-2\n1-0 2-1\n0-0 1-1 2-2\n0-0 1-1 2-2\n"  # They has none


def links(data: bytes) -> AlignmentFile:
    return AlignmentFile.of(parse_pharaoh(data, path="links"), path="links")


@pytest.fixture(scope="module")
def inputs() -> Inputs:
    return Inputs(
        Text.of(SOURCE, path="source"),
        (Text.of(REFERENCE, path="reference"),),
        {"good": Text.of(GOOD, path="good"), "bad": Text.of(BAD, path="bad")},
        documents=DOCUMENTS,
        reference_alignments=(links(LINKS),),
        candidate_alignments={"good": links(LINKS), "bad": links(BAD_LINKS)},
    )


@pytest.fixture(scope="module")
def result(inputs: Inputs) -> Result:
    return evaluate_experiment(Experiment.of(inputs, Settings(pair="en-fr", metrics=("apt",), samples=0)))


def shown(result: Result, inputs: Inputs, examples: int, *, colour: bool) -> list[str]:
    blocks = example_blocks(
        Experiment.of(inputs, result.settings), result, examples=examples, brackets=not colour
    )
    return [render([block], paint=Paint(colour)) for block in blocks]


def test_an_example_shows_every_text_with_the_pronoun_in_brackets(result: Result, inputs: Inputs) -> None:
    first = shown(result, inputs, 1, colour=False)
    assert first == [
        "d1, line 1: it\n"
        "source     [It] rains.\n"
        "reference  [Il] pleut.\n"
        "good       [Il] pleut.  identical\n"
        "bad        [Elle] pleut.  different"
    ]


def test_examples_come_from_all_documents_before_a_second_of_any(result: Result, inputs: Inputs) -> None:
    """In d2 both systems are wrong alike, which tells less; it is still shown before a second of d1."""
    examples = shown(result, inputs, 4, colour=False)
    assert [example.splitlines()[0] for example in examples] == [
        "d1, line 1: it",
        "d2, line 4: it",
        "d1, line 2: they",
        "d1, line 3: it",
    ]


def test_without_documents_the_most_different_outcomes_come_first(result: Result, inputs: Inputs) -> None:
    examples = shown(replace(result, documents=None), inputs, 4, colour=False)
    assert [example.splitlines()[0] for example in examples] == [
        "line 1: it",
        "line 2: they",
        "line 3: it",
        "line 4: it",
    ]


def test_an_example_has_the_lines_before_it_in_its_document(result: Result, inputs: Inputs) -> None:
    _, other_document, second, third = (one.splitlines() for one in shown(result, inputs, 4, colour=False))
    assert second[1:3] == ["before     It rains.", "source     [They] laugh."]
    assert third[1:4] == ["before     It rains.", "before     They laugh.", "source     [It] is a lie."]
    assert other_document[1] == "source     [It] works."


def test_a_pronoun_without_a_counterpart_marks_nothing(result: Result, inputs: Inputs) -> None:
    example = shown(result, inputs, 3, colour=False)[2]
    assert "bad        Rient.  candidate missing" in example


def test_colour_takes_the_place_of_brackets(result: Result, inputs: Inputs) -> None:
    (example,) = shown(result, inputs, 1, colour=True)
    assert "[It]" not in example
    assert "\x1b[1;33mIt\x1b[0m rains." in example
    assert "\x1b[31mdifferent\x1b[0m" in example
