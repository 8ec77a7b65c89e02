"""The annotator's pages: complete pages with plain forms for browsers without script, JSON for the script.

With script, "save and next" is a single request that returns the next item.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from statistics import median
from typing import Annotated, Any

from litestar import Router, get, post
from litestar.params import FromPath, FromQuery, JSONBody, PathParameter, QueryParameter, URLEncodedBody
from litestar.response import Redirect, Response
from sqlalchemy import Connection

from anaphor.annotate.answer_json import answer_content
from anaphor.annotate.campaign.completion import return_address
from anaphor.annotate.campaign.people import begin
from anaphor.annotate.judging import assignments
from anaphor.annotate.judging.answers import (
    SAVED,
    StaleAnswerError,
    check_request,
    history,
    open_conflicts,
    resolve_conflict,
    save_answer,
    undo,
)
from anaphor.annotate.judging.assignments import assignment_at, next_assignment
from anaphor.annotate.judging.gates import pass_gates
from anaphor.annotate.judging.messages import conversation, mark_read, unread_replies
from anaphor.annotate.judging.views import AssignmentView, assignment_view
from anaphor.annotate.store import Store
from anaphor.annotate.store.audit import note
from anaphor.annotate.store.database import reading
from anaphor.annotate.types import ConflictingAnswer, Status, StoredAnswer
from anaphor.annotate.web import forms
from anaphor.annotate.web.context import CONTEXT_LINES, Context, item_context
from anaphor.annotate.web.forms import ConflictResponse, HtmlFragment, Position, SavedResponse, SentForm
from anaphor.annotate.web.language import translator
from anaphor.annotate.web.rate_limit import ANSWER
from anaphor.annotate.web.security import Visit, Visitor, only_annotators, only_ready

Id = Annotated[str, PathParameter(max_length=100)]
Lines = Annotated[int, QueryParameter(ge=0, le=1000)]

#: What an item takes before anybody has answered one.
_SECONDS = 20.0
#: How many items the browser holds for a time without a server.
_PREFETCHED = 5


@get("/start", sync_to_thread=True)
def start(visitor: Visitor) -> Response[str]:
    """The first page: the amount of work, the guidelines, and the consent text."""
    progress = assignments.progress_of(visitor.store, visitor.person.id)
    return visitor.page(
        "start.html", "guidelines", progress=progress, minutes=_minutes(visitor, progress.total)
    )


@post("/start", sync_to_thread=True, status_code=303)
def begin_work(visitor: Visitor, data: URLEncodedBody[forms.StartForm]) -> Redirect:
    """Continue from the first page."""
    agrees = bool(visitor.app_state.campaign.consent)
    if agrees and not data.agreed:
        return Redirect("/start", status_code=303)
    begin(visitor.store, visitor.person, agreed=agrees)
    return Redirect("/items/next", status_code=303)


@get("/stopped", sync_to_thread=False)
def stopped(visitor: Visitor) -> Response[str]:
    """The final page for a person whom a gate has stopped."""
    return visitor.page("stopped.html", "items")


def _minutes(visitor: Visit, items: int) -> int:
    """The estimated time for a number of items at the pace of annotators so far, in steps of five minutes."""
    seconds = [typical for _, typical, _ in visitor.tally.times().values() if typical is not None]
    return max(5, 5 * math.ceil(items * (median(seconds) if seconds else _SECONDS) / 300))


@get("/items", sync_to_thread=True)
def items(visitor: Visitor) -> Response[str]:
    """All items of the annotator, by batch."""
    person = visitor.person.id
    rows = groupby(assignments.list_assignments(visitor.store, person), attrgetter("batch"))
    return visitor.page(
        "items.html",
        "items",
        progress=assignments.progress_of(visitor.store, person),
        replies=unread_replies(visitor.store, person),
        batches=assignments.batches_of(visitor.store, person),
        rows={batch: list(part) for batch, part in rows},
    )


@get("/items/next", sync_to_thread=True)
def next_open(visitor: Visitor) -> Redirect:
    """The first item without an answer, or the list."""
    progress = assignments.progress_of(visitor.store, visitor.person.id)
    if progress.is_complete:
        return Redirect("/items")
    best = next(iter(_best_open(visitor, limit=1)), None)
    return Redirect(f"/items/{best or next_assignment(visitor.store, visitor.person.id)}")


@get("/complete", sync_to_thread=True)
def complete(visitor: Visitor) -> Redirect:
    """Return to the crowd platform after the last answer; others continue."""
    progress = assignments.progress_of(visitor.store, visitor.person.id)
    if not progress.is_complete:
        return Redirect("/items/next")
    note(visitor.store, actor=visitor.person.name, action="completed")
    url = return_address(visitor.app_state.campaign.completion_url, visitor.person.name)
    return Redirect(url or "/items")


@get("/items/at", sync_to_thread=True)
def at(visitor: Visitor, position: Annotated[int, QueryParameter(ge=1, lt=2**31)]) -> Redirect:
    """The item with a number."""
    return Redirect(f"/items/{assignment_at(visitor.store, visitor.person.id, position)}")


@get("/items/{assignment:str}", sync_to_thread=True)
def item(
    visitor: Visitor,
    assignment: Id,
    before: Lines = CONTEXT_LINES,
    after: Lines = 0,
    unanswered: FromQuery[bool] = False,
) -> Response[str]:
    """One item, or the choice between two answers; `unanswered` if nothing was selected and therefore nothing
    saved.
    """
    if waiting := open_conflicts(visitor.store, visitor.person.id, assignment):
        return _conflict_page(visitor, assignment, waiting, status=200)
    shown = _item(visitor, assignment, before=before, after=after, unanswered=unanswered)
    return visitor.page("item.html", "item", **shown)


@get("/items/{assignment:str}/text", sync_to_thread=True)
def text(visitor: Visitor, assignment: Id, before: Lines = CONTEXT_LINES, after: Lines = 0) -> Redirect:
    """More lines of an item, on its page."""
    assignment_view(visitor.store, visitor.person.id, assignment)  # refuses another person's item
    return Redirect(f"/items/{assignment}?before={before}&after={after}")


@get("/items/{assignment:str}/history", sync_to_thread=True)
def item_history(visitor: Visitor, assignment: Id) -> Response[str]:
    """Every change of an item, the newest first."""
    return visitor.page("history.html", "item", **_history(visitor, assignment))


@post("/items/{assignment:str}/answer", sync_to_thread=True, status_code=303)
def answer(visitor: Visitor, assignment: Id, sent: SentForm) -> Response[str] | Redirect:
    """Save the form of an item and go on."""
    visitor.limit(ANSWER)
    store, person = visitor.store, visitor.person.id
    check_request(sent.request)
    if sent.go == "next" and sent.version == 0 and sent.answer.is_empty:
        return Redirect(f"/items/{assignment}?unanswered=true", status_code=303)
    if sent.go == "previous" and sent.answer == assignment_view(store, person, assignment).prefilled:
        # What nobody confirmed is no answer.
        goal = assignments.previous_assignment(store, person, assignment)
        return Redirect(f"/items/{goal or assignment}", status_code=303)
    try:
        stored = save_answer(
            store, person, assignment, sent.answer, version=sent.version, request=sent.request
        )
    except StaleAnswerError:
        return _conflict_page(visitor, assignment, open_conflicts(store, person, assignment))
    if stored.is_known and pass_gates(store, person):
        return Redirect("/stopped", status_code=303)
    goal = _goal(visitor, store, assignment, sent.go, stored)
    return Redirect(f"/items/{goal}" if goal else "/items", status_code=303)


@post("/items/{assignment:str}/conflict", sync_to_thread=True, status_code=303)
def choose(
    visitor: Visitor, assignment: Id, data: URLEncodedBody[forms.ConflictForm]
) -> Response[str] | Redirect:
    """Choose between conflicting answers."""
    visitor.limit(ANSWER)
    store, person = visitor.store, visitor.person.id
    try:
        resolve_conflict(
            store, person, assignment, keep=data.keep, version=data.version, request=data.request
        )
    except StaleAnswerError:
        return _conflict_page(visitor, assignment, open_conflicts(store, person, assignment))
    return Redirect(f"/items/{assignment}", status_code=303)


@post("/items/{assignment:str}/undo", sync_to_thread=True, status_code=303)
def undo_change(visitor: Visitor, assignment: Id, sent: SentForm) -> Redirect:
    """Undo the last change of an item."""
    visitor.limit(ANSWER)
    undo(visitor.store, visitor.person.id, assignment, version=sent.version, request=sent.request)
    return Redirect(f"/items/{assignment}", status_code=303)


@get("/guidelines", sync_to_thread=False)
def guidelines(visitor: Visitor) -> Response[str]:
    """What to judge and how."""
    return visitor.page("guidelines.html", "guidelines")


@post("/items/{assignment:str}/answer", sync_to_thread=True, status_code=200)
def api_answer(
    visitor: Visitor, assignment: Id, data: JSONBody[forms.AnswerBody]
) -> Response[SavedResponse] | Response[ConflictResponse]:
    """Save an answer; once it is durable, its version and the next page are returned.

    An answer that breaks a consistency rule is saved too, and its own page is returned with a warning. One
    that conflicts with a newer answer is stored separately: 409, with both.
    """
    visitor.limit(ANSWER)
    given, store, person = data.answer.answer(), visitor.store, visitor.person.id
    # Looked up before anything is saved, because there may be no item with that number.
    goal = assignment_at(store, person, data.position) if data.go == "jump" and data.position else None
    try:
        stored = save_answer(
            store, person, assignment, given, version=data.version, request=data.request, seconds=data.seconds
        )
    except StaleAnswerError:
        return _conflict_response(visitor, assignment, status=409)
    html = ""
    if stored.is_known and pass_gates(store, person):
        html = visitor.fragment("_stopped.html").html
    elif data.go != "none":
        with store.read() as connection:
            goal = goal or _goal(visitor, connection, assignment, data.go, stored)
            last = goal is None and data.go == "next"
            practised = None
            if stored.is_practice and goal != assignment:
                practised = assignment_view(connection, person, assignment).practice
            shown = _item(visitor, goal or assignment, source=connection, last=last, after_practice=practised)
        html = visitor.fragment("_item.html", **shown).html
    return Response(SavedResponse(stored.version, stored.saved, html))


@get("/conflicts", sync_to_thread=True)
def api_conflicts(visitor: Visitor) -> forms.ConflictList:
    """All conflicting answers."""
    return forms.ConflictList(list(map(_waiting, open_conflicts(visitor.store, visitor.person.id))))


@get("/items/{assignment:str}/conflict", sync_to_thread=True)
def api_conflict(visitor: Visitor, assignment: Id) -> Response[ConflictResponse]:
    """Both answers to an item; an empty list if there is no conflict."""
    return _conflict_response(visitor, assignment, status=200)


@post("/items/{assignment:str}/conflict", sync_to_thread=True, status_code=200)
def api_choose(
    visitor: Visitor, assignment: Id, data: JSONBody[forms.ConflictBody]
) -> Response[SavedResponse] | Response[ConflictResponse]:
    """Choose between conflicting answers; 409 with both if the saved one has changed again."""
    visitor.limit(ANSWER)
    store, person = visitor.store, visitor.person.id
    try:
        stored = resolve_conflict(
            store, person, assignment, keep=data.keep, version=data.version, request=data.request
        )
    except StaleAnswerError:
        return _conflict_response(visitor, assignment, status=409)
    html = visitor.fragment("_item.html", **_item(visitor, assignment)).html
    return Response(SavedResponse(stored.version, stored.saved, html))


@post("/items/{assignment:str}/undo", sync_to_thread=True, status_code=200)
def api_undo(visitor: Visitor, assignment: Id, data: JSONBody[forms.UndoBody]) -> SavedResponse:
    """Undo the last change of an item, as a new version."""
    visitor.limit(ANSWER)
    stored = undo(visitor.store, visitor.person.id, assignment, version=data.version, request=data.request)
    html = visitor.fragment("_item.html", **_item(visitor, assignment)).html
    return SavedResponse(stored.version, stored.saved, html)


@get("/items/{assignment:str}", sync_to_thread=True)
def api_item(visitor: Visitor, assignment: Id) -> HtmlFragment:
    """One item, or both of its conflicting answers."""
    return _shown(visitor, assignment)


@get("/items/{assignment:str}/text", sync_to_thread=True)
def api_text(
    visitor: Visitor, assignment: Id, before: Lines = CONTEXT_LINES, after: Lines = 0
) -> HtmlFragment:
    """The text of an item with more lines."""
    return visitor.fragment("_text.html", **_item(visitor, assignment, before=before, after=after))


@get("/items/{assignment:str}/history", sync_to_thread=True)
def api_history(visitor: Visitor, assignment: Id) -> HtmlFragment:
    """Every change of an item, the newest first."""
    return visitor.fragment("dialog_history.html", **_history(visitor, assignment))


@get("/positions/{position:int}", sync_to_thread=True)
def api_at(visitor: Visitor, position: FromPath[Position]) -> HtmlFragment:
    """The item with a number."""
    return _shown(visitor, assignment_at(visitor.store, visitor.person.id, position))


@get("/positions/{position:int}/ahead", sync_to_thread=True)
def ahead(visitor: Visitor, position: FromPath[Position]) -> forms.PrefetchResponse:
    """The items after a given number, for working while the server is unreachable."""
    store, person = visitor.store, visitor.person.id
    here = assignment_at(store, person, position)
    upcoming = _best_open(visitor, limit=_PREFETCHED, besides=here)
    following = None if upcoming else next_assignment(store, person, after=here)
    while following is not None and len(upcoming) < _PREFETCHED:
        upcoming.append(following)
        following = next_assignment(store, person, after=following)
    pages, progress = [], assignments.progress_of(store, person)
    for assignment in upcoming:
        view = assignment_view(store, person, assignment, before=CONTEXT_LINES)
        shown = item_context(view, progress=progress, translate=translator(visitor.language))
        html = visitor.fragment("_item.html", **shown).html
        pages.append(forms.PrefetchedItem(assignment, view.position, html))
    return forms.PrefetchResponse(pages)


@get("/guidelines", sync_to_thread=False)
def api_guidelines(visitor: Visitor) -> HtmlFragment:
    """What to judge and how."""
    return visitor.fragment("dialog_guidelines.html")


@get("/keys", sync_to_thread=False)
def keys(visitor: Visitor) -> HtmlFragment:
    """Every keyboard shortcut of the annotator's page."""
    return visitor.fragment("dialog_keys.html")


