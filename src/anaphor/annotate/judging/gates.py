"""Gates: annotators who fail too much of the practice or too many attention items are stopped. For practice,
the first complete answer counts, because the page then shows the expected one.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select, update

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.campaign.practice import is_right
from anaphor.annotate.store import Store, schema
from anaphor.annotate.store.audit import note
from anaphor.annotate.types import AnnotatorAnswer, Mark

PRACTICE, ATTENTION = "practice", "attention"
"""The gates."""


def pass_gates(store: Store, person: str) -> str:
    """Stop a person who does not pass; return the name of the gate, empty if they may continue."""
    campaign = read_campaign(store)
    if not campaign.practice_required and not campaign.attention_limit:
        return ""
    with store.read() as connection:
        practice = list(_known(connection, person, practice=True))
        attention = list(_known(connection, person, practice=False))
    gate = ""
    if campaign.practice_required and practice and None not in practice:
        right = sum(answer is True for answer in practice) / len(practice)
        gate = PRACTICE if right < campaign.practice_required else ""
    if campaign.attention_limit and attention.count(False) >= campaign.attention_limit:
        gate = gate or ATTENTION
    if not gate:
        return ""
    who = schema.people
    with store.write() as connection:
        # An empty text says that a lead let them go on.
        stopped = connection.execute(
            update(who).where(who.c.id == person, who.c.stopped.is_(None)).values(stopped=gate)
        ).rowcount
        if stopped:
            name = connection.execute(select(who.c.name).where(who.c.id == person)).scalar_one()
            note(connection, actor=name, action="stopped", detail={"gate": gate})
    return gate if stopped else ""


def _known(connection: Connection, person: str, *, practice: bool) -> Iterator[bool | None]:
    """Whether each example with a known answer was answered right; None if it was not answered."""
    given, unit, entry = schema.assignments, schema.units, schema.journal
    known = unit.c.feedback.is_not(None) if practice else unit.c.feedback.is_(None)
    query = (
        select(given.c.id, unit.c.expected, entry.c.content_after)
        .select_from(given.join(unit).outerjoin(entry, entry.c.assignment == given.c.id))
        .where(given.c.person == person, unit.c.expected.is_not(None), known)
        .order_by(given.c.place, entry.c.version)
    )
    answers: dict[str, tuple[AnnotatorAnswer, list[AnnotatorAnswer]]] = {}
    for row in connection.execute(query):
        _, own = answers.setdefault(row.id, (read_answer(row.expected), []))
        if row.content_after is not None:
            own.append(read_answer(row.content_after))
    for expected, own in answers.values():
        whole = [answer for answer in own if _is_whole(expected, answer)]
        if not whole:
            yield None
        elif practice:
            yield is_right(expected, whole[0])
        else:
            yield passes(expected, whole[-1])


def _is_whole(expected: AnnotatorAnswer, answer: AnnotatorAnswer) -> bool:
    open_head = expected.antecedent is not Mark.UNSET and answer.antecedent is Mark.UNSET
    return not open_head and (answer.pronoun is not Mark.UNSET or bool(answer.choices))


def passes(expected: AnnotatorAnswer, answer: AnnotatorAnswer) -> bool:
    """Whether an attention item is answered right, as in the figures of leads.

    An antecedent that is called wrong counts, not one that is left open.
    """
    wrong_head = expected.antecedent is Mark.YES and answer.antecedent is Mark.NO
    return answer.pronoun is expected.pronoun and not wrong_head
