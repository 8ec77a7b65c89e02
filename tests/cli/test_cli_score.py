"""`anaphor score`: what it prints and writes. Every number is counted by hand in conftest.py."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]


def lines_with(out: str, start: str) -> list[list[str]]:
    """The words of every line that starts with a word."""
    return [line.split() for line in out.splitlines() if line.split()[:1] == [start]]


def test_the_table_has_a_row_for_each_system_and_the_six_cases(score: Command) -> None:
    code, out, err = score()
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "en-fr, 6 segments, 7 pronouns (it 4, they 3)"
    assert lines_with(out, "a") == [["a", "50.0", "61.5"], ["a", "3", "1", "2", "0", "1", "0"]]
    assert lines_with(out, "b") == [["b", "57.1", "40.0"], ["b", "4", "0", "1", "1", "0", "1"]]


def test_signatures_stand_below_the_table_without_the_hash_of_a_candidate(score: Command) -> None:
    _, out, _ = score()
    apt, autoprf = out.splitlines()[-2:]
    assert apt.startswith("apt|pair:en-fr|refs:1|")
    assert autoprf.startswith("autoprf|pair:en-fr|refs:1|")
    assert "|cand:" not in out


def test_json_has_everything_behind_the_numbers(score: Command) -> None:
    code, out, err = score("--json", "--documents", "docs")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert (result["segments"], result["documents"], result["pronouns"]) == (6, 3, 7)
    assert result["files"]["candidates"] == [["a", "a.fr"], ["b", "b.fr"]]
    apt, autoprf = result["systems"][0]["metrics"]
    assert apt["score"] == pytest.approx(3.5 / 7)
    assert apt["by_pronoun"] == pytest.approx({"it": 2.5 / 4, "they": 1 / 3})
    assert apt["by_document"] == pytest.approx({"rain": 1, "party": 0.25, "trial": 1 / 3})
    assert apt["details"] == {f"case_{n}": count for n, count in enumerate((3, 1, 2, 0, 1, 0), 1)}
    assert autoprf["score"] == pytest.approx(8 / 13)
    assert result["systems"][1]["confusion"]["il"] == {"elle": 1, "il": 1}


def test_latex_has_a_row_for_each_system(score: Command) -> None:
    code, out, _ = score("--latex")
    assert code == 0
    assert out.splitlines()[2:9] == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"System & APT & AutoPRF & APT, it & APT, they \\",
        r"\midrule",
        r"a & 50.0 & \textbf{61.5} & \textbf{62.5} & 33.3 \\",
        r"b & \textbf{57.1} & 40.0 & 50.0 & \textbf{66.7} \\",
        r"\bottomrule",
    ]


def test_the_output_file_is_what_json_prints(score: Command, folder: Path) -> None:
    _, table, _ = score("--output", "result.json")
    _, printed, _ = score("--json")
    assert (folder / "result.json").read_text(encoding="utf-8") == printed
    assert table.startswith("en-fr, 6 segments")


def test_texts_are_in_the_output_if_asked_for_and_a_report_does_not_change_that(
    score: Command, folder: Path
) -> None:
    """The page needs the texts; the result file is often published where the texts may not be."""
    written = {}
    for name, options in {
        "plain": (),
        "report": ("--report", "report.html"),
        "cards": ("--cards",),
        "both": ("--cards", "--report", "report.html"),
    }.items():
        assert score("--output", f"{name}.json", *options)[0] == 0
        written[name] = (folder / f"{name}.json").read_text(encoding="utf-8")
    line = (folder / "a.fr").read_text(encoding="utf-8").splitlines()[0]
    assert {name: line in text for name, text in written.items()} == {
        "plain": False,
        "report": False,
        "cards": True,
        "both": True,
    }
    assert written["plain"] == written["report"]


def test_the_items_file_has_a_line_for_each_pronoun_and_system(score: Command, folder: Path) -> None:
    assert score("--items", "items.tsv", "--documents", "docs")[0] == 0
    heading, *rows = (folder / "items.tsv").read_text(encoding="utf-8").splitlines()
    assert heading.split("\t")[:5] == ["system", "document", "segment", "token", "pronoun"]
    assert len(rows) == 14
    assert rows[3].startswith("a\tparty\t3\t0\tit\t0\tC'\tIl\t0\t-\t-\tequivalent\t4\t")
    assert rows[8].startswith("b\train\t1\t4\tit\t0\til\til\t4\t-\tunaligned:nothing>4\tidentical\t2\t")
    assert rows[13].startswith("b\ttrial\t5\t3\tthey\t0\t-\t-\t-\t-\t-\tboth_missing\t6\t")


@pytest.mark.parametrize(
    ("part", "line"),
    [
        ("case", ["a", "3", "1", "2", "0", "1", "0"]),
        ("pronoun", ["they", "33.3", "66.7"]),
        ("document", ["party", "25.0", "100.0"]),
        ("matrix", ["elles", "0", "1", "0", "0", "0", "0"]),
        ("clipped", ["no", "pronoun", "has", "a", "clipped", "count", "above", "one"]),
    ],
)
def test_each_part_below_the_scores(score: Command, part: str, line: list[str]) -> None:
    assert line in lines_with(score("--documents", "docs", "--by", part)[1], line[0])


def test_parts_by_document_without_documents_say_what_is_missing(score: Command) -> None:
    assert "give them with --documents" in score("--by", "document")[1]


@pytest.mark.parametrize("layout", [[], ["--latex"], ["--markdown"]])
def test_every_layout_shows_scores_by_what_it_does(score: Command, layout: list[str]) -> None:
    """Two identical *it*, an equivalent and a different one: APT is 2.5 / 4 for a (table of `conftest`).

    All four are things to the classifier; *It rains* is beyond it.
    """
    code, out, err = score("--functions", *layout)
    assert (code, err) == (0, "")
    lines = out[out.index("hint, not a score: predicted function of *it*") :].splitlines()
    assert lines[1].removeprefix("% ").split() == ["apt", "anaphoric", "(4)"]
    assert lines[2].removeprefix("% ").split() == ["a", "62.5"]


def test_functions_are_in_the_file_and_it_verifies(score: Command, anaphor: Command, folder: Path) -> None:
    assert score("--functions", "--output", "result.json", "--report", "report.html")[0] == 0
    assert "By function of “it”" in (folder / "report.html").read_text(encoding="utf-8")
    found = json.loads((folder / "result.json").read_text(encoding="utf-8"))["functions"]
    assert sum(found["counts"].values()) == 4
    assert set(found["scores"]) == {"apt", "autoprf"}
    assert anaphor("verify", "result.json")[0] == 0


def test_a_paired_test_compares_with_the_first_candidate(score: Command) -> None:
    _, out, _ = score("--paired", "--samples", "100", "--json")
    apt, autoprf = json.loads(out)["comparisons"]
    assert (apt["baseline"], apt["system"], apt["metric"]) == ("a", "b", "apt")
    assert apt["difference"] == pytest.approx(0.5 / 7)
    # a is right on segments 0, 1, 5, b on 1, 2, 3, 5: one against two discordant pronouns.
    assert (apt["p_mcnemar"], autoprf["p_mcnemar"]) == (1.0, None)
    assert apt["p_adjusted"] >= apt["p_permutation"]
    assert apt["interval"][0] <= apt["difference"] <= apt["interval"][1]


@pytest.mark.parametrize(
    ("limit", "code", "what"),
    [
        ("apt=0.5", 0, None),
        ("apt=0.55", 3, "apt of a is 0.5000, below 0.55"),
        ("autoprf=0.5", 3, "autoprf of b is 0.4000, below 0.5"),
    ],
)
def test_a_limit_fails_the_command_after_the_results(
    score: Command, limit: str, code: int, what: str | None
) -> None:
    found, out, err = score("--fail-under", limit)
    assert found == code
    assert out.startswith("en-fr, 6 segments")
    assert err.startswith(f"error: {what}\nwhere: --fail-under\nfix:   " if what else "")
    assert bool(err) is bool(what)


def test_an_undefined_score_fails_every_limit(score: Command) -> None:
    only_neither = ("--positions", "positions", "--candidate", "b.fr", "--alignment-candidate", "b.align")
    Path("positions").write_text("5 3\n")
    code, out, err = score(*only_neither, "--discard", "6", "--fail-under", "apt=0")
    assert code == 3
    assert lines_with(out, "b")[0] == ["b", "n/a", "n/a"]
    assert "apt of b is nan, below 0" in err


def test_candidates_may_be_named(score: Command) -> None:
    _, out, _ = score("--candidate", "good=a.fr", "worse=b.fr", "--json")
    result: dict[str, Any] = json.loads(out)
    assert [system["system"] for system in result["systems"]] == ["good", "worse"]
    assert result["files"]["candidates"] == [["good", "a.fr"], ["worse", "b.fr"]]


def test_a_file_whose_name_has_an_equals_sign_is_a_file(score: Command, folder: Path) -> None:
    (folder / "a.fr").rename(folder / "beam=5.fr")
    _, out, _ = score("--candidate", "beam=5.fr", "b.fr", "--json")
    assert [system["system"] for system in json.loads(out)["systems"]] == ["beam=5", "b"]


def test_a_quiet_run_with_a_predictor_writes_nothing_on_stderr_when_python_ends(tmp_path: Path) -> None:
    """The compiled core names every object of its own that is left over at the end of the process."""
    for name, line in {
        "source": "The lamp is old . It works .",
        "target": "La lampe est vieille . Elle marche .",
    }.items():
        (tmp_path / name).write_text(f"{line}\n" * 3, encoding="utf-8")
    command = (
        "score -q -p en-fr --tokenized --samples 0 -s source -r target -c target --predictor anaphor-2-small"
    )
    done = subprocess.run(
        [sys.executable, "-m", "anaphor", *command.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "anaphor-2-small" in done.stdout
    assert done.stderr == ""
