"""The shipped tables add up as far as the papers do, and the remarks name where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import InputError, UnknownNameError
from anaphor.meta import PublishedTable, published_names, published_table
from anaphor.stats.correlation import mid_ranks


def numbers(table: PublishedTable, column: str, *, total: bool = False) -> list[float]:
    """A column as numbers, an empty cell as 0; with or without the last row, which is the total."""
    cells = [float(cell or 0) for cell in table.column(column)]
    return cells if total else cells[:-1]


def test_every_table_is_complete() -> None:
    papers = {"apt-2017": (3, 4, 5), "guillou-hardmeier-2018": (1, 2, 3, 4), "protest-2016": (1, 2, 3)}
    assert published_names() == tuple(f"{p}-table-{n}" for p, tables in papers.items() for n in tables)
    for table in map(published_table, published_names()):
        assert table.title
        assert table.source == table.name.replace("-table-", ", Table ")
        assert {len(row) for row in table.rows} == {len(table.header)}


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("protest-2016-table-1", "count"),
        ("protest-2016-table-2", "count"),
        ("apt-2017-table-5", "total"),
        *(
            ("guillou-hardmeier-2018-table-3", column)
            for column in ("case 1", "case 2", "case 3", "correct", "incorrect", "disagreements", "examples")
        ),
    ],
)
def test_totals_are_the_sums_of_their_rows(name: str, column: str) -> None:
    cells = numbers(published_table(name), column, total=True)
    assert sum(cells[:-1]) == cells[-1]


TABLE_3 = published_table("guillou-hardmeier-2018-table-3")


def test_the_rows_of_table_3_of_2018_follow_from_their_counts() -> None:
    for row in TABLE_3.rows:
        case_1, case_2, case_3, correct, incorrect, apart, examples, percent = map(float, row[1:])
        assert case_1 + case_2 + case_3 == correct + incorrect == examples
        assert round(100 * apart / examples, 1) == percent
    assert TABLE_3.rows[-1][6:] == ("541", "2227", "24.3")


def different_disagreements(row: tuple[str, ...]) -> float:
    """Pronouns of case 3 judged correct, from the margins.

    People call correct what the metric does, less its disagreements of cases 1 and 2, plus those of case 3.
    """
    case_1, case_2, _, correct, _, apart, *_ = map(float, row[1:])
    return (apart + correct - case_1 - case_2) / 2


def test_the_disagreement_by_case_in_the_text_follows_from_tables_3_and_4() -> None:
    # guillou-hardmeier-2018, section 6: 8 % of case 1, 32 % of case 2, 49 % of case 3.
    table_4 = published_table("guillou-hardmeier-2018-table-4")
    third = different_disagreements(TABLE_3.rows[-1])
    second = sum(numbers(table_4, "E", total=True))
    first = 541 - second - third
    assert (first, second, third) == (109, 42, 390)
    assert [round(100 * a / n) for a, n in ((first, 1294), (second, 131), (third, 802))] == [8, 32, 49]
    assert third == sum(map(different_disagreements, TABLE_3.rows[:-1]))


def test_the_reasons_of_table_4_add_up_to_table_3() -> None:
    table_4 = published_table("guillou-hardmeier-2018-table-4")
    apart = dict(zip(TABLE_3.column("category"), numbers(TABLE_3, "disagreements", total=True), strict=True))
    assert table_4.rows
    for row in table_4.rows:
        assert sum(float(cell or 0) for cell in row[1:]) == apart[row[0]]


@pytest.mark.parametrize(("category", "identical"), [("event it", 15), ("pleonastic it", 3)])
def test_the_text_on_il_agrees_with_the_margins(category: str, identical: int) -> None:
    # guillou-hardmeier-2018, section 6, presence of il in both texts: 3 cases for pleonastic, 15 for event.
    row = next(row for row in TABLE_3.rows if row[0] == category)
    table_4 = published_table("guillou-hardmeier-2018-table-4")
    equivalent = next(float(r[2]) for r in table_4.rows if r[0] == category)
    assert float(row[6]) - different_disagreements(row) - equivalent == identical


def test_table_3_of_2018_holds_more_than_nine_systems() -> None:
    sizes = dict(
        zip(*(published_table("protest-2016-table-2").column(c) for c in ("category", "count")), strict=True)
    )
    examples = dict(zip(TABLE_3.column("category"), numbers(TABLE_3, "examples", total=True), strict=True))
    above = [name for name, count in examples.items() if count > 9 * int(sizes[name])]
    assert above == [
        "anaphoric inter subject it",
        "anaphoric intra they",
        "anaphoric inter they",
        "event it",
        "pleonastic it",
        "generic you",
        "deictic singular you",
        "deictic plural you",
    ]
    assert all(count <= 10 * int(sizes[name]) for name, count in examples.items())
    # Table 1: identical pronouns of the nine systems, 250 each, with the heuristics.
    systems = published_table("guillou-hardmeier-2018-table-1").scores("APT-A +").without(["Reference"])
    assert round(250 * sum(systems.values.values())) == 1090


def test_scores_of_table_1_of_2018_are_of_250_pronouns() -> None:
    table = published_table("guillou-hardmeier-2018-table-1")
    for column, unit in (
        ("APT-A +", 250),
        ("APT-A -", 250),
        ("APT-B +", 500),
        ("APT-B -", 500),
        ("PROTEST", 250),
    ):
        points = [unit * value for value in table.scores(column).values.values()]
        assert points == pytest.approx([round(point) for point in points])


def test_table_5_of_2017_follows_from_its_rows_within_rounding() -> None:
    table = published_table("apt-2017-table-5")
    totals = numbers(table, "total")
    for column in ("correct %", "incorrect %", "bad translation %"):
        shares = numbers(table, column)
        low = sum(max(0, share - 0.5) * n for share, n in zip(shares, totals, strict=True)) / 1498
        high = sum((share + 0.5) * n for share, n in zip(shares, totals, strict=True)) / 1498
        printed = numbers(table, column, total=True)[-1]
        assert low < printed + 0.5
        assert high > printed - 0.5


def test_table_5_of_2017_has_four_judgements_a_system_more_than_the_text() -> None:
    total = numbers(published_table("apt-2017-table-5"), "total", total=True)[-1]
    assert total / 7 == 214  # section 3.1: 210 pronouns of each of six systems and a baseline


def weak_orders(n: int) -> Iterator[tuple[int, ...]]:
    """Every ranking of n systems with ties."""
    if n == 0:
        yield ()
        return
    for order in weak_orders(n - 1):
        levels = len(set(order))
        for level in range(levels):
            yield (*order, level)
        for level in range(levels + 1):
            yield (*(rank + (rank >= level) for rank in order), level)


def attainable(n: int) -> set[float]:
    """Every Spearman correlation that n systems can have, to three decimals."""
    ranks = np.array([mid_ranks(order) for order in weak_orders(n) if len(set(order)) > 1])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    unit = centred / np.sqrt((centred**2).sum(axis=1, keepdims=True))
    # One side may stand in ascending order: only how the two meet matters.
    ascending = unit[(np.diff(unit, axis=1) >= -1e-12).all(axis=1)]
    return {float(value) for side in ascending for value in np.unique(np.round(unit @ side, 3))}


@pytest.mark.slow
def test_printed_spearman_correlations_that_no_systems_can_have() -> None:
    six, seven = attainable(6), attainable(7)
    assert 0.989 not in six
    assert 0.989 in seven
    assert 0.987 not in six | seven
    assert {0.943, 0.714, 0.804, 1.0} <= six
    assert {0.964, 1.0} <= seven


def test_matches_of_protest_never_exceed_the_examples() -> None:
    examples, *systems = (row[1:] for row in published_table("protest-2016-table-3").rows)
    sizes = published_table("protest-2016-table-2").column("count")[:-1]
    assert examples == sizes
    for row in systems:
        assert all(int(found) <= int(size) for found, size in zip(row, examples, strict=True))


def test_rows_of_the_user_are_appended(tmp_path: Path) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("system\tAPT-A +\nmine\t0.6\n", encoding="utf-8")
    found = published_table("guillou-hardmeier-2018-table-1").beside(path)
    assert found.rows[-1] == ("mine", "0.6", "", "", "", "")
    path.write_text("system\tAPT-A +\nYANDEX\t0.6\n", encoding="utf-8")
    with pytest.raises(InputError, match="YANDEX is in the table twice"):
        published_table("guillou-hardmeier-2018-table-1").beside(path)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown table: table-9"):
        published_table("table-9")
    with pytest.raises(UnknownNameError, match="unknown column: BLEU"):
        published_table("guillou-hardmeier-2018-table-1").scores("BLEU")
