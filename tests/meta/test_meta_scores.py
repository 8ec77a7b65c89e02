"""Scores from tables and from the layout of mt-metrics-eval."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, UnknownNameError
from anaphor.corpus import write_mtme_scores
from anaphor.meta.scores import (
    ScoreColumn,
    any_rows,
    check_range,
    choose,
    format_score_table,
    join_columns,
    read_rows,
    read_score_file,
    read_score_folder,
    read_score_table,
    require_same_version,
    result_columns,
    result_counts,
)

PAIR = LanguagePair("en", "de")


def column(name: str, *, path: str = "x", **values: float) -> ScoreColumn:
    return ScoreColumn.of(name, values, path=path)


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
        ("system\na\n", "there is no score"),
        ("name\tapt\na\t1\n", "no column system"),
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
    with pytest.raises(InputError, match="many language pairs"):
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
        ("a 1\na 2\n", "a has two scores"),
    ],
)
def test_broken_score_files_are_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "x.sys.score"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_score_file(path, human=True)


def test_columns_of_one_name_are_joined() -> None:
    (found,) = join_columns([column("apt", a=1.0), column("apt", path="y", b=0.5)])
    assert (dict(found.values), found.path) == ({"a": 1.0, "b": 0.5}, "x and y")
    with pytest.raises(InputError, match="two scores for a"):
        join_columns([column("apt", a=1.0), column("apt", path="y", a=0.5)])


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


#: As `anaphor score` writes it, without what is not read. APT is (3 + 0.5) / 7 and 4 / 7.
CONTENT: dict[str, Any] = {
    "settings": {"weights": [1.0, 0.5, 0.0, 0.0, 0.0, 0.0], "discard": [], "repair": True},
    "systems": [
        {
            "system": name,
            "metrics": [
                {
                    "name": "apt",
                    "score": score,
                    "details": {f"case_{n}": float(count) for n, count in enumerate(cases, start=1)},
                },
                {"name": "bleu", "score": 0.25, "details": {}},
            ],
        }
        for name, score, cases in (("a", 0.5, (3, 1, 2, 0, 1, 0)), ("b", 4 / 7, (4, 0, 1, 1, 0, 1)))
    ],
}


def test_every_metric_is_a_column() -> None:
    apt, bleu = result_columns(CONTENT, path="r.json")
    assert dict(apt.values) == {"a": 0.5, "b": 4 / 7}
    assert dict(bleu.values) == {"a": 0.25, "b": 0.25}


def test_cases_come_with_their_repair() -> None:
    found = result_counts(CONTENT, path="r.json")
    assert (found.repair, dict(found.systems)) == (
        "paper",
        {"a": (3, 1, 2, 0, 1, 0), "b": (4, 0, 1, 1, 0, 1)},
    )


def _metric(content: dict[str, Any]) -> dict[str, Any]:
    metric: dict[str, Any] = content["systems"][0]["metrics"][0]
    return metric


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: _metric(c).update(score=0.9), "the apt of a is 0.9, but its cases give 0.5"),
        (lambda c: _metric(c)["details"].update(case_1=4.0), "but its cases give"),
        (lambda c: _metric(c).update(score=None), "score apt of a is None"),
        (lambda c: _metric(c).update(score=1.5), "score apt of a is 1.5"),
        (lambda c: _metric(c).update(score="high"), "score apt of a is high"),
        (lambda c: _metric(c).update(details=[]), "not six counts"),
        (lambda c: _metric(c)["details"].pop("case_6"), "not six counts"),
        (lambda c: c["systems"].append(c["systems"][0]), "a has two scores of apt"),
        (lambda c: c.pop("systems"), "cannot be read"),
        (lambda c: c["systems"].append(3), "cannot be read"),
        (lambda c: c["settings"].update(discard=[1, 2, 3, 4, 5, 6]), "nothing to score"),
    ],
)
def test_a_changed_result_is_refused(change: Callable[[dict[str, Any]], object], words: str) -> None:
    content = deepcopy(CONTENT)
    change(content)
    with pytest.raises(InputError, match=words):
        result_columns(content, path="r.json")


def test_a_result_without_apt_has_no_cases() -> None:
    content = deepcopy(CONTENT)
    for system in content["systems"]:
        del system["metrics"][0]
    with pytest.raises(InputError, match="no cases of apt"):
        result_counts(content, path="r.json")


def test_versions_are_not_mixed() -> None:
    require_same_version({"a.json": "1.0", "b.json": "1.0"})
    with pytest.raises(MismatchError, match="different versions"):
        require_same_version({"a.json": "1.0", "b.json": "1.1"})
