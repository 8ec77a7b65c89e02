"""`anaphor report`: pages, tables, plots and leaderboards from files, and every mistake explained."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from anaphor.cli.main import main
from anaphor.core import (
    Antecedent,
    Category,
    Item,
    LanguagePair,
    ReferencePair,
    Span,
    Suite,
    SuiteDocument,
)
from anaphor.corpus import read_text
from anaphor.report.html.page import leaderboard_page, read_folder
from anaphor.report.result_file import sealed
from anaphor.suite import SuiteTexts, write_suite

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, demo_json: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a command in a folder with the demo's result; exit code, output, errors."""
    (tmp_path / "demo.json").write_text(demo_json, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)

    def call(*arguments: str) -> tuple[int, str, str]:
        with warnings.catch_warnings():
            code = main(["report", *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def _renamed(demo_json: str, suffix: str, **signed: str) -> str:
    """The same scores under other names, without cards; `signed` changes the signatures."""
    content: dict[str, Any] = json.loads(demo_json)
    del content["cards"]
    for comparison in content["comparisons"]:
        comparison.update(system=comparison["system"] + suffix, baseline=comparison["baseline"] + suffix)
    for system in content["systems"]:
        system["system"] += suffix
        for metric in system["metrics"]:
            metric["signature_fields"].update(signed)
    return json.dumps(sealed(content))


def test_a_page_from_one_result(run: Run) -> None:
    code, out, err = run("demo.json", "--output", "report.html", "--title", "My title")
    assert (code, err) == (0, "")
    assert re.fullmatch(r"report\.html: 3 systems, 142 pronouns, \d+ kB\n", out)
    assert "<title>My title</title>" in Path("report.html").read_text(encoding="utf-8")


def test_a_page_from_two_results(run: Run, demo_json: str) -> None:
    Path("more.json").write_text(_renamed(demo_json, "-2"), encoding="utf-8")
    code, out, _ = run("demo.json", "more.json", "--output", "report.html")
    assert (code, out.split(",")[0]) == (0, "report.html: 6 systems")


def test_markdown_and_plots(run: Run) -> None:
    assert run("demo.json", "--output", "tables.md")[0] == 0
    assert (
        Path("tables.md")
        .read_text(encoding="utf-8")
        .startswith("| System | APT | AutoPRF | APT, it | APT, they |")
    )
    assert run("demo.json", "--output", "table.tex")[0] == 0
    assert (
        Path("table.tex")
        .read_text(encoding="utf-8")
        .startswith("\\begin{table*}[t]\n\\centering\n\\begin{tabular}{lrrrr}\n")
    )
    assert run("plot", "demo.json", "--output", "cases.svg")[0] == 0
    Path("human.tsv").write_text(
        "system\tadequacy\nbaldur\t0.9\ncormoran\t0.5\ndahlia\t0.2\n", encoding="utf-8"
    )
    assert run("plot", "demo.json", "--human", "human.tsv", "--output", "scatter.svg")[0] == 0
    assert "apt against adequacy, 3 systems" in Path("scatter.svg").read_text(encoding="utf-8")


def test_judgements_appear_on_the_cards(run: Run) -> None:
    judged = "system\tsegment\ttoken\tjudgement\tcategory\nbaldur\t1\t0\tcorrect\tanaphoric\n"
    Path("judged.tsv").write_text(judged, encoding="utf-8")
    assert run("demo.json", "--judgements", "judged.tsv", "--output", "report.html")[0] == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert '"category":"anaphoric"' in page
    assert '"correct"]' in page


STRANGE = "system\tid\tjudgement\nnobody\t1:0\tcorrect\n"
NO_PLACE = "system\tid\tjudgement\nbaldur\tthird\tcorrect\n"

MISTAKES = {
    "no result": ("leaderboard", "there is no result to show", "anaphor report"),
    "a file that is not there": ("no.json", "cannot be read", "no.json"),
    "an unknown format": ("demo.json --output report.pdf", "unknown output format: report.pdf", "--output"),
    "a plot as a page": ("plot demo.json --output plot.html", "unknown output format", "--output"),
    "an unwritable place": ("demo.json --output no/report.html", "cannot be written", "no/report.html"),
    "an option of another job": ("demo.json --human h.tsv", "this option does not apply here", "--human"),
    "judgements for a plot": (
        "plot demo.json --output a.svg --judgements j",
        "does not apply here",
        "--judgements",
    ),
    "one result twice": ("demo.json demo.json", "baldur occurs in two results", "demo.json, demo.json"),
    "another set": ("demo.json other.json", "not comparable with demo.json: apt has test x", "other.json"),
    "a changed result": ("changed.json", "the result was changed after it was written", "changed.json"),
    "another format": ("format.json", "not a result file of format 2", "format.json"),
    "judgements of others": (
        "demo.json --judgements strange.tsv",
        "1 judgements match no",
        "strange.tsv",
    ),
    "judgements of no place": (
        "demo.json --judgements no_place.tsv",
        "third names no pronoun",
        "no_place.tsv",
    ),
    "no folder": ("leaderboard nowhere", "folder not found", "nowhere"),
    "two folders": ("leaderboard . .", "a leaderboard takes one folder", "anaphor report"),
    "a folder without results": ("leaderboard empty", "no result file among 0 JSON files", "empty"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_explained_and_nothing_is_written(run: Run, demo_json: str, mistake: str) -> None:
    Path("empty").mkdir()
    Path("other.json").write_text(_renamed(demo_json, "-2", test="x"), encoding="utf-8")
    Path("format.json").write_text(demo_json.replace('"format_version": 2', '"format_version": 9'), "utf-8")
    content = json.loads(demo_json)
    content["systems"][0]["metrics"][0]["score"] = 0.9
    Path("changed.json").write_text(json.dumps(content), encoding="utf-8")
    Path("strange.tsv").write_text(STRANGE, encoding="utf-8")
    Path("no_place.tsv").write_text(NO_PLACE, encoding="utf-8")
    before = sorted(Path.cwd().rglob("*"))
    command, what, where = MISTAKES[mistake]
    arguments = command.split() if "--output" in command else [*command.split(), "--output", "out.html"]
    code, out, err = run(*arguments)
    assert (code, out) == (1, "")
    assert what in err.split("\n")[0]
    assert f"where: {where}\nfix: " in err
    assert sorted(Path.cwd().rglob("*")) == before


def test_a_folder_becomes_a_leaderboard_with_what_was_refused(run: Run, demo_json: str) -> None:
    Path("board").mkdir()
    Path("board/a.json").write_text(demo_json, encoding="utf-8")
    Path("board/b.json").write_text(_renamed(demo_json, "-2"), encoding="utf-8")
    Path("board/c.json").write_text(_renamed(demo_json, "-3", version="0.0.9"), encoding="utf-8")
    Path("board/d.json").write_text("{}", encoding="utf-8")
    code, out, err = run("leaderboard", "board", "--output", "board.html")
    assert (code, out.rpartition(", ")[0]) == (0, "board.html: 6 systems, 2 files rejected")
    assert "note: board/d.json: rejected, not a result file of format 2" in err
    assert "note: board/c.json: rejected, apt has version 0.0.9, not" in err
    page = Path("board.html").read_text(encoding="utf-8")
    assert "apt has version 0.0.9, not" in page
    assert "<script" not in page
    assert page.index(">baldur<") < page.index(">cormoran<") < page.index(">dahlia<")


def test_the_leaderboard_is_valid_and_the_same_every_time(tmp_path: Path, demo_json: str) -> None:
    html5lib = pytest.importorskip("html5lib", reason="html5lib checks the HTML; pip install 'anaphor[dev]'")
    (tmp_path / "a.json").write_text(demo_json, encoding="utf-8")
    (tmp_path / "b<c>.json").write_text("[]", encoding="utf-8")
    pages = {leaderboard_page(*read_folder(tmp_path), title="<t>") for _ in range(2)}
    (page,) = pages
    assert "b&lt;c&gt;.json" in page
    html5lib.HTMLParser(strict=True).parse(page)


def test_score_writes_cards_report_and_markdown_at_once(
    demo_json: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = json.loads(demo_json)["files"]
    result, page = tmp_path / "r.json", tmp_path / "r.html"
    command = ["score", "--pair", "en-fr", "--source", files["source"], "--reference", *files["references"]]
    command += ["--candidate", *(path for _, path in files["candidates"]), "--samples", "0"]
    assert main([*command, "--cards", "--output", str(result), "--report", str(page), "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("| System | APT | AutoPRF | APT, it | APT, they |")
    content = json.loads(result.read_text(encoding="utf-8"))
    sides = [card["candidate_side"] for card in content["cards"]["judged"]["baldur"]]
    sure = [value for side in sides if side for value in side["confidence"] if value is not None]
    assert len(sure) > 100
    assert main(["report", str(result), "--output", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_bytes() == page.read_bytes()
    capsys.readouterr()
    assert main(["verify", str(result)]) == 0
    assert "6 scores recomputed, all equal" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["--max-regression", "0.1"], "a regression needs both a limit and a baseline"),
        (["--baseline", "x.json"], "a regression needs both a limit and a baseline"),
        (
            ["--max-regression", "2", "--baseline", "x.json"],
            "2 is a percentage, as in the tables; limits are fractions from 0 to 1",
        ),
        (["--skip-new", "--fail-under", "apt=0.5"], "--skip-new only applies with a baseline"),
        (["--junit", "x.xml"], "no gate is defined"),
    ],
)
def test_options_of_score_that_make_no_sense(
    demo_json: str, capsys: pytest.CaptureFixture[str], more: list[str], what: str
) -> None:
    files = json.loads(demo_json)["files"]
    command = ["score", "--pair", "en-fr", "--source", files["source"], "--reference", *files["references"]]
    assert main([*command, "--candidate", files["candidates"][0][1], "--samples", "0", *more]) == 1
    assert what in capsys.readouterr().err


def test_a_suite_gives_categories_and_antecedents(run: Run, demo_json: str) -> None:
    """The demo's first pronoun as the one item of a suite whose antecedent stands in the line before."""
    files = json.loads(demo_json)["files"]
    text, reference = read_text(files["source"]), read_text(files["references"][0])
    start = len(text.lines[0]) + 1
    item = Item(
        "1",
        "all",
        "anaphoric",
        (Span(start, start + 2),),
        (Antecedent((Span(0, 6),), (Span(0, 6),)),),
        (ReferencePair("ref", (), ((),)),),
    )
    suite = Suite(
        "tiny",
        "1",
        LanguagePair("en", "fr"),
        "Apache-2.0",
        "One item.",
        (Category("anaphoric", True, "refers back"),),
        (SuiteDocument("all", len(text.lines), text.digest, {"ref": reference.digest}),),
        (item,),
    )
    write_suite(suite, "tiny", texts=SuiteTexts({"all": text}, {"ref": {"all": reference}}))
    assert run("demo.json", "--suite", "tiny", "--output", "report.html")[0] == 0
    page = Path("report.html").read_text(encoding="utf-8")
    assert f'["{text.lines[0][:6]}","antecedent"]' in page
    assert '"category":"anaphoric"' in page
    Path("tiny/documents/source/all.txt").write_text("Another text.\n" * len(text.lines), encoding="utf-8")
    assert run("demo.json", "--suite", "tiny", "--output", "report.html")[0] == 1
