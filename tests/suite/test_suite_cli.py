"""`anaphor suite` and `anaphor selfcheck --suite`, run in this process."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.cli.main import main
from anaphor.corpus import Text
from anaphor.suite import LoadedSuite, write_suite

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def anaphor(
    folder: Path,
    alpha: Text,
    beta: Text,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Runs the command beside the folder `suite` and the candidates alpha.fr and beta.fr."""
    monkeypatch.chdir(folder.parent)
    for text in (alpha, beta):
        Path(text.path).write_text("\n".join(text.lines) + "\n", encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(arguments)
        return code, *capsys.readouterr()

    return run


EVALUATE = ("suite", "evaluate", "suite", "--candidate", "alpha.fr", "beta.fr")


def test_evaluate_prints_matches_per_category_and_what_changed(anaphor: Command) -> None:
    code, out, err = anaphor(*EVALUATE, "--changes")
    assert (code, err) == (0, "")
    assert "anaphoric_inter_subject_it      2  2 (100.0)    0 (0.0)" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["anaphoric_inter_subject_it", "2", "0.0", "100.0", "0", "2", "0.5000"] in rows
    assert "total                           7   5 (71.4)   2 (28.6)" in out
    assert "95% interval                       33.6-92.5   7.5-66.4" in out
    assert "agrees-with-own-antecedent                 1          1" in out  # clips, bicycle
    assert "won   war  event_it" in out
    assert "lost  firms  anaphoric_intra_they" in out
    headings = [
        "against",
        "alpha",
        "metric",
        "difference",
        "p",
        "perm.",
        "p",
        "boot.",
        "p",
        "McNemar",
        "p",
        "Holm",
    ]
    assert [line for line in out.splitlines() if line.split()[:12] == headings]
    assert "|seed:12345|samples:1000|" in out


def test_without_resamples_nothing_is_tested(anaphor: Command) -> None:
    _, out, _ = anaphor(*EVALUATE, "--samples", "0")
    assert "items against alpha" in out
    assert "p perm." not in out
    assert "|seed:" not in out


def test_changes_stand_in_the_order_of_the_categories_whatever_changed_first(anaphor: Command) -> None:
    """From alpha to beta an event improves and anaphoric items break: the suite lists the anaphoric first."""
    _, out, _ = anaphor(*EVALUATE, "--changes")
    tables = [block.split("\n") for block in out.split("\n\n")]
    order = [line.split()[0] for line in tables[0][1:]]
    changed = [line.split()[0] for line in tables[1][1:] if line.split()[0] in order]
    assert len(changed) > 2
    assert changed == sorted(changed, key=order.index)
    broken = [line.split()[2] for line in tables[1] if line.startswith("broken")]
    assert broken == sorted(broken, key=order.index)


def test_show_and_work_list_mark_the_pronoun_that_is_meant(
    make: Callable[..., LoadedSuite], anaphor: Command
) -> None:
    line = "The {one.h:dog} saw it when {one.p:it} slept, and {two.p:it} rained."
    target = "Le {one.h:chien} l'a vu quand {one.p:il} dormait, et {two.p:il} pleuvait."
    loaded = make(
        {"d": {"source": line, "human": target}}, {"one": "anaphoric_intra_they", "two": "event_it"}
    )
    write_suite(loaded.suite, "pets", texts=loaded.texts)
    _, out, _ = anaphor("suite", "show", "pets", "--item", "one", "two")
    assert [line for line in out.split("\n") if line.startswith("source")] == [
        "source: The dog saw it when [it] slept, and it rained.",
        "source: The dog saw it when it slept, and [it] rained.",
    ]
    Path("bad.fr").write_text("Elle dort.\n", encoding="utf-8")
    assert anaphor("suite", "evaluate", "pets", "--candidate", "bad.fr", "--work-list", "todo.jsonl")[0] == 0
    rows = [json.loads(row) for row in Path("todo.jsonl").read_text("utf-8").split("\n")[:-1]]
    assert [row["source"] for row in rows] == [
        "The dog saw it when [it] slept, and it rained.",
        "The dog saw it when it slept, and [it] rained.",
    ]


def test_evaluate_prints_json(anaphor: Command) -> None:
    code, out, _ = anaphor(*EVALUATE, "--json")
    content = json.loads(out)
    assert code == 0
    assert content["suite"] == {"name": "examples", "version": "1.0", "pair": "en-fr"}
    assert [system["tallies"][-1]["matches"] for system in content["systems"]] == [5, 2]
    assert content["systems"][1]["items"][0] == {
        "item": "bicycle",
        "category": "anaphoric_inter_subject_it",
        "outcome": "agrees-with-own-antecedent",
        "matches": None,
        "agreement": "agrees",
        "pronoun": "Elle",
        "heads": ["bicyclette"],
    }
    assert content["changes"][0]["won"] == ["war"]
    (comparison,) = content["comparisons"]
    assert [comparison[key] for key in ("baseline", "system", "metric")] == ["alpha", "beta", "accuracy"]
    assert comparison["difference"] == pytest.approx(-3 / 7)
    assert comparison["p_adjusted"] == comparison["p_permutation"]


def test_evaluate_notes_what_looks_wrong_with_a_candidate(anaphor: Command) -> None:
    Path("copy.fr").write_bytes(Path("alpha.fr").read_bytes())
    code, out, err = anaphor(*EVALUATE, "copy.fr", "--json")
    assert code == 0
    assert "note: candidate copy: equals candidate alpha" in err
    assert json.loads(out)["notes"] == ["candidate copy: equals candidate alpha"]


def test_a_gate_fails_below_a_share_of_all_items_or_of_a_category(anaphor: Command) -> None:
    """alpha matches 5 of 7 items, beta 2; of the one event only beta matches it."""
    gates = ("--fail-under", "0.5", "event_it=0.9", "--junit", "gates.xml")
    code, out, err = anaphor(*EVALUATE, *gates)
    assert code == 3
    assert "total                           7   5 (71.4)   2 (28.6)" in out
    first, second, where, fix = err.splitlines()
    assert first == "error: event_it of alpha is 0.0000, below 0.9"
    assert second.strip() == "total of beta is 0.2857, below 0.5"
    assert where == "where: --fail-under"
    assert "--work-list" in fix
    root = ET.parse("gates.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "0")
    assert anaphor(*EVALUATE, "--fail-under", "0.2")[0] == 0


def test_a_missing_candidate_of_a_suite_leaves_a_junit_file(anaphor: Command) -> None:
    lost = ("suite", "evaluate", "suite", "--candidate", "alpha.fr", "lost.fr")
    assert anaphor(*lost, "--fail-under", "0.5", "--junit", "gates.xml")[0] == 1
    assert ET.parse("gates.xml").getroot().get("errors") == "2"


def test_latex_has_the_best_in_bold_and_the_signature_in_its_caption(anaphor: Command) -> None:
    code, out, _ = anaphor(*EVALUATE, "--latex")
    assert code == 0
    assert r"anaphoric inter subject it & 2 & \textbf{100.0} & 0.0 \\" in out
    assert r"total & 7 & \textbf{71.4} {\scriptsize [33.6, 92.5]} & 28.6 {\scriptsize [7.5, 66.4]} \\" in out
    assert "\\caption{Items of the test suite examples 1.0 (en-fr)" in out
    assert "suite:examples-1.0" in out
    assert out.count("begin{tabular}") == 1


def test_the_report_shows_scores_changes_gates_and_every_mismatch(anaphor: Command) -> None:
    assert anaphor(*EVALUATE, "--report", "suite.html", "--fail-under", "0.5")[0] == 3
    page = Path("suite.html").read_text(encoding="utf-8")
    assert "<h1>Test suite examples 1.0</h1>" in page
    assert "7 items, 7 documents, 2 systems" in page
    assert "<td>5 (71.4)</td><td>2 (28.6)</td>" in page
    assert "total of beta is 0.2857, below 0.5" in page
    # Mismatches: war and clips of alpha; bicycle, firms, funeral, clips and taxes of beta.
    assert page.count("<article>") == 6
    assert '<mark class="pronoun">It</mark> is red.' in page
    assert "J&#x27;ai une bicyclette. | Elle est rouge." in page


def test_a_folder_of_documents_is_a_candidate_too(anaphor: Command, alpha: Text) -> None:
    Path("alpha").mkdir()
    start = 0
    sizes = {"bicycle": 2, "war": 2, "rain": 1, "firms": 1, "funeral": 2, "clips": 1, "taxes": 1}
    for name, size in sizes.items():
        lines = "".join(f"{line}\n" for line in alpha.lines[start : start + size])
        Path("alpha", f"{name}.txt").write_text(lines, encoding="utf-8")
        start += size
    assert anaphor("suite", "evaluate", "suite", "--candidate", "alpha") == anaphor(
        "suite", "evaluate", "suite", "--candidate", "alpha.fr"
    )
    Path("alpha", "rain.txt").write_text("a\nb\n", encoding="utf-8")
    code, _, err = anaphor("suite", "evaluate", "suite", "--candidate", "alpha")
    assert code == 1
    assert "rain.txt has 2 lines, its source has 1" in err


def test_given_alignments_count_in_a_given_source(anaphor: Command) -> None:
    """All links left out: every candidate has nothing for any item."""
    Path("empty.align").write_text("\n" * 10, encoding="utf-8")
    code, out, _ = anaphor(
        *("suite", "evaluate", "suite", "--candidate", "alpha.fr", "--alignment", "empty.align", "--json")
    )
    assert code == 0
    assert json.loads(out)["systems"][0]["tallies"][-1]["matches"] == 0


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((*EVALUATE, "--alignment", "one"), "1 alignment file for 2 candidates"),
        ((*EVALUATE, "--source", "alpha.fr"), "a tokenized source only applies to given alignments"),
        ((*EVALUATE, "--junit", "x.xml"), "no gate is defined"),
        ((*EVALUATE, "--fail-under", "60"), "60 is a percentage, as in the tables"),
        ((*EVALUATE, "--fail-under", "event_its=0.5"), "there is no category event_its in this run"),
        ((*EVALUATE, "--level", "2"), "confidence level must be between 0.5 and 1, got 2.0"),
        ((*EVALUATE[:3], "--candidate", "alpha.fr", "alpha.fr"), "two candidates are called alpha"),
        ((*EVALUATE[:3], "--candidate", "none.fr"), "the file cannot be read"),
        (("suite", "show", "nowhere"), "there is no suite of this name"),
        (("suite", "show", "suite", "--item", "bicycles"), "unknown item: bicycles"),
        (("suite", "export", "suite"), "no output is given"),
        (
            ("suite", "export", "suite", "--stand-off", "suite"),
            "the folder cannot be written (it exists already)",
        ),
        (("suite", "export", "suite", "--protest", "none/x.db"), "the file cannot be written"),
        (("suite", "import", "alpha.fr", "--output", "new"), "not an SQLite file"),
        (("suite", "check", "documents"), "there is no suite of this name"),
        (("selfcheck", "--suite", "suite", "--pair", "en-fr"), "a suite contains its own pair and texts"),
    ],
)
def test_mistakes_are_explained(anaphor: Command, arguments: tuple[str, ...], what: str) -> None:
    code, out, err = anaphor(*arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"error: {what}")
    assert [line.partition(":")[0] for line in err.split("\n")[:3]] == ["error", "where", "fix"]