def _goal(
    visitor: Visit, source: Store | Connection, assignment: str, go: str, stored: StoredAnswer
) -> str | None:
    """The assignment to show after an answer; None beyond the first or last one."""
    if go == "previous":
        return assignments.previous_assignment(source, visitor.person.id, assignment)
    warned = stored.status is Status.CONFLICT or (stored.status is Status.NEW and not stored.answer.is_empty)
    if go != "next" or warned or stored.is_doubted:
        return assignment
    if stored.is_practice:  # what was right needs no second look
        practice = assignment_view(source, visitor.person.id, assignment).practice
        if practice is None or not practice.is_right:
            return assignment
    if visitor.app_state.campaign.adaptive:
        return next(iter(_best_open(visitor, limit=1, besides=assignment)), None)
    return next_assignment(source, visitor.person.id, after=assignment)


def _best_open(visitor: Visit, *, limit: int, besides: str | None = None) -> list[str]:
    """The annotator's open items by gain for the estimate; empty if the order is fixed."""
    state = visitor.app_state
    if not state.campaign.adaptive:
        return []
    return state.adaptive.open_assignments(
        visitor.store, visitor.tally, visitor.person.id, limit=limit, besides=besides
    )


def _item(
    visitor: Visit,
    assignment: str,
    *,
    source: Store | Connection | None = None,
    before: int = CONTEXT_LINES,
    after: int = 0,
    **state: Any,
) -> Context:
    person = visitor.person.id
    with reading(source or visitor.store) as connection:
        view = assignment_view(connection, person, assignment, before=before, after=after)
        progress = assignments.progress_of(connection, person)
        messages = conversation(connection, assignment) if view.is_discussed else ()
        unread = unread_replies(connection, person)
    if any(reply.assignment == assignment for reply in unread):
        mark_read(visitor.store, person, assignment)
    others = [reply for reply in unread if reply.assignment != assignment]
    return item_context(
        view,
        progress=progress,
        messages=messages,
        replies=others,
        before=before,
        after=after,
        translate=translator(visitor.language),
        **state,
    )


