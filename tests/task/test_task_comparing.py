"""Our scores beside published ones, and the sentences that keep them apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anaphor.core import LanguagePair
from anaphor.task import task_classes
from anaphor.task.published import (
    PublishedSystem,
    comparability_notes,
    published_results,
    rank_with_published,
)
from anaphor.task.scoring import TaskScore

EN_DE = LanguagePair("en", "de")
TABLE = published_results(EN_DE, year=2017)


def score_of(*diagonal: int, average: str = "present") -> TaskScore:
    """A score with every prediction right."""
    classes = task_classes(EN_DE).classes
    rows = tuple(
        tuple(count if i == j else 0 for j in range(len(classes))) for i, count in enumerate(diagonal)
    )
    return TaskScore(classes, rows, average)


def test_all_systems_stand_in_one_ranking() -> None:
    rows = rank_with_published({"mine": score_of(1, 1, 1, 0, 1)}, TABLE).systems
    assert (rows[0].name, rows[0].ours, rows[0].macro_recall, rows[0].accuracy) == ("mine", True, 1.0, 1.0)
    assert [row.name for row in rows[1:]] == [system.name for system in TABLE.systems]
    assert not any(row.ours for row in rows[1:])


def test_among_equals_the_published_system_comes_first() -> None:
    perfect = PublishedSystem("theirs", 1, 1, 1.0, 1.0, None)
    table = replace(TABLE, systems=(perfect,))
    rows = rank_with_published({"mine": score_of(1, 1, 1, 0, 1), "also": score_of(2, 1, 1, 0, 1)}, table)
    assert [row.name for row in rows.systems] == ["theirs", "mine", "also"]


@pytest.mark.parametrize(
    ("score", "year", "expected"),
    [
        (score_of(8, 62, 52, 0, 62), 2017, "has the class frequencies of the test set of en-de 2017"),
        (
            score_of(8, 62, 52, 1, 62),
            2017,
            "is not the test set of en-de 2017: 185 placeholders here, 184 there",
        ),
        (
            score_of(1, 0, 0, 0, 1),
            2016,
            "2 placeholders here; the class frequencies of the test set of en-de 2016",
        ),
    ],
    ids=["same counts", "other counts", "counts not published"],
)
def test_the_data_are_compared_and_preparation_is_always_named(
    score: TaskScore, year: int, expected: str
) -> None:
    data, preparation = comparability_notes(score, published_results(EN_DE, year=year))
    assert expected in data
    assert preparation.startswith("Preparation: ")


def test_another_average_is_named() -> None:
    assert comparability_notes(score_of(1, 1, 1, 0, 1, average="all"), TABLE)[-1].startswith("Average: ")
