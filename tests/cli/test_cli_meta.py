"""`anaphor meta` on invented files: what it prints, as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, str, str]]

HUMAN = "system\tpeople\na\t0.7\nb\t0.5\nc\t0.2\nd\t0.4\n"
METRICS = "system\tgood\tpoor\na\t0.9\t0.3\nb\t0.6\t0.1\nc\t0.1\t0.4\nd\t0.5\t0.2\n"


@pytest.fixture
def place(folder: Path) -> Path:
    """The folder of the experiment with scores of four more systems."""
    (folder / "human.tsv").write_text(HUMAN, encoding="utf-8")
    (folder / "metrics.tsv").write_text(METRICS, encoding="utf-8")
    return folder


@pytest.fixture
def meta(place: Path, anaphor: Command) -> Callable[..., Any]:
    """Runs a job with --json and gives what it prints."""

    def run(*arguments: str) -> Any:
        code, out, err = anaphor("meta", *arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    return run


def test_every_metric_meets_every_human_score(meta: Callable[..., Any]) -> None:
    found = meta("correlate", "--scores", "metrics.tsv", "--human", "human.tsv", "--outliers", "c")
    assert [(one["metric"], one["without"]) for one in found["correlations"]] == [
        ("good", []),
        ("poor", []),
        ("good", ["c"]),
        ("poor", ["c"]),
    ]
    assert found["correlations"][0]["correlations"][1]["value"] == 1
    assert len(found["williams"]) == 1  # three systems leave no degree of freedom without c


def test_the_text_shows_correlations_and_williams(place: Path, anaphor: Command) -> None:
    code, out, _ = anaphor("meta", "correlate", "--scores", "metrics.tsv", "--human", "human.tsv")
    assert code == 0
    assert "4 systems: a, b, c, d" in out
    assert "Williams' test" in out


def test_one_table_may_hold_both_kinds_of_scores(meta: Callable[..., Any], anaphor: Command) -> None:
    table = "guillou-hardmeier-2018-table-1"
    assert anaphor("meta", "published", "--table", table, "--output", "t.tsv")[0] == 0
    found = meta("correlate", "--scores", "t.tsv", "--human", "t.tsv", "--human-scores", "PROTEST")
    pearsons = [round(one["correlations"][0]["value"], 3) for one in found["correlations"]]
    assert pearsons == [0.848, 0.850, 0.853, 0.855]  # Table 2 of guillou-hardmeier-2018


def test_systems_that_lack_a_score_can_be_left_out(anaphor: Command, place: Path) -> None:
    (place / "more.tsv").write_text(HUMAN + "refB\t1\n", encoding="utf-8")
    options = ("--scores", "metrics.tsv", "--human", "more.tsv", "--common")
    code, out, err = anaphor("meta", "correlate", *options)
    assert (code, err) == (0, "note: not in every score, left out: refB\n")
    assert "4 systems: a, b, c, d" in out


def test_result_files_give_scores_and_a_grid(meta: Callable[..., Any], score: Command, folder: Path) -> None:
    candidates = ("--candidate", "a.fr", "b.fr", "ref.fr")
    links = ("--alignment-candidate", "a.align", "b.align", "ref.align")
    for repair in ("paper", "none"):
        assert score(*candidates, *links, "--repair", repair, "--output", f"{repair}.json")[0] == 0
    (folder / "h.tsv").write_text("system\tpeople\na\t0.5\nb\t0.6\nref\t1\n", encoding="utf-8")
    files = ("--scores", "paper.json", "--counts", "paper.json", "none.json")
    found = meta("correlate", *files, "--human", "h.tsv", "--w2", "0,1", "--w6", "0")
    assert [one["metric"] for one in found["correlations"]] == ["apt", "autoprf"]
    assert [(one["repair"], one["w2"], one["w6"]) for one in found["grid"]] == [
        ("paper", 0, 0),
        ("paper", 1, 0),
        ("none", 0, 0),
        ("none", 1, 0),
    ]


def test_the_layout_of_mt_metrics_eval(meta: Callable[..., Any], folder: Path) -> None:
    (folder / "wmt/metric-scores/en-de").mkdir(parents=True)
    (folder / "wmt/human-scores").mkdir()
    (folder / "wmt/metric-scores/en-de/apt-refA.sys.score").write_text("a\t1\nb\t2\nc\t3\n", encoding="utf-8")
    (folder / "wmt/human-scores/en-de.mqm.sys.score").write_text("a\t-3\nb\t-2\nc\t-1\n", encoding="utf-8")
    found = meta("correlate", "--scores", "wmt", "--human", "wmt", "--pair", "en-de")
    (pairing,) = found["correlations"]
    assert (pairing["metric"], pairing["human"]) == ("apt-refA", "mqm")
    assert pairing["correlations"][2]["value"] == 1


def test_cases_of_a_real_run_meet_judgements(meta: Callable[..., Any], score: Command, folder: Path) -> None:
    assert score("--items", "items.tsv")[0] == 0
    # Seven pronouns a system; the table of the fixture has the outcomes. Two people judge those of a.
    answers = ["correct", "correct", "correct", "incorrect", "bad", "correct", "correct"]
    places = ["0:0", "1:4", "2:0", "3:0", "4:2", "5:0", "5:3"]
    rows = ["system\tid\tjudgement\tannotator"]
    for person in ("ann", "bob"):
        rows += [f"a\t{i}\t{answer}\t{person}" for i, answer in zip(places, answers, strict=True)]
    (folder / "j.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = meta("cases", "--items", "items.tsv", "--judgements", "j.tsv")
    assert [row["total"] for row in found["by_case"]] == [6, 2, 4, 0, 2, 0]
    total = found["by_category"][-1]
    assert (total["disagreements"], total["examples"], found["not_compared"]) == (4, 10, 4)
    assert [one["coefficient"] for one in found["agreement"]] == [
        "observed",
        "cohen-kappa",
        "fleiss-kappa",
        "krippendorff-alpha",
        "gwet-ac1",
    ]
    assert all(one["value"] == pytest.approx(1) for one in found["agreement"])


def test_cases_as_text(score: Command, anaphor: Command, folder: Path) -> None:
    assert score("--items", "items.tsv")[0] == 0
    (folder / "j.tsv").write_text(
        "system\tsegment\ttoken\tjudgement\tcategory\treason\n"
        "a\t2\t0\tcorrect\tanaphoric\tV\na\t3\t0\tincorrect\tpleonastic\tE\n",
        encoding="utf-8",
    )
    code, out, err = anaphor("meta", "cases", "--items", "items.tsv", "--judgements", "j.tsv")
    assert (code, err) == (0, "note: 12 of 14 items have no judgement\n")
    assert "2 equivalent 1 of 1 (100.0 %), 3 different 1 of 1 (100.0 %)" in out
    assert "V valid alternative" in out


def test_published_tables_are_listed_and_shown(anaphor: Command, folder: Path) -> None:
    code, out, _ = anaphor("meta", "published")
    assert code == 0
    assert len(out.splitlines()) == 11
    (folder / "mine.tsv").write_text("system\tAPT-A +\tPROTEST\nmine\t0.61\t0.8\n", encoding="utf-8")
    options = ("--table", "guillou-hardmeier-2018-table-1", "--beside", "mine.tsv")
    code, out, _ = anaphor("meta", "published", *options)
    assert code == 0
    assert ["mine", "0.61", "0.8"] in [line.split() for line in out.splitlines()]


def test_published_tables_as_json(meta: Callable[..., Any]) -> None:
    assert len(meta("published")) == 10
    (found,) = meta("published", "--table", "apt-2017-table-5")
    assert found["rows"][0] == {
        "case": "1 identical",
        "correct %": "84",
        "incorrect %": "13",
        "bad translation %": "3",
        "total": "534",
    }


def test_gaps_are_scored(meta: Callable[..., Any], anaphor: Command, folder: Path) -> None:
    (folder / "gaps.tsv").write_text(
        "system\tid\tcandidate\tchoices\na\t1\til\til,ce\na\t2\tle\tother\nb\t1\telle\til\n", encoding="utf-8"
    )
    found = meta("gaps", "--answers", "gaps.tsv")
    assert [one["accuracy_with_other"]["value"] for one in found["systems"]] == [1, 0]
    assert found["systems"][0]["micro"]["lenient_recall"] == {"hits": 2, "total": 2, "value": 1}
    code, out, _ = anaphor("meta", "gaps", "--answers", "gaps.tsv", "--bad", "skip")
    assert code == 0
    assert "bad translations: skip" in out


def test_human_scores_of_gaps_and_judgements_go_into_a_correlation(
    meta: Callable[..., Any], score: Command, folder: Path
) -> None:
    gaps = "system\tid\tcandidate\tchoices\n" + "".join(
        f"{system}\t{i}\t{'il' if i < right else 'elle'}\til\n"
        for system, right in (("a", 1), ("b", 2), ("ref", 3))
        for i in range(3)
    )
    (folder / "gaps.tsv").write_text(gaps, encoding="utf-8")
    meta("gaps", "--answers", "gaps.tsv", "--output", "human.tsv")
    candidates = ("--candidate", "a.fr", "b.fr", "ref.fr")
    links = ("--alignment-candidate", "a.align", "b.align", "ref.align")
    assert score(*candidates, *links, "--output", "r.json", "--items", "items.tsv")[0] == 0
    found = meta("correlate", "--scores", "r.json", "--human", "human.tsv", "--human-scores", "micro-f")
    assert found["correlations"][0]["correlations"][1]["value"] == 1  # apt: 3.5, 4 and 6 of 7
    judged = "system\tid\tjudgement\n" + "a\t0:0\tcorrect\nb\t0:0\tincorrect\n"
    (folder / "j.tsv").write_text(judged, encoding="utf-8")
    meta("cases", "--items", "items.tsv", "--judgements", "j.tsv", "--output", "judged.tsv")
    assert (folder / "judged.tsv").read_text(encoding="utf-8") == "system\tjudged-correct\na\t1.0\nb\t0.0\n"


def test_equivalents_are_written_for_a_pack(meta: Callable[..., Any], anaphor: Command, folder: Path) -> None:
    (folder / "pairs.tsv").write_text(
        "candidate\treference\tjudgement\ttimes\nil\tce\tcorrect\t6\nil\tc'\tincorrect\t4\n", encoding="utf-8"
    )
    options = ("equivalents", "--pair", "en-fr", "--pairs", "pairs.tsv", "--output", "piece.toml")
    found = meta(*options)
    assert found == {
        "sample": 10,
        "pairs": [
            {
                "forms": ["ce", "il"],
                "judged": 10,
                "correct": 6,
                "share": 1.0,
                "probability": 0.6,
                "proposed": True,
            }
        ],
    }
    written = (folder / "piece.toml").read_text(encoding="utf-8")
    assert '{ forms = ["ce", "il"], probability = 0.6 }' in written
    code, out, _ = anaphor("meta", *options)
    assert code == 0
    assert "proposed" in out


def test_equivalents_come_from_items_and_judgements(
    meta: Callable[..., Any], score: Command, folder: Path
) -> None:
    assert score("--items", "items.tsv")[0] == 0
    (folder / "j.tsv").write_text("system\tid\tjudgement\na\t2:0\tcorrect\n", encoding="utf-8")
    found = meta("equivalents", "--pair", "en-fr", "--items", "items.tsv", "--judgements", "j.tsv")
    assert [(pair["forms"], pair["probability"]) for pair in found["pairs"]] == [(["elles", "ils"], 1)]


def test_chats_are_written_scored_and_compared_with_what_people_marked(
    place: Path, anaphor: Command, meta: Callable[..., Any]
) -> None:
    header = "doc_id,segment_id,source_language,target_language,source,mt,reference,severity,typology_error,"
    rows = (
        f"{header}error,start_index,end_index",
        "c,0,fr,en,La lampe brûle.,The lamp burns.,The lamp is burning.,,,,,",
        "c,1,en,fr,It is old.,Il est vieux.,Elle est vieille.,major,Grammar,Il,0,2",
        "c,2,en,fr,It was red.,Elle était rouge.,Elle était rouge.,,,,,",
    )
    (place / "alder.csv").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    options = ("--pair", "en-fr", "--chat", "alder.csv")
    assert anaphor("meta", "spans", *options, "--texts", "chats") == (0, "", "")
    assert (place / "chats" / "source.txt").read_text().startswith("The lamp is burning.\nIt is old.\n")
    texts = ("--source", "chats/source.txt", "--reference", "chats/ref.txt", "--candidate", "chats/alder.txt")
    code, _, err = anaphor("score", "--pair", "en-fr", *texts, "--samples", "0", "--items", "chats.tsv")
    assert code == 0, err
    found = meta("spans", *options, "--items", "chats.tsv", "--raters", "any", "--samples", "0")
    assert (found["items"], found["marked"], found["agreement"]) == (2, 1, [])
    assert found["metrics"][0]["auc"]["value"] == 1.0
