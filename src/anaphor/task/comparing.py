"""Our scores beside the published ones, and what keeps them apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anaphor.task.published import PublishedTable
from anaphor.task.scoring import TaskScore


@dataclass(frozen=True, slots=True)
class Beside:
    """One row of a common ranking: a published system, or one of ours."""

    name: str
    ours: bool
    macro_recall: float
    accuracy: float


def beside_published(scores: Mapping[str, TaskScore], table: PublishedTable) -> tuple[Beside, ...]:
    """All systems by macro-averaged recall, the best first; among equals the published ones come first."""
    theirs = [Beside(row.name, False, row.macro_recall, row.accuracy) for row in table.systems]
    ours = [
        Beside(name, True, score.value("macro-recall"), score.value("accuracy"))
        for name, score in scores.items()
    ]
    return tuple(sorted([*theirs, *ours], key=lambda row: (-row.macro_recall, row.ours)))


def differences(score: TaskScore, table: PublishedTable) -> tuple[str, ...]:
    """What a reader must know before comparing: sentences on data, preparation and average, never none."""
    return (_data_difference(score, table), _PREPARATION, *_average_difference(score))


_PREPARATION = (
    "Preparation: the published systems saw data that was tokenised, aligned, tagged and filtered by the "
    "organisers; data prepared by other tools hides other words and shows other neighbours."
)


def _data_difference(score: TaskScore, table: PublishedTable) -> str:
    test_set = f"the test set of {table.pair} {table.year}"
    if table.instances is None:
        return (
            f"Data: {score.slots} placeholders here; how often {test_set} has each class was not published."
        )
    here = {entry.label: entry.gold for entry in score.by_class() if entry.gold}
    if here == dict(table.instances):
        return f"Data: the gold file has each class as often as {test_set}; it may still be another text."
    there = sum(table.instances.values())
    return f"Data: the gold file is not {test_set}: {score.slots} placeholders here, {there} there."


def _average_difference(score: TaskScore) -> tuple[str, ...]:
    if score.average == "present":
        return ()
    return ("Average: over all classes here, over the classes present in the gold file there.",)
