"""Gap filling, counted by hand.

id  candidate  choices    right
1   il         il,ce      yes
2   C'         ce         yes, c' is ce
3   ils        elles      no
4   cela       ça         yes, one choice
5   leur       other      yes, it is other
6   le         il         no, it is other
7   il         bad        no
8   elle       other      no
"""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError, OptionError
from anaphor.meta import GapScores, read_gaps, score_gaps
from anaphor.meta.gaps import gap_columns

ROWS = [
    ("1", "il", "il,ce"),
    ("2", "C'", "ce"),
    ("3", "ils", "elles"),
    ("4", "cela", "ça"),
    ("5", "leur", "other"),
    ("6", "le", "il"),
    ("7", "il", "bad"),
    ("8", "elle", "other"),
]


def write(folder: Path, rows: list[tuple[str, str, str]]) -> Path:
    path = folder / "gaps.tsv"
    lines = ["system\tid\tcandidate\tchoices", *("s\t" + "\t".join(row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def scores(folder: Path, *, bad: str = "wrong") -> GapScores:
    (found,) = score_gaps(read_gaps(write(folder, ROWS)), bad=bad)
    return found


def test_accuracy_with_and_without_other(tmp_path: Path) -> None:
    found = scores(tmp_path)
    assert (found.with_other.hits, found.with_other.total) == (4, 8)
    # 5 and 6 have the candidate other, 8 the choice other alone: 1, 2, 3, 4, 7 are left.
    assert (found.without_other.hits, found.without_other.total) == (3, 5)


def test_bad_translations_can_be_left_out(tmp_path: Path) -> None:
    found = scores(tmp_path, bad="skip")
    assert (found.items, found.bad, found.with_other.total, found.without_other.total) == (8, 1, 7, 4)


@pytest.mark.parametrize(
    ("pronoun", "precision", "recall"),
    [
        ("il", (1, 2), (1, 2)),  # written in 1 and 7, accepted in 1 and 6
        ("elle", (0, 1), (0, 0)),
        ("ils", (0, 1), (0, 0)),
        ("elles", (0, 0), (0, 1)),
        ("ce", (1, 1), (2, 2)),  # lenient: il fills the gap 1, for which ce was accepted too
        ("on", (0, 0), (0, 0)),
        ("ça/cela", (1, 1), (1, 1)),
        ("other", (1, 2), (1, 2)),
    ],
)
def test_precision_and_lenient_recall(
    tmp_path: Path, pronoun: str, precision: tuple[int, int], recall: tuple[int, int]
) -> None:
    (found,) = (score for score in scores(tmp_path).pronouns if score.pronoun == pronoun)
    assert (found.precision.hits, found.precision.total) == precision
    assert (found.recall.hits, found.recall.total) == recall


def test_micro_averages_add_up_the_pronouns_without_other(tmp_path: Path) -> None:
    micro = scores(tmp_path).micro
    assert (micro.precision.hits, micro.precision.total) == (3, 6)
    assert (micro.recall.hits, micro.recall.total) == (4, 6)
    assert micro.f == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))


def test_what_is_undefined_is_none(tmp_path: Path) -> None:
    by_name = {score.pronoun: score for score in scores(tmp_path).pronouns}
    assert (by_name["on"].precision.value, by_name["elles"].f) == (None, None)


def test_measures_of_systems_become_human_scores(tmp_path: Path) -> None:
    columns = {column.name: dict(column.values) for column in gap_columns([scores(tmp_path)])}
    assert columns["accuracy-with-other"] == {"s": 0.5}
    assert columns["micro-precision"] == {"s": 0.5}
    only_other = score_gaps(read_gaps(write(tmp_path, [("1", "le", "other")])))
    assert dict(gap_columns(only_other)[1].values) == {}


def test_json_lists_and_spellings_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "gaps.jsonl"
    path.write_text(
        '{"system": "s", "id": "1", "candidate": "ÇA", "choices": ["Cela", "il"]}\n'
        '{"system": "s", "id": "2", "candidate": "-", "choices": ["bad translation"]}\n',
        encoding="utf-8",
    )
    first, second = read_gaps(path)
    assert (first.candidate, first.right) == ("ça/cela", True)
    assert (second.candidate, sorted(second.choices)) == ("other", ["bad"])


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("1", "il", "lui")], "unknown choice 'lui'"),
        ([("1", "il", "il,bad")], "bad is combined with other choices"),
        ([("1", "il", "il,,ce")], "unknown choice ''"),
        ([("1", "il", "")], "choices"),
        ([("1", "", "il")], "candidate"),
        ([("1", "il", "il"), ("1", "ce", "il")], "two rows"),
    ],
)
def test_broken_answers_are_refused(tmp_path: Path, rows: list[tuple[str, str, str]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_gaps(write(tmp_path, rows))


def test_an_unknown_treatment_of_bad_is_refused() -> None:
    with pytest.raises(OptionError, match="unknown value: drop"):
        score_gaps([], bad="drop")


def test_other_among_several_choices_is_not_other_alone(tmp_path: Path) -> None:
    """An annotator who allows *il* as well stayed within the list."""
    rows = [("1", "il", "il,other"), ("2", "elle", "il,other"), ("3", "il", "other")]
    (found,) = score_gaps(read_gaps(write(tmp_path, rows)))
    assert (found.without_other.hits, found.without_other.total) == (1, 2)
    assert (found.with_other.hits, found.with_other.total) == (1, 3)
