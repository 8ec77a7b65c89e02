"""`anaphor verify`: equal, or the names of what has changed."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]
APT_OF_A = "systems.a.metrics.apt"


@pytest.fixture
def result(score: Command, folder: Path) -> Path:
    """A result file of the experiment."""
    assert score("--output", "result.json", "--documents", "docs")[0] == 0
    return folder / "result.json"


def replace(path: Path, old: str, new: str) -> None:
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new, 1), encoding="utf-8")


def test_the_same_inputs_give_the_same_scores(anaphor: Command, result: Path) -> None:
    assert anaphor("verify", "result.json") == (
        0,
        "result.json: 4 scores recomputed, all equal\n",
        "",
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "cause", "moved"),
    [
        ("a.fr", "Ils rient", "Elles rient", "candidate a", "a.metrics.apt.score: 0.5 then, 0.64"),
        ("a.fr", "est un mensonge", "est un bobard", "candidate a", None),
        ("ref.fr", "Elles rient", "Ils rient", "reference 0", "a.metrics.apt.score: 0.5 then, 0.64"),
        ("a.align", "0-0 1-1", "0-1 1-1", "alignment of candidate a", "a.metrics.autoprf.score: 0.6"),
        ("src.en", "Mary", "Marie", "source", None),
        ("docs", "party", "rain", "documents", None),
    ],
)
def test_a_changed_file_is_named_with_the_scores_it_moves(
    anaphor: Command,
    result: Path,
    folder: Path,
    name: str,
    old: str,
    new: str,
    cause: str,
    moved: str | None,
) -> None:
    replace(folder / name, old, new)
    code, out, err = anaphor("verify", "result.json")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert "\nwhere: result.json\nfix:   " in err
    assert f"\n       digests.{cause}: " in err
    assert f"\n       systems.{moved}" in err if moved else ".score: " not in err


def test_a_changed_pack_is_named(score: Command, anaphor: Command, folder: Path) -> None:
    built_in = files("anaphor.languages") / "packs" / "en-fr.toml"
    pack = folder / "en-fr.toml"
    pack.write_bytes(built_in.read_bytes())
    assert score("--output", "result.json", "--packs", ".")[0] == 0
    assert anaphor("verify", "result.json")[0] == 0
    replace(pack, '{ forms = ["ce", "il"], probability = 0.6 },', "")
    code, _, err = anaphor("verify", "result.json")
    assert code == 1
    assert "\n       digests.packs: " in err
    assert f"\n       {APT_OF_A}.score: 0.5 then, 0.428" in err


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ('"score": 0.5,', '"score": 0.6,', f"{APT_OF_A}.score: 0.6 then, 0.5 now"),
        ('"score": 0.5,', '"score": null,', f"{APT_OF_A}.score: absent then, 0.5 now"),
        ('"score": 0.5,', "", f"{APT_OF_A}.score: absent then, 0.5 now"),
        ('"name": "autoprf"', '"name": "bleu"', '.name: "bleu" then, "autoprf" now'),
        ('"signature": "apt|', '"signature": "APT|', f'{APT_OF_A}.signature: "APT|'),
    ],
)
def test_a_tampered_score_is_named(
    anaphor: Command, result: Path, old: str, new: str, difference: str
) -> None:
    replace(result, old, new)
    code, _, err = anaphor("verify", "result.json")
    assert code == 1
    assert err.startswith("error: ")
    assert difference in err.splitlines()[1]


@pytest.mark.parametrize(
    ("option", "names"),
    [
        ("--source", "-"),
        ("--reference", "-"),
        ("--candidate", "a=- b.fr"),
        ("--documents", "-"),
        ("--positions", "-"),
        ("--alignment-reference", "-"),
        ("--alignment-candidate", "- b.align"),
    ],
)
def test_a_result_made_from_stdin_cannot_be_verified(
    score: Command,
    anaphor: Command,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    names: str,
) -> None:
    inputs = {"--source": "src.en", "--reference": "ref.fr", "--candidate": "a.fr", "--documents": "docs"}
    inputs |= {"--alignment-reference": "ref.align", "--alignment-candidate": "a.align"}
    content = (folder / inputs[option]).read_bytes() if option in inputs else b"0 0\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert score("--output", "result.json", option, *names.split())[0] == 0
    code, out, err = anaphor("verify", "result.json")
    assert (code, out) == (1, "")
    assert "made from standard input or from memory and cannot be recomputed" in err
    assert "\nwhere: result.json\n" in err


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "not a result file"),
        ("no JSON", "not a result file"),
        ("[]", "not a result file"),
        ('{"format": "other"}', "not a result file"),
        ('{"format": "anaphor-result", "format_version": 1}', "not a result file of format 2"),
    ],
)
def test_a_file_that_is_no_result(anaphor: Command, folder: Path, content: str, what: str) -> None:
    (folder / "result.json").write_text(content, encoding="utf-8")
    code, out, err = anaphor("verify", "result.json")
    assert (code, out) == (1, "")
    assert what in err
    *_, where, fix = err.splitlines()
    assert where == "where: result.json"
    assert "`anaphor score --output`" in fix


@pytest.mark.parametrize("path", ["none.json", "."])
def test_a_file_that_cannot_be_read(anaphor: Command, path: str) -> None:
    code, _, err = anaphor("verify", path)
    assert code == 1
    assert err.startswith("error: the result cannot be read (")
    assert f"\nwhere: {path}\n" in err


def test_an_input_that_has_gone_is_an_error(anaphor: Command, result: Path, folder: Path) -> None:
    (folder / "b.fr").unlink()
    code, _, err = anaphor("verify", "result.json")
    assert code == 1
    assert err.startswith("error: the file b.fr, from which the result was computed, is missing\n")


@pytest.mark.usefixtures("result")
def test_another_folder_is_named_as_the_cause(
    anaphor: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    code, out, err = anaphor("verify", "../result.json")
    assert (code, out) == (1, "")
    assert err.startswith("error: the file src.en, from which the result was computed, is missing\n")
    assert "run this in the folder in which the result was written" in err
