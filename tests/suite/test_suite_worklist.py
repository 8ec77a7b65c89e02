"""Mismatches to people, and their verdicts back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from anaphor.align import AlignerChoice
from anaphor.core import Alternative, InputError, LanguagePair, UnknownNameError
from anaphor.corpus import Text
from anaphor.suite import (
    EvaluationOptions,
    LoadedSuite,
    evaluate_suite,
    format_work_list,
    with_approved,
    work_list,
)
from anaphor.suite.overview import item_overview
from anaphor.suite.worklist import COLUMNS

OPTIONS = EvaluationOptions(aligner=AlignerChoice(pair=LanguagePair("en", "fr")))


@pytest.fixture
def rows(loaded: LoadedSuite, alpha: Text, beta: Text) -> list[dict[str, str]]:
    candidates = {"alpha": alpha, "beta": beta}
    return list(work_list(loaded, evaluate_suite(loaded, candidates, OPTIONS), candidates))


def judged(rows: list[dict[str, str]], *, form: str = "tsv", **verdicts: str) -> Text:
    """The list with verdicts by item, read back."""
    marked = [{**row, "verdict": verdicts.get(row["item"], "")} for row in rows]
    text = format_work_list(marked, json_lines=form == "jsonl")
    return Text.of(text.split("\n")[:-1], path=f"todo.{form}")


def test_every_mismatch_of_every_system_is_a_row(rows: list[dict[str, str]]) -> None:
    found = [(row["system"], row["item"]) for row in rows]
    assert found == [
        ("alpha", "war"),
        ("alpha", "clips"),
        *(("beta", item) for item in ("bicycle", "firms", "funeral", "clips", "taxes")),
    ]
    assert rows[2] == {
        "verdict": "",
        "system": "beta",
        "item": "bicycle",
        "category": "anaphoric_inter_subject_it",
        "outcome": "agrees-with-own-antecedent",
        "pronoun": "Elle",
        "heads": "bicyclette",
        "source_pronoun": "It",
        "source_heads": "bicycle",
        "references": "Il, vélo",
        "source": "I own a bicycle. | [It] is red.",
        "candidate": "J'ai une bicyclette. | Elle est rouge.",
    }


def test_a_row_shows_every_reference(rows: list[dict[str, str]]) -> None:
    assert rows[4]["references"] == "Elles, funérailles; Il, enterrement"


def test_both_forms_hold_the_same_rows(rows: list[dict[str, str]]) -> None:
    heading, *lines = format_work_list(rows, json_lines=False).split("\n")[:-1]
    assert tuple(heading.split("\t")) == COLUMNS
    assert [dict(zip(COLUMNS, line.split("\t"), strict=True)) for line in lines] == rows
    assert [json.loads(line) for line in format_work_list(rows, json_lines=True).split("\n")[:-1]] == rows


@pytest.mark.parametrize(
    ("form", "ok", "bad"), [("tsv", "ok", "bad"), ("jsonl", "ok", "bad"), ("tsv", "OK ", "Bad")]
)
def test_only_translations_marked_ok_become_alternatives(
    loaded: LoadedSuite, rows: list[dict[str, str]], form: str, ok: str, bad: str
) -> None:
    text = judged(rows, form=form, bicycle=ok, firms=bad)
    suite = with_approved(loaded.suite, text, by="A. Judge", when="2026-01-02")
    expected = Alternative("Elle", ("bicyclette",), "A. Judge", "2026-01-02")
    assert suite.items == (replace(loaded.suite.items[0], alternatives=(expected,)), *loaded.suite.items[1:])


def test_the_next_evaluation_accepts_it(loaded: LoadedSuite, rows: list[dict[str, str]], beta: Text) -> None:
    suite = with_approved(loaded.suite, judged(rows, bicycle="ok", taxes="ok"), by="A", when="2026-01-02")
    report = evaluate_suite(LoadedSuite(suite, loaded.texts), {"beta": beta}, OPTIONS)
    origins = {one.item.id: one.origin for one in report.systems[0].judged}
    assert (origins["bicycle"], origins["taxes"], origins["firms"]) == (
        "approved by A",
        "approved by A",
        None,
    )
    assert report.signature.as_dict()["accepted"] == "references+approved"


def test_an_antecedent_that_does_not_count_is_neither_shown_nor_approved(
    make: Callable[..., LoadedSuite],
) -> None:
    documents = {
        "war": {
            "source": "The north invaded the {war.h:south}.\n{war.p:It} ended in a war.",
            "human": "Le nord a envahi le {war.h:sud}.\n{war.p:Cela} a fini par une guerre.",
        }
    }
    loaded = make(documents, {"war": "event_it"})
    assert [len(one.antecedents) for one in loaded.suite.items] == [1]
    candidate = Text.of(["Le nord a envahi le midi.", "Il a fini par une guerre."], path="x")
    report = evaluate_suite(loaded, {"x": candidate}, OPTIONS)
    (row,) = work_list(loaded, report, {"x": candidate})
    assert (row["heads"], row["source_heads"], row["references"]) == ("", "", "Cela")
    assert row["source"] == "The north invaded the south. | [It] ended in a war."
    assert row["candidate"] == "Le nord a envahi le midi. | Il a fini par une guerre."
    suite = with_approved(loaded.suite, judged([row], war="ok"), by="A", when="2026-01-02")
    assert suite.items[0].alternatives == (Alternative("Il", (), "A", "2026-01-02"),)


def test_a_row_has_the_lines_from_the_antecedent_on_or_three_before_the_pronoun(
    make: Callable[..., LoadedSuite],
) -> None:
    lines = ["Zero.", "I own a {red.h:bicycle}.", "Two.", "Three.", "Four.", "{red.p:It} is red.", "Six."]
    lines.append("And {rain.p:it} rains.")
    translated = ["Zéro.", "J'ai un {red.h:vélo}.", "Deux.", "Trois.", "Quatre.", "{red.p:Il} est rouge."]
    translated += ["Six.", "Et {rain.p:il} pleut."]
    documents = {"red": {"source": "\n".join(lines), "human": "\n".join(translated)}}
    loaded = make(documents, {"red": "anaphoric_inter_subject_it", "rain": "pleonastic_it"})
    candidate = Text.of([f"Line {number}." for number in range(8)], path="x")
    report = evaluate_suite(loaded, {"x": candidate}, OPTIONS)
    red, rain = work_list(loaded, report, {"x": candidate})
    assert red["source"] == "I own a bicycle. | Two. | Three. | Four. | [It] is red."
    assert red["candidate"] == "Line 1. | Line 2. | Line 3. | Line 4. | Line 5."
    assert rain["source"] == "Four. | It is red. | Six. | And [it] rains."
    (shown,) = item_overview(loaded, ["red"]).content
    assert isinstance(shown, dict)
    assert (shown["line"], shown["source"]) == ("6", red["source"])


def test_the_same_translation_is_approved_once(loaded: LoadedSuite, rows: list[dict[str, str]]) -> None:
    text = judged(rows, bicycle="ok")
    suite = with_approved(loaded.suite, text, by="A", when="2026-01-02")
    assert with_approved(suite, text, by="B", when="2026-01-03") == suite


@pytest.mark.parametrize(
    ("change", "error", "what", "line"),
    [
        (("\tbeta\tbicycle", "fine\tbeta\tbicycle"), InputError, "unknown verdict: 'fine'", 4),
        (("\tbeta\tbicycle", "ok\tbeta\ttricycle"), UnknownNameError, "unknown item: tricycle", 4),
        (("verdict\tsystem", "system\tverdict"), InputError, "not the header of a work list", 1),
        (("Elle est rouge.", "Elle est rouge.\tyes"), InputError, "13 columns instead of 12", 4),
        (("\tbeta\tbicycle", "ok\tbeta\tbicycle"), InputError, "words for an antecedent head are missing", 4),
    ],
)
def test_an_invalid_work_list_is_refused_with_its_line(
    loaded: LoadedSuite,
    rows: list[dict[str, str]],
    change: tuple[str, str],
    error: type[InputError],
    what: str,
    line: int,
) -> None:
    plain = format_work_list(rows, json_lines=False).replace(*change).replace("bicyclette\t", "\t")
    with pytest.raises(error) as caught:
        with_approved(loaded.suite, Text.of(plain.split("\n")[:-1], path="todo.tsv"), by="A", when="x")
    assert what in caught.value.what
    assert str(caught.value.where) == f"todo.tsv:{line}"
