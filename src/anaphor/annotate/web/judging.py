"""The annotator's pages without script: whole pages, plain forms, redirects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.enums import MediaType
from litestar.params import PathParameter, QueryParameter
from litestar.response import Redirect, Response

from anaphor.annotate.access import Session
from anaphor.annotate.answers import StaleAnswerError, save_answer, undo
from anaphor.annotate.assignments import (
    AssignmentRow,
    assignment_at,
    batches_of,
    list_assignments,
    next_assignment,
    previous_assignment,
    progress_of,
)
from anaphor.annotate.journal import history
from anaphor.annotate.nouns import Answer, Status
from anaphor.annotate.views import assignment_view
from anaphor.annotate.web.bodies import SentForm, read_form
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.item_view import CONTEXT, conflict_context, item_context
from anaphor.annotate.web.pace import ANSWER
from anaphor.annotate.web.visitors import Visitor, only_annotators

Id = Annotated[str, PathParameter(max_length=100)]
Lines = Annotated[int, QueryParameter(ge=0, le=1000)]


@get("/items", sync_to_thread=True)
def items(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """All items of the annotator, by batch."""
    person = visitor.person.id
    return page(
        desk,
        "items.html",
        session=visitor,
        here="items",
        progress=progress_of(desk.store, person),
        batches=batches_of(desk.store, person),
        rows=_by_batch(list_assignments(desk.store, person)),
    )


@get("/items/next", sync_to_thread=True)
def next_open(desk: AtDesk, visitor: Visitor) -> Redirect:
    """The first item that has no answer yet, or the list."""
    if not progress_of(desk.store, visitor.person.id).new:
        return Redirect("/items")
    return Redirect(f"/items/{next_assignment(desk.store, visitor.person.id)}")


@get("/items/at", sync_to_thread=True)
def at(desk: AtDesk, visitor: Visitor, position: Annotated[int, QueryParameter(ge=1, lt=2**31)]) -> Redirect:
    """The item with a number."""
    return Redirect(f"/items/{assignment_at(desk.store, visitor.person.id, position)}")


@get("/items/{assignment:str}", sync_to_thread=True)
def item(
    desk: AtDesk, visitor: Visitor, assignment: Id, before: Lines = CONTEXT, after: Lines = 0
) -> Response[str]:
    """One item."""
    view = assignment_view(desk.store, visitor.person.id, assignment, before=before, after=after)
    progress = progress_of(desk.store, visitor.person.id)
    return page(
        desk, "item.html", **item_context(view, visitor, progress=progress, before=before, after=after)
    )


@get("/items/{assignment:str}/text", sync_to_thread=True)
def text(
    desk: AtDesk, visitor: Visitor, assignment: Id, before: Lines = CONTEXT, after: Lines = 0
) -> Redirect:
    """More lines of an item, on its page."""
    assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    return Redirect(f"/items/{assignment}?before={before}&after={after}")


@get("/items/{assignment:str}/history", sync_to_thread=True)
def item_history(desk: AtDesk, visitor: Visitor, assignment: Id) -> Response[str]:
    """Every change of an item, the newest first."""
    view = assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    entries = history(desk.store, visitor.person.id, assignment)
    return page(desk, "history.html", **item_context(view, visitor), entries=entries)


@post("/items/{assignment:str}/answer", status_code=303)
async def answer(
    request: AnyRequest, desk: AtDesk, visitor: Visitor, assignment: Id
) -> Response[str] | Redirect:
    """Save the form of an item and go on."""
    desk.pace.require(ANSWER, visitor.person.id)
    sent = read_form(await request.form())
    return await sync_to_thread(_save, desk, visitor, assignment, sent)


@post("/items/{assignment:str}/undo", status_code=303)
async def take_back(
    request: AnyRequest, desk: AtDesk, visitor: Visitor, assignment: Id
) -> Response[str] | Redirect:
    """Undo the last change of an item."""
    desk.pace.require(ANSWER, visitor.person.id)
    sent = read_form(await request.form())
    return await sync_to_thread(_undo, desk, visitor, assignment, sent)


@get("/guidelines", sync_to_thread=False)
def guidelines(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """What to judge, and how."""
    return page(desk, "guidelines.html", session=visitor, here="guidelines")


def _by_batch(rows: Iterable[AssignmentRow]) -> dict[int, list[AssignmentRow]]:
    found: dict[int, list[AssignmentRow]] = {}
    for row in rows:
        found.setdefault(row.batch, []).append(row)
    return found


def _save(desk: Desk, visitor: Session, assignment: str, sent: SentForm) -> Response[str] | Redirect:
    person = visitor.person.id
    try:
        stored = save_answer(
            desk.store, person, assignment, sent.answer, version=sent.version, request=sent.request
        )
    except StaleAnswerError:
        return _clash(desk, visitor, assignment, sent.answer)
    where: str | None = assignment
    if sent.go == "previous":
        where = previous_assignment(desk.store, person, assignment)
    elif sent.go == "next" and stored.status is not Status.CONFLICT:
        where = next_assignment(desk.store, person, after=assignment)
    return Redirect(f"/items/{where}" if where else "/items", status_code=303)


def _undo(desk: Desk, visitor: Session, assignment: str, sent: SentForm) -> Response[str] | Redirect:
    try:
        undo(desk.store, visitor.person.id, assignment, version=sent.version, request=sent.request)
    except StaleAnswerError:
        return _clash(desk, visitor, assignment, sent.answer)
    return Redirect(f"/items/{assignment}", status_code=303)


def _clash(desk: Desk, visitor: Session, assignment: str, mine: Answer) -> Response[str]:
    view = assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    return page(desk, "conflict.html", status=409, **conflict_context(view, visitor, mine))


def page(desk: Desk, name: str, *, status: int = 200, **context: object) -> Response[str]:
    """A whole page."""
    text = desk.pages.get_template(name).render(**context)
    return Response(text, status_code=status, media_type=MediaType.HTML)


ROUTES = Router(
    "/",
    route_handlers=[items, next_open, at, item, text, item_history, answer, take_back, guidelines],
    guards=[only_annotators],
)
