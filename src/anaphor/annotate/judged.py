"""Answers as judgements of `anaphor.meta`: what its tables, its agreement and the estimate are made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from anaphor.annotate.adjudicate import Decision, last_decisions
from anaphor.annotate.campaign import campaign_facts
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.labels import judgement
from anaphor.annotate.nouns import Answer, Mode
from anaphor.core import OptionError
from anaphor.meta.judgements import Judged

ADJUDICATED = "adjudicated"
"""Who is named as the annotator of a decision."""


def judged_rows(connection: Connection) -> tuple[Judged, ...]:
    """Every judgement of every annotator, as they gave it."""
    require_mode(connection, Mode.JUDGE)
    return tuple(_judged(gather(connection)))


def final_rows(connection: Connection) -> tuple[Judged, ...]:
    """The judgements that count: the decision where there is one, else what the annotators said."""
    require_mode(connection, Mode.JUDGE)
    decided = last_decisions(connection)
    rows = gather(connection)
    kept = _judged(row for row in rows if row.unit not in decided)
    return (*kept, *_decided(rows, decided))


def require_mode(connection: Connection, mode: Mode) -> None:
    """Refuse a campaign that asks for something else."""
    found = campaign_facts(connection).mode
    if found is not mode:
        raise OptionError(
            f"the campaign asks people to {_TOLD[found]}, not to {_TOLD[mode]}",
            where="the campaign",
            fix="choose a format that fits, such as answers.jsonl",
        )


_TOLD = {Mode.JUDGE: "judge", Mode.GAPS: "fill gaps", Mode.COMPARE: "compare"}


def _judged(rows: Iterable[Gathered]) -> Iterator[Judged]:
    for row in rows:
        yield from _one(row, row.answer, row.person)


def _decided(rows: Iterable[Gathered], decided: dict[str, Decision]) -> Iterator[Judged]:
    for row in {row.unit: row for row in rows if row.unit in decided}.values():
        yield from _one(row, decided[row.unit].answer, ADJUDICATED)


def _one(row: Gathered, answer: Answer, by: str) -> Iterator[Judged]:
    found = judgement(answer)
    if found is not None:
        yield Judged(row.systems[0], row.key, found, row.category, None, by)