def test_the_work_list_comes_back_as_approved_alternatives(anaphor: Command) -> None:
    assert anaphor(*EVALUATE, "--work-list", "todo.tsv")[0] == 0
    path = Path("todo.tsv")
    path.write_text(path.read_text("utf-8").replace("\tbeta\tbicycle", "ok\tbeta\tbicycle"), "utf-8")
    approve = ("suite", "approve", "suite", "--work-list", "todo.tsv", "--by", "A", "--output", "grown")
    assert anaphor(*approve) == (0, "grown: 1 approved alternative, 1 of them new\n", "")
    grown = (*EVALUATE[:2], "grown", *EVALUATE[3:], "--json")
    assert json.loads(anaphor(*grown)[1])["systems"][1]["tallies"][-1]["matches"] == 3
    strict = json.loads(anaphor(*grown, "--references-only")[1])
    assert strict["systems"][1]["tallies"][-1]["matches"] == 2


def test_a_work_list_can_be_json_lines(anaphor: Command) -> None:
    anaphor(*EVALUATE, "--work-list", "todo.jsonl")
    assert json.loads(Path("todo.jsonl").read_text("utf-8").split("\n")[0])["item"] == "war"


def test_a_suite_goes_to_protest_and_comes_back(anaphor: Command, folder: Path) -> None:
    assert anaphor("suite", "export", "suite", "--protest", "suite.db") == (0, "", "")
    assert anaphor("suite", "import", "suite.db", "--output", "again")[0] == 0
    paths = list(folder.rglob("*.*"))
    assert len(paths) > 1
    for path in paths:
        assert (Path("again") / path.relative_to(folder)).read_bytes() == path.read_bytes()


