"""The annotator's pages: whole pages with plain forms for browsers without script, JSON for the script.

With script, "save and next" is a single request whose response has the next item.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.params import FromPath, JSONBody, PathParameter, QueryParameter
from litestar.response import Redirect, Response

from anaphor.annotate.campaign.people import Session
from anaphor.annotate.judging.answers import StaleAnswerError, history, save_and_next, save_answer, undo
from anaphor.annotate.judging.assignments import (
    AssignmentRow,
    assignment_at,
    batches_of,
    list_assignments,
    next_assignment,
    previous_assignment,
    progress_of,
)
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.types import AnnotatorAnswer, Status
from anaphor.annotate.web.context import CONTEXT_LINES, Context, conflict_context, item_context
from anaphor.annotate.web.forms import (
    AnswerBody,
    HtmlFragment,
    Position,
    PrefetchedItem,
    PrefetchResponse,
    SavedResponse,
    SubmittedForm,
    UndoBody,
    read_form,
)
from anaphor.annotate.web.rate_limit import ANSWER
from anaphor.annotate.web.security import Visitor, only_annotators
from anaphor.annotate.web.state import AnyRequest, AppState, InjectedState

Id = Annotated[str, PathParameter(max_length=100)]
Lines = Annotated[int, QueryParameter(ge=0, le=1000)]

#: How many items the browser holds for a time without a server.
_PREFETCHED = 5


@get("/items", sync_to_thread=True)
def items(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """All items of the annotator, by batch."""
    person = visitor.person.id
    return app_state.page(
        "items.html",
        session=visitor,
        here="items",
        progress=progress_of(app_state.store, person),
        batches=batches_of(app_state.store, person),
        rows=_by_batch(list_assignments(app_state.store, person)),
    )


@get("/items/next", sync_to_thread=True)
def next_open(app_state: InjectedState, visitor: Visitor) -> Redirect:
    """The first item without an answer, or the list."""
    if not progress_of(app_state.store, visitor.person.id).new:
        return Redirect("/items")
    return Redirect(f"/items/{next_assignment(app_state.store, visitor.person.id)}")


@get("/items/at", sync_to_thread=True)
def at(
    app_state: InjectedState, visitor: Visitor, position: Annotated[int, QueryParameter(ge=1, lt=2**31)]
) -> Redirect:
    """The item with a number."""
    return Redirect(f"/items/{assignment_at(app_state.store, visitor.person.id, position)}")


@get("/items/{assignment:str}", sync_to_thread=True)
def item(
    app_state: InjectedState,
    visitor: Visitor,
    assignment: Id,
    before: Lines = CONTEXT_LINES,
    after: Lines = 0,
) -> Response[str]:
    """One item."""
    return app_state.page("item.html", **_item(app_state, visitor, assignment, before=before, after=after))


@get("/items/{assignment:str}/text", sync_to_thread=True)
def text(
    app_state: InjectedState,
    visitor: Visitor,
    assignment: Id,
    before: Lines = CONTEXT_LINES,
    after: Lines = 0,
) -> Redirect:
    """More lines of an item, on its page."""
    assignment_view(app_state.store, visitor.person.id, assignment)  # refuses another person's item
    return Redirect(f"/items/{assignment}?before={before}&after={after}")


@get("/items/{assignment:str}/history", sync_to_thread=True)
def item_history(app_state: InjectedState, visitor: Visitor, assignment: Id) -> Response[str]:
    """Every change of an item, the newest first."""
    return app_state.page("history.html", **_history(app_state, visitor, assignment))


@post("/items/{assignment:str}/answer", status_code=303)
async def answer(
    request: AnyRequest, app_state: InjectedState, visitor: Visitor, assignment: Id
) -> Response[str] | Redirect:
    """Save the form of an item and go on."""
    app_state.rate_limiter.require(ANSWER, visitor.person.id)
    return await sync_to_thread(_save, app_state, visitor, assignment, read_form(await request.form()))


@post("/items/{assignment:str}/undo", status_code=303)
async def take_back(
    request: AnyRequest, app_state: InjectedState, visitor: Visitor, assignment: Id
) -> Response[str] | Redirect:
    """Undo the last change of an item."""
    app_state.rate_limiter.require(ANSWER, visitor.person.id)
    return await sync_to_thread(_undo, app_state, visitor, assignment, read_form(await request.form()))


@get("/guidelines", sync_to_thread=False)
def guidelines(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """What to judge, and how."""
    return app_state.page("guidelines.html", session=visitor, here="guidelines")


@post("/items/{assignment:str}/answer", sync_to_thread=True, status_code=200)
def api_answer(
    app_state: InjectedState, visitor: Visitor, assignment: Id, data: JSONBody[AnswerBody]
) -> Response[SavedResponse] | Response[HtmlFragment]:
    """Save an answer; once it is durable, its version and the next page are returned.

    An answer that breaks a consistency rule is saved too, and its own page is returned with the warning.
    """
    app_state.rate_limiter.require(ANSWER, visitor.person.id)
    given, store, person = data.answer.answer(), app_state.store, visitor.person.id
    # Looked up before anything is saved, because there may be no item with that number.
    goal = assignment_at(store, person, data.position) if data.go == "jump" and data.position else None
    try:
        saved = save_and_next(
            store,
            person,
            assignment,
            given,
            version=data.version,
            request=data.request,
            seconds=data.seconds,
        )
    except StaleAnswerError:
        html = app_state.render("_conflict.html", **_conflict(app_state, visitor, assignment, given))
        return Response(HtmlFragment(html), status_code=409)
    if data.go == "none":
        return Response(SavedResponse(saved.stored.version, saved.stored.saved, ""))
    if goal is None and data.go == "previous":
        goal = previous_assignment(store, person, assignment)
    elif goal is None and data.go == "next" and saved.stored.status is not Status.CONFLICT:
        goal = saved.next
    view = assignment_view(store, person, goal or assignment, before=CONTEXT_LINES)
    html = app_state.render("_item.html", **item_context(view, visitor, progress=saved.progress))
    return Response(SavedResponse(saved.stored.version, saved.stored.saved, html))


@post("/items/{assignment:str}/undo", sync_to_thread=True, status_code=200)
def api_take_back(
    app_state: InjectedState, visitor: Visitor, assignment: Id, data: JSONBody[UndoBody]
) -> SavedResponse:
    """Undo the last change of an item, as a new version."""
    app_state.rate_limiter.require(ANSWER, visitor.person.id)
    stored = undo(app_state.store, visitor.person.id, assignment, version=data.version, request=data.request)
    html = app_state.render("_item.html", **_item(app_state, visitor, assignment))
    return SavedResponse(stored.version, stored.saved, html)


@get("/items/{assignment:str}", sync_to_thread=True)
def api_item(app_state: InjectedState, visitor: Visitor, assignment: Id) -> HtmlFragment:
    """One item."""
    return HtmlFragment(app_state.render("_item.html", **_item(app_state, visitor, assignment)))


@get("/items/{assignment:str}/text", sync_to_thread=True)
def api_text(
    app_state: InjectedState,
    visitor: Visitor,
    assignment: Id,
    before: Lines = CONTEXT_LINES,
    after: Lines = 0,
) -> HtmlFragment:
    """The text of an item with more lines."""
    view = assignment_view(app_state.store, visitor.person.id, assignment, before=before, after=after)
    return HtmlFragment(
        app_state.render("_text.html", **item_context(view, visitor, before=before, after=after))
    )


@get("/items/{assignment:str}/history", sync_to_thread=True)
def api_item_history(app_state: InjectedState, visitor: Visitor, assignment: Id) -> HtmlFragment:
    """Every change of an item, the newest first."""
    return HtmlFragment(app_state.render("dialog_history.html", **_history(app_state, visitor, assignment)))


@get("/positions/{position:int}", sync_to_thread=True)
def api_at(app_state: InjectedState, visitor: Visitor, position: FromPath[Position]) -> HtmlFragment:
    """The item with a number."""
    found = assignment_at(app_state.store, visitor.person.id, position)
    return HtmlFragment(app_state.render("_item.html", **_item(app_state, visitor, found)))


@get("/positions/{position:int}/ahead", sync_to_thread=True)
def ahead(app_state: InjectedState, visitor: Visitor, position: FromPath[Position]) -> PrefetchResponse:
    """The items after a number, to go on with while the server cannot be reached."""
    store, person = app_state.store, visitor.person.id
    pages: list[PrefetchedItem] = []
    following = next_assignment(store, person, after=assignment_at(store, person, position))
    while following is not None and len(pages) < _PREFETCHED:
        view = assignment_view(store, person, following, before=CONTEXT_LINES)
        html = app_state.render("_item.html", **item_context(view, visitor))
        pages.append(PrefetchedItem(following, view.position, html))
        following = next_assignment(store, person, after=following)
    return PrefetchResponse(pages)


@get("/guidelines", sync_to_thread=False)
def api_guidelines(app_state: InjectedState, visitor: Visitor) -> HtmlFragment:
    """What to judge, and how."""
    return HtmlFragment(app_state.render("dialog_guidelines.html", session=visitor))


@get("/keys", sync_to_thread=False)
def keys(app_state: InjectedState, visitor: Visitor) -> HtmlFragment:
    """Every keyboard shortcut of the annotator's page."""
    return HtmlFragment(app_state.render("dialog_keys.html", session=visitor))


