"""`anaphor check` from files to reports, baselines, copies, editors and builds."""
# ruff: noqa: E501 - files as they are written

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from anaphor.check import CheckInput, CheckOptions, check_files, server
from anaphor.check.cast import read_cast
from anaphor.check.checking import read_inputs
from anaphor.check.copies import fixed
from anaphor.check.server import diagnose
from anaphor.cli.main import main
from anaphor.core import LanguagePair

ROOT = Path(__file__).resolve().parents[2]
XLIFF = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="story" source-language="en" target-language="de" datatype="plaintext"><body>
<trans-unit id="1"><source>The lamp was old.</source><target>Die Lampe war alt.</target></trans-unit>
<trans-unit id="2"><source>It smelled of <g id="1">oil</g>.</source><target>Er roch nach <g id="1">Öl</g>.</target></trans-unit>
<trans-unit id="3"><source>It was heavy.</source><target>Sie war schwer.</target></trans-unit>
</body></file></xliff>
"""
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "The lamp was old. It smelled of oil."
msgstr "Die Lampe war alt. Er roch nach Öl."
"""
CAST = '[[member]]\nname = "Mira"\npronouns = "she"\n'


@pytest.fixture
def xliff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.xlf"
    path.write_text(XLIFF, encoding="utf-8")
    return path


def test_a_finding_has_its_place_its_reason_and_a_suggestion(xliff: Path) -> None:
    (finding,) = check_files([CheckInput(path="a.xlf")]).findings
    assert (finding.line, finding.word, finding.source_word, finding.unit) == (5, "Er", "It", "2")
    assert XLIFF.split("\n")[4][finding.column - 1 :].startswith("Er roch")
    assert finding.kind.value == "agreement"
    assert finding.refers_to == "lamp"
    assert "(unit 1)" in finding.reason
    assert finding.suggestion == "Sie"
    assert finding.confidence > 0.7


def test_the_exit_code_says_whether_something_was_found(
    xliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "a.xlf"]) == 3
    assert "[Er] roch" in capsys.readouterr().out
    assert main(["check", "a.xlf", "--fail-on", "none"]) == 0
    assert main(["check", "a.xlf", "--fail-on", "cast", "chain"]) == 0
    assert main(["check", "a.xlf", "--fail-on", "agreement"]) == 3
    assert main(["check", "a.xlf", "--min-confidence", "1"]) == 0
    assert main(["check", "a.xlf", "--kinds", "missing", "number"]) == 0
    assert main(["check", "missing.xlf"]) == 1
    assert main(["check", "a.xlf", "--min-confidence", "2"]) == 1


def test_a_baseline_hides_what_was_known_and_nothing_else(
    xliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "a.xlf", "--write-baseline", "known.json", "--fail-on", "none"]) == 0
    assert main(["check", "a.xlf", "--baseline", "known.json"]) == 0
    assert "1 known" in capsys.readouterr().out
    # A unit that moves keeps its fingerprint; one that changes loses it.
    xliff.write_text(XLIFF.replace("<trans-unit", "\n\n<trans-unit", 1), encoding="utf-8")
    assert main(["check", "a.xlf", "--baseline", "known.json"]) == 0
    xliff.write_text(XLIFF.replace("roch", "stank"), encoding="utf-8")
    assert main(["check", "a.xlf", "--baseline", "known.json"]) == 3
    Path("known.json").write_text("[]")
    assert main(["check", "a.xlf", "--baseline", "known.json"]) == 1


@pytest.mark.parametrize(
    ("note", "code"),
    [("anaphor-ignore", 0), ("anaphor: ignore[agreement]", 0), ("anaphor-ignore[cast]", 3), ("ignore", 3)],
)
def test_a_note_can_ignore_a_unit(note: str, code: int, xliff: Path) -> None:
    noted = XLIFF.replace("Öl</g>.</target>", f"Öl</g>.</target><note>{note}</note>")
    xliff.write_text(noted, encoding="utf-8")
    assert main(["check", "a.xlf"]) == code


