"""The lead's pages: progress, agreement, examples, disagreements and decisions, people, files, log."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Literal
from urllib.parse import urlencode

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import UploadFile
from litestar.params import FromQuery, MultipartBody, QueryParameter, URLEncodedBody
from litestar.response import Redirect, Response, Stream
from msgspec import Meta

from anaphor.annotate.analysis import agreement as agreed
from anaphor.annotate.analysis import status
from anaphor.annotate.analysis.agreement import disagreements
from anaphor.annotate.analysis.dashboard import annotator_overviews, system_overviews
from anaphor.annotate.analysis.suggestion_effect import suggestion_difference, suggestion_effect
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.campaign.people import (
    add_link,
    deactivate,
    find_person,
    let_go_on,
    links,
    people,
    revoke_link,
    served_url,
    study_link,
)
from anaphor.annotate.campaign.workload import add_annotator
from anaphor.annotate.exchange import EXPORTS, IMPORTS, export_parts, import_bytes
from anaphor.annotate.exchange.merge import MergeReport, MergeRules
from anaphor.annotate.judging.adjudication import StaleDecisionError, adjudicate
from anaphor.annotate.judging.change_log import change_log
from anaphor.annotate.judging.messages import open_questions
from anaphor.annotate.judging.person_answers import Order, PersonAnswer, Shown, person_answers
from anaphor.annotate.judging.views import units
from anaphor.annotate.store.audit import audit_log, note
from anaphor.annotate.types import PersonRole
from anaphor.annotate.web import context
from anaphor.annotate.web.context import CONTEXT_LINES, Context, decision_context
from anaphor.annotate.web.forms import HtmlFragment, SentForm
from anaphor.annotate.web.items import Id, Lines
from anaphor.annotate.web.rate_limit import HEAVY
from anaphor.annotate.web.security import Visit, Visitor, only_leads
from anaphor.annotate.web.sign_in import address_of
from anaphor.annotate.web.state import AnyRequest
from anaphor.report.escape import shown

AgreementQuestion = Literal["overall", "pronoun", "antecedent"]
FilterName = Annotated[str, QueryParameter(max_length=200)]
PageNumber = Annotated[int, QueryParameter(name="page", ge=1, le=100_000)]

_EXAMPLES_PER_PAGE = 10
_DISAGREEMENTS_PER_PAGE = 10
_ANSWERS_PER_PAGE = 50
_CHANGES_PER_PAGE = 100


@dataclass(frozen=True, slots=True)
class PersonForm:
    """The name of a person."""

    name: Annotated[str, Meta(max_length=200)]
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class LinkForm(PersonForm):
    """The person a new link is for, and its lifetime."""

    days: Annotated[int, Meta(ge=1, le=366)] = 30


@dataclass(frozen=True, slots=True)
class JoinForm(PersonForm):
    """A new annotator, and the work they get."""

    share: Literal["open", "overlap", "all", "none"] = "open"


@dataclass(frozen=True, slots=True)
class ImportForm:
    """A file with answers, its format, and whether to do a dry run."""

    format: str
    file: UploadFile
    look_only: str = ""
    csrf: str = ""


@get("/lead", sync_to_thread=True)
def overview(visitor: Visitor, systems: FromQuery[bool] = False) -> Response[str]:
    """Annotators with progress, agreement and pace, and the remaining work; with `systems`, also their
    ranking.
    """
    ranked = system_overviews(visitor.store, visitor.tally) if systems else None
    return visitor.page("lead_overview.html", "overview", systems=ranked, **_overview(visitor))


@get("/api/lead", sync_to_thread=True)
def overview_fragment(visitor: Visitor) -> HtmlFragment:
    """The same as a fragment for an open page."""
    return visitor.fragment("_lead_overview.html", **_overview(visitor))


@get("/lead/agreement", sync_to_thread=True)
def agreement(visitor: Visitor, question: FromQuery[AgreementQuestion] = "overall") -> Response[str]:
    """Agreement by category, and who disagrees with whom."""
    return visitor.page("lead_agreement.html", "agreement", **_agreement(visitor, question))


@get("/api/lead/agreement", sync_to_thread=True)
def agreement_fragment(visitor: Visitor, question: FromQuery[AgreementQuestion] = "overall") -> HtmlFragment:
    """The same as a fragment for an open page."""
    return visitor.fragment("_lead_agreement.html", **_agreement(visitor, question))


@get("/lead/examples", sync_to_thread=True)
def examples(
    visitor: Visitor,
    category: FilterName = "",
    system: FilterName = "",
    mark: FromQuery[Literal["", "yes", "no", "unclear", "unset"]] = "",
    annotator: FilterName = "",
    number: PageNumber = 1,
) -> Response[str]:
    """Judged pronouns as cards: text, links, automatic outcome, all answers."""
    start = (number - 1) * _EXAMPLES_PER_PAGE
    examples = units(
        visitor.store,
        category=category,
        system=system,
        mark=mark,
        person=annotator_id(visitor, annotator),
        start=start,
        limit=_EXAMPLES_PER_PAGE + 1,
    )
    with visitor.store.read() as connection:
        systems = list(system_names(connection).values())
    chosen = {"category": category, "system": system, "mark": mark, "annotator": annotator}
    return visitor.page(
        "lead_examples.html",
        "examples",
        cards=context.unit_contexts(visitor.store, examples[:_EXAMPLES_PER_PAGE]),
        more=len(examples) > _EXAMPLES_PER_PAGE,
        number=number,
        chosen=chosen,
        chosen_query=list(chosen.items()),
        systems=systems,
        categories=_categories(visitor),
        annotators=annotator_names(visitor),
    )


@get("/lead/annotator", sync_to_thread=True)
def annotator_page(
    visitor: Visitor,
    name: FilterName = "",
    show: FromQuery[Shown] = Shown.ALL,
    order: FromQuery[Order] = Order.LIST,
    number: PageNumber = 1,
) -> Response[str]:
    """The answers of one annotator: what, how long, which warnings, which known answers were missed."""
    names = annotator_names(visitor)
    name = name or next(iter(names), "")
    start = (number - 1) * _ANSWERS_PER_PAGE
    answers: tuple[PersonAnswer, ...] = ()
    if person := annotator_id(visitor, name):
        answers = person_answers(
            visitor.store, person, show=show, order=order, start=start, limit=_ANSWERS_PER_PAGE + 1
        )
    rows = [row for row in annotator_overviews(visitor.tally) if row.person == name]
    return visitor.page(
        "lead_annotator.html",
        "people",
        overview=rows[0] if rows else None,
        answers=answers[:_ANSWERS_PER_PAGE],
        more=len(answers) > _ANSWERS_PER_PAGE,
        number=number,
        annotators=names,
        annotator=name,
        show=show.value,
        order=order.value,
        chosen_query=[("name", name), ("show", show.value), ("order", order.value)],
    )


@get("/lead/log", sync_to_thread=True)
def log(visitor: Visitor, annotator: FilterName = "", number: PageNumber = 1) -> Response[str]:
    """The latest changes of answers with item, before and after, and the audit log."""
    start, person = (number - 1) * _CHANGES_PER_PAGE, annotator_id(visitor, annotator)
    changes = change_log(visitor.store, person=person, start=start, limit=_CHANGES_PER_PAGE + 1)
    audit = audit_log(visitor.store, actor=annotator, start=start, limit=_CHANGES_PER_PAGE + 1)
    return visitor.page(
        "lead_log.html",
        "log",
        changes=changes[:_CHANGES_PER_PAGE],
        audit=audit[:_CHANGES_PER_PAGE],
        more=max(len(changes), len(audit)) > _CHANGES_PER_PAGE,
        number=number,
        annotators=annotator_names(visitor),
        annotator=annotator,
        chosen_query=[("annotator", annotator)],
    )


@get("/lead/disagreements", sync_to_thread=True)
def disagreement_list(
    visitor: Visitor,
    category: FilterName = "",
    annotator: FilterName = "",
    decided: FromQuery[bool] = False,
    blind: FromQuery[bool] = False,
    number: PageNumber = 1,
) -> Response[str]:
    """Units on which annotators disagree; with `decided`, also those already decided by a lead.

    With `blind`, annotators and systems are anonymous.
    """
    tally = visitor.tally
    annotator = "" if blind else annotator  # or the filter would tell who has answered
    annotator_id(visitor, annotator)  # refuses a name that nobody has
    start, end = (number - 1) * _DISAGREEMENTS_PER_PAGE, number * _DISAGREEMENTS_PER_PAGE
    total = len(tally.differing(category=category, person=annotator, open_only=not decided))
    differing = disagreements(
        visitor.store,
        category=category,
        person=annotator,
        open_only=not decided,
        part=slice(start, end),
        tally=tally,
    )
    cards = context.unit_contexts(visitor.store, [difference.unit for difference in differing], blind=blind)
    return visitor.page(
        "lead_disagreements.html",
        "disagreements",
        found=list(zip(differing, cards, strict=True)),
        first=start + 1,
        count=total,
        more=total > end,
        number=number,
        category=category,
        decided=decided,
        blind=blind,
        annotators=annotator_names(visitor),
        annotator=annotator,
        chosen_query=[
            *(("category", category), ("annotator", annotator)),
            *(("decided", _flag(decided)), ("blind", _flag(blind))),
        ],
        open_count=len(tally.differing()),
        categories=_categories(visitor),
    )


@get("/lead/units/{unit:str}", sync_to_thread=True)
def unit_page(
    visitor: Visitor,
    unit: Id,
    category: FilterName = "",
    annotator: FilterName = "",
    blind: FromQuery[bool] = False,
    before: Lines = CONTEXT_LINES,
    after: Lines = 0,
) -> Response[str]:
    """One unit: its text, all answers, the decision form, and its position among open disagreements."""
    shown = decision_context(visitor.store, unit, before=before, after=after, blind=blind)
    place = _place(visitor, unit, category, annotator=annotator, blind=blind)
    return visitor.page("lead_unit.html", "disagreements", stale=None, **shown, **place)


@post("/lead/units/{unit:str}/decision", sync_to_thread=True, status_code=303)
def decide(
    visitor: Visitor,
    unit: Id,
    sent: SentForm,
    category: FilterName = "",
    annotator: FilterName = "",
    blind: FromQuery[bool] = False,
) -> Response[str] | Redirect:
    """Record a decision, then continue with the next open disagreement of the same filter."""
    store = visitor.store
    place = _place(visitor, unit, category, annotator=annotator, blind=blind)
    try:
        adjudicate(store, unit, sent.answer, by=visitor.person.id, version=sent.version, request=sent.request)
    except StaleDecisionError as error:
        shown = decision_context(store, unit, blind=blind) | {"stale": error.present} | place
        return visitor.page("lead_unit.html", "disagreements", status=409, **shown)
    return Redirect(place["following"] or place["back"], status_code=303)


def _place(visitor: Visit, unit: str, category: str, *, annotator: str, blind: bool) -> Context:
    """The position of a unit among the open disagreements of a filter, which every address preserves."""
    annotator = "" if blind else annotator
    chosen = {"category": category, "annotator": annotator, "blind": _flag(blind)}
    suffix = f"?{urlencode(chosen)}" if category or annotator or blind else ""
    units = visitor.tally.differing(category=category, person=annotator)
    at = units.index(unit) if unit in units else None
    others = [other for other in units if other != unit]
    following = others[at % len(others)] if at is not None and others else next(iter(others), None)
    previous = units[at - 1] if at else None
    return {
        "query": suffix,
        "position": None if at is None else at + 1,
        "count": len(units),
        "back": f"/lead/disagreements{suffix}",
        "following": None if following is None else f"/lead/units/{following}{suffix}",
        "previous": None if previous is None else f"/lead/units/{previous}{suffix}",
    }


def _flag(value: bool) -> str:
    return str(value).lower()


@get("/lead/people", sync_to_thread=True)
def person_list(visitor: Visitor) -> Response[str]:
    """All annotators, and all personal links."""
    return _people(visitor)


@post("/lead/links", sync_to_thread=True, status_code=200)
def new_link(request: AnyRequest, visitor: Visitor, data: URLEncodedBody[LinkForm]) -> Response[str]:
    """Make a personal link. It is shown only once, since the database stores only its hash."""
    token = add_link(visitor.store, data.name, days=data.days, by=visitor.person.name)
    return _people(visitor, made=(data.name, f"{request.base_url}enter/{token}"))


@post("/lead/links/{link:str}/revoke", sync_to_thread=True, status_code=303)
def end_link(visitor: Visitor, link: Id) -> Redirect:
    """Revoke a link and end every session that it opened."""
    revoke_link(visitor.store, link, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@post("/lead/people", sync_to_thread=True, status_code=200)
def join(request: AnyRequest, visitor: Visitor, data: URLEncodedBody[JoinForm]) -> Response[str]:
    """Add an annotator with work and a link."""
    added = add_annotator(visitor.store, data.name, share=data.share, by=visitor.person.name)
    token = add_link(visitor.store, added.name, by=visitor.person.name)
    return _people(visitor, made=(added.name, f"{request.base_url}enter/{token}"))


@post("/lead/people/end", sync_to_thread=True, status_code=303)
def end_person(visitor: Visitor, data: URLEncodedBody[PersonForm]) -> Redirect:
    """End the access of a person; the answers stay."""
    deactivate(visitor.store, data.name, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@post("/lead/people/go-on", sync_to_thread=True, status_code=303)
def go_on(visitor: Visitor, data: URLEncodedBody[PersonForm]) -> Redirect:
    """Let a person whom a gate has stopped continue."""
    let_go_on(visitor.store, data.name, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@get("/lead/files", sync_to_thread=True)
def file_list(visitor: Visitor) -> Response[str]:
    """Every export format, and the form for importing answers."""
    return _files(visitor)


@get("/lead/files/{name:str}", sync_to_thread=True)
def download(request: AnyRequest, visitor: Visitor, name: Id) -> Stream:
    """All answers in one format, streamed."""
    visitor.limit(HEAVY)
    parts = export_parts(visitor.store, name)
    first = next(parts, b"")  # what cannot be exported is refused before anything is sent
    who, detail, address = visitor.person.name, {"format": name}, address_of(request)
    note(visitor.store, actor=who, action="exported", detail=detail, address=address)
    form = EXPORTS[name]
    headers = {"Content-Disposition": f'attachment; filename="campaign-{name}{form.suffix}"'}
    return Stream(chain([first], parts), media_type=form.media_type, headers=headers)


@post("/lead/files", status_code=200)
async def upload(visitor: Visitor, data: MultipartBody[ImportForm]) -> Response[str]:
    """Merge answers from a file; conflicts are shown, and nothing is overwritten."""
    visitor.limit(HEAVY)
    content = await data.file.read()

    def merge() -> Response[str]:
        path, rules = shown(data.file.filename[:100]), MergeRules(dry_run=bool(data.look_only))
        who = visitor.person.name
        report = import_bytes(visitor.store, data.format, content, by=who, path=path, rules=rules)
        return _files(visitor, report=report)

    return await sync_to_thread(merge)


def _overview(visitor: Visit) -> Context:
    tally = visitor.tally
    return {
        "overall": status.overall(tally),
        **context.progress_by_category(status.progress_table(tally)),
        "annotators": annotator_overviews(tally),
        "open_disagreements": len(tally.differing()),
        "open_questions": open_questions(visitor.store),
        "remaining": visitor.app_state.forecast.remaining(visitor.store, tally),
    }


def _agreement(visitor: Visit, question: AgreementQuestion) -> Context:
    tally = visitor.tally
    suggests = visitor.app_state.campaign.suggestions
    effect = suggestion_effect(visitor.store) if suggests else ()
    return {
        "suggests": suggests,
        "effect": effect,
        "effect_difference": suggestion_difference(effect),
        "question": question,
        "rows": agreed.agreement_table(tally, question=question),
        "confusions": agreed.confusions(tally, question=question),
        "against": agreed.against_adjudicated(visitor.store, tally),
    }


def annotator_names(visitor: Visit) -> list[str]:
    """The names of all annotators, for filters."""
    return [one.name for one in people(visitor.store) if one.role is PersonRole.ANNOTATOR]


def annotator_id(visitor: Visit, name: str) -> str | None:
    """The id of an annotator by name; None for no name."""
    return find_person(visitor.store, name).id if name else None


def _categories(visitor: Visit) -> list[str]:
    return sorted({category for _, category, _ in visitor.tally.progress()})


def _people(visitor: Visit, made: tuple[str, str] | None = None) -> Response[str]:
    annotators = [person for person in people(visitor.store) if person.role is PersonRole.ANNOTATOR]
    own_links = links(visitor.store)
    shared = study_link(visitor.store, served_url(visitor.store))
    return visitor.page(
        "lead_people.html", "people", people=annotators, links=own_links, made=made, shared=shared
    )


def _files(visitor: Visit, *, report: MergeReport | None = None) -> Response[str]:
    mode = visitor.app_state.campaign.mode
    exports = {name: export for name, export in EXPORTS.items() if export.mode in (None, mode)}
    return visitor.page("lead_files.html", "files", exports=exports, imports=IMPORTS, report=report)


PAGES = Router(
    "/",
    route_handlers=[
        *(overview, overview_fragment, agreement, agreement_fragment, examples, annotator_page, log),
        *(disagreement_list, unit_page, decide),
    ],
    guards=[only_leads],
)
PEOPLE = Router(
    "/", route_handlers=[person_list, new_link, end_link, join, end_person, go_on], guards=[only_leads]
)


def file_routes(max_upload: int) -> Router:
    """The file routes, the only ones that accept large requests."""
    return Router(
        "/",
        route_handlers=[file_list, download, upload],
        guards=[only_leads],
        request_max_body_size=max_upload,
    )