def test_the_source_to_translate_has_a_line_a_segment(anaphor: Command) -> None:
    anaphor("suite", "export", "suite", "--source", "src.en", "--stand-off", "bare")
    assert Path("src.en").read_text("utf-8").split("\n")[:2] == ["I own a bicycle.", "It is red."]
    code, _, err = anaphor("suite", "evaluate", "bare", "--candidate", "alpha.fr")
    assert code == 1
    assert "the text of bicycle (source) is missing" in err
    given = ("--documents", "suite/documents", "--candidate", "alpha.fr")
    assert anaphor("suite", "evaluate", "bare", *given)[0] == 0


def test_show_names_the_parts_of_a_suite_and_of_an_item(anaphor: Command) -> None:
    code, out, _ = anaphor("suite", "show", "suite")
    assert code == 0
    assert "references: human, second" in out
    assert json.loads(anaphor("suite", "show", "suite", "--json")[1])["categories"]["event_it"] == 1
    _, out, _ = anaphor("suite", "show", "suite", "--item", "bicycle")
    assert out == (
        "item: bicycle\ncategory: anaphoric_inter_subject_it\ndocument: bicycle\nline: 2\npronoun: It\n"
        "antecedents: a bicycle\nheads: bicycle\nsource: I own a bicycle. | [It] is red.\nhuman: Il, vélo\n"
    )


@pytest.mark.parametrize("command", [("suite", "check", "suite"), ("selfcheck", "--suite", "suite")])
def test_check_trusts_a_good_suite_and_refuses_a_bad_one(anaphor: Command, command: tuple[str, ...]) -> None:
    code, out, _ = anaphor(*command)
    assert code == 0
    assert "holds  human: as a candidate it matches 7 of 7 items" in out
    items, header = Path("suite/items.jsonl"), Path("suite/suite.toml")
    # The full stop of `Aujourd'hui il pleut.` in the place of its pronoun.
    items.write_text(items.read_text("utf-8").replace("[[12, 14]]", "[[20, 21]]"), "utf-8")
    kept = [line for line in header.read_text("utf-8").split("\n") if not line.startswith("hash")]
    header.write_text("\n".join(kept), "utf-8")
    code, out, err = anaphor(*command)
    assert code == 1
    assert "FAILS  human: every place in it has a word" in out
    assert "error: 1 of 7 checks fail" in err
