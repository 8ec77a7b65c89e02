"""Questions of annotators to the lead, and the lead's inbox of questions and remarks."""

from __future__ import annotations

import secrets
from typing import Literal

from litestar import Router, get, post
from litestar.params import FromQuery, JSONBody, URLEncodedBody
from litestar.response import Redirect, Response

from anaphor.annotate.judging import messages
from anaphor.annotate.judging.views import assignment_view
from anaphor.annotate.web.forms import HtmlFragment, QuestionBody, QuestionForm
from anaphor.annotate.web.items import Id
from anaphor.annotate.web.lead import FilterName, PageNumber, annotator_id, annotator_names
from anaphor.annotate.web.rate_limit import ANSWER
from anaphor.annotate.web.security import Visitor, only_annotators, only_leads

_PER_PAGE = 30


@post("/items/{assignment:str}/questions", sync_to_thread=True, status_code=303)
def question(visitor: Visitor, assignment: Id, data: URLEncodedBody[QuestionForm]) -> Redirect:
    """Ask the lead about an item."""
    visitor.limit(ANSWER)
    messages.ask_lead(visitor.store, visitor.person.id, assignment, data.text, request=data.request)
    return Redirect(f"/items/{assignment}", status_code=303)


@post("/api/items/{assignment:str}/questions", sync_to_thread=True, status_code=200)
def api_question(visitor: Visitor, assignment: Id, data: JSONBody[QuestionBody]) -> HtmlFragment:
    """Ask the lead about an item; the conversation comes back."""
    visitor.limit(ANSWER)
    messages.ask_lead(visitor.store, visitor.person.id, assignment, data.text, request=data.request)
    return visitor.fragment(
        "_asking.html",
        view=assignment_view(visitor.store, visitor.person.id, assignment),
        messages=messages.conversation(visitor.store, assignment),
        question_id=secrets.token_hex(16),
    )


@get("/lead/inbox", sync_to_thread=True)
def inbox(
    visitor: Visitor,
    kind: FromQuery[Literal["", "question", "remark"]] = "",
    annotator: FilterName = "",
    number: PageNumber = 1,
) -> Response[str]:
    """What annotators asked and remarked: open questions first, then the newest."""
    start = (number - 1) * _PER_PAGE
    person = annotator_id(visitor, annotator)
    entries = messages.inbox(visitor.store, kind=kind, person=person, start=start, limit=_PER_PAGE + 1)
    return visitor.page(
        "lead_inbox.html",
        "inbox",
        found=[(entry, secrets.token_hex(16)) for entry in entries[:_PER_PAGE]],
        open_count=messages.open_questions(visitor.store),
        more=len(entries) > _PER_PAGE,
        number=number,
        kind=kind,
        annotators=annotator_names(visitor),
        annotator=annotator,
        chosen_query=[("kind", kind), ("annotator", annotator)],
    )


@post("/lead/inbox/{assignment:str}", sync_to_thread=True, status_code=303)
def reply(visitor: Visitor, assignment: Id, data: URLEncodedBody[QuestionForm]) -> Redirect:
    """Reply to a question; the annotator sees it on the item."""
    messages.reply(visitor.store, visitor.person.id, assignment, data.text, request=data.request)
    return Redirect("/lead/inbox", status_code=303)


ANNOTATORS = Router("/", route_handlers=[question, api_question], guards=[only_annotators])
LEADS = Router("/", route_handlers=[inbox, reply], guards=[only_leads])
