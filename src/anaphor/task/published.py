"""The results that the shared tasks of 2016 and 2017 published, as data.

`published_data/results.tsv` has every row of Tables 6-9 of wmt16-findings and of Tables 5-8 of
discomt17-findings, `instances.tsv` and `recalls.tsv` have Tables 9-12 of the latter: figures in percent, as
printed. A team has one spelling, and a baseline is called after its NONE penalty, as in 2016.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO

from anaphor.core import LanguagePair, OptionError
from anaphor.task.scoring import TaskScore

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """One row, with scores from 0 to 1.

    `rank` and `accuracy_rank` count primary submissions and are None for the others. `recalls` has the
    recall of every class that occurs in the test set; None where no table has it.
    """

    name: str
    rank: int | None
    accuracy_rank: int | None
    macro_recall: float
    accuracy: float
    recalls: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class PublishedResults:
    """The results of one sub-task in one year, in the order of the paper; `source` names the paper's tables.

    `instances` counts the classes of the test set; None where no table has it.
    """

    pair: LanguagePair
    year: int
    source: str
    systems: tuple[PublishedSystem, ...]
    instances: Mapping[str, int] | None


def published_results(pair: LanguagePair, *, year: int) -> PublishedResults:
    """The published results of a pair and a year."""
    rows = _of(_read("results"), pair, year)
    if not rows:
        raise OptionError(
            f"no published results of {pair} {year} are stored",
            where="--pair, --year",
            fix=f"choose one of {', '.join(f'{name} {when}' for name, when in published_tasks())}",
        )
    instances = _of(_read("instances"), pair, year)
    recalls = _of(_read("recalls"), pair, year)
    return PublishedResults(
        pair=pair,
        year=year,
        source=" and ".join(_sources([*rows, *instances])),
        systems=tuple(_system(row, recalls) for row in rows),
        instances={row["class"]: int(row["instances"]) for row in instances} or None,
    )


def published_tasks() -> tuple[tuple[str, int], ...]:
    """Every pair and year that has results, in the order of the papers."""
    return tuple(dict.fromkeys((row["pair"], int(row["year"])) for row in _read("results")))


def _read(name: str) -> list[Row]:
    text = (files("anaphor.task") / "published_data" / f"{name}.tsv").read_text(encoding="utf-8")
    return list(csv.DictReader(StringIO(text), delimiter="\t"))


def _of(rows: Iterable[Row], pair: LanguagePair, year: int) -> list[Row]:
    return [row for row in rows if row["pair"] == str(pair) and row["year"] == str(year)]


def _sources(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row["source"] for row in rows))


def _system(row: Row, recalls: Iterable[Row]) -> PublishedSystem:
    own = {entry["class"]: _share(entry["recall"]) for entry in recalls if entry["system"] == row["system"]}
    return PublishedSystem(
        name=row["system"],
        rank=_rank(row["rank"]),
        accuracy_rank=_rank(row["accuracy_rank"]),
        macro_recall=_share(row["macro_recall"]),
        accuracy=_share(row["accuracy"]),
        recalls=own or None,
    )


def _rank(text: str) -> int | None:
    return int(text) if text else None


def _share(percent: str) -> float:
    # Rounded, so that percent and back gives the printed figure again.
    return round(float(percent) / 100, 6)


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """One row of a common ranking: a published system, or one of ours."""

    name: str
    ours: bool
    macro_recall: float
    accuracy: float


def rank_with_published(scores: Mapping[str, TaskScore], table: PublishedResults) -> tuple[RankedSystem, ...]:
    """All systems by macro-averaged recall, the best first; among equals the published ones come first."""
    theirs = [RankedSystem(row.name, False, row.macro_recall, row.accuracy) for row in table.systems]
    ours = [
        RankedSystem(name, True, score.value("macro-recall"), score.value("accuracy"))
        for name, score in scores.items()
    ]
    return tuple(sorted([*theirs, *ours], key=lambda row: (-row.macro_recall, row.ours)))


def comparability_notes(score: TaskScore, table: PublishedResults) -> tuple[str, ...]:
    """What a reader must know before comparing: sentences on data, preparation and average, never none."""
    return (_data_difference(score, table), _PREPARATION, *_average_difference(score))


_PREPARATION = (
    "Preparation: the published systems saw data that was tokenised, aligned, tagged and filtered by the "
    "organisers; data prepared by other tools hides other words and shows other neighbours."
)


def _data_difference(score: TaskScore, table: PublishedResults) -> str:
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
