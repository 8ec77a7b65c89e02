"""The results that the shared tasks of 2016 and 2017 published, as data, and other scores ranked among them.

`published_data/results.tsv` has every row of Tables 6-9 of wmt16-findings and of Tables 5-8 of
discomt17-findings, `instances.tsv` and `recalls.tsv` have Tables 9-12 of the latter: figures in percent, as
printed. A team has one spelling, and a baseline is called after its NONE penalty, as in 2016.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from anaphor.core import LanguagePair, OptionError
from anaphor.core.records import Row
from anaphor.core.table import Block, Styled, Table, percent, text
from anaphor.task.scoring import TaskScore

_PREPARATION = (
    "Preparation: the published systems saw data that was tokenized, aligned, tagged and filtered by the "
    "organizers; data prepared by other tools hides different words and shows different neighbours."
)
_AVERAGE = "Average: over all classes here, over the classes present in the gold file there."


@dataclass(frozen=True, slots=True)
class PublishedSystem:
    """One row, with scores from 0 to 1.

    `rank` and `accuracy_rank` count primary submissions and are None for the others. `recalls` has the
    recall of every class that occurs in the test set; None if it was not published.
    """

    name: str
    rank: int | None
    accuracy_rank: int | None
    macro_recall: float
    accuracy: float
    recalls: Mapping[str, float] | None


@dataclass(frozen=True, slots=True)
class PublishedResults:
    """The results of one sub-task in one year, in the order of the paper; `source` is the paper's table.

    `instances` counts the classes of the test set; None if they were not published.
    """

    pair: LanguagePair
    year: int
    source: str
    systems: tuple[PublishedSystem, ...]
    instances: Mapping[str, int] | None

    @property
    def heading(self) -> str:
        return f"{self.pair} {self.year}, published in {self.source}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "pair": str(self.pair),
            "year": self.year,
            "source": self.source,
            "instances": self.instances,
            "systems": list(self.systems),
        }

    def tables(self) -> list[Block]:
        rows: list[tuple[object, ...]] = []
        if self.instances:
            rows.append(("placeholders", "", "", "", *map(str, self.instances.values())))
        for system in self.systems:
            rank = "" if system.rank is None else str(system.rank)
            rows.append(
                (system.name, rank, system.macro_recall, system.accuracy, *(system.recalls or {}).values())
            )
        shares = ("macro-recall", "accuracy", *(self.instances or {}))
        columns = (text("system"), text("rank"), *(percent(share, 2) for share in shares))
        classes = "; class columns are recalls" if self.instances else ""
        note = f"rank: of primary submissions by macro-recall{classes}"
        return [self.heading, Table(columns, rows), note]


def published_results(pair: LanguagePair, *, year: int) -> PublishedResults:
    """The published results of a pair and a year."""
    results, instances, recalls = (
        [row for row in _read(name) if (row.text("pair"), row.integer("year")) == (str(pair), year)]
        for name in ("results", "instances", "recalls")
    )
    if not results:
        raise OptionError(
            f"no published results of {pair} {year} are stored",
            where="--pair, --year",
            fix=f"choose one of {', '.join(f'{name} {when}' for name, when in published_tasks())}",
        )
    systems = []
    for row in results:
        own = {
            recall.text("class"): _share(recall, "recall")
            for recall in recalls
            if recall.text("system") == row.text("system")
        }
        systems.append(
            PublishedSystem(
                name=row.text("system"),
                rank=row.integer("rank") if "rank" in row else None,
                accuracy_rank=row.integer("accuracy_rank") if "accuracy_rank" in row else None,
                macro_recall=_share(row, "macro_recall"),
                accuracy=_share(row, "accuracy"),
                recalls=own or None,
            )
        )
    return PublishedResults(
        pair=pair,
        year=year,
        source=" and ".join(dict.fromkeys(row.text("source") for row in [*results, *instances])),
        systems=tuple(systems),
        instances={row.text("class"): row.integer("instances") for row in instances} or None,
    )


def published_tasks() -> tuple[tuple[str, int], ...]:
    """Every pair and year that has results, in the order of the papers."""
    return tuple(dict.fromkeys((row.text("pair"), row.integer("year")) for row in _read("results")))


@cache  # every recipe asks which systems there were
def _read(name: str) -> tuple[Row, ...]:
    path = f"{name}.tsv"
    content = (files("anaphor.task") / "published_data" / path).read_text(encoding="utf-8")
    return tuple(Row.from_tsv(content.splitlines(), path=path))


def _share(row: Row, column: str) -> float:
    # Rounded, so that percent and back gives the printed figure again.
    return round(row.number(column) / 100, 6)


@dataclass(frozen=True, slots=True)
class RankedSystem:
    """One row of a common ranking: a published system, or one of ours."""

    name: str
    ours: bool
    macro_recall: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class PublishedRanking:
    """Our systems ranked among the published ones; `notes` explain why scores are not fully comparable."""

    published: PublishedResults
    systems: tuple[RankedSystem, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "pair": str(self.published.pair),
            "year": self.published.year,
            "source": self.published.source,
            "systems": list(self.systems),
            "differences": list(self.notes),
        }

    def tables(self) -> list[Block]:
        rows = [
            (row.name, Styled("ours", "mark") if row.ours else "published", row.macro_recall, row.accuracy)
            for row in self.systems
        ]
        columns = (text("system"), text(""), percent("macro-recall", 2), percent("accuracy", 2))
        notes = "\n".join(["Differing conditions:", *self.notes])
        return [self.published.heading, Table(columns, rows), notes]


def rank_with_published(scores: Mapping[str, TaskScore], published: PublishedResults) -> PublishedRanking:
    """All systems by macro-averaged recall, best first; ties list published ones first."""
    theirs = [RankedSystem(row.name, False, row.macro_recall, row.accuracy) for row in published.systems]
    ours = [
        RankedSystem(name, True, score.value("macro-recall"), score.value("accuracy"))
        for name, score in scores.items()
    ]
    ranked = sorted([*theirs, *ours], key=lambda row: (-row.macro_recall, row.ours))
    notes = comparability_notes(next(iter(scores.values())), published)
    return PublishedRanking(published, tuple(ranked), notes)


def comparability_notes(score: TaskScore, published: PublishedResults) -> tuple[str, ...]:
    """Caveats for comparing with published scores: differences in data, preparation and averaging."""
    test_set = f"the test set of {published.pair} {published.year}"
    data = f"Data: {score.slots} placeholders here; the class frequencies of {test_set} were not published."
    if published.instances is not None:
        here = {entry.label: entry.gold for entry in score.by_class() if entry.gold}
        there = sum(published.instances.values())
        data = f"Data: the gold file is not {test_set}: {score.slots} placeholders here, {there} there."
        if here == dict(published.instances):
            data = (
                f"Data: the gold file has the class frequencies of {test_set}; "
                "it may still be a different text."
            )
    return (data, _PREPARATION, *([] if score.average == "present" else [_AVERAGE]))
