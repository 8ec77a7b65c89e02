"""Table 2 of guillou-hardmeier-2018 out of its Table 1, and what has no correlation."""

from __future__ import annotations

import pytest

from anaphor.core import InputError, MismatchError, OptionError, UnknownNameError, UserError
from anaphor.meta import ScoreColumn, correlate, published_table

METRICS = ("APT-A +", "APT-B +", "APT-A -", "APT-B -")
#: Table 2, in the order of METRICS.
WITH_REFERENCE = [(0.848, 0.820), (0.853, 0.815), (0.850, 0.820), (0.855, 0.811)]
#: The same over the nine systems: printed nowhere, computed apart from this package.
WITHOUT_REFERENCE = [(0.682, 0.752), (0.684, 0.745), (0.697, 0.752), (0.697, 0.739)]


def column(name: str, values: list[float], systems: str = "abcdefghij") -> ScoreColumn:
    return ScoreColumn.of(name, dict(zip(systems, values, strict=False)), path=f"{name}.tsv")


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
