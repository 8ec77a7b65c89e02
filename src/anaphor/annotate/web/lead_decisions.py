"""Disagreements side by side, and the decisions about them, which overwrite nothing."""

from __future__ import annotations

from typing import Annotated

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.params import FromQuery, QueryParameter
from litestar.response import Redirect, Response

from anaphor.annotate.access import Session
from anaphor.annotate.adjudicate import StaleDecisionError, adjudicate
from anaphor.annotate.disagreements import count_disagreements, disagreements
from anaphor.annotate.research import progress_table
from anaphor.annotate.web.bodies import SentForm, read_form
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.item_view import CONTEXT
from anaphor.annotate.web.judging import Id, Lines, page
from anaphor.annotate.web.lead_view import decision_context, unit_card, verdict
from anaphor.annotate.web.visitors import Visitor, only_leads

_PER_PAGE = 20


@get("/lead/disagreements", sync_to_thread=True)
def listed(
    desk: AtDesk,
    visitor: Visitor,
    category: Annotated[str, QueryParameter(max_length=200)] = "",
    decided: FromQuery[bool] = False,
    number: Annotated[int, QueryParameter(name="page", ge=1, le=100_000)] = 1,
) -> Response[str]:
    """Units on which people do not agree; with `decided` also those that a lead has settled."""
    found = disagreements(
        desk.store,
        category=category or None,
        open_only=not decided,
        limit=_PER_PAGE + 1,
        offset=(number - 1) * _PER_PAGE,
    )
    return page(
        desk,
        "lead_disagreements.html",
        session=visitor,
        here="disagreements",
        found=found[:_PER_PAGE],
        more=len(found) > _PER_PAGE,
        number=number,
        category=category,
        decided=decided,
        chosen_query=[("category", category), ("decided", str(decided).lower())],
        open_count=count_disagreements(desk.store),
        categories=sorted({row.category for row in progress_table(desk.store)}),
        verdict=verdict,
    )


@get("/lead/units/{unit:str}", sync_to_thread=True)
def unit(
    desk: AtDesk, visitor: Visitor, unit: Id, before: Lines = CONTEXT, after: Lines = 0
) -> Response[str]:
    """One unit: its text, everybody's answer, and the form for a decision."""
    card = unit_card(desk.store, unit, before=before, after=after)
    return page(
        desk, "lead_unit.html", session=visitor, here="disagreements", stale=None, **decision_context(card)
    )


@post("/lead/units/{unit:str}/decision", status_code=303)
async def decide(request: AnyRequest, desk: AtDesk, visitor: Visitor, unit: Id) -> Response[str] | Redirect:
    """Record a decision beside the answers, then go on with the next open disagreement."""
    sent = read_form(await request.form())
    return await sync_to_thread(_decide, desk, visitor, unit, sent)


def _decide(desk: Desk, visitor: Session, unit: str, sent: SentForm) -> Response[str] | Redirect:
    try:
        adjudicate(
            desk.store,
            unit,
            sent.answer,
            by=visitor.person.id,
            version=sent.version,
            request=sent.request,
        )
    except StaleDecisionError as error:
        card = unit_card(desk.store, unit)
        context = decision_context(card)
        return page(
            desk,
            "lead_unit.html",
            status=409,
            session=visitor,
            here="disagreements",
            stale=error.present,
            **context,
        )
    following = disagreements(desk.store, limit=1)
    where = f"/lead/units/{following[0].unit}" if following else "/lead/disagreements"
    return Redirect(where, status_code=303)


ROUTES = Router("/", route_handlers=[listed, unit, decide], guards=[only_leads])
