"""Whole documents in scoring, suites, reports and on a cluster. All documents are invented."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

import anaphor
from anaphor.analyses import choose_analyses
from anaphor.cli.main import main
from anaphor.core import Files, LanguagePair, Span, UserError
from anaphor.core.table import Table
from anaphor.evaluation.experiment import Experiment
from anaphor.report.rows import item_rows
from anaphor.scoring.score_report import ScoreReport
from anaphor.scoring.verification import verify
from anaphor.segment import candidate
from anaphor.segment.candidate import IN_PROCESS, DocumentCutter, segment_candidate
from anaphor.segment.documents import Job
from anaphor.segment.inputs import read_segmented_inputs, segment_files
from anaphor.segment.result import Boundary, Omission, Segmentation
from anaphor.segment.whole_documents import WholeDocuments

PAIR = LanguagePair("en", "de")
PACKS = Path(str(files("anaphor.languages"))) / "packs"
SOURCE = [
    "The old lamp stands on the table.",
    "It still works.",
    "Nobody wants to buy the door.",
    "It is broken, and it costs too much money.",
    "The children love the garden.",
    "They play there every day.",
]
REFERENCE = [
    "Die alte Lampe steht auf dem Tisch.",
    "Sie funktioniert noch.",
    "Niemand will die Tür kaufen.",
    "Sie ist kaputt, und sie kostet zu viel Geld.",
    "Die Kinder lieben den Garten.",
    "Sie spielen dort jeden Tag.",
]
DOCUMENTS = ["lamp", "lamp", "door", "door", "garden", "garden"]
#: The lamp has chatter before it, the garden was not translated.
OUTPUT: dict[str, str | None] = {
    "lamp": f"Hier ist die Übersetzung ins Deutsche:\n\n{REFERENCE[0]} {REFERENCE[1]}",
    "door": f"{REFERENCE[2]} {REFERENCE[3]}",
    "garden": None,
}
NO_OUTPUT = "there is no output for the document"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, lines in (
        ("src.en", SOURCE),
        ("ref.de", REFERENCE),
        ("docs", DOCUMENTS),
        ("lines.de", REFERENCE),
    ):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    records = (json.dumps({"document": name, "text": text}) + "\n" for name, text in OUTPUT.items())
    (tmp_path / "chat.jsonl").write_text("".join(records), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


SCORE = [
    *[
        "score",
        "-q",
        "-p",
        "en-de",
        "-s",
        "src.en",
        "-r",
        "ref.de",
        "--documents",
        "docs",
        "-m",
        "apt",
        "--samples",
        "0",
    ]
]


def test_scoring_cuts_documents_names_it_and_says_why_a_pronoun_is_missing(folder: Path) -> None:
    with pytest.warns(anaphor.InputWarning) as notes:
        report = anaphor.evaluate(
            source=SOURCE,
            references=REFERENCE,
            documents=DOCUMENTS,
            systems={"lines": REFERENCE, "chat": OUTPUT},
            whole_documents=["chat"],
            pair="en-de",
            metrics=["apt", "bleu"],
            samples=0,
            cards=True,
        )
    assert report.inputs.candidates["chat"].lines == (*REFERENCE[:4], "", "")
    # Three of four pronouns are those of the reference, the last one is in an omitted segment.
    assert report.scores["lines"]["apt"] == 1
    assert report.scores["chat"]["apt"] == pytest.approx(3 / 4)
    said = [str(note.message) for note in notes]
    assert any("candidate chat: chatter: 1, not scored" in one for one in said)
    assert any("candidate chat: omitted: 2, the first in line 5" in one for one in said)
    assert {one for one in said if one.startswith("candidate")} <= set(report.to_dict()["notes"])
    lines, chat = ([dict(s.scores[n].signature.fields) for n in (0, 1)] for s in report.result.systems)
    assert all("segmentation" not in fields for fields in lines)
    assert all(fields["segmentation"].startswith("anaphor-segment-") for fields in chat)
    assert f"segmentation:{chat[0]['segmentation']} for chat" in str(report)
    missing = [row for row in item_rows(report.result, report.inputs) if row["omitted"] is not None]
    assert [(row["system"], row["segment"], row["outcome"]) for row in missing] == [
        ("chat", 5, "candidate_missing")
    ]
    assert missing[0]["omitted"] == NO_OUTPUT
    cards = report.findings["cards"].judged["chat"]
    assert [card.omitted for card in cards][:3] == [None] * 3
    assert cards[3].omitted == missing[0]["omitted"]
    stored = report.to_dict()["segmentation"]["chat"]
    assert [one["kind"] for doc in stored["documents"] for one in doc["findings"]] == [
        "chatter",
        "omitted",
        "omitted",
    ]


def test_the_command_line_does_the_same_and_the_result_verifies(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = (
        "-c lines.de chat.jsonl --whole-documents chat --output r.json --items i.tsv --report r.html --cards"
    )
    assert main([*SCORE, *more.split()]) == 0
    assert "for chat|" in capsys.readouterr().out
    assert NO_OUTPUT in (folder / "i.tsv").read_text(encoding="utf-8")
    assert NO_OUTPUT in (folder / "r.html").read_text(encoding="utf-8")
    assert json.loads((folder / "r.json").read_text())["files"]["whole_documents"] == ["chat"]
    with pytest.warns(anaphor.InputWarning):
        assert verify("r.json").differences == ()
    record = {"document": "garden", "text": f"{REFERENCE[4]} {REFERENCE[5]}"}
    text = (folder / "chat.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "chat.jsonl").write_text("\n".join([*text[:2], json.dumps(record)]) + "\n", encoding="utf-8")
    with pytest.warns(anaphor.InputWarning):
        changed = verify("r.json").differences
    assert any("candidate chat" in one for one in changed)


def test_without_names_all_candidates_are_whole_documents(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SCORE, "-c", "a=chat.jsonl", "b=chat.jsonl", "--whole-documents"]) == 0
    assert "75.0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("-c chat.jsonl --whole-documents chart", "there is no candidate chart"),
        ("-c chat.jsonl --whole-documents --alignment-candidate x", "whole documents have no alignment yet"),
        ("-c lines.de --segmentation-sensitivity", "no candidate was cut from whole documents"),
        ("-c lines.de --whole-documents", "more texts than documents: there are 6 lines"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], more: str, what: str
) -> None:
    assert main([*SCORE, *more.split()]) == 1
    assert what in capsys.readouterr().err


class SecondBest:
    """Cuts every document after its first sentence, and in second place one word later."""

    def method(self, pair: LanguagePair, *, reference: bool = False) -> str:
        return f"made-up-{pair}-{reference}"

    def __call__(self, jobs: Sequence[Job], pair: LanguagePair) -> list[Segmentation]:
        found = []
        for source, text, _ in jobs:
            at = text.index(". ") + 2 if ". " in text else len(text)
            later = text.find(" ", at) + 1 if at < len(text) else at
            spans = [(Span(0, one), Span(one, len(text))) for one in (at, later)]
            omitted = (Omission(1, 0.9),) if at == len(text) else ()
            found.append(
                Segmentation(text, spans[0], (Boundary(at, 0.6, later, 0.4),), omitted, second=spans[1])
            )
            assert len(source) == 2
        return found


def test_outcomes_that_change_under_the_second_best_segmentation_are_listed(folder: Path) -> None:
    files = Files(
        source="src.en",
        references=("ref.de",),
        documents="docs",
        candidates=(("chat", "chat.jsonl"),),
        whole_documents=("chat",),
    )
    text = (folder / "chat.jsonl").read_text(encoding="utf-8").replace("null", f'"{REFERENCE[4]}"')
    (folder / "chat.jsonl").write_text(text, encoding="utf-8")
    settings = anaphor.Settings(pair="en-de", metrics=("apt",), samples=0)
    analyses = choose_analyses({"segmentation_sensitivity": True}, settings)
    with pytest.warns(anaphor.InputWarning):
        report = ScoreReport.of(Experiment.read(files, settings, cut=SecondBest()), analyses)
    (omitted,) = (row for row in item_rows(report.result, report.inputs) if row["omitted"] is not None)
    assert (omitted["segment"], omitted["omitted"]) == (5, "the segment is omitted (confidence 0.90)")
    found = report.findings["segmentation_sensitivity"]
    # `Sie` of line 2 and the first `Sie` of line 4 are behind the second cut.
    assert [(flip.pronoun.segment, flip.pronoun.position) for flip in found.flips] == [(1, 0), (3, 0)]
    assert found.scores["best"]["chat"] > found.scores["second best"]["chat"]
    assert "2 of 4 outcomes depend on the segmentation" in str(report)
    assert len(report.to_dict()["segmentation_sensitivity"]["flips"]) == 2


def test_segment_prints_lines_and_writes_details(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["segment", "-p", "en-de", "-s", "src.en", "--documents", "docs", "-c", "chat.jsonl"]
    assert main(command) == 0
    out, err = capsys.readouterr()
    assert out.split("\n") == [*REFERENCE[:4], "", "", ""]
    assert f"note: chat.jsonl: omitted: 2, the first in line 5: {SOURCE[4]}" in err
    assert main([*command, "--output", "chat.de", "--details", "chat.json"]) == 0
    assert (folder / "chat.de").read_text(encoding="utf-8") == out
    assert capsys.readouterr().out.startswith("documents  segments  boundaries  unsure")
    details = json.loads((folder / "chat.json").read_text(encoding="utf-8"))
    assert details["lines"] == out.split("\n")[:-1]
    for document in details["documents"]:
        whole = OUTPUT[document["document"]]
        if whole is None:
            assert document["stretches"] is None
            continue
        cut = [" ".join(whole[start:end].split()) for start, end in document["stretches"]]
        given = [details["lines"][at] for at in document["segments"]]
        assert [one.removeprefix("Hier ist die Übersetzung ins Deutsche: ") for one in cut] == given
    assert main([*command, "--tsv"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert rows[0] == ["line", "document", "start", "end", "confidence", "reason", "text"]
    assert [row[-1] for row in rows[1:]] == out.split("\n")[:-1]
    assert rows[6][5] == NO_OUTPUT


def test_segment_writes_nothing_after_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chat.jsonl").write_text('{"document": "lamp", "text": "Die Lampe."}\n')
    assert (
        main(
            [
                "segment",
                "-p",
                "en-de",
                "-s",
                "src.en",
                "--documents",
                "docs",
                "-c",
                "chat.jsonl",
                "-o",
                "out.de",
                "--details",
                "d.json",
            ]
        )
        == 1
    )
    assert "document door is missing" in capsys.readouterr().err
    assert not (folder / "out.de").exists()
    assert not (folder / "d.json").exists()


def test_a_document_without_output_is_omitted_and_a_refused_one_says_so() -> None:
    output = {**OUTPUT, "door": None, "garden": "I'm sorry, but I can't translate this text."}
    with pytest.warns(anaphor.InputWarning, match="no output for 1 document, the first is door"):
        documents = WholeDocuments.of(output, DOCUMENTS, path="<x>")
    found = segment_candidate(SOURCE, DOCUMENTS, documents, PAIR)
    assert found.text().lines == (*REFERENCE[:2], "", "", "", "")
    none, refused = "there is no output for the document", "the document was refused"
    assert found.reasons == {2: none, 3: none, 4: refused, 5: refused}


def test_scattered_documents_keep_the_order_of_the_source(folder: Path) -> None:
    order = [0, 2, 1, 3]
    (folder / "src.en").write_text("".join(f"{SOURCE[at]}\n" for at in order), encoding="utf-8")
    (folder / "docs").write_text("lamp\ndoor\nlamp\ndoor\n", encoding="utf-8")
    (folder / "chat.jsonl").write_text(
        "".join(json.dumps({"document": name, "text": OUTPUT[name]}) + "\n" for name in ("door", "lamp"))
    )
    found = segment_files(
        Files(source="src.en", documents="docs", candidates=(("chat", "chat.jsonl"),)), PAIR
    )
    assert found.text().lines == tuple(REFERENCE[at] for at in order)


def test_one_running_text_needs_no_documents(folder: Path) -> None:
    lines = [REFERENCE[0] + " " + REFERENCE[1], REFERENCE[2], REFERENCE[3] + " " + REFERENCE[4], REFERENCE[5]]
    (folder / "broken.de").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = Files(source="src.en", candidates=(("a", "broken.de"),), whole_documents=("a",))
    inputs = read_segmented_inputs(files, PAIR)
    assert inputs.candidates["a"].lines == tuple(REFERENCE)


def test_two_candidates_of_one_name_are_refused(folder: Path) -> None:
    files = Files(
        source="src.en",
        documents="docs",
        candidates=(("a", "chat.jsonl"), ("a", "lines.de")),
        whole_documents=("a",),
    )
    with pytest.raises(UserError, match="two candidates are called a"):
        read_segmented_inputs(files, PAIR)


def test_the_command_takes_a_reference_priors_and_threads(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["segment", "-q", "--pair", "en-de", "--source", "src.en", "--documents", "docs"]
    command += ["--candidate", "chat.jsonl", "--json"]
    methods: list[str] = []
    lines: list[list[str]] = []
    for more in ([], ["--threads", "3"], ["--reference", "ref.de"], ["--priors", "none"]):
        assert main([*command, *more]) == 0
        content = json.loads(capsys.readouterr().out)
        methods.append(content["method"])
        lines.append(content["lines"])
    assert all(one == [*REFERENCE[:4], "", ""] for one in lines)
    search, prior = methods[0].split("+")
    assert prior.startswith("prior-")
    assert methods[1:] == [methods[0], f"{methods[0]}+reference", f"{search}+prior-none"]
    assert main([*command, "--threads", "0"]) == 1


def test_a_changed_model_prior_or_pack_changes_the_signature(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packs = folder / "packs"
    packs.mkdir()
    shutil.copy(PACKS / "de.toml", packs)
    names = [
        IN_PROCESS.method(PAIR),
        IN_PROCESS.method(LanguagePair("en", "fr")),  # another prior
        DocumentCutter(priors="none").method(PAIR),
        DocumentCutter(packs=packs).method(PAIR),
    ]
    with (packs / "de.toml").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    names.append(DocumentCutter(packs=packs).method(PAIR))
    here = Path(str(files("anaphor.segment")))
    for changed in ("model.json", "chatter.toml", "edges/de.tsv"):
        copy = folder / changed.replace("/", "-")
        shutil.copytree(here, copy)
        (copy / changed).write_text((copy / changed).read_text(encoding="utf-8") + "\n", encoding="utf-8")
        monkeypatch.setattr(candidate, "__file__", str(copy / "candidate.py"))
        candidate._learned.cache_clear()
        names.append(IN_PROCESS.method(PAIR))
    candidate._learned.cache_clear()
    assert len(set(names)) == len(names)


def test_the_own_second_best_segmentation_is_scored(folder: Path) -> None:
    """One `sie` translates the end of the first segment or the beginning of the second."""
    source, reference = ["They like it", "It is old"], ["Sie mögen sie", "sie ist alt"]
    text = "Sie mögen sie ist alt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", anaphor.InputWarning)
        report = anaphor.evaluate(
            source=source,
            references=reference,
            documents=["one", "one"],
            systems={"chat": [text]},
            whole_documents=True,
            pair="en-de",
            metrics=["apt"],
            samples=0,
            segmentation_sensitivity=True,
        )
    found = report.findings["segmentation_sensitivity"]
    assert report.inputs.candidates["chat"].lines == ("Sie mögen", "sie ist alt")
    assert report.inputs.segmentations["chat"].second == ("Sie mögen sie", "ist alt")
    assert [(flip.pronoun.segment, flip.pronoun.position) for flip in found.flips] == [(0, 2), (1, 0)]


@pytest.mark.parametrize(("confidence", "unsure"), [(0.499, 1), (0.45, 1), (0.5, 0), (0.9, 0)])
def test_a_boundary_is_unsure_if_another_place_may_be_likelier(confidence: float, unsure: int) -> None:
    output = {**OUTPUT, "garden": " ".join(REFERENCE[4:])}
    found = segment_candidate(SOURCE, DOCUMENTS, WholeDocuments.of(output, DOCUMENTS, path="<x>"), PAIR)
    first = found.documents[0]
    assert first.segmentation is not None
    boundaries = [replace(one, confidence=0.99) for one in first.segmentation.boundaries]
    boundaries[0] = replace(boundaries[0], confidence=confidence)
    cut = replace(first.segmentation, boundaries=tuple(boundaries))
    changed = replace(found, documents=(replace(first, segmentation=cut),))
    noted = [line for line in changed.summary() if line.startswith("uncertain boundaries")]
    assert noted == ([f"uncertain boundaries: 1 of {len(boundaries)}"] if unsure else [])
    (sizes, *_) = changed.tables()
    assert isinstance(sizes, Table)
    assert sizes.rows[0][3] == unsure
