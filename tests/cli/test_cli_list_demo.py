"""`anaphor list`, `anaphor demo` and the help texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor import __version__
from anaphor.cli.main import main
from anaphor.core.engine import has_native
from anaphor.demo import SYSTEMS, files
from anaphor.languages import known_languages, known_pairs

Command = Callable[..., tuple[int, str, str]]
VERBS = ("score", "demo", "list", "selfcheck", "verify", "legacy")


def test_the_list_names_metrics_aligners_pairs_and_languages(anaphor: Command) -> None:
    engine = "compiled" if has_native() else "NumPy (no compiler at installation)"
    code, out, err = anaphor("list")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "metrics: accept, apt, autoprf, bleu, chrf, comet, judge, meteor, meteor-pronouns",
        "aligners: anaphor, awesome-align, eflomal, fast_align, giza++, mgiza, simalign",
        f"engine of the aligner: {engine}",
        f"pairs: {', '.join(known_pairs())}",
        f"languages: {', '.join(known_languages())}",
        "what works for a pair: anaphor pack check PAIR",
    ]


def test_the_list_of_a_pair_shows_the_sets_of_the_paper(anaphor: Command) -> None:
    """apt-2017, Table 2."""
    code, out, _ = anaphor("list", "--pair", "en-fr")
    assert code == 0
    assert "source pronouns: it, they" in out
    assert "identical: ce = c', ça = ç' = cela" in out
    assert "equivalent: ce ~ il (p = 0.6), ce ~ ça (p = 0.6)" in out


def test_the_list_as_json(anaphor: Command) -> None:
    assert json.loads(anaphor("list", "--json")[1])["languages"] == [*known_languages()]
    pair = json.loads(anaphor("list", "--pair", "en-fr", "--json")[1])
    assert pair["identical"] == ["ce = c'", "ça = ç' = cela"]


def test_packs_of_the_user_are_listed(anaphor: Command, folder: Path) -> None:
    (folder / "en-xx.toml").write_text("", encoding="utf-8")
    assert "en-xx" in anaphor("list", "--packs", ".")[1]


@pytest.mark.parametrize(
    ("options", "what"),
    [("--pair en-fi", "unknown language pair: en-fi"), ("--packs none", "folder of packs not found")],
)
def test_the_list_of_what_is_not_there(anaphor: Command, options: str, what: str) -> None:
    code, out, err = anaphor("list", *options.split())
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {what}")


def test_the_demo_judges_without_a_reference_first_and_ends_with_a_report(
    anaphor: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = anaphor("demo", "--examples", "2")
    assert code == 0
    without, compared = out.split("\nWith a reference:\n")
    scores, _, reasons = without.partition("\nline ")
    for table in (scores, compared):
        assert "en-fr, 115 segments, 7 documents, 142 pronouns (it 96, they 46)" in table
        assert all(f"\n{name} " in table for name in SYSTEMS)
    assert "judged  accepted  rejected  open" in scores
    assert " apt " not in scores
    assert len(reasons.split("\nline ")) == 2
    for example in reasons.split("\nline "):
        titles = [line.split()[0] for line in example.strip().splitlines()[1:]]
        assert titles[0] == "source"
        assert titles[-4] in SYSTEMS
        assert titles[-3] == "accepted"
        assert titles[-2] in SYSTEMS
        assert titles[-1] == "rejected"
        assert " → " in example.strip().splitlines()[-1]
    assert "p Holm" in compared
    assert out.endswith("\nreport: anaphor-demo.html\n")
    page = (tmp_path / "anaphor-demo.html").read_text(encoding="utf-8")
    assert "What divides the systems most" in page


def test_the_demo_as_json_is_what_score_gives(
    anaphor: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = json.loads(anaphor("demo", "--json")[1])
    assert not (tmp_path / "anaphor-demo.html").exists()
    place = files()
    assert place.source is not None
    command = ["score", "--pair", "en-fr", "--json", "--paired", "--source", place.source]
    command += ["--metrics", "apt", "accept", "bleu", "--documents", str(place.documents)]
    command += ["--reference", *place.references]
    command += ["--candidate", *(path for _, path in place.candidates)]
    assert json.loads(anaphor(*command)[1]) == shown


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_help_text_with_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([verb, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert "\nexamples:\n" in out
    assert f"\n  anaphor {verb}" in out


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert (caught.value.code, capsys.readouterr().out) == (0, f"anaphor {__version__}\n")


@pytest.mark.parametrize(
    "command",
    [
        "",
        "scores",
        "score",
        "score --pair en-fr --weights one",
        "score --pair en-fr --by word",
        "score --pair en-fr --json --latex",
        "demo --examples -1",
        "demo --examples many",
        "legacy",
    ],
)
def test_wrong_usage_has_exit_code_2(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(command.split())
    assert caught.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "usage: anaphor" in captured.err
