"""The annotator's pages for their script: pieces of pages as JSON. "Save and next" is one request."""

from __future__ import annotations

from litestar import Router, get, post
from litestar.params import FromPath, JSONBody
from litestar.response import Response

from anaphor.annotate.access import Session
from anaphor.annotate.answers import Saved, StaleAnswerError, save_and_next, undo
from anaphor.annotate.assignments import (
    assignment_at,
    next_assignment,
    previous_assignment,
    progress_of,
)
from anaphor.annotate.journal import history
from anaphor.annotate.nouns import Answer, Status
from anaphor.annotate.views import assignment_view
from anaphor.annotate.web.bodies import Ahead, AheadPage, AnswerBody, Kept, Piece, Position, UndoBody
from anaphor.annotate.web.desk import AtDesk, Desk
from anaphor.annotate.web.item_view import CONTEXT, conflict_context, item_context
from anaphor.annotate.web.judging import Id, Lines
from anaphor.annotate.web.pace import ANSWER
from anaphor.annotate.web.visitors import Visitor, only_annotators

#: So many items wait in the browser for a time without a server.
_AHEAD = 5


@post("/items/{assignment:str}/answer", sync_to_thread=True, status_code=200)
def answer(
    desk: AtDesk, visitor: Visitor, assignment: Id, data: JSONBody[AnswerBody]
) -> Response[Kept] | Response[Piece]:
    """Save an answer; when it is durable, its version and the page to go on with come back.

    An answer that breaks a rule is saved all the same, and its own page comes back with the warning.
    """
    desk.pace.require(ANSWER, visitor.person.id)
    given, person = data.answer.answer(), visitor.person.id
    goal = _goal(desk, person, data)
    try:
        saved = save_and_next(
            desk.store,
            person,
            assignment,
            given,
            version=data.version,
            request=data.request,
            seconds=data.seconds,
        )
    except StaleAnswerError:
        return _clash(desk, visitor, assignment, given)
    if data.go == "none":
        return Response(Kept(saved.stored.version, saved.stored.saved, ""))
    where = goal or _beside(desk, person, data, saved)
    view = assignment_view(desk.store, person, where, before=CONTEXT)
    html = piece(desk, "_item.html", **item_context(view, visitor, progress=saved.progress))
    return Response(Kept(saved.stored.version, saved.stored.saved, html))


@post("/items/{assignment:str}/undo", sync_to_thread=True, status_code=200)
def take_back(desk: AtDesk, visitor: Visitor, assignment: Id, data: JSONBody[UndoBody]) -> Kept:
    """Undo the last change of an item, as a new version."""
    desk.pace.require(ANSWER, visitor.person.id)
    person = visitor.person.id
    stored = undo(desk.store, person, assignment, version=data.version, request=data.request)
    return Kept(stored.version, stored.saved, _item(desk, visitor, assignment))


@get("/items/{assignment:str}", sync_to_thread=True)
def item(desk: AtDesk, visitor: Visitor, assignment: Id) -> Piece:
    """One item."""
    return Piece(_item(desk, visitor, assignment))


@get("/items/{assignment:str}/text", sync_to_thread=True)
def text(desk: AtDesk, visitor: Visitor, assignment: Id, before: Lines = CONTEXT, after: Lines = 0) -> Piece:
    """The text of an item with more lines."""
    view = assignment_view(desk.store, visitor.person.id, assignment, before=before, after=after)
    return Piece(piece(desk, "_text.html", **item_context(view, visitor, before=before, after=after)))


@get("/items/{assignment:str}/history", sync_to_thread=True)
def item_history(desk: AtDesk, visitor: Visitor, assignment: Id) -> Piece:
    """Every change of an item, the newest first."""
    view = assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    entries = history(desk.store, visitor.person.id, assignment)
    return Piece(piece(desk, "dialog_history.html", **item_context(view, visitor), entries=entries))


@get("/positions/{position:int}", sync_to_thread=True)
def at(desk: AtDesk, visitor: Visitor, position: FromPath[Position]) -> Piece:
    """The item with a number."""
    return Piece(_item(desk, visitor, assignment_at(desk.store, visitor.person.id, position)))


@get("/positions/{position:int}/ahead", sync_to_thread=True)
def ahead(desk: AtDesk, visitor: Visitor, position: FromPath[Position]) -> Ahead:
    """The items after a number, to go on with while the server is away."""
    person = visitor.person.id
    pages: list[AheadPage] = []
    following: str | None = assignment_at(desk.store, person, position)
    while len(pages) < _AHEAD:
        following = next_assignment(desk.store, person, after=following)
        if following is None:
            break
        view = assignment_view(desk.store, person, following, before=CONTEXT)
        html = piece(desk, "_item.html", **item_context(view, visitor))
        pages.append(AheadPage(following, view.position, html))
    return Ahead(pages)


@get("/guidelines", sync_to_thread=False)
def guidelines(desk: AtDesk, visitor: Visitor) -> Piece:
    """What to judge, and how."""
    return Piece(piece(desk, "dialog_guidelines.html", session=visitor))


@get("/keys", sync_to_thread=False)
def keys(desk: AtDesk, visitor: Visitor) -> Piece:
    """Every key of the annotator's page."""
    return Piece(piece(desk, "dialog_keys.html", session=visitor))


def _goal(desk: Desk, person: str, data: AnswerBody) -> str | None:
    """The item to jump to; asked before anything is saved, because there may be none with that number."""
    if data.go != "jump" or data.position is None:
        return None
    return assignment_at(desk.store, person, data.position)


def _beside(desk: Desk, person: str, data: AnswerBody, saved: Saved) -> str:
    """The item before or after; the same one at either end, and while it has a warning."""
    here = saved.stored.assignment
    if data.go == "previous":
        return previous_assignment(desk.store, person, here) or here
    if data.go == "next" and saved.stored.status is not Status.CONFLICT:
        return saved.next or here
    return here


def _item(desk: Desk, visitor: Session, assignment: str) -> str:
    view = assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    progress = progress_of(desk.store, visitor.person.id)
    return piece(desk, "_item.html", **item_context(view, visitor, progress=progress))


def _clash(desk: Desk, visitor: Session, assignment: str, mine: Answer) -> Response[Piece]:
    view = assignment_view(desk.store, visitor.person.id, assignment, before=CONTEXT)
    html = piece(desk, "_conflict.html", **conflict_context(view, visitor, mine))
    return Response(Piece(html), status_code=409)


def piece(desk: Desk, name: str, **context: object) -> str:
    """A piece of a page."""
    return desk.pages.get_template(name).render(**context)


ROUTES = Router(
    "/api",
    route_handlers=[answer, take_back, item, text, item_history, at, ahead, guidelines, keys],
    guards=[only_annotators],
)
