"""`anaphor task score`, `published` and `compare` on a small gold file and two systems.

Eight placeholders. By hand, for English to French of 2017:

    gold    ce ce il il il ils OTHER cela
    good    ce ce il il elle ils OTHER cela      7 of 8; recalls ce 1, il 2/3, the others 1
    poor    ce il il ce il OTHER OTHER OTHER     4 of 8; recalls ce 1/2, il 2/3, ils 0, OTHER 1, cela 0
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Command = Callable[..., tuple[int, str, str]]

ONE = "\tx|PRON\tit is\tREPLACE_0 être|VER\t0-0 1-1\n"
GOLD = (
    "ce ce\t\tit and it\tREPLACE_0 et|KON REPLACE_2\t0-0 2-2\n"
    f"il{ONE}\t\tyes\toui|ADV\t0-0\nil{ONE}il{ONE}"
    f"ils{ONE}NONE{ONE}ça{ONE}"
)
GOOD = "ce ce\til\nil\n\nil\nelle\nils\nOTHER\nça\n"
POOR = "c' il\nil\n\nce\nil\nOTHER\nNONE\nOTHER\n"
DOCUMENTS = "0 one\n3 two\n6 three\n"


@pytest.fixture
def task(folder: Path, anaphor: Command) -> Command:
    """Runs `anaphor task` in a folder with gold, documents and both systems."""
    contents = {"gold.tsv": GOLD, "good.txt": GOOD, "poor.txt": POOR, "ids": DOCUMENTS}
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return lambda *arguments: anaphor("task", *arguments)


def scored(task: Command, *options: str) -> dict[str, dict[str, float]]:
    """The systems of the JSON by name."""
    code, out, err = task("score", "gold.tsv", "good.txt", "poor.txt", "--pair", "en-fr", "--json", *options)
    assert (code, err) == (0, "")
    return {system["name"]: system for system in json.loads(out)["systems"]}


@pytest.mark.parametrize(
    ("options", "metric", "good", "poor"),
    [
        ((), "accuracy", 7 / 8, 4 / 8),
        ((), "macro-recall", (1 + 2 / 3 + 1 + 1 + 1) / 5, (1 / 2 + 2 / 3 + 1) / 5),
        (("--average", "all"), "macro-recall", (1 + 2 / 3 + 1 + 1 + 1) / 8, (1 / 2 + 2 / 3 + 1) / 8),
        (("--year", "2015"), "macro-recall", (1 + 2 / 3 + 1 + 1 + 1) / 5, (1 / 2 + 2 / 3 + 1) / 5),
    ],
)
def test_scores_are_those_of_a_hand_count(
    task: Command, options: tuple[str, ...], metric: str, good: float, poor: float
) -> None:
    systems = scored(task, "--samples", "0", *options)
    assert systems["good"][metric] == pytest.approx(good)
    assert systems["poor"][metric] == pytest.approx(poor)


def test_text_shows_scores_matrix_classes_and_signatures(task: Command) -> None:
    code, out, err = task("score", "gold.tsv", "mine=good.txt", "--pair", "en-fr", "--samples", "0")
    assert (code, err) == (0, "")
    assert out.startswith("en-fr 2017, 8 segments, 8 placeholders, averages over classes present in gold\n")
    assert "mine           93.33     87.50" in out
    assert "il                0     1      0   2    0     0   0      0    3" in out
    assert "il              3          2      2     100.00   66.67   80.00" in out
    assert (
        "macro-recall|pair:en-fr|year:2017|classes:ce,elle,elles,il,ils,cela,on,OTHER|average:present" in out
    )


@pytest.mark.parametrize(("year", "first"), [("2015", "macro-f1"), ("2016", "macro-recall")])
def test_the_official_metric_of_the_year_comes_first(task: Command, year: str, first: str) -> None:
    _, out, _ = task("score", "gold.tsv", "good.txt", "--pair", "en-fr", "--year", year, "--samples", "0")
    assert out.split("\n")[2].split() == ["system", first, "accuracy"]


def test_parts_can_be_chosen(task: Command) -> None:
    command = ("score", "gold.tsv", "good.txt", "--pair", "en-fr", "--samples", "0")
    assert "gold down" not in task(*command, "--by", "class")[1]
    assert "precision" not in task(*command, "--by", "matrix")[1]


def test_intervals_and_tests_resample_documents(task: Command) -> None:
    command = ("score", "gold.tsv", "poor.txt", "good.txt", "--pair", "en-fr", "--json", "--paired")
    code, out, _ = task(*command, "--documents", "ids", "--metric", "accuracy")
    result = json.loads(out)
    (compared,) = result["comparisons"]
    assert code == 0
    assert result["documents"] == 3
    assert result["signatures"]["accuracy"]["cluster"] == "documents"
    assert compared["difference"] == pytest.approx(3 / 8)
    # Four placeholders that only good has right, one that only poor has: 2 (1 + 5) / 2^5.
    assert compared["p_mcnemar"] == pytest.approx(12 / 32)
    # Three documents: of 8 swaps only the observed one and its mirror reach the difference.
    assert compared["p_permutation"] == pytest.approx(2 / 8)
    low, high = result["systems"][0]["intervals"]["accuracy"]
    assert low < result["systems"][0]["accuracy"] < high
    assert result["signatures"]["accuracy"]["level"] == "0.95"


def test_tests_are_printed_beside_the_difference(task: Command) -> None:
    command = ("score", "gold.tsv", "poor.txt", "good.txt", "--pair", "en-fr", "--paired", "--by", "class")
    _, out, _ = task(*command, "--metric", "accuracy")
    assert "against poor    metric" in out
    assert "+37.50 [" in out


def test_one_document_gives_scores_without_interval_and_says_so(task: Command, folder: Path) -> None:
    (folder / "one").write_text("0 all\n", encoding="utf-8")
    command = ("score", "gold.tsv", "good.txt", "--pair", "en-fr", "--documents", "one")
    code, out, err = task(*command, "--json")
    assert code == 0
    assert json.loads(out)["systems"][0]["intervals"] == {"macro-recall": None, "accuracy": None}
    assert "note: no interval for accuracy" in err
    assert any("no interval for accuracy" in note for note in json.loads(out)["notes"])


def test_paired_tests_of_one_document_are_an_error(task: Command, folder: Path) -> None:
    (folder / "one").write_text("0 all\n", encoding="utf-8")
    command = ("score", "gold.tsv", "good.txt", "poor.txt", "--pair", "en-fr", "--paired")
    code, _, err = task(*command, "--documents", "one")
    assert code == 1
    assert "at least two clusters" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gold.tsv", "good.txt", "--pair", "de-en"), "de-en has no class 'ce'"),
        (("gold.tsv", "good.txt", "--pair", "en-es"), "en-es has no class 'ce'"),
        (("gold.tsv", "good.txt", "--pair", "en-de", "--year", "2015"), "no classes for 2015"),
        (("gold.tsv", "good.txt", "good.txt", "--pair", "en-fr"), "two prediction files are called good"),
        (("gold.tsv", "ids", "--pair", "en-fr"), "en-fr has no class '0'"),
        (("gold.tsv", "absent", "--pair", "en-fr"), "cannot be read"),
        (("good.txt", "good.txt", "--pair", "en-fr"), "2 columns instead of 5"),
        (("gold.tsv", "good.txt", "--pair", "en-fr", "--samples", "5"), "5 resamples are too few"),
        (("gold.tsv", "good.txt", "--pair", "en-fr", "--packs", "absent"), "folder of packs not found"),
        (
            ("gold.tsv", "good.txt", "poor.txt", "--pair", "en-fr", "--legacy"),
            "does not support a second PRED",
        ),
        (("gold.tsv", "good.txt", "--pair", "en-fr", "--legacy", "--paired"), "does not support --paired"),
        (
            ("gold.tsv", "good.txt", "--pair", "en-fr", "--legacy", "--seed", "1"),
            "does not support resampling",
        ),
        (("gold.tsv", "good.txt", "--pair", "en-de", "--legacy", "--year", "2015"), "other than en-fr"),
    ],
)
def test_a_mistake_is_explained_in_three_parts(
    task: Command, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = task("score", *arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert [line.split(":")[0] for line in err.split("\n")[:3]] == ["error", "where", "fix"]


def test_legacy_prints_the_official_text(task: Command) -> None:
    code, out, err = task("score", "gold.tsv", "good.txt", "--pair", "en-fr", "--legacy")
    assert (code, err) == (0, "")
    assert out.startswith("\n<<< I.  EVALUATION >>>\n\nConfusion matrix:\n          ce  elle  elles ")
    # Over all eight classes: (1 + 2/3 + 1 + 1 + 1) / 8.
    assert out.endswith("<<< II. OFFICIAL SCORE >>>\n\nMACRO-averaged R:  58.33%\n\n")


def test_legacy_fails_with_the_message_and_the_exit_code_of_the_official_scorer(
    task: Command, folder: Path
) -> None:
    (folder / "bad.txt").write_text(GOOD.replace("elle", "lui"), encoding="utf-8")
    code, out, err = task("score", "gold.tsv", "bad.txt", "--pair", "en-fr", "--legacy")
    assert (code, out) == (25, "")
    expected = "Line 5: Wrong file format for bad.txt: the predicted label is 'lui' at SCORER line 179"
    assert err == f"{expected}, <PREDICTED> line 5.\n"


def test_published_results_are_shown_with_their_source(task: Command) -> None:
    code, out, _ = task("published", "--pair", "en-de", "--year", "2017")
    assert code == 0
    assert out.startswith(
        "en-de 2017, published in discomt17-findings, Table 6 and discomt17-findings, Table 10\n"
    )
    assert "Uppsala-primary              1         78.38     79.35  75.00  88.71  78.85  70.97" in out
    result = json.loads(task("published", "--pair", "fr-en", "--year", "2016", "--json")[1])
    assert result["instances"] is None
    assert result["systems"][0] == {
        "name": "TurkuNLP-primary",
        "rank": 1,
        "accuracy_rank": 2,
        "macro_recall": 0.7203,
        "accuracy": 0.8079,
        "recalls": None,
    }


def test_results_that_do_not_exist_are_refused(task: Command) -> None:
    code, _, err = task("published", "--pair", "fr-en")
    assert code == 1
    assert "no published results of fr-en 2017 are stored" in err


def test_runs_are_ranked_among_published_ones_and_the_differences_are_named(task: Command) -> None:
    command = ("compare", "gold.tsv", "good.txt", "poor.txt", "--pair", "en-fr")
    code, out, _ = task(*command, "--year", "2017")
    assert code == 0
    assert "good                           ours         93.33     87.50" in out
    assert "poor                           ours         43.33     50.00" in out
    assert "TurkuNLP-primary          published         66.89     67.40" in out
    assert "en-fr 2017: 8 placeholders here, 181 there" in out
    assert "Preparation: " in out
    result = json.loads(task(*command, "--year", "2016", "--json")[1])
    assert result["systems"][0]["name"] == "good"
    assert len(result["differences"]) == 2
