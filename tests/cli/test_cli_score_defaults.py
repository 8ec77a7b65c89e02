"""What `anaphor score` computes when no metric is given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anaphor as package
from anaphor.cli.main import main
from anaphor.demo import write_files

SOURCE = ["The lamp is old.", "It still works."]
TARGET = ["Die Lampe ist alt.", "Es geht noch."]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, lines in (("src.en", SOURCE), ("a.de", TARGET), ("ref.de", TARGET)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("reference", "metrics"), [([], ["accept"]), (["--reference", "ref.de"], ["apt", "autoprf"])]
)
def test_the_metrics_depend_on_whether_there_is_a_reference(
    capsys: pytest.CaptureFixture[str], reference: list[str], metrics: list[str]
) -> None:
    given = ["--pair", "EN-DE", "--source", "src.en", "--candidate", "a.de", "--samples", "0", "--json"]
    assert main(["score", *given, *reference]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["settings"]["metrics"] == metrics
    assert found["settings"]["pair"] == "en-de"


def test_the_library_has_the_same_defaults() -> None:
    common = {"source": SOURCE, "systems": {"a": TARGET}, "pair": "EN-DE", "samples": 0}
    assert list(package.evaluate(**common).scores["a"]) == ["accept"]  # type: ignore[arg-type]
    with_reference = package.evaluate(**common, references=TARGET)  # type: ignore[arg-type]
    assert list(with_reference.scores["a"]) == ["apt", "autoprf"]


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the demo: their language is clear."""
    write_files(tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    return tmp_path / "demo"


@pytest.mark.usefixtures("demo")
def test_a_text_in_another_language_stops_unless_it_is_meant(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    given = [
        "score",
        "-p",
        "en-de",
        "-s",
        "source.en",
        "-r",
        "reference.fr",
        "-c",
        "baldur.fr",
        "--samples",
        "0",
    ]
    assert main(given) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: reference: looks like French, but the pair says German\n")
    assert "--any-language" in printed.err
    result = str(tmp_path / "result.json")
    assert main([*given, "--any-language", "--output", result]) == 0
    printed = capsys.readouterr()
    assert "note: candidate baldur: looks like French, but the pair says German\n" in printed.err
    assert "note: apt gives the reference itself only 0.0" in printed.err
    assert "--objects" in printed.err
    assert "--discard 5,6" in printed.err
    assert main(["verify", result]) == 0
    # An option that is used is no advice.
    capsys.readouterr()
    assert main([*given, "--any-language", "--objects"]) == 0
    printed = capsys.readouterr()
    assert "--discard 5,6" in printed.err
    assert "--objects" not in printed.err


@pytest.mark.usefixtures("demo")
def test_json_lines_as_plain_text_are_an_error_that_names_whole_documents(
    capsys: pytest.CaptureFixture[str], demo: Path
) -> None:
    segments = len((demo / "source.en").read_text(encoding="utf-8").splitlines())
    line = json.dumps({"document": "a", "translation": "Il dort."})
    (demo / "chat.jsonl").write_text(f"{line}\n" * segments, encoding="utf-8")
    assert main(["score", "-p", "en-fr", "-s", "source.en", "-c", "chat.jsonl"]) == 1
    printed = capsys.readouterr().err
    assert printed.startswith("error: chat.jsonl has JSON lines")
    assert "--whole-documents" in printed


def test_a_few_lines_in_braces_are_no_json() -> None:
    lines = ["{laughs} It works.", '{"a": 1}', "They left."]
    systems = {"a": lines[::-1]}
    found = package.evaluate(
        source=lines, references=lines[::-1], systems=systems, pair="en-fr", metrics="bleu", samples=0
    )
    assert found.scores == {"a": {"bleu": 1}}
