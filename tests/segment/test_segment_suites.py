"""Whole documents in test suites and campaigns, on the suite that ships."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anaphor
from anaphor.align import AlignerChoice
from anaphor.cli.main import main
from anaphor.core import UserError
from anaphor.suite import EvaluationOptions, LoadedSuite, evaluate_suite, load_suite, read_whole_candidates

SUITE = Path(anaphor.__file__).parent / "suite" / "shipped" / "anaphor-en-de"


@pytest.fixture(scope="module")
def loaded() -> LoadedSuite:
    return load_suite(str(SUITE))


@pytest.fixture
def chat(loaded: LoadedSuite, tmp_path: Path) -> Path:
    """A candidate of the suite, one text per document, none for the first document."""
    lines = iter((SUITE / "candidates" / "eider.de").read_text(encoding="utf-8").splitlines())
    path = tmp_path / "chat.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, document in enumerate(loaded.suite.documents):
            text = " ".join(next(lines) for _ in range(document.segments))
            print(json.dumps({"document": document.id, "text": text if number else None}), file=file)
    return path


def test_items_of_a_document_without_output_say_why_they_fail(loaded: LoadedSuite, chat: Path) -> None:
    files = [("lines", str(SUITE / "candidates" / "eider.de")), ("chat", str(chat))]
    with pytest.warns(anaphor.InputWarning) as notes:
        candidates, cut = read_whole_candidates(loaded, files, ["chat"])
    assert any("candidate chat: omitted" in str(note.message) for note in notes)
    assert list(candidates) == ["lines", "chat"]
    options = EvaluationOptions(aligner=AlignerChoice(pair=loaded.suite.pair))
    with pytest.warns(anaphor.InputWarning):
        report = evaluate_suite(loaded, candidates, options, segmentations=cut)
    assert dict(report.signature.fields)["segmentation"] == cut["chat"].method
    first = loaded.suite.documents[0].id
    concerned = {item.id for item in loaded.suite.items if item.document == first}
    assert set(report.systems[1].omitted) >= concerned
    assert report.systems[0].omitted == {}
    rows = [row for row in report.systems[1].to_dict()["items"] if "omitted" in row]
    assert {row["omitted"] for row in rows if row["item"] in concerned} == {
        "there is no output for the document"
    }
    assert not any(row["outcome"].value == "match" for row in rows)
    assert any("candidate chat: omitted" in note for note in report.notes)


def test_a_campaign_takes_whole_documents(
    chat: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "campaign.db"
    command = ["annotate", "init", str(database), "--suite", str(SUITE), "--candidate", str(chat)]
    assert main([*command, "--whole-documents", "--annotators", "ann", "-q"]) == 0
    assert database.exists()
    capsys.readouterr()


def test_given_alignments_and_whole_documents_do_not_go_together(
    chat: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["suite", "evaluate", str(SUITE), "--candidate", str(chat), "--whole-documents"]
    assert main([*command, "--alignment", "x.align"]) == 1
    assert "whole documents have no alignment yet" in capsys.readouterr().err


def test_an_unknown_name_is_refused(loaded: LoadedSuite, chat: Path) -> None:
    with pytest.raises(UserError, match="there is no candidate chart"):
        read_whole_candidates(loaded, [("chat", str(chat))], ["chart"])
