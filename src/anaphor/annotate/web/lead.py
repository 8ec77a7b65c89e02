"""The researcher's pages: how far, how much agreement, examples, what happened."""

from __future__ import annotations

from typing import Annotated, Literal

from litestar import Router, get
from litestar.params import FromQuery, QueryParameter
from litestar.response import Response

from anaphor.annotate.agreement import against_adjudicated, agreement_table, confusions
from anaphor.annotate.audit import audit_log
from anaphor.annotate.campaign import system_names
from anaphor.annotate.disagreements import count_disagreements
from anaphor.annotate.examples import units
from anaphor.annotate.journal import journal
from anaphor.annotate.remaining import remaining
from anaphor.annotate.research import attention_results, overall, progress_table, speeds
from anaphor.annotate.web.bodies import Piece
from anaphor.annotate.web.desk import AtDesk, Desk
from anaphor.annotate.web.item_view import Context
from anaphor.annotate.web.judging import page
from anaphor.annotate.web.judging_api import piece
from anaphor.annotate.web.lead_view import coefficient, progress_by_category, unit_card, verdict
from anaphor.annotate.web.visitors import Visitor, only_leads

Question = Literal["overall", "pronoun", "antecedent"]
Name = Annotated[str, QueryParameter(max_length=200)]
Wanted = Literal["", "yes", "no", "unset"]
_EXAMPLES = 10


@get("/lead", sync_to_thread=True)
def overview(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """Progress by annotator and category, speed, and what is left to do."""
    return page(desk, "lead_overview.html", session=visitor, here="overview", **_overview(desk))


@get("/api/lead", sync_to_thread=True)
def overview_piece(desk: AtDesk) -> Piece:
    """The same while it is looked at."""
    return Piece(piece(desk, "_lead_overview.html", **_overview(desk)))


@get("/lead/agreement", sync_to_thread=True)
def agreement(desk: AtDesk, visitor: Visitor, question: FromQuery[Question] = "overall") -> Response[str]:
    """Agreement by category, and who disagrees with whom."""
    return page(desk, "lead_agreement.html", session=visitor, here="agreement", **_agreement(desk, question))


@get("/api/lead/agreement", sync_to_thread=True)
def agreement_piece(desk: AtDesk, question: FromQuery[Question] = "overall") -> Piece:
    """The same while it is looked at."""
    return Piece(piece(desk, "_lead_agreement.html", **_agreement(desk, question)))


@get("/lead/examples", sync_to_thread=True)
def examples(
    desk: AtDesk,
    visitor: Visitor,
    category: Name = "",
    system: Name = "",
    mark: FromQuery[Wanted] = "",
    number: Annotated[int, QueryParameter(name="page", ge=1, le=100_000)] = 1,
) -> Response[str]:
    """Judged pronouns as cards that say why: text, links, automatic outcome, everybody's answer."""
    found = units(
        desk.store,
        category=category or None,
        system=system or None,
        mark=mark or None,
        limit=_EXAMPLES + 1,
        offset=(number - 1) * _EXAMPLES,
    )
    rows = progress_table(desk.store)
    chosen = {"category": category, "system": system, "mark": mark}
    return page(
        desk,
        "lead_examples.html",
        session=visitor,
        here="examples",
        cards=[unit_card(desk.store, row.unit) for row in found[:_EXAMPLES]],
        more=len(found) > _EXAMPLES,
        number=number,
        chosen=chosen,
        chosen_query=list(chosen.items()),
        systems=_systems(desk),
        categories=sorted({row.category for row in rows}),
        verdict=verdict,
    )


@get("/lead/log", sync_to_thread=True)
def log(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """The last changes of answers, and the audit log."""
    return page(
        desk,
        "lead_log.html",
        session=visitor,
        here="log",
        entries=journal(desk.store, limit=100),
        audit=audit_log(desk.store, limit=200),
    )


def _systems(desk: Desk) -> list[str]:
    with desk.store.read() as connection:
        return list(system_names(connection).values())


def _overview(desk: Desk) -> Context:
    return {
        "overall": overall(desk.store),
        "table": progress_by_category(progress_table(desk.store)),
        "speeds": speeds(desk.store),
        "attention": attention_results(desk.store),
        "open_disagreements": count_disagreements(desk.store),
        "remaining": remaining(desk.store),
    }


def _agreement(desk: Desk, question: Question) -> Context:
    return {
        "question": question,
        "rows": agreement_table(desk.store, question=question),
        "confusions": confusions(desk.store, question=question),
        "against": against_adjudicated(desk.store),
        "coefficient": coefficient,
    }


ROUTES = Router(
    "/",
    route_handlers=[overview, overview_piece, agreement, agreement_piece, examples, log],
    guards=[only_leads],
)