def _history(visitor: Visit, assignment: str) -> Context:
    entries = history(visitor.store, visitor.person.id, assignment)
    return _item(visitor, assignment) | {"entries": entries}


def _shown(visitor: Visit, assignment: str) -> HtmlFragment:
    """An item, or the choice between its answers."""
    waiting = open_conflicts(visitor.store, visitor.person.id, assignment)
    if waiting:
        return visitor.fragment("_conflict.html", **_conflict(visitor, assignment, waiting))
    return visitor.fragment("_item.html", **_item(visitor, assignment))


def _conflict(visitor: Visit, assignment: str, waiting: Sequence[ConflictingAnswer]) -> Context:
    """The saved answer and the conflicting ones."""
    return _item(visitor, assignment) | {"waiting": waiting, "saved_key": SAVED}


def _conflict_page(
    visitor: Visit, assignment: str, waiting: Sequence[ConflictingAnswer], *, status: int = 409
) -> Response[str]:
    context = _conflict(visitor, assignment, waiting)
    return visitor.page("conflict.html", "item", status=status, **context)


def _conflict_response(visitor: Visit, assignment: str, *, status: int) -> Response[ConflictResponse]:
    waiting = open_conflicts(visitor.store, visitor.person.id, assignment)
    context = _conflict(visitor, assignment, waiting)
    view: AssignmentView = context["view"]
    stored = view.stored
    response = ConflictResponse(
        assignment,
        view.position,
        stored.version,
        stored.saved,
        answer_content(stored.answer),
        list(map(_waiting, waiting)),
        visitor.fragment("_conflict.html", **context).html,
    )
    return Response(response, status_code=status)


def _waiting(waiting: ConflictingAnswer) -> forms.WaitingAnswer:
    return forms.WaitingAnswer(
        waiting.id, waiting.assignment, waiting.position, waiting.at, answer_content(waiting.answer)
    )


PAGES = Router(
    "/",
    route_handlers=[
        items,
        next_open,
        complete,
        at,
        item,
        text,
        item_history,
        answer,
        choose,
        undo_change,
    ],
    guards=[only_annotators, only_ready],
)
FIRST = Router("/", route_handlers=[start, begin_work, stopped, guidelines], guards=[only_annotators])
API = Router(
    "/api",
    route_handlers=[
        *(api_answer, api_undo, api_conflicts, api_conflict, api_choose),
        *(api_item, api_text, api_history, api_at, ahead),
    ],
    guards=[only_annotators, only_ready],
)
DIALOGS = Router("/api", route_handlers=[api_guidelines, keys], guards=[only_annotators])
