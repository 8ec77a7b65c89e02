"""Judgements made up from the printed counts give the printed tables back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from anaphor.core import Outcome
from anaphor.meta import confront, published_table
from anaphor.meta.judgements import Answer, Case, Judged, JudgedCase

IDENTICAL, EQUIVALENT, DIFFERENT = Outcome.IDENTICAL, Outcome.EQUIVALENT, Outcome.DIFFERENT


def judged(
    outcome: Outcome, answer: Answer, times: float, category: str | None = None
) -> Iterator[JudgedCase]:
    for _ in range(int(times)):
        yield JudgedCase(Judged("s", "1", answer, category, None, ""), Case(outcome, None, None))


def category_judgements(row: tuple[str, ...]) -> Iterator[JudgedCase]:
    """Judgements with the counts of a row of Table 3 of guillou-hardmeier-2018.

    Margins fix how many of case 3 people accept; how the rejected ones of cases 1 and 2 divide changes no
    figure of the table, so as many as possible are put into case 1.
    """
    case_1, case_2, case_3, correct, _, apart = map(int, row[1:7])
    accepted = (apart + correct - case_1 - case_2) // 2
    rejected_1 = min(case_1, apart - accepted)
    rejected_2 = apart - accepted - rejected_1
    for outcome, total, right in (
        (IDENTICAL, case_1, case_1 - rejected_1),
        (EQUIVALENT, case_2, case_2 - rejected_2),
        (DIFFERENT, case_3, accepted),
    ):
        yield from judged(outcome, Answer.CORRECT, right, row[0])
        yield from judged(outcome, Answer.INCORRECT, total - right, row[0])


def test_table_3_of_2018_comes_back() -> None:
    table = published_table("guillou-hardmeier-2018-table-3")
    found = confront([one for row in table.rows[:-1] for one in category_judgements(row)])
    rows = [
        (
            row.category,
            *(str(row.cases[outcome]) for outcome in (IDENTICAL, EQUIVALENT, DIFFERENT)),
            *map(str, (row.correct, row.incorrect, row.disagreements, row.examples)),
            f"{100 * (row.rate or 0):.1f}",
        )
        for row in found.categories
    ]
    assert tuple(rows) == table.rows
    assert found.case_disagreements[DIFFERENT] == (390, 802)


def counts_of(row: tuple[str, ...]) -> tuple[int, int, int]:
    """Counts with the fewest bad translations that round to the printed percentages of a row of Table 5."""
    *shares, total = map(int, row[1:])
    near = [range(max(0, share * total // 100 - 4), share * total // 100 + 6) for share in shares]
    fitting = [
        counts
        for counts in product(*near)
        if sum(counts) == total
        and all(round(100 * n / total) == share for n, share in zip(counts, shares, strict=True))
    ]
    correct, incorrect, bad = min(fitting, key=lambda counts: (counts[2], counts))
    return correct, incorrect, bad


def test_table_5_of_2017_comes_back_with_the_total_as_printed() -> None:
    table = published_table("apt-2017-table-5")
    made = [
        one
        for outcome, row in zip(Outcome, table.rows[:-1], strict=True)
        for answer, count in zip(Answer, counts_of(row), strict=True)
        for one in judged(outcome, answer, count)
    ]
    found = confront(made)
    for row, printed in zip(found.by_case, table.rows, strict=False):
        shares = [str(round(100 * (row.share(answer) or 0))) for answer in Answer]
        assert (*shares, str(row.total)) == printed[1:]
    total = sum(row.total for row in found.by_case)
    sums = [sum(row.answers[answer] for row in found.by_case) for answer in Answer]
    assert [round(100 * n / total) for n in sums] == [47, 43, 10]
    assert total == 1498
