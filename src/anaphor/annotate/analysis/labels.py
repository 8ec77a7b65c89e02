"""Answers as the judgements that `anaphor meta` reads."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import read_campaign, system_names
from anaphor.annotate.judging.adjudication import last_decisions
from anaphor.annotate.labels import judgement
from anaphor.annotate.store import schema
from anaphor.annotate.types import Mode, read_targets
from anaphor.core import OptionError
from anaphor.meta.judgements import JudgedPronoun, Judgement

ADJUDICATED = "adjudicated"
"""The annotator's name of a lead's decision in exported judgements."""

_TASKS = {Mode.JUDGE: "judge", Mode.GAPS: "fill gaps", Mode.COMPARE: "compare"}
_ROWS_AT_ONCE = 2000


def judged_rows(connection: Connection, *, final: bool = False) -> Iterator[JudgedPronoun]:
    """Every judgement of every annotator; with `final`, decisions of leads in place of what they decide."""
    require_mode(connection, Mode.JUDGE)
    decided = last_decisions(connection) if final else {}
    names = system_names(connection)
    given, unit, item, who = schema.assignments, schema.units, schema.items, schema.people
    query = (
        select(given.c.unit, given.c.overall_label, given.c.category)
        .add_columns(unit.c.targets, item.c.pronoun_key, who.c.name)
        .select_from(given.join(unit).join(item).join(who))
        .where(unit.c.expected.is_(None), given.c.overall_label.is_not(None))
        .order_by(item.c.place, unit.c.id, who.c.name)
    )
    # The answers to a unit are neighbours, and reading its targets costs more than they do.
    system_of = lru_cache(maxsize=64)(lambda targets: names[read_targets(targets)[0].system])
    waiting: dict[str, JudgedPronoun] = {}
    for row in connection.execute(query.execution_options(yield_per=_ROWS_AT_ONCE)):
        decision = decided.get(row.unit)
        found = row.overall_label if decision is None else judgement(decision.answer)
        if found is None or row.unit in waiting:
            continue
        system = system_of(row.targets)
        by = row.name if decision is None else ADJUDICATED
        one = JudgedPronoun(system, row.pronoun_key, Judgement(found), row.category, None, by)
        if decision is None:
            yield one
        else:
            waiting[row.unit] = one
    yield from waiting.values()


def require_mode(connection: Connection, mode: Mode) -> None:
    """Refuse a campaign of another mode."""
    found = read_campaign(connection).mode
    if found is not mode:
        what = f"the campaign asks annotators to {_TASKS[found]}, not to {_TASKS[mode]}"
        raise OptionError(what, where="the campaign", fix="choose a format that fits, such as jsonl")
