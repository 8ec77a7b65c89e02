"""Table 2 of guillou-hardmeier-2018 out of its Table 1, and what has no correlation."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, UserError
from anaphor.meta import ScoreColumn, correlate, published_table, weight_grid
from anaphor.meta.scores import join_values, read_case_counts
from anaphor.stats.correlation import pearson

METRICS = ("APT-A +", "APT-B +", "APT-A -", "APT-B -")
#: Table 2, in the order of METRICS.
WITH_REFERENCE = [(0.848, 0.820), (0.853, 0.815), (0.850, 0.820), (0.855, 0.811)]
#: The same over the nine systems: printed nowhere, computed apart from this package.
WITHOUT_REFERENCE = [(0.682, 0.752), (0.684, 0.745), (0.697, 0.752), (0.697, 0.739)]


def column(name: str, values: list[float], systems: str = "abcdefghij") -> ScoreColumn:
    return ScoreColumn(name, f"{name}.tsv", dict(zip(systems, values, strict=False)))


def test_table_2_follows_from_table_1_with_the_reference_as_a_system_and_not_without() -> None:
    table = published_table("guillou-hardmeier-2018-table-1")
    study = correlate(
        [table.scores(name) for name in METRICS], [table.scores("PROTEST")], outliers=["Reference"]
    )
    found = [tuple(round(c.value, 3) for c in one.correlations[:2]) for one in study.pairings]
    assert found == [*WITH_REFERENCE, *WITHOUT_REFERENCE]
    assert [c.n for c in study.pairings[0].correlations] == [10] * 3
    assert [c.n for c in study.pairings[-1].correlations] == [9] * 3


def test_the_printed_table_2_is_what_ships() -> None:
    table = published_table("guillou-hardmeier-2018-table-2")
    printed = zip(map(float, table.column("pearson")), map(float, table.column("spearman")), strict=True)
    assert list(printed) == WITH_REFERENCE


def test_no_two_settings_of_apt_differ_in_their_correlation() -> None:
    # guillou-hardmeier-2018, section 5: p > 0.2 in all cases.
    table = published_table("guillou-hardmeier-2018-table-1")
    study = correlate([table.scores(name) for name in METRICS], [table.scores("PROTEST")])
    assert len(study.differences) == 6
    assert all(difference.test.p > 0.2 for difference in study.differences)


def test_holm_corrects_over_the_pairs_of_one_human_score() -> None:
    human = column("human", [1, 2, 3, 4, 5, 6])
    metrics = [
        column("good", [1, 2, 3, 4, 5, 7]),
        column("fair", [1, 3, 2, 4, 6, 5]),
        column("poor", [4, 2, 6, 1, 5, 3]),
    ]
    study = correlate(metrics, [human, column("other", [2, 1, 4, 3, 6, 5])])
    assert len(study.pairings) == 6
    assert len(study.differences) == 6
    smallest = min(study.differences[:3], key=lambda one: one.test.p)
    assert smallest.p_adjusted == pytest.approx(min(1, 3 * smallest.test.p))


def test_three_systems_have_correlations_and_no_williams_test() -> None:
    study = correlate([column("m", [1, 2, 3]), column("n", [1, 3, 2])], [column("h", [1, 2, 4])])
    assert study.differences == ()
    assert study.pairings[0].correlations[1].value == 1


@pytest.mark.parametrize(
    ("metric", "human", "outliers", "error", "words"),
    [
        ([1, 2, 3, 4], [1, 2, 3], [], MismatchError, "h has no score for d, which m has"),
        ([1, 2, 3], [1, 2, 3, 4], [], MismatchError, "m has no score for d, which h has"),
        ([1, 2], [1, 2], [], InputError, "2 systems are too few"),
        ([1, 2, 3], [1, 2, 3], ["a"], InputError, "2 systems are too few"),
        ([1, 1, 1], [1, 2, 3], [], InputError, "m is 1 for every system"),
        ([1, 2, 3], [5, 5, 5], [], InputError, "h is 5 for every system"),
        ([9, 1, 1, 1], [1, 2, 3, 4], ["a"], InputError, "m is 1 for every system"),
        ([1, 2, 3], [1, 2, 4], ["z"], UnknownNameError, "unknown system: z"),
    ],
)
def test_what_cannot_be_correlated_is_refused(
    metric: list[float], human: list[float], outliers: list[str], error: type[UserError], words: str
) -> None:
    with pytest.raises(error, match=words):
        correlate([column("m", metric)], [column("h", human)], outliers=outliers)


@pytest.mark.parametrize("level", [0.2, 1.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(OptionError, match="confidence level must be between"):
        correlate([column("m", [1, 2, 3])], [column("h", [1, 2, 4])], level=level)


HEADER = "system\trepair\tcase_1\tcase_2\tcase_3\tcase_4\tcase_5\tcase_6\n"
ROWS = (
    "a\tpaper\t6\t2\t1\t0\t1\t0\nb\tpaper\t5\t1\t2\t1\t0\t1\nc\tpaper\t3\t4\t3\t0\t0\t0\n"
    "a\tnone\t5\t2\t1\t1\t1\t0\nb\tnone\t4\t1\t2\t1\t1\t1\nc\tnone\t3\t3\t3\t0\t0\t1\n"
)
HUMAN = ScoreColumn("people", "h.tsv", {"a": 0.8, "b": 0.6, "c": 0.5})


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
    joined = join_values([*read_case_counts(counts)[:1], *read_case_counts(more)])
    human = ScoreColumn("people", "h.tsv", {**HUMAN.values, "z": 0.0})
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
    with pytest.raises(InputError, match="a is in two files"):
        join_values([*read_case_counts(counts), *read_case_counts(counts)])


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


@pytest.mark.parametrize(("systems", "tests"), [(3, 0), (4, 1), (5, 1)])
def test_williams_needs_four_systems(systems: int, tests: int) -> None:
    """It has n - 3 degrees of freedom."""
    values = {"a": [1, 3, 2, 5, 4], "b": [2, 1, 4, 3, 5], "human": [1, 2, 3, 4, 5]}
    first, second, human = (
        ScoreColumn(name, name, {f"s{i}": scores[i] / 5 for i in range(systems)})
        for name, scores in values.items()
    )
    found = correlate([first, second], [human])
    assert len(found.differences) == tests
    assert all(one.test.freedom == systems - 3 for one in found.differences)