def _by_batch(rows: Iterable[AssignmentRow]) -> dict[int, list[AssignmentRow]]:
    found: dict[int, list[AssignmentRow]] = {}
    for row in rows:
        found.setdefault(row.batch, []).append(row)
    return found


def _item(
    app_state: AppState, visitor: Session, assignment: str, *, before: int = CONTEXT_LINES, after: int = 0
) -> Context:
    view = assignment_view(app_state.store, visitor.person.id, assignment, before=before, after=after)
    progress = progress_of(app_state.store, visitor.person.id)
    return item_context(view, visitor, progress=progress, before=before, after=after)


def _history(app_state: AppState, visitor: Session, assignment: str) -> Context:
    view = assignment_view(app_state.store, visitor.person.id, assignment, before=CONTEXT_LINES)
    entries = history(app_state.store, visitor.person.id, assignment)
    return item_context(view, visitor) | {"entries": entries}


def _conflict(app_state: AppState, visitor: Session, assignment: str, mine: AnnotatorAnswer) -> Context:
    view = assignment_view(app_state.store, visitor.person.id, assignment, before=CONTEXT_LINES)
    return conflict_context(view, visitor, mine)


def _save(
    app_state: AppState, visitor: Session, assignment: str, sent: SubmittedForm
) -> Response[str] | Redirect:
    store, person = app_state.store, visitor.person.id
    try:
        stored = save_answer(
            store, person, assignment, sent.answer, version=sent.version, request=sent.request
        )
    except StaleAnswerError:
        context = _conflict(app_state, visitor, assignment, sent.answer)
        return app_state.page("conflict.html", status=409, **context)
    where: str | None = assignment
    if sent.go == "previous":
        where = previous_assignment(store, person, assignment)
    elif sent.go == "next" and stored.status is not Status.CONFLICT:
        where = next_assignment(store, person, after=assignment)
    return Redirect(f"/items/{where}" if where else "/items", status_code=303)


def _undo(
    app_state: AppState, visitor: Session, assignment: str, sent: SubmittedForm
) -> Response[str] | Redirect:
    try:
        undo(app_state.store, visitor.person.id, assignment, version=sent.version, request=sent.request)
    except StaleAnswerError:
        context = _conflict(app_state, visitor, assignment, sent.answer)
        return app_state.page("conflict.html", status=409, **context)
    return Redirect(f"/items/{assignment}", status_code=303)


PAGES = Router(
    "/",
    route_handlers=[items, next_open, at, item, text, item_history, answer, take_back, guidelines],
    guards=[only_annotators],
)
API = Router(
    "/api",
    route_handlers=[
        api_answer,
        api_take_back,
        api_item,
        api_text,
        api_item_history,
        api_at,
        ahead,
        api_guidelines,
        keys,
    ],
    guards=[only_annotators],
)
