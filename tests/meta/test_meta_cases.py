"""Judgements, items and the tables that come of them, counted by hand.

Six pronouns of system a and one of b. Compared are 0:0 to 3:0 of a: cases 1, 1, 2, 3; people say correct,
incorrect, incorrect, correct. So three of four disagree.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, MismatchError, Outcome, UserError
from anaphor.meta.cases import confront, correct_share
from anaphor.meta.judgements import Answer, Reason, join, ratings, read_cases, read_judgements

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
    found = confront(join(read_judgements(judgements(tmp_path)), read_cases(items)))
    rows = {row.outcome: tuple(row.answers[answer] for answer in Answer) for row in found.by_case}
    assert rows == {
        Outcome.IDENTICAL: (1, 1, 0),
        Outcome.EQUIVALENT: (0, 1, 0),
        Outcome.DIFFERENT: (1, 1, 1),
        Outcome.CANDIDATE_MISSING: (0, 1, 0),
        Outcome.REFERENCE_MISSING: (0, 0, 0),
        Outcome.BOTH_MISSING: (0, 0, 0),
    }
    assert found.by_case[0].share(Answer.CORRECT) == 0.5
    assert found.by_case[5].share(Answer.CORRECT) is None


def test_disagreement_by_category_case_and_reason(items: Path, tmp_path: Path) -> None:
    found = confront(join(read_judgements(judgements(tmp_path)), read_cases(items)))
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
        found = confront(join(read, read_cases(items)))
    assert (found.total.disagreements, found.total.examples) == (1, 2)


def test_a_reason_without_disagreement_is_named_and_not_counted(items: Path, tmp_path: Path) -> None:
    content = JUDGEMENTS.replace("correct\tanaphoric\t\n", "correct\tanaphoric\tV\n", 1)
    joined = join(read_judgements(judgements(tmp_path, content)), read_cases(items))
    with pytest.warns(InputWarning, match="1 judgements have a reason although nothing disagrees"):
        found = confront(joined)
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
