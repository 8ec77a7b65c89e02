"""Every mistake at `anaphor meta` ends with exit code 1 and says what, where and how to mend it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.report.result_file import sealed

Command = Callable[..., tuple[int, str, str]]

FILES = {
    "metrics.tsv": "system\tapt\na\t0.1\nb\t0.2\nc\t0.4\n",
    "human.tsv": "system\tpeople\na\t0.3\nb\t0.4\nc\t0.5\n",
    "fewer.tsv": "system\tpeople\na\t0.3\nb\t0.4\n",
    "percent.tsv": "system\tpeople\na\t30\nb\t40\nc\t50\n",
    "constant.tsv": "system\tapt\na\t0.1\nb\t0.1\nc\t0.1\n",
    "labels.tsv": "system\tid\tjudgement\na\t0:0\tgreat\n",
    "judged.tsv": "system\tid\tjudgement\na\t9:9\tcorrect\n",
    "items.tsv": "system\tid\toutcome\na\t0:0\tidentical\n",
    "gaps.tsv": "system\tid\tcandidate\tchoices\na\t1\til\tsie\n",
    "pairs.tsv": "candidate\treference\tjudgement\nil\tce\tcorrect\n",
    "readings.tsv": "document\tline\tsystem\tstart\tpronoun\tverdict\nd\t0\ta\t0\tIt\tgreat\n",
    "parts.tsv": "part\tdocument\tline\tsystem\tstart\tpronoun\tverdict\n"
    "news\td\t0\ta\t0\tIt\tok\ntalks\td\t0\ta\t0\tIt\tok\n",
    "away.jsonl": '{"system": "../away", "DOC_ID": "d", "SEG_ID": "1", "source": "It.", "target": "Es.", '
    '"target_errors": []}\n',
    "chat.csv": "doc_id,segment_id\nd,0\n",
    "broken.json": "{",
    "foreign.json": '{"format": "other"}',
}
CORRELATE = ("correlate", "--scores", "metrics.tsv", "--human")
SPANS = ("spans", "--pair", "en-de")


@pytest.fixture
def place(folder: Path) -> Path:
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("arguments", "what", "where"),
    [
        ((*CORRELATE, "fewer.tsv"), "people has no score for c, which apt has", "fewer.tsv"),
        (
            ("correlate", "--scores", "fewer.tsv", "--human", "human.tsv"),
            "people has no score for c",
            "fewer.tsv",
        ),
        (
            ("correlate", "--scores", "fewer.tsv", "--human", "fewer.tsv", "--metrics", "people"),
            "all scores are human scores",
            "--scores",
        ),
        ((*CORRELATE, "percent.tsv"), "is 30, outside 0 to 1", "percent.tsv"),
        ((*CORRELATE, "human.tsv", "--human-range", "1"), "not a range", "--human-range"),
        ((*CORRELATE, "human.tsv", "--outliers", "a"), "2 systems are too few", "metrics.tsv"),
        ((*CORRELATE, "human.tsv", "--outliers", "z"), "unknown system: z", "--outliers"),
        ((*CORRELATE, "human.tsv", "--metrics", "bleu"), "unknown score: bleu", "--metrics"),
        ((*CORRELATE, "human.tsv", "--human-scores", "x"), "unknown score: x", "--human-scores"),
        ((*CORRELATE, "nowhere.tsv"), "cannot be read", "nowhere.tsv"),
        ((*CORRELATE, "human.tsv", "--level", "2"), "confidence level must be between", "--level"),
        (
            ("correlate", "--scores", "constant.tsv", "--human", "human.tsv"),
            "apt is 0.1 for every system",
            "constant.tsv",
        ),
        (("correlate", "--human", "human.tsv"), "nothing to correlate", "--scores"),
        (
            ("correlate", "--scores", "broken.json", "--human", "human.tsv"),
            "not a result file",
            "broken.json",
        ),
        (
            ("correlate", "--counts", "foreign.json", "--human", "human.tsv"),
            "not a result file",
            "foreign.json",
        ),
        (("correlate", "--scores", ".", "--human", "human.tsv"), "several language pairs", "."),
        (
            ("cases", "--items", "items.tsv", "--judgements", "labels.tsv"),
            "judgement: unknown value",
            "labels.tsv:2",
        ),
        (
            ("cases", "--items", "items.tsv", "--judgements", "judged.tsv"),
            "have no item",
            "judgements and",
        ),
        (("cases", "--items", "judged.tsv", "--judgements", "judged.tsv"), "unknown column", "judged.tsv:2"),
        (
            (*SPANS, "--mqm", "items.tsv", "--chat", "chat.csv", "--texts", "t"),
            "several annotations",
            "--mqm",
        ),
        ((*SPANS, "--judged", "readings.tsv", "--texts", "t"), "no annotation with texts", "--texts"),
        (
            (*SPANS, "--judged", "readings.tsv", "--items", "items.tsv"),
            "unknown value: great",
            "readings.tsv:2",
        ),
        (
            (*SPANS, "--judged", "parts.tsv", "--items", "items.tsv"),
            "which part the items in parts.tsv",
            "items.tsv",
        ),
        (
            (*SPANS, "--judged", "parts.tsv", "--items", "items.tsv", "--part", "x"),
            "unknown part of parts.tsv: x",
            "--part",
        ),
        ((*SPANS, "--mqm", "items.tsv", "--items", "items.tsv"), "has no column doc, source", "items.tsv:1"),
        ((*SPANS, "--chat", "chat.csv", "--texts", "t"), "source_language: missing", "chat.csv:2"),
        ((*SPANS, "--bio-mqm", ".", "--texts", "t"), "no files of en-de", "."),
        ((*SPANS, "--bio-mqm", "away.jsonl", "--texts", "t"), "cannot be that of a file", "away.jsonl"),
        (("gaps", "--answers", "gaps.tsv"), "unknown choice 'sie'", "gaps.tsv:2"),
        (("published", "--table", "apt-2017-table-9"), "unknown table", "--table"),
        (("published", "--output", "x.tsv"), "no table is given", "--output"),
        (("equivalents", "--pair", "en-fr"), "come from one place", "--pairs"),
        (("equivalents", "--pair", "en-fr", "--items", "items.tsv"), "come from one place", "--pairs"),
        (("equivalents", "--pair", "en-xx", "--pairs", "pairs.tsv"), "unknown language pair", "packs"),
    ],
)
def test_mistakes_are_explained(
    place: Path, anaphor: Command, arguments: tuple[str, ...], what: str, where: str
) -> None:
    code, out, err = anaphor("meta", *arguments)
    assert (code, out) == (1, "")
    first, second, third = err.strip().split("\n")[-3:]
    assert first.startswith("error: ")
    assert what in first
    assert where in second
    assert third.startswith("fix:   ")


@pytest.fixture
def results(score: Command, folder: Path) -> Path:
    """A result of three systems, and what people said of them."""
    candidates = ("--candidate", "a.fr", "b.fr", "ref.fr")
    links = ("--alignment-candidate", "a.align", "b.align", "ref.align")
    assert score(*candidates, *links, "--output", "result.json")[0] == 0
    (folder / "h.tsv").write_text("system\tpeople\na\t0.5\nb\t0.6\nref\t1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('"format_version": 2', '"format_version": 3', "not a result file of format 2"),
        ('"format_version": 2', '"format_version": 1', "not a result file of format 2"),
        ('"case_1": 3.0', '"case_1": 5.0', "but its cases give"),
        ('"score": 0.5,', '"score": 0.75,', "but its cases give"),
        ('"system": "b"', '"system": "a"', "missing or not unique"),
    ],
)
def test_results_of_other_formats_or_tampered_with_are_refused(
    results: Path, anaphor: Command, old: str, new: str, what: str
) -> None:
    content = (results / "result.json").read_text(encoding="utf-8")
    assert old in content
    forged = content.replace(old, new)
    command = ("meta", "correlate", "--scores", "result.json", "--human", "h.tsv")
    if "format_version" not in old:
        (results / "result.json").write_text(forged, encoding="utf-8")
        assert "the result was changed after it was written" in anaphor(*command)[2]
    (results / "result.json").write_text(json.dumps(sealed(json.loads(forged))), encoding="utf-8")
    code, _, err = anaphor(*command)
    assert code == 1
    assert what in err


def test_results_of_different_versions_are_not_mixed(results: Path, anaphor: Command) -> None:
    content = json.loads((results / "result.json").read_text(encoding="utf-8"))
    content["version"] = "0.0.1"
    (results / "old.json").write_text(json.dumps(sealed(content)), encoding="utf-8")
    code, _, err = anaphor("meta", "correlate", "--scores", "result.json", "old.json", "--human", "h.tsv")
    assert code == 1
    assert "different versions" in err
    assert "old.json (0.0.1)" in err
