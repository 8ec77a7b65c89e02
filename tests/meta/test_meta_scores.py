"""Scores from tables and from the layout of mt-metrics-eval."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair, Settings, UnknownNameError
from anaphor.corpus import write_mtme_scores
from anaphor.meta.scores import (
    ScoreColumn,
    any_rows,
    check_range,
    choose,
    format_score_table,
    join_values,
    read_rows,
    read_score_file,
    read_score_folder,
    read_score_table,
    result_columns,
    result_counts,
)
from anaphor.report.stored import StoredResult, StoredScore, StoredSystem

PAIR = LanguagePair("en", "de")


def column(name: str, *, path: str = "x", **values: float) -> ScoreColumn:
    return ScoreColumn(name, path, values)


def test_a_table_gives_a_column_for_each_score(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text("system\tapt\tbleu\na\t0.5\t0.3\nb\t0.6\t\n", encoding="utf-8")
    apt, bleu = read_score_table(path)
    assert (apt.name, dict(apt.values)) == ("apt", {"a": 0.5, "b": 0.6})
    assert dict(bleu.values) == {"a": 0.3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("system\tapt\na\t1\na\t2\n", "a has two rows"),
        ("system\na\n", "there are no scores"),
        ("name\tapt\na\t1\n", "column `system` is missing"),
        ("system\tapt\na\t1\n\t2\n", "system: missing"),
        ("system\tapt\na\tgood\n", "expected a number"),
    ],
)
def test_tables_that_cannot_be_scores_are_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "scores.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_score_table(path)


def test_a_table_that_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "scores.tsv"
    columns = (column("apt", a=1 / 3, b=0.5), column("bleu", a=0.25))
    path.write_text(format_score_table(columns), encoding="utf-8")
    assert [(one.name, dict(one.values)) for one in read_score_table(path)] == [
        (one.name, dict(one.values)) for one in columns
    ]


def test_what_our_own_writer_wrote_is_read_back(tmp_path: Path) -> None:
    write_mtme_scores(tmp_path, pair=PAIR, metric="apt", reference="refA", systems={"a": 0.25, "b": 0.5})
    (found,) = read_score_folder(tmp_path, pair=PAIR, human=False)
    assert (found.name, dict(found.values)) == ("apt-refA", {"a": 0.25, "b": 0.5})


#: Names and columns as the README of google-research/mt-metrics-eval (68a481a) has them: a human score may be
#: None, blanks are any white space, `domain` has a column more, ratings are JSON.
LAYOUT = {
    "human-scores/en-de.mqm.sys.score": "Online-A\t-1.5\nrefA\tNone\nrefB\t-0.25\nNemo -2\n",
    "human-scores/en-de.wmt-z.sys.score": "Online-A 0.1\nNemo   -0.1\n",
    "human-scores/en-de.mqm.merged.seg.rating": 'Online-A\t{"errors": []}\trater1\nNemo\tNone\n',
    "human-scores/en-de.mqm.seg.score": "Online-A\tNone\nOnline-A\t-3\nNemo\t0\nNemo\tNone\n",
    "human-scores/en-de.mqm.domain.score": "news\tOnline-A\t-1\nnews\tNemo\t-2\n",
    "human-scores/en-zh.mqm.sys.score": "Online-A\t-9\n",
    "metric-scores/en-de/BLEU-refA.sys.score": "Online-A\t31.2\nrefB\t40\nNemo\t28\n",
    "metric-scores/en-de/COMET-22-refA.refB.sys.score": "Online-A\t0.8\nNemo\t0.7\n",
    "metric-scores/en-de/metricx-1.5-src.sys.score": "Online-A\t-1e-3\nrefA\t0\nrefB\t0\nNemo\t-2\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "Online-A\t1\nOnline-A\t2\nNemo\t3\nNemo\t4\n",
}


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    for name, content in LAYOUT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path


def test_human_scores_of_a_folder_leave_out_none_with_a_note(layout: Path) -> None:
    with pytest.warns(InputWarning, match="no score for refA"):
        found = read_score_folder(layout, pair=PAIR, human=True)
    assert {one.name: dict(one.values) for one in found} == {
        "mqm": {"Online-A": -1.5, "refB": -0.25, "Nemo": -2.0},
        "wmt-z": {"Online-A": 0.1, "Nemo": -0.1},
    }


def test_metrics_of_a_folder_are_named_with_their_references(layout: Path) -> None:
    found = read_score_folder(layout, pair=PAIR, human=False)
    assert {one.name: dict(one.values) for one in found} == {
        "BLEU-refA": {"Online-A": 31.2, "refB": 40.0, "Nemo": 28.0},
        "COMET-22-refA.refB": {"Online-A": 0.8, "Nemo": 0.7},
        "metricx-1.5-src": {"Online-A": -0.001, "refA": 0.0, "refB": 0.0, "Nemo": -2.0},
    }


def test_a_metric_must_score_every_system_that_it_names(layout: Path) -> None:
    path = layout / "metric-scores" / "en-de" / "BLEU-refA.sys.score"
    path.write_text("Online-A\t31\nNemo\tNone\n", encoding="utf-8")
    with pytest.raises(InputError, match="the metric has no score for Nemo") as caught:
        read_score_folder(layout, pair=PAIR, human=False)
    assert str(caught.value.where) == f"{path}:2"


def test_a_folder_needs_a_pair_and_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="several language pairs"):
        read_score_folder(tmp_path, pair=None, human=True)
    with pytest.raises(InputError, match="there is no file human-scores/en-de"):
        read_score_folder(tmp_path, pair=PAIR, human=True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a\n", "not a system and a score"),
        ("a x\n", "not a system"),
        ("a nan\n", "not a system"),
        ("news a 1\n", "not a system"),
        ("a 1\na 2\n", "there are two scores for a"),
    ],
)
def test_broken_score_files_are_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "x.sys.score"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_score_file(path, human=True)


def test_columns_of_one_name_are_joined() -> None:
    (found,) = join_values([column("apt", a=1.0), column("apt", path="y", b=0.5)])
    assert (dict(found.values), found.path) == ({"a": 1.0, "b": 0.5}, "x and y")
    with pytest.raises(InputError, match="a is in two files"):
        join_values([column("apt", a=1.0), column("apt", path="y", a=0.5)])


def test_columns_are_chosen_by_name() -> None:
    columns = [column("apt", a=1.0), column("bleu", a=0.3)]
    assert choose(columns, (), option="--metrics") == tuple(columns)
    assert choose(columns, ("bleu",), option="--metrics") == (columns[1],)
    with pytest.raises(UnknownNameError, match="blue"):
        choose(columns, ("blue",), option="--metrics")


@pytest.mark.parametrize(("value", "inside"), [(0.0, True), (1.0, True), (1.01, False), (-0.1, False)])
def test_human_scores_stay_in_their_range(value: float, inside: bool) -> None:
    if inside:
        check_range([column("h", a=value)], low=0, high=1)
    else:
        with pytest.raises(InputError, match="outside 0 to 1"):
            check_range([column("h", a=value)], low=0, high=1)


TSV = "system\tscore\tnote\na\t0.5\t\nb\t1\tbest\n"
JSON = '{"system": "a", "score": 0.5, "note": null}\n{"system": "b", "score": 1, "note": "best"}\n'


def write(folder: Path, content: str, name: str = "file.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "name"), [(TSV, "file.tsv"), (JSON, "file.jsonl"), (TSV, "file.json"), (JSON, "jsonl.jsonl")]
)
def test_the_suffix_tells_the_format(tmp_path: Path, content: str, name: str) -> None:
    rows = read_rows(write(tmp_path, content, name), required=("system", "score"), optional=("note",))
    assert [row.text("system") for row in rows] == ["a", "b"]
    assert [row.number("score") for row in rows] == [0.5, 1.0]
    assert [row.optional_text("note") for row in rows] == [None, "best"]


@pytest.mark.parametrize(
    ("content", "name", "words", "line"),
    [
        ("system\tscore\n", "x.tsv", "header and no rows", None),
        ("system\tsystem\na\tb\n", "x.tsv", "a column twice", 1),
        ("system\t\na\tb\n", "x.tsv", "without a name", 1),
        ("system\tscore\na\n", "x.tsv", "1 columns, the header has 2", 2),
        ("system\tscore\na\t1\tc\n", "x.tsv", "3 columns", 2),
        ("{\n", "x.jsonl", "not a JSON object", 1),
        ("[1]\n", "x.jsonl", "not a JSON object", 1),
        ('{"system": {"a": 1}}\n', "x.jsonl", "neither text nor a number", 1),
        ('{"system": true}\n', "x.jsonl", "neither text nor a number", 1),
    ],
)
def test_broken_files_are_refused(
    tmp_path: Path, content: str, name: str, words: str, line: int | None
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        any_rows(write(tmp_path, content, name))
    assert caught.value.where.line == line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("system\tscore\tsize\na\t1\t2\n", "size: unknown column"),
        ("system\na\n", "there is no column score"),
    ],
)
def test_columns_are_checked(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_rows(write(tmp_path, content), required=("system", "score"), optional=("note",))


def stored(
    metrics: dict[str, float], *, cases: tuple[int, ...] | None = None, **settings: Any
) -> StoredResult:
    """A result of one system, `a`, as `read_stored` gives it."""
    scores = tuple(
        StoredScore(name, value, None, {}, name, cases if name == "apt" else None, {})
        for name, value in metrics.items()
    )
    return StoredResult(
        path="r.json",
        version="1.0",
        settings=Settings(pair="en-fr", **settings),
        segments=1,
        documents=None,
        pronouns=1,
        systems=(StoredSystem("a", scores, {}),),
        comparisons=(),
        notes=(),
        sensitivity={},
        flips=0,
        functions=None,
        cards=None,
    )


def test_every_metric_of_a_result_is_a_column() -> None:
    apt, bleu = result_columns(stored({"apt": 0.5, "bleu": 0.25}))
    assert (apt.name, apt.values, apt.path) == ("apt", {"a": 0.5}, "r.json")
    assert bleu.values == {"a": 0.25}
    with pytest.raises(InputError, match="the bleu of a is undefined"):
        result_columns(stored({"bleu": math.nan}))


@pytest.mark.parametrize("repair", ["paper", "none"])
def test_cases_of_a_result_come_with_their_repair(repair: str) -> None:
    cases = (3, 1, 2, 0, 1, 0)
    found = result_counts(stored({"apt": 0.5}, cases=cases, repair=repair == "paper"))
    assert (found.name, found.values) == (repair, {"a": cases})
    with pytest.raises(InputError, match="no cases of apt"):
        result_counts(stored({"bleu": 0.5}))
