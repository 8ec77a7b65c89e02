"""Judgements, items and the tables that come of them, counted by hand.

Six pronouns of system a and one of b. Compared are 0:0 to 3:0 of a: cases 1, 1, 2, 3; people say correct,
incorrect, incorrect, correct. So three of four disagree.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, MismatchError, Outcome, UserError
from anaphor.meta import published_table
from anaphor.meta.judgements import (
    JudgedCase,
    JudgedPronoun,
    Judgement,
    Reason,
    ScoredCase,
    compare_cases,
    correct_share,
    join,
    ratings,
    read_cases,
    read_judgements,
)

ITEMS = """\
system\tsegment\ttoken\toutcome\treference_words\tcandidate_words
a\t0\t0\tidentical\til\til
a\t1\t0\tidentical\tIl\til
a\t2\t3\tequivalent\tc'\til
a\t3\t0\tdifferent\telles\tils
a\t4\t1\tcandidate_missing\til\t-
a\t5\t0\tdifferent\telle\til
b\t0\t0\tdifferent\til\tce
"""
JUDGEMENTS = """\
system\tsegment\ttoken\tjudgement\tcategory\treason
a\t0\t0\tcorrect\tanaphoric\t
a\t1\t0\tincorrect\tpleonastic\tO
a\t2\t3\tincorrect\tpleonastic\tE
a\t3\t0\tcorrect\tanaphoric\tV
a\t4\t1\tincorrect\tanaphoric\t
a\t5\t0\tbad\tanaphoric\t
b\t0\t0\tincorrect\t\t
"""


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.tsv"
    path.write_text(ITEMS, encoding="utf-8")
    return path


def judgements(folder: Path, content: str = JUDGEMENTS, name: str = "j.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_every_case_meets_every_answer(items: Path, tmp_path: Path) -> None:
    found = compare_cases(join(read_judgements(judgements(tmp_path)), read_cases(items)))
    rows = {row.outcome: tuple(row.counts[answer] for answer in Judgement) for row in found.by_case}
    assert rows == {
        Outcome.IDENTICAL: (1, 1, 0),
        Outcome.EQUIVALENT: (0, 1, 0),
        Outcome.DIFFERENT: (1, 1, 1),
        Outcome.CANDIDATE_MISSING: (0, 1, 0),
        Outcome.REFERENCE_MISSING: (0, 0, 0),
        Outcome.BOTH_MISSING: (0, 0, 0),
    }
    assert found.by_case[0].share(Judgement.CORRECT) == 0.5
    assert found.by_case[5].share(Judgement.CORRECT) is None


def test_disagreement_by_category_case_and_reason(items: Path, tmp_path: Path) -> None:
    found = compare_cases(join(read_judgements(judgements(tmp_path)), read_cases(items)))
    assert [(row.category, row.disagreements, row.examples) for row in found.categories] == [
        ("anaphoric", 1, 2),
        ("pleonastic", 2, 2),
        ("-", 0, 1),
        ("total", 3, 5),
    ]
    assert found.skipped == 2
    assert list(found.case_disagreements.values()) == [(1, 2), (1, 1), (1, 2)]
    assert found.total.reasons == {
        Reason.VALID_ALTERNATIVE: 1,
        Reason.INCORRECT_EQUIVALENCE: 1,
        Reason.IMPERSONAL: 0,
        Reason.OTHER: 1,
    }
    assert found.total.rate == pytest.approx(0.6)


def test_the_human_score_is_the_share_judged_correct_of_all(items: Path, tmp_path: Path) -> None:
    joined = join(read_judgements(judgements(tmp_path)), read_cases(items))
    assert dict(correct_share(joined).values) == {"a": 2 / 6, "b": 0.0}


def test_json_lines_with_ids_say_the_same(items: Path, tmp_path: Path) -> None:
    lines = [
        f'{{"system": "a", "id": "{place}", "judgement": "{answer}"}}\n'
        for place, answer in (("0:0", "correct"), ("2:3", "incorrect"))
    ]
    read = read_judgements(judgements(tmp_path, "".join(lines), "j.jsonl"))
    with pytest.warns(InputWarning, match="5 of 7 items have no judgement"):
        found = compare_cases(join(read, read_cases(items)))
    assert (found.total.disagreements, found.total.examples) == (1, 2)


def test_a_reason_without_disagreement_is_named_and_not_counted(items: Path, tmp_path: Path) -> None:
    content = JUDGEMENTS.replace("correct\tanaphoric\t\n", "correct\tanaphoric\tV\n", 1)
    joined = join(read_judgements(judgements(tmp_path, content)), read_cases(items))
    with pytest.warns(InputWarning, match="1 judgements have a reason but no disagreement"):
        found = compare_cases(joined)
    assert found.total.reasons[Reason.VALID_ALTERNATIVE] == 1


def test_ratings_have_a_column_for_each_annotator(tmp_path: Path) -> None:
    content = (
        "system\tid\tjudgement\tannotator\n"
        "a\t1\tcorrect\tann\na\t1\tbad\tbob\na\t2\tincorrect\tbob\nb\t1\tcorrect\tann\n"
    )
    assert ratings(read_judgements(judgements(tmp_path, content))) == (
        ("correct", "bad"),
        (None, "incorrect"),
        ("correct", None),
    )


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("system\tid\tjudgement\na\t1\tgood\n", InputError, "judgement: unknown value: good"),
        ("system\tid\tjudgement\treason\na\t1\tcorrect\tX\n", InputError, "reason: unknown value: X"),
        ("system\tid\tjudgement\na\t1\tbad\na\t1\tbad\n", InputError, "1 of a is judged twice"),
        ("system\tjudgement\na\tbad\n", InputError, "segment: missing"),
        ("system\tid\tjudgement\tmood\na\t1\tbad\tsad\n", InputError, "mood: unknown column"),
    ],
)
def test_broken_judgements_are_refused(
    tmp_path: Path, content: str, error: type[UserError], words: str
) -> None:
    with pytest.raises(error, match=words):
        read_judgements(judgements(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "error", "words"),
    [
        ("system\tid\toutcome\na\t1\tright\n", InputError, "outcome: unknown value: right"),
        ("system\tid\toutcome\na\t1\tdifferent\na\t1\tdifferent\n", InputError, "two rows"),
    ],
)
def test_broken_items_are_refused(tmp_path: Path, content: str, error: type[UserError], words: str) -> None:
    with pytest.raises(error, match=words):
        read_cases(judgements(tmp_path, content))


def test_a_judgement_without_its_item_is_refused(items: Path, tmp_path: Path) -> None:
    read = read_judgements(judgements(tmp_path, "system\tid\tjudgement\nz\t0:0\tcorrect\n"))
    with pytest.raises(MismatchError, match="the first is 0:0 of z"):
        join(read, read_cases(items))


IDENTICAL, EQUIVALENT, DIFFERENT = Outcome.IDENTICAL, Outcome.EQUIVALENT, Outcome.DIFFERENT


def judged(
    outcome: Outcome, answer: Judgement, times: float, category: str | None = None
) -> Iterator[JudgedCase]:
    for _ in range(int(times)):
        yield JudgedCase(JudgedPronoun("s", "1", answer, category, None, ""), ScoredCase(outcome, None, None))


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
        yield from judged(outcome, Judgement.CORRECT, right, row[0])
        yield from judged(outcome, Judgement.INCORRECT, total - right, row[0])


def test_table_3_of_2018_comes_back() -> None:
    table = published_table("guillou-hardmeier-2018-table-3")
    found = compare_cases([one for row in table.rows[:-1] for one in category_judgements(row)])
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
        for answer, count in zip(Judgement, counts_of(row), strict=True)
        for one in judged(outcome, answer, count)
    ]
    found = compare_cases(made)
    for row, printed in zip(found.by_case, table.rows, strict=False):
        shares = [str(round(100 * (row.share(answer) or 0))) for answer in Judgement]
        assert (*shares, str(row.total)) == printed[1:]
    total = sum(row.total for row in found.by_case)
    sums = [sum(row.counts[answer] for row in found.by_case) for answer in Judgement]
    assert [round(100 * n / total) for n in sums] == [47, 43, 10]
    assert total == 1498


@pytest.mark.parametrize(("judged", "note"), [(1, "1 of 2 items have no judgement"), (2, None)])
def test_a_single_item_without_judgement_is_noted(judged: int, note: str | None) -> None:
    cases = {("a", f"0:{i}"): ScoredCase(Outcome.IDENTICAL, "il", "il") for i in range(2)}
    given = [JudgedPronoun("a", f"0:{i}", Judgement.CORRECT, None, None, "") for i in range(judged)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert len(join(given, cases)) == judged
    assert [str(one.message) for one in caught] == ([] if note is None else [note])
