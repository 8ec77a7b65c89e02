"""Assignment of work: every category and system is divided evenly, and a share of it goes to several people.

The part of each category and system that several people answer serves to measure agreement (called IAA in
PROTEST); the rest is answered by one person. All systems of an item are consecutive, so its context is read
once. Items come in a different order for every person, and so do the systems within an item.
"""

from __future__ import annotations

import hmac
import json
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.campaign.people import (
    JOINED,
    Person,
    insert_link,
    insert_person,
    study_is_open,
    study_joined,
)
from anaphor.annotate.campaign.pool import PoolUnit
from anaphor.annotate.labels import Labels
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import COMMAND_LINE, fresh_id, note
from anaphor.annotate.store.database import ROWS_AT_ONCE, insert_many, reading, to_row
from anaphor.annotate.types import Campaign, PersonRole, Status, read_targets
from anaphor.core import OptionError, UnknownNameError

SHARES = ("open", "overlap", "all", "none")
"""What a new annotator is asked: what nobody has answered yet (as much as others have), what several answer,
everything, or nothing. In a campaign without overlap open work is taken over from others, not asked twice."""

#: Open assignments that everybody keeps when a newcomer takes work over: a browser may hold the next ones.
_KEPT_OPEN = 6

#: The id of a person on a crowd platform.
_PARTICIPANT = re.compile(r"[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadConfig:
    """How work is divided. `raters` is the number of people who answer the shared part.

    Its default is min(3, number of annotators).
    """

    overlap: float = 0.2
    raters: int | None = None
    batch_size: int = 50
    seed: int = 12345


@dataclass(frozen=True, slots=True)
class PlannedAssignment:
    """One assignment, before it is written. `shown` are the systems in slot order."""

    unit: str
    category: str
    batch: int
    place: int
    shown: tuple[str, ...]
    overlap: bool

    def row(self, person: str) -> dict[str, Any]:
        """The assignment as a database row."""
        shown, status = json.dumps(self.shown), Status.NEW.value
        derived = {"id": fresh_id(), "person": person, "shown": shown, "status": status}
        return to_row(schema.assignments, self, **derived, **Labels().columns())


def assign(
    units: Sequence[PoolUnit],
    names: Sequence[str],
    workload: WorkloadConfig,
    *,
    attention: Sequence[PoolUnit] = (),
    practice: Sequence[PoolUnit] = (),
) -> dict[str, list[PlannedAssignment]]:
    """The assignments of every person in order; everyone gets all attention items, and practice first.

    The same input and seed give the same result.
    """
    _check(names, workload)
    work: dict[str, list[tuple[PoolUnit, bool]]] = {name: [] for name in names}
    draw = random.Random(f"units {workload.seed}")  # noqa: S311 - a draw that can be repeated
    raters = min(3 if workload.raters is None else workload.raters, len(names))
    turn = cycle(names)  # goes on from stratum to stratum, so that nobody always gets the remainder
    strata: dict[tuple[str, ...], list[PoolUnit]] = {}
    for unit in units:
        strata.setdefault(unit.stratum, []).append(unit)
    for part in strata.values():
        shared = 0
        if workload.overlap and raters > 1:
            shared = max(1, round(workload.overlap * len(part)))  # at least one, as in PROTEST
        for number, unit in enumerate(draw.sample(part, len(part))):
            people = list(islice(turn, raters if number < shared else 1))
            for name in people:
                work[name].append((unit, len(people) > 1))
    for name in names:
        work[name] += [(unit, False) for unit in attention]
    return {name: _ordered(name, own, workload, practice) for name, own in work.items()}


def _ordered(
    name: str,
    work: Sequence[tuple[PoolUnit, bool]],
    workload: WorkloadConfig,
    practice: Sequence[PoolUnit],
) -> list[PlannedAssignment]:
    draw = random.Random(f"order {workload.seed} {name}")  # noqa: S311 - a draw that can be repeated
    items: dict[tuple[str, bool], list[tuple[PoolUnit, bool]]] = {}
    for unit, overlap in work:
        # An attention item stands alone: next to the item that it is made from it would give itself away.
        items.setdefault((unit.item.id, unit.expected is not None), []).append((unit, overlap))
    groups = draw.sample(list(items.values()), len(items))
    ordered = [unit for group in groups for unit in draw.sample(group, len(group))]
    planned = []
    for place, (unit, overlap) in enumerate([*((unit, False) for unit in practice), *ordered]):
        systems = [target.system for target in unit.targets]
        shown, batch = tuple(draw.sample(systems, len(systems))), place // workload.batch_size + 1
        planned.append(PlannedAssignment(unit.id, unit.item.category, batch, place + 1, shown, overlap))
    return planned


def _check(names: Sequence[str], workload: WorkloadConfig) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    what = f"duplicate annotators: {', '.join(twice)}" if twice else "no annotators"
    overlap, raters, size, seed = workload.overlap, workload.raters, workload.batch_size, workload.seed
    share = f"overlap must be between 0 and 1, got {overlap}"
    rules = (
        (bool(names) and not twice, "--annotators", what, "give every annotator a different name"),
        (0 <= overlap <= 1, "--overlap", share, "use a share such as 0.2"),
        (size >= 1, "--batch-size", f"invalid batch size: {size}", "use 1 or more"),
        (raters is None or raters >= 2, "--raters", f"invalid number of raters: {raters}", "use 2 or more"),
        (seed >= 0, "--seed", f"invalid seed: {seed}", "use 0 or more"),
    )
    for holds, option, broken, fix in rules:
        if not holds:
            raise OptionError(broken, where=option, fix=fix)


def insert_rows(connection: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Insert many rows, a few thousand at a time."""
    left = iter(rows)
    while chunk := list(islice(left, ROWS_AT_ONCE)):
        insert_many(connection, table, chunk)


def add_annotator(store: Store, name: str, *, share: str = "open", by: str = COMMAND_LINE) -> Person:
    """Add an annotator with new assignments to a running campaign; existing assignments stay."""
    return add_annotators(store, [name], share=share, by=by)[0]


def add_annotators(
    store: Store, names: Sequence[str], *, share: str = "open", by: str = COMMAND_LINE
) -> tuple[Person, ...]:
    """The same for several annotators, all or none of them."""
    if share not in SHARES:
        raise UnknownNameError.among(share, SHARES, kind="share", where="--share")
    with store.write() as connection:
        campaign = read_campaign(connection)
        return tuple(_join(connection, campaign, name, share, by) for name in names)


def joining(source: Store | Connection, token: str) -> str:
    """The id of a person who may join through the shared link; empty if the token is wrong or no place is
    left.

    The token consists of the shared link's token, a colon, and the person's id on the crowd platform.
    """
    study, _, participant = token.partition(":")
    with reading(source) as connection:
        campaign = read_campaign(connection)
        right = hmac.compare_digest(study.encode("utf-8", "surrogatepass"), campaign.study_token.encode())
        if not study_is_open(connection) or not right or not _PARTICIPANT.fullmatch(participant):
            return ""
        known = connection.execute(select(schema.people.c.id).where(schema.people.c.name == participant))
        is_full = study_joined(connection) >= campaign.study_people
        return "" if is_full or known.first() is not None else participant


def join_study(store: Store, token: str, *, days: float = 30) -> None:
    """Add a person under that id; the token becomes a personal link for coming back."""
    with store.write() as connection:
        # One after the other, so that no two take the last place; SQLite has one writer anyway.
        connection.execute(select(schema.campaign.c.id).with_for_update())
        if name := joining(connection, token):
            person = _join(connection, read_campaign(connection), name, "open", JOINED)
            insert_link(connection, person.id, token, days=days)
            note(connection, actor=name, action=JOINED)


def _join(connection: Connection, campaign: Campaign, name: str, share: str, by: str) -> Person:
    person = insert_person(connection, name, PersonRole.ANNOTATOR)
    draw = random.Random(f"join {campaign.seed} {name}")  # noqa: S311 - a draw that can be repeated
    rows = []
    taken = _take_over(connection) if share == "open" and not campaign.overlap else None
    for place, unit in enumerate(_units_for_new(connection, share, draw, taken)):
        systems = [target.system for target in read_targets(unit.targets)]
        shown = tuple(draw.sample(systems, len(systems)))
        batch = place // campaign.batch_size + 1
        planned = PlannedAssignment(unit.id, unit.category, batch, place + 1, shown, overlap=True)
        rows.append(planned.row(person.id))
    insert_rows(connection, schema.assignments, rows)
    note(connection, actor=by, action="annotator added", detail={"name": person.name, "share": share})
    return person


def _take_over(connection: Connection) -> list[str]:
    """Take open assignments from those who have most of them, to give a newcomer an equal share.

    They come from the end of a list, where nothing has been opened yet, so items that people have seen keep
    their numbers. Attention items stay and move up. Returns the units.
    """
    unit, given, answer, talk = schema.units, schema.assignments, schema.answers, schema.messages
    touched = {
        key
        for table in (answer, talk, schema.conflicts)
        for (key,) in connection.execute(select(table.c.assignment))
    }
    query = select(given.c.id, given.c.unit, given.c.person, given.c.place, given.c.status, unit.c.expected)
    ends: dict[str, list[Any]] = {}
    for row in connection.execute(
        query.select_from(given.join(unit)).order_by(given.c.person, given.c.place)
    ):
        end = ends.setdefault(row.person, [])
        if row.status == Status.NEW.value and row.id not in touched:
            end.append(row)
        else:
            end.clear()
    left = {person: [row for row in end[_KEPT_OPEN:] if row.expected is None] for person, end in ends.items()}
    taken: list[Any] = []
    share = sum(row.expected is None for end in ends.values() for row in end) // (len(ends) + 1)
    while len(taken) < share and any(left.values()):
        most = max(left, key=lambda person: (len(left[person]), person))
        taken.append(left[most].pop())
    gone = {row.id for row in taken}
    for start in range(0, len(taken), ROWS_AT_ONCE):
        keys = [row.id for row in taken[start : start + ROWS_AT_ONCE]]
        connection.execute(delete(given).where(given.c.id.in_(bindparam("keys", keys, expanding=True))))
    for end in ends.values():
        kept = [row for row in end if row.id not in gone]
        for place, row in enumerate(kept, start=end[0].place if end else 0):
            if place != row.place:
                connection.execute(update(given).where(given.c.id == row.id).values(place=place))
    return [row.unit for row in taken]


def _units_for_new(
    connection: Connection, share: str, draw: random.Random, taken: Sequence[str] | None = None
) -> list[Any]:
    """The units that a new annotator gets: practice, then all others in random order.

    If `taken` is given, they are the units taken from others.
    """
    if share == "none":
        return []
    unit, given = schema.units, schema.assignments
    every = select(unit.c.id, unit.c.targets, unit.c.category).order_by(unit.c.id)
    real = every.where(unit.c.expected.is_(None))
    if share == "overlap":
        real = real.where(unit.c.id.in_(select(given.c.unit).where(given.c.overlap)))
    elif share == "open":
        answered = select(given.c.unit).where(given.c.status != Status.NEW.value)
        real = real.where(unit.c.id.not_in(answered))
    units = list(connection.execute(real))
    if taken is not None:
        wanted = set(taken)
        assigned = set(connection.execute(select(given.c.unit).distinct()).scalars())
        # Also what nobody has at all, such as the work of somebody who was removed.
        units = [row for row in units if row.id in wanted or row.id not in assigned]
        units = draw.sample(units, len(units))
    elif share == "open":
        query = select(func.count(), func.count(given.c.person.distinct()))
        total, people = connection.execute(query).one()
        # No more than the others have: a latecomer should be able to finish.
        average = round(total / people) if people else total
        units = draw.sample(units, min(len(units), average))
    known = every.where(unit.c.expected.is_not(None))
    work = [*units, *connection.execute(known.where(unit.c.feedback.is_(None)))]
    given_order = select(func.min(given.c.place)).where(given.c.unit == unit.c.id).scalar_subquery()
    practice = known.where(unit.c.feedback.is_not(None)).order_by(None).order_by(given_order, unit.c.id)
    return [*connection.execute(practice), *draw.sample(work, len(work))]