def report_in(format: str, capsys: pytest.CaptureFixture[str]) -> str:
    main(["check", "a.xlf", "--format", format])
    return capsys.readouterr().out


def test_every_format_has_the_finding(xliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(report_in("json", capsys))
    assert [found["word"] for found in content["findings"]] == ["Er"]
    assert content["counts"]["agreement"] == 1

    (row,) = csv.DictReader(io.StringIO(report_in("csv", capsys)))
    assert (row["file"], row["line"], row["suggestion"]) == ("a.xlf", "5", "Sie")

    suites = ET.fromstring(report_in("junit", capsys))
    assert [failure.get("type") for failure in suites.iter("failure")] == ["agreement"]
    assert suites.find("testsuite").get("failures") == "1"  # type: ignore[union-attr]

    assert report_in("github", capsys).startswith("::warning file=a.xlf,line=5,col=")
    page = report_in("html", capsys)
    assert "<mark>Er</mark> roch nach &lt;g" in page
    assert not re.search(r"(?:src|href)=", page)

    run = json.loads(report_in("sarif", capsys))["runs"][0]
    (result,) = run["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["endColumn"] - region["startColumn"]) == (5, 2)
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "agreement"


def test_sarif_follows_its_schema(xliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The schema comes from the npm package @microsoft/sarif-multitool-linux 5.7.0, which has the MIT licence."""
    with gzip.open(Path(__file__).parent / "data" / "sarif-2.1.0.json.gz", "rt", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.validate(json.loads(report_in("sarif", capsys)), schema)


def test_cells_of_csv_are_no_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.tsv").write_text(
        "key\tsource\ttarget\n1\tThe lamp was old.\tDie Lampe war alt.\n=cmd()\tIt smelled.\tEr roch.\n"
    )
    main(["check", "a.tsv", "--pair", "en-de", "--format", "csv", "--min-confidence", "0"])
    rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
    assert "'=cmd()" in rows[1]
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row)


@pytest.mark.parametrize("form", ["text", "csv", "github", "html"])
def test_escapes_of_a_terminal_are_spelled_out(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    unit = {
        "id": "\x1b[2Jid",
        "source": "The lamp\x1b[31m was old. It smelled.",
        "target": "Die\x1b[31m Lampe war alt. Er roch.",
    }
    Path("a\x1b[0m.json").write_text(json.dumps([unit]))
    main(["check", "a\x1b[0m.json", "--pair", "en-de", "--format", form, "--min-confidence", "0"])
    printed = capsys.readouterr().out
    assert "smelled" in printed or form == "github"
    assert "Er" in printed
    assert "\x1b" not in printed


def test_a_name_that_is_not_utf_8_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff.po")
    Path(name).write_text(PO, encoding="utf-8")
    assert main(["check", name, "--pair", "en-de", "--format", "csv", "--output", "out"]) == 1
    assert "not UTF-8" in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_copy_is_not_written_through_a_link_out_of_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.po").write_text(PO, encoding="utf-8")
    Path("own").write_text("mine")
    Path("copies").mkdir()
    Path("copies/a.po").symlink_to("../own")
    assert main(["check", "a.po", "--pair", "en-de", "--notes", "copies"]) == 1
    assert "link that leaves its folder" in capsys.readouterr().err
    assert Path("own").read_text() == "mine"


@pytest.mark.parametrize(("name", "text", "mark"), [("a.xlf", XLIFF, "<note"), ("a.po", PO, "# anaphor: ")])
def test_notes_go_into_a_copy_and_change_nothing_else(
    name: str, text: str, mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text, encoding="utf-8")
    least = ["--min-confidence", "0.2"]  # errors are rare in PO files
    assert main(["check", name, "--pair", "en-de", "--notes", "copies", *least]) == 3
    assert Path(name).read_text(encoding="utf-8") == text
    copy = (Path("copies") / name).read_text(encoding="utf-8")
    pattern = r"<note from=\"anaphor\">[^<]*</note>" if name == "a.xlf" else r"# anaphor: [^\n]*\n"
    assert mark in copy
    assert re.sub(pattern, "", copy) == text
    # The copy has the same units, and its findings are the same.
    (again,) = check_files(
        [CheckInput(path=str(Path("copies") / name), pair=LanguagePair("en", "de"))],
        CheckOptions(min_confidence=0.2),
    ).findings
    assert again.word == "Er"
    assert main(["check", name, "--pair", "en-de", "--notes", "."]) == 1  # never into the original
    assert main(["check", name, "--pair", "en-de", "--notes", str(tmp_path)]) == 1


def test_a_fix_changes_the_word_and_leaves_tags_alone(
    xliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "a.xlf", "--fix", "fixed", "--fix-confidence", "0.5"]) == 3
    diff = capsys.readouterr().out
    assert Path("fixed/a.xlf").read_text(encoding="utf-8") == XLIFF.replace("Er roch", "Sie roch")
    assert [line[:1] for line in diff.splitlines() if "roch" in line] == ["-", "+"]
    assert xliff.read_text(encoding="utf-8") == XLIFF


def test_no_terminal_obeys_what_is_in_a_file(
    xliff: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = XLIFF.replace("Er roch", "Er \x9b31m\u202eroch")
    xliff.write_text(text, encoding="utf-8", newline="\r\n")
    arguments = ["check", "a.xlf", "--fix", "fixed", "--fix-confidence", "0.5"]
    main(arguments)
    piped = capsys.readouterr().out
    assert "\x9b31m\u202eroch" in piped
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    main(arguments)
    assert capsys.readouterr().out == piped.replace("\r\n", "\n").replace("\x9b", "\\x9b").replace(
        "\u202e", "\\u202e"
    )
    raw = report_in("junit", capsys)
    (failure,) = ET.fromstring(raw).iter("failure")
    assert "Er \x9b31m\u202eroch" in (failure.text or "")
    assert not re.search("[\x7f-\x9f\u202e]", raw)


def test_a_proposed_cast_can_be_read_whatever_the_names(tmp_path: Path, capsys: Any) -> None:
    name = "Mi\x7fra \x9b\u202e\u2028\x1b"
    path = tmp_path / "a.json"
    rows = [{"speaker": name, "source": f"You are {n}.", "target": f"Du bist {n}."} for n in range(4)]
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert main(["check", str(path), "--pair", "en-de", "--propose-cast"]) == 0
    draft = capsys.readouterr().out
    assert [member["name"] for member in tomllib.loads(draft)["member"]] == [name]
    assert not re.search("[\x7f-\x9f\u2028-\u202e]", draft)


@pytest.mark.parametrize("value", ["nan", "-1", "1.5"])
def test_the_confidence_of_a_fix_is_a_probability(value: str, xliff: Path, capsys: Any) -> None:
    assert main(["check", "a.xlf", "--fix", "fixed", f"--fix-confidence={value}"]) == 1
    assert "a confidence must be between 0 and 1" in capsys.readouterr().err
    assert not Path("fixed").exists()


def test_a_long_cast_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "cast.toml"
    path.write_text("".join(CAST.replace("Mira", f"M{number}") for number in range(5000)), encoding="utf-8")
    begun = time.process_time()
    assert len(read_cast(str(path)).members) == 5000
    assert time.process_time() - begun < 10


def test_a_fix_below_its_confidence_is_held_back_with_a_reason(xliff: Path) -> None:
    ((file, pair),) = read_inputs([CheckInput(path="a.xlf")])
    report = check_files([CheckInput(path="a.xlf")])
    fixes = fixed(file, pair, report.findings, confidence=0.99999)
    assert fixes.text == XLIFF
    assert not fixes.applied
    assert [reason for _, reason in fixes.held] == ["its confidence is below 0.99999"]


def test_a_cast_is_proposed_with_its_evidence(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["The captain met Mira Voss. She smiled.\tDer Kapitän traf Mira Voss. Sie lächelte."] * 3
    Path("a.tsv").write_text("\n".join(["source\ttarget", *lines]) + "\n", encoding="utf-8")
    assert main(["check", "a.tsv", "--pair", "en-de", "--propose-cast"]) == 0
    draft = capsys.readouterr().out
    assert 'name = "Mira Voss"\npronouns = "she"  # 3 mentions' in draft
    Path("cast.toml").write_text(draft, encoding="utf-8")
    assert main(["check", "a.tsv", "--pair", "en-de", "--cast", "cast.toml"]) == 0


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[[member]]\nname = "A"\npronouns = "xe"\n', "pronouns"),
        ('[[member]]\nname = "A"\n', "pronouns"),
        (
            '[[member]]\nname = "A"\npronouns = "he"\n[[member]]\nname = "a"\npronouns = "she"\n',
            "two members",
        ),
        ('[[address]]\nfrom = "A"\nto = "B"\nform = "formal"\n', "unknown member"),
        ("[member\n", "TOML"),
    ],
)
def test_a_cast_with_mistakes_is_refused(text: str, what: str, xliff: Path, capsys: Any) -> None:
    Path("cast.toml").write_text(text, encoding="utf-8")
    assert main(["check", "a.xlf", "--cast", "cast.toml"]) == 1
    assert what in capsys.readouterr().err


STRINGS = "".join(
    f'#: a.c:{n}\nmsgid "Choose your file {n}."\nmsgstr "Wählen Sie Ihre Datei {n}."\n\n' for n in range(9)
)
ODD = '#: a.c:99\nmsgid "Choose your folder."\nmsgstr "Wähle deinen Ordner."\n'


def test_a_file_that_addresses_its_user_in_two_ways_is_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "de.po"
    path.write_text(STRINGS + ODD, encoding="utf-8")
    file = CheckInput(path=str(path), pair=LanguagePair("en", "de"))
    (finding,) = check_files([file], CheckOptions(fast=True)).findings
    assert (finding.kind.value, finding.word) == ("chain", "deinen")
    path.write_text(STRINGS, encoding="utf-8")
    assert not check_files([file], CheckOptions(fast=True)).findings


def test_speakers_who_switch_their_address_are_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "fr.tsv"
    rows = [
        ("Mira", "Jon, you are late.", "Jon, tu es en retard."),
        ("Jon", "Forgive me.", "Pardonne-moi."),
        ("Mira", "Where were you?", "Tu étais où ?"),
        ("Jon", "At home.", "À la maison."),
        ("Mira", "You should call.", "Vous devriez appeler."),
    ]
    path.write_text(
        "speaker\tsource\ttarget\n" + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8"
    )
    (finding,) = check_files([CheckInput(path=str(path), pair=LanguagePair("en", "fr"))]).findings
    assert (finding.kind.value, finding.word, finding.line) == ("chain", "Vous", 6)


def test_a_file_in_another_language_is_refused(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "x.tsv"
    rows = "\n".join(
        f"This is the file number {n} of them.\tCeci est le fichier {n} de la liste." for n in range(30)
    )
    path.write_text(f"source\ttarget\n{rows}\n", encoding="utf-8")
    assert main(["check", str(path), "--pair", "en-de"]) == 1
    assert "the target is French" in capsys.readouterr().err


# Editors and builds.


def test_diagnoses_count_utf_16_units(tmp_path: Path) -> None:
    text = XLIFF.replace("<target>Er roch", "<target>🕯 Er roch")
    (found,) = diagnose("a.xlf", text, CheckOptions(), None)
    line = text.split("\n")[found.line]
    assert found.line == 4
    assert line.encode("utf-16-le")[2 * found.start : 2 * found.end].decode("utf-16-le") == "Er"
    (broken,) = diagnose("a.xlf", "<xliff>\n<file>", CheckOptions(), None)
    assert (broken.is_error, broken.line) == (True, 1)


@pytest.mark.parametrize("name", ["a.xlf", "a.tmx", "a.po", "a.tsv", "a.json"])
def test_half_a_character_is_a_diagnosis_at_its_line(name: str) -> None:
    (broken,) = diagnose(
        name, "source\ttarget\nIt is.\tEs \ud800.\n", CheckOptions(), LanguagePair("en", "de")
    )
    assert (broken.is_error, broken.line) == (True, 1)
    assert "surrogate" in broken.message


def test_names_that_no_file_can_have_are_diagnosed() -> None:
    text = XLIFF.replace("<target>Er roch", "<target>🕯 Er roch")
    assert [found.line for found in diagnose(f"{'a' * 5000}.xml", text, CheckOptions(), None)] == [4]
    assert server._path_of("http://[::1") == "http://[::1"


def test_an_editor_is_told_what_is_wrong_and_that_it_is_gone() -> None:
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient

    async def session() -> list[list[str]]:
        client = LanguageClient("test", "1")
        seen: asyncio.Queue[list[str]] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator, unused-ignore]
        def published(params: types.PublishDiagnosticsParams) -> None:
            seen.put_nowait([str(diagnostic.code) for diagnostic in params.diagnostics])

        await client.start_io(sys.executable, "-m", "anaphor", "check", "--lsp", "--quiet")
        await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities()))
        uri = "file:///a.xlf"
        item = types.TextDocumentItem(uri=uri, language_id="xml", version=1, text=XLIFF)
        client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        told = [await asyncio.wait_for(seen.get(), 120)]
        change = types.TextDocumentContentChangeWholeDocument(text=XLIFF.replace("Er roch", "Sie roch"))
        named = types.VersionedTextDocumentIdentifier(uri=uri, version=2)
        client.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))
        told.append(await asyncio.wait_for(seen.get(), 120))
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()  # type: ignore[no-untyped-call]
        return told

    # In a thread of its own, because browser tests leave a loop running in theirs.
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: asyncio.run(session())).result() == [["agreement"], []]


def test_the_hook_runs_on_the_files_that_it_names(xliff: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    names = ["a.xlf", "po/de.po", "a.txt", "b.xliff"]
    assert [name for name in names if re.search(hook["files"], name)] == ["a.xlf", "po/de.po", "b.xliff"]
    program, *arguments = hook["entry"].split()
    assert program == "anaphor"
    done = subprocess.run(
        [sys.executable, "-m", "anaphor", *arguments, "a.xlf"], capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "[Er] roch" in done.stdout
    assert not done.stderr


def test_the_action_runs_its_script_and_runs_nothing_of_its_inputs(xliff: Path, tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    step = action["runs"]["steps"][-1]
    assert set(step["env"]) == {"FILES", "PAIR", "CAST", "ARGUMENTS"}
    assert not re.search(r"\$\{\{", step["run"])  # inputs reach the script as variables alone
    program = tmp_path / "bin" / "anaphor"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m anaphor "$@"\n')
    program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    inputs = {"FILES": "*.xlf", "PAIR": "en-de", "CAST": "", "ARGUMENTS": "--min-confidence 0.7"}
    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]], env={**environment, **inputs}, capture_output=True, text=True
    )
    assert done.returncode == 3
    assert done.stdout.startswith("::warning file=a.xlf,line=5,")
    inputs["FILES"] = "a.xlf; touch harm $(touch harm)"
    subprocess.run(
        ["bash", "-e", "-c", step["run"]], env={**environment, **inputs}, capture_output=True, check=False
    )
    assert not Path("harm").exists()
