"""Suites on disk: what is written is read, and whatever does not fit is refused with file and record."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anaphor.core import (
    Alternative,
    InputError,
    InputWarning,
    MismatchError,
    OptionError,
    Span,
    UnknownNameError,
    UserError,
)
from anaphor.suite import LoadedSuite, load_suite, read_suite, suite_digest, write_suite
from anaphor.suite.format import SuiteRecord


def test_what_is_written_is_read(loaded: LoadedSuite, folder: Path) -> None:
    again = load_suite(folder)
    assert again.suite == loaded.suite
    assert again.texts.source_lines == loaded.texts.source_lines
    assert again.texts.lines("second") == loaded.texts.lines("second")


def test_everything_an_item_can_have_is_kept(loaded: LoadedSuite, tmp_path: Path) -> None:
    first, *others = loaded.suite.items
    alternatives = (
        Alternative("elle", ("bicyclette",), 'A. "Judge"', "2026-01-02"),
        Alternative("", ("vélo",), "\\ b", None),
    )
    full = replace(first, alternatives=alternatives, features={"function": "anaphoric"}, confidence=0.25)
    suite = replace(loaded.suite, items=(full, *others), description='quote " and \x7f delete')
    write_suite(suite, tmp_path / "full", texts=loaded.texts)
    assert read_suite(tmp_path / "full") == suite


def test_the_same_suite_gives_the_same_bytes(loaded: LoadedSuite, folder: Path, tmp_path: Path) -> None:
    again = load_suite(folder)
    write_suite(again.suite, tmp_path / "again", texts=again.texts)
    paths = list(folder.rglob("*"))
    assert paths
    for path in paths:
        other = tmp_path / "again" / path.relative_to(folder)
        assert path.is_dir() or other.read_bytes() == path.read_bytes()


def test_a_suite_is_named_by_its_folder_its_header_or_its_items(folder: Path) -> None:
    (folder / "part.jsonl").write_bytes((folder / "items.jsonl").read_bytes())
    found = [read_suite(folder / name) for name in (".", "suite.toml", "items.jsonl", "part.jsonl")]
    assert all(suite == found[0] for suite in found)


def test_a_folder_without_a_header_is_no_suite(folder: Path) -> None:
    (folder / "suite.toml").unlink()
    with pytest.raises(InputError, match=r"it has no suite\.toml") as caught:
        read_suite(folder)
    assert str(caught.value.where) == str(folder)


def test_spans_of_a_place_may_touch_but_not_overlap() -> None:
    record = SuiteRecord({"touch": [[0, 2], [2, 4]], "overlap": [[0, 2], [1, 4]]}, where="items.jsonl")
    assert record.place("touch") == (Span(0, 2), Span(2, 4))
    with pytest.raises(InputError, match="out of order"):
        record.place("overlap")


def test_a_suite_without_its_texts_finds_them_elsewhere(
    loaded: LoadedSuite, folder: Path, tmp_path: Path
) -> None:
    write_suite(loaded.suite, tmp_path / "bare")
    assert sorted(path.name for path in (tmp_path / "bare").iterdir()) == ["items.jsonl", "suite.toml"]
    with pytest.raises(InputError, match=r"text of bicycle \(source\) is missing"):
        load_suite(tmp_path / "bare")
    assert load_suite(tmp_path / "bare", documents=folder / "documents").suite == loaded.suite


def test_the_text_of_a_suite_is_not_in_its_own_files(loaded: LoadedSuite, tmp_path: Path) -> None:
    write_suite(loaded.suite, tmp_path / "bare")
    shared = "".join(path.read_text("utf-8") for path in (tmp_path / "bare").iterdir())
    assert "corporations bring" not in shared
    assert "entreprises" not in shared


def test_spacing_of_the_files_does_not_affect_the_hash(folder: Path) -> None:
    items = folder / "items.jsonl"
    records = map(json.loads, items.read_text("utf-8").split("\n")[:-1])
    lines = [json.dumps(record, separators=(",", ":")) for record in records]
    items.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert suite_digest(read_suite(folder)) in (folder / "suite.toml").read_text("utf-8")


def test_an_existing_folder_is_not_touched(loaded: LoadedSuite, folder: Path) -> None:
    before = (folder / "items.jsonl").read_bytes()
    with pytest.raises(OptionError, match="exists already"):
        write_suite(replace(loaded.suite, items=()), folder)
    assert (folder / "items.jsonl").read_bytes() == before


def test_a_suite_that_could_not_be_read_back_is_not_written(loaded: LoadedSuite, tmp_path: Path) -> None:
    twice = replace(loaded.suite, items=loaded.suite.items * 2)
    with pytest.raises(InputError, match="bicycle is used twice"):
        write_suite(twice, tmp_path / "twice")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_finished_leaves_nothing(
    loaded: LoadedSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OptionError, match="No space left"):
        write_suite(loaded.suite, tmp_path / "suite", texts=loaded.texts)
    assert list(tmp_path.iterdir()) == []


Change = Callable[[dict[str, object]], object]


def put(**values: object) -> Change:
    return lambda record: record.update(values)


def in_reference(**values: object) -> Change:
    return lambda record: record["references"][0].update(values)  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (put(id="war"), "id: war is used twice"),
        (put(category="anaphoric"), "unknown category: anaphoric"),
        (put(document="nowhere"), "unknown document: nowhere"),
        (put(colour="red"), "colour: unknown key"),
        (put(pronoun=[[19, 17]]), "pronoun: not a valid character span, or reversed"),
        (put(pronoun=[[17, 17]]), "pronoun: not a valid character span, or reversed"),
        (put(pronoun=[[-1, 2]]), "pronoun: not a valid character span, or reversed"),
        (put(pronoun=[[5, 8], [6, 9]]), "pronoun: not a valid character span, or reversed or out of order"),
        (put(pronoun=[[1.5, 2]]), "pronoun: not a valid character span"),
        (put(pronoun=[[False, 2]]), "pronoun: not a valid character span"),
        (put(pronoun=[]), "pronoun: an empty place"),
        (put(pronoun="It"), "pronoun: not a list"),
        (put(pronoun=[[17, 1000]]), "bicycle: characters 17 to 1000 of source bicycle"),
        (put(pronoun=[[14, 19]]), "bicycle: characters 14 to 19 of source bicycle"),
        (put(pronoun=[[7, 8]]), "bicycle: characters 7 to 8 of source bicycle are blank"),
        (put(antecedents=[]), "antecedents: none, but they count in anaphoric_inter_subject_it"),
        (put(antecedents=[{"span": [[6, 15]]}]), "antecedents[0].head: missing"),
        (put(references=[]), "references: none"),
        (in_reference(reference="third"), "unknown reference: third"),
        (in_reference(heads=[]), "references[0].heads: 0 heads for 1 antecedents"),
        (
            lambda record: (
                put(category="event_it")(record),
                in_reference(heads=[[[8, 9]], [[8, 9]]])(record),
            ),
            "references[0].heads: 2 heads for 1 antecedents",
        ),
        (in_reference(heads=[[[8, 99]]]), "bicycle: characters 8 to 99 of human bicycle"),
        (put(alternatives=[{"pronoun": "elle", "heads": ["x"]}]), "alternatives[0].by: missing"),
        (put(alternatives=[{"pronoun": "elle", "by": "a"}]), "alternatives[0].heads: 0 heads for 1"),
        (
            put(alternatives=[{"heads": ["x"], "by": "a", "when": "yesterday"}]),
            "alternatives[0].when: not a date: 'yesterday'",
        ),
        (
            put(alternatives=[{"heads": ["x"], "by": "a", "when": "2026-02-30"}]),
            "alternatives[0].when: not a date: '2026-02-30'",
        ),
        (put(confidence=1.5), "confidence: expected a number from 0 to 1, got"),
        (put(features={"form": 3}), "features.form: expected a non-empty string"),
        (put(id="\ud800"), "lone surrogate"),
    ],
)
def test_an_item_that_does_not_fit_is_refused_with_its_record(
    folder: Path, change: Change, what: str
) -> None:
    items, header = folder / "items.jsonl", folder / "suite.toml"
    lines = items.read_text("utf-8").split("\n")
    record = json.loads(lines[0])
    change(record)
    items.write_text("\n".join([lines[1], lines[2], json.dumps(record), *lines[3:]]), encoding="utf-8")
    header.write_text("\n".join(line for line in header.read_text("utf-8").split("\n") if "hash" not in line))
    with pytest.raises(UserError) as caught:
        load_suite(folder)
    assert what in caught.value.what
    assert str(caught.value.where) == f"{items}:3"


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('format = "anaphor-suite 1"', 'format = "anaphor-suite 2"', "format: unknown: anaphor-suite 2"),
        ('name = "examples"', "name = 3", "name: expected a non-empty string of one line, got 3"),
        ('name = "examples"', "", "name: missing"),
        ('pair = "en-fr"', 'pair = "english"', "pair: not a language pair: 'english'"),
        ("antecedent = true", 'antecedent = "yes"', "category[0].antecedent: expected true or false"),
        ("segments = 2", "segments = 0", "document[0].segments: expected an integer of at least 1, got 0"),
        ('id = "bicycle"', 'id = "../bicycle"', "not a valid file name: '../bicycle'"),
        ('"human" =', '"source" =', "not a valid file name: 'source'"),
        ('id = "war"', 'id = "rain"', "document: rain is defined twice"),
        ('name = "event_it"', 'name = "pleonastic_it"', "category: pleonastic_it is defined twice"),
        ('version = "1.0"', 'version = "2.0"', "the content has the hash"),
        ('version = "1.0"', "version = ", "not valid TOML"),
        ('licence = "Apache-2.0"', 'licence = "Apache-2.0"\nlicense = "x"', "license: unknown key"),
    ],
)
def test_a_header_that_is_not_one_is_refused(folder: Path, old: str, new: str, what: str) -> None:
    header = folder / "suite.toml"
    text = header.read_text("utf-8")
    assert old in text
    header.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load_suite(folder)
    assert what in caught.value.what
    assert caught.value.where.path == str(header)


@pytest.mark.parametrize("line", ["", "[]", "3", "{", '{"id": "x"', "[" * 100_000])
def test_a_line_that_is_not_a_json_object_is_refused(folder: Path, line: str) -> None:
    with (folder / "items.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match="JSON") as caught:
        read_suite(folder)
    assert caught.value.where.line == 8


@pytest.mark.parametrize("side", ["source", "human"])
def test_a_text_that_is_not_the_suites_is_refused(folder: Path, side: str) -> None:
    path = folder / "documents" / side / "rain.txt"
    path.write_text(path.read_text("utf-8").replace("oday", "onight").replace("pleut", "neige"), "utf-8")
    with pytest.raises(MismatchError, match="not the text of the suite") as caught:
        load_suite(folder)
    assert caught.value.where.path == str(path)


def test_line_ends_of_windows_do_not_change_a_text(folder: Path) -> None:
    path = folder / "documents" / "source" / "war.txt"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    with pytest.warns(InputWarning, match="CRLF"):
        assert len(load_suite(folder).suite.items) == 7


def test_a_missing_part_is_refused(folder: Path) -> None:
    parts = [("documents/second/funeral.txt", "the text of funeral"), ("suite.toml", "not a suite")]
    for name, what in parts:
        (folder / name).unlink()
        with pytest.raises(InputError, match=what):
            load_suite(folder)


def test_an_unknown_category_names_the_nearest(folder: Path) -> None:
    items = folder / "items.jsonl"
    items.write_text(items.read_text("utf-8").replace("pleonastic_it", "pleonastic_is"), "utf-8")
    with pytest.raises(UnknownNameError) as caught:
        read_suite(folder)
    assert "did you mean pleonastic_it?" in caught.value.fix
