"""The grid over weights, by hand on an invented table of cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, MismatchError, OptionError, UserError
from anaphor.meta import ScoreColumn, weight_grid
from anaphor.meta.grid import join_counts, read_case_counts
from anaphor.stats import pearson

HEADER = "system\trepair\tcase_1\tcase_2\tcase_3\tcase_4\tcase_5\tcase_6\n"
ROWS = (
    "a\tpaper\t6\t2\t1\t0\t1\t0\nb\tpaper\t5\t1\t2\t1\t0\t1\nc\tpaper\t3\t4\t3\t0\t0\t0\n"
    "a\tnone\t5\t2\t1\t1\t1\t0\nb\tnone\t4\t1\t2\t1\t1\t1\nc\tnone\t3\t3\t3\t0\t0\t1\n"
)
HUMAN = ScoreColumn.of("people", {"a": 0.8, "b": 0.6, "c": 0.5}, path="h.tsv")


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = tmp_path / "counts.tsv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return path


def test_the_grid_has_every_repair_and_weight(counts: Path) -> None:
    found = weight_grid(read_case_counts(counts), [HUMAN])
    assert [(one.repair, one.w2, one.w6) for one in found] == [
        (repair, w2, w6) for repair in ("paper", "none") for w2 in (0, 0.5, 1) for w6 in (0, 0.5, 1)
    ]


@pytest.mark.parametrize(
    ("w2", "w6", "discard", "scores"),
    [
        (0, 0, (), [0.6, 0.5, 0.3]),
        (0.5, 0, (), [0.7, 0.55, 0.5]),
        (1, 1, (), [0.8, 0.7, 0.7]),
        (0, 0, (5, 6), [6 / 9, 5 / 9, 3 / 10]),
    ],
)
def test_a_setting_scores_as_the_paper_says(
    counts: Path, w2: float, w6: float, discard: tuple[int, ...], scores: list[float]
) -> None:
    (found,) = weight_grid(read_case_counts(counts)[:1], [HUMAN], w2=[w2], w6=[w6], discard=discard)
    assert found.pearson.value == pytest.approx(pearson(scores, [0.8, 0.6, 0.5]).value)


def test_outliers_are_left_out(counts: Path) -> None:
    more = counts.with_name("more.tsv")
    more.write_text(HEADER + "z\tpaper\t0\t0\t9\t0\t0\t0\n", encoding="utf-8")
    joined = join_counts([*read_case_counts(counts)[:1], *read_case_counts(more)])
    human = ScoreColumn.of("people", {**HUMAN.values, "z": 0.0}, path="h.tsv")
    with_all, without = (
        weight_grid(joined, [human], w2=[0], w6=[0], outliers=names)[0].pearson for names in ([], ["z"])
    )
    assert (with_all.n, without.n) == (4, 3)
    assert without.value == pytest.approx(pearson([0.6, 0.5, 0.3], [0.8, 0.6, 0.5]).value)


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ("a\tsome\t1\t0\t0\t0\t0\t0\n", InputError, "repair: unknown value: some"),
        ("a\tpaper\t1.5\t0\t0\t0\t0\t0\n", InputError, "expected an integer of at least 0"),
        ("a\tpaper\t-1\t0\t0\t0\t0\t0\n", InputError, "expected an integer of at least 0"),
        ("a\tnone\t1\t0\t0\t0\t0\t0\n" * 2, InputError, "two rows of this repair"),
    ],
)
def test_tables_that_are_no_counts_are_refused(
    tmp_path: Path, rows: str, error: type[UserError], words: str
) -> None:
    path = tmp_path / "counts.tsv"
    path.write_text(HEADER + rows, encoding="utf-8")
    with pytest.raises(error, match=words):
        read_case_counts(path)


def test_counts_of_one_system_in_two_files_are_refused(counts: Path) -> None:
    with pytest.raises(InputError, match="a has counts twice"):
        join_counts([*read_case_counts(counts), *read_case_counts(counts)])


def test_bad_settings_are_refused(counts: Path) -> None:
    read = read_case_counts(counts)
    with pytest.raises(OptionError, match="not a weight: 2"):
        weight_grid(read, [HUMAN], w2=[2])
    with pytest.raises(OptionError, match="cannot discard"):
        weight_grid(read, [HUMAN], discard=[1, 2, 3, 4, 5, 6])
    with pytest.raises(OptionError, match="cannot discard"):
        weight_grid(read, [HUMAN], discard=[7])
    with pytest.raises(InputError, match="no pronoun in the cases that count"):
        weight_grid(read, [HUMAN], discard=[1, 2, 3])
    with pytest.raises(MismatchError, match="no score for c"):
        weight_grid(read, [HUMAN.without(["c"])])
