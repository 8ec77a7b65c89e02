"""The lead's pages: progress, agreement, examples, disagreements and decisions, people, files, log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from litestar import Router, get, post
from litestar.concurrency import sync_to_thread
from litestar.datastructures import UploadFile
from litestar.params import FromQuery, MultipartBody, QueryParameter, URLEncodedBody
from litestar.response import Redirect, Response
from msgspec import Meta

from anaphor.annotate.analysis.agreement import (
    against_adjudicated,
    agreement_table,
    confusions,
    count_disagreements,
    disagreements,
)
from anaphor.annotate.analysis.status import attention_results, overall, progress_table, remaining, speeds
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.campaign.people import Session, add_link, deactivate, links, people, revoke_link
from anaphor.annotate.campaign.workload import add_annotator
from anaphor.annotate.exchange import EXPORTS, IMPORTS, export_bytes, import_bytes
from anaphor.annotate.exchange.merge import MergeReport
from anaphor.annotate.judging.adjudication import StaleDecisionError, adjudicate
from anaphor.annotate.judging.answers import journal
from anaphor.annotate.judging.views import units
from anaphor.annotate.store.audit import audit_log, note
from anaphor.annotate.types import PersonRole
from anaphor.annotate.web.context import (
    CONTEXT_LINES,
    Context,
    answer_words,
    coefficient,
    decision_context,
    progress_by_category,
    unit_card,
    verdict,
)
from anaphor.annotate.web.forms import HtmlFragment, SubmittedForm, read_form
from anaphor.annotate.web.items import Id, Lines
from anaphor.annotate.web.rate_limit import HEAVY
from anaphor.annotate.web.security import Visitor, only_leads
from anaphor.annotate.web.sign_in import address_of
from anaphor.annotate.web.state import AnyRequest, AppState, InjectedState
from anaphor.report.escape import shown

AgreementQuestion = Literal["overall", "pronoun", "antecedent"]
FilterName = Annotated[str, QueryParameter(max_length=200)]
PageNumber = Annotated[int, QueryParameter(name="page", ge=1, le=100_000)]
PersonName = Annotated[str, Meta(max_length=200)]

_EXAMPLES_PER_PAGE = 10
_DISAGREEMENTS_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class LinkForm:
    """Whom a new link is for, and for how long."""

    name: PersonName
    days: Annotated[int, Meta(ge=1, le=366)] = 30
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class JoinForm:
    """A new annotator, and which work they get."""

    name: PersonName
    share: Literal["open", "overlap", "all", "none"] = "open"
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class EndForm:
    """A person whose access ends."""

    name: PersonName
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class ImportForm:
    """A file with answers, its format, and whether to do a dry run."""

    format: str
    file: UploadFile
    look_only: str = ""
    csrf: str = ""


@get("/lead", sync_to_thread=True)
def overview(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """Progress by annotator and category, speed, and the remaining work."""
    return app_state.page("lead_overview.html", session=visitor, here="overview", **_overview(app_state))


@get("/api/lead", sync_to_thread=True)
def overview_fragment(app_state: InjectedState) -> HtmlFragment:
    """The same, for a page that is open."""
    return HtmlFragment(app_state.render("_lead_overview.html", **_overview(app_state)))


@get("/lead/agreement", sync_to_thread=True)
def agreement(
    app_state: InjectedState, visitor: Visitor, question: FromQuery[AgreementQuestion] = "overall"
) -> Response[str]:
    """Agreement by category, and who disagrees with whom."""
    context = _agreement(app_state, question)
    return app_state.page("lead_agreement.html", session=visitor, here="agreement", **context)


@get("/api/lead/agreement", sync_to_thread=True)
def agreement_fragment(
    app_state: InjectedState, question: FromQuery[AgreementQuestion] = "overall"
) -> HtmlFragment:
    """The same, for a page that is open."""
    return HtmlFragment(app_state.render("_lead_agreement.html", **_agreement(app_state, question)))


@get("/lead/examples", sync_to_thread=True)
def examples(
    app_state: InjectedState,
    visitor: Visitor,
    category: FilterName = "",
    system: FilterName = "",
    mark: FromQuery[Literal["", "yes", "no", "unset"]] = "",
    number: PageNumber = 1,
) -> Response[str]:
    """Judged pronouns as cards: text, links, automatic outcome, all answers."""
    found = units(
        app_state.store,
        category=category or None,
        system=system or None,
        mark=mark or None,
        limit=_EXAMPLES_PER_PAGE + 1,
        offset=(number - 1) * _EXAMPLES_PER_PAGE,
    )
    with app_state.store.read() as connection:
        systems = list(system_names(connection).values())
    chosen = {"category": category, "system": system, "mark": mark}
    return app_state.page(
        "lead_examples.html",
        session=visitor,
        here="examples",
        cards=[unit_card(app_state.store, row.unit) for row in found[:_EXAMPLES_PER_PAGE]],
        more=len(found) > _EXAMPLES_PER_PAGE,
        number=number,
        chosen=chosen,
        chosen_query=list(chosen.items()),
        systems=systems,
        categories=sorted({row.category for row in progress_table(app_state.store)}),
        verdict=verdict,
    )


@get("/lead/log", sync_to_thread=True)
def log(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """The last changes of answers, and the audit log."""
    return app_state.page(
        "lead_log.html",
        session=visitor,
        here="log",
        entries=journal(app_state.store, limit=100),
        audit=audit_log(app_state.store, limit=200),
    )


@get("/lead/disagreements", sync_to_thread=True)
def disagreement_list(
    app_state: InjectedState,
    visitor: Visitor,
    category: FilterName = "",
    decided: FromQuery[bool] = False,
    number: PageNumber = 1,
) -> Response[str]:
    """Units on which annotators disagree; with `decided` also those that a lead has decided."""
    found = disagreements(
        app_state.store,
        category=category or None,
        open_only=not decided,
        limit=_DISAGREEMENTS_PER_PAGE + 1,
        offset=(number - 1) * _DISAGREEMENTS_PER_PAGE,
    )
    return app_state.page(
        "lead_disagreements.html",
        session=visitor,
        here="disagreements",
        found=found[:_DISAGREEMENTS_PER_PAGE],
        more=len(found) > _DISAGREEMENTS_PER_PAGE,
        number=number,
        category=category,
        decided=decided,
        chosen_query=[("category", category), ("decided", str(decided).lower())],
        open_count=count_disagreements(app_state.store),
        categories=sorted({row.category for row in progress_table(app_state.store)}),
        verdict=verdict,
    )


@get("/lead/units/{unit:str}", sync_to_thread=True)
def unit_page(
    app_state: InjectedState, visitor: Visitor, unit: Id, before: Lines = CONTEXT_LINES, after: Lines = 0
) -> Response[str]:
    """One unit: its text, all answers, and the form for a decision."""
    context = decision_context(unit_card(app_state.store, unit, before=before, after=after))
    return app_state.page("lead_unit.html", session=visitor, here="disagreements", stale=None, **context)


@post("/lead/units/{unit:str}/decision", status_code=303)
async def decide(
    request: AnyRequest, app_state: InjectedState, visitor: Visitor, unit: Id
) -> Response[str] | Redirect:
    """Record a decision beside the answers, then go on with the next open disagreement."""
    return await sync_to_thread(_decide, app_state, visitor, unit, read_form(await request.form()))


@get("/lead/people", sync_to_thread=True)
def person_list(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """All annotators, and all personal links."""
    return _people(app_state, visitor)


@post("/lead/links", sync_to_thread=True, status_code=200)
def new_link(
    request: AnyRequest, app_state: InjectedState, visitor: Visitor, data: URLEncodedBody[LinkForm]
) -> Response[str]:
    """Make a personal link. It is shown only once: the database has only its hash."""
    token = add_link(app_state.store, data.name, days=data.days, by=visitor.person.name)
    return _people(app_state, visitor, made=(data.name, f"{request.base_url}enter/{token}"))


@post("/lead/links/{link:str}/revoke", sync_to_thread=True, status_code=303)
def end_link(app_state: InjectedState, visitor: Visitor, link: Id) -> Redirect:
    """Revoke a link and end every session that it opened."""
    revoke_link(app_state.store, link, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@post("/lead/people", sync_to_thread=True, status_code=200)
def join(
    request: AnyRequest, app_state: InjectedState, visitor: Visitor, data: URLEncodedBody[JoinForm]
) -> Response[str]:
    """Add an annotator with work and a link."""
    added = add_annotator(app_state.store, data.name, share=data.share, by=visitor.person.name)
    token = add_link(app_state.store, added.name, by=visitor.person.name)
    return _people(app_state, visitor, made=(added.name, f"{request.base_url}enter/{token}"))


@post("/lead/people/end", sync_to_thread=True, status_code=303)
def end_person(app_state: InjectedState, visitor: Visitor, data: URLEncodedBody[EndForm]) -> Redirect:
    """End the access of a person; the answers stay."""
    deactivate(app_state.store, data.name, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@get("/lead/files", sync_to_thread=True)
def file_list(app_state: InjectedState, visitor: Visitor) -> Response[str]:
    """Every export format, and the form for importing answers."""
    return _files(app_state, visitor)


@get("/lead/files/{name:str}", sync_to_thread=True)
def download(request: AnyRequest, app_state: InjectedState, visitor: Visitor, name: Id) -> Response[bytes]:
    """All answers in one format."""
    app_state.rate_limiter.require(HEAVY, visitor.person.id)
    content = export_bytes(app_state.store, name)
    note(
        app_state.store,
        actor=visitor.person.name,
        action="exported",
        detail={"format": name},
        address=address_of(request),
    )
    form = EXPORTS[name]
    headers = {"Content-Disposition": f'attachment; filename="campaign-{name}{form.suffix}"'}
    return Response(content, media_type=form.media_type, headers=headers)


@post("/lead/files", status_code=200)
async def upload(
    app_state: InjectedState, visitor: Visitor, data: MultipartBody[ImportForm]
) -> Response[str]:
    """Merge answers from a file; all conflicts are shown, and nothing is overwritten."""
    app_state.rate_limiter.require(HEAVY, visitor.person.id)
    content = await data.file.read()

    def merge() -> Response[str]:
        report = import_bytes(
            app_state.store,
            data.format,
            content,
            by=visitor.person.name,
            path=shown(data.file.filename[:100]),
            dry_run=bool(data.look_only),
        )
        return _files(app_state, visitor, report=report)

    return await sync_to_thread(merge)


def _overview(app_state: AppState) -> Context:
    return {
        "overall": overall(app_state.store),
        "table": progress_by_category(progress_table(app_state.store)),
        "speeds": speeds(app_state.store),
        "attention": attention_results(app_state.store),
        "open_disagreements": count_disagreements(app_state.store),
        "remaining": remaining(app_state.store),
    }


def _agreement(app_state: AppState, question: AgreementQuestion) -> Context:
    return {
        "question": question,
        "rows": agreement_table(app_state.store, question=question),
        "confusions": confusions(app_state.store, question=question),
        "against": against_adjudicated(app_state.store),
        "coefficient": coefficient,
    }


def _decide(
    app_state: AppState, visitor: Session, unit: str, sent: SubmittedForm
) -> Response[str] | Redirect:
    try:
        adjudicate(
            app_state.store,
            unit,
            sent.answer,
            by=visitor.person.id,
            version=sent.version,
            request=sent.request,
        )
    except StaleDecisionError as error:
        context = decision_context(unit_card(app_state.store, unit)) | {"stale": error.present}
        return app_state.page("lead_unit.html", status=409, session=visitor, here="disagreements", **context)
    following = disagreements(app_state.store, limit=1)
    where = f"/lead/units/{following[0].unit}" if following else "/lead/disagreements"
    return Redirect(where, status_code=303)


def _people(app_state: AppState, visitor: Session, made: tuple[str, str] | None = None) -> Response[str]:
    return app_state.page(
        "lead_people.html",
        session=visitor,
        here="people",
        people=[one for one in people(app_state.store) if one.role is PersonRole.ANNOTATOR],
        links=links(app_state.store),
        made=made,
    )


def _files(app_state: AppState, visitor: Session, *, report: MergeReport | None = None) -> Response[str]:
    return app_state.page(
        "lead_files.html",
        session=visitor,
        here="files",
        exports=EXPORTS,
        imports=IMPORTS,
        report=report,
        answer_words=answer_words,
    )


PAGES = Router(
    "/",
    route_handlers=[
        overview,
        overview_fragment,
        agreement,
        agreement_fragment,
        examples,
        log,
        disagreement_list,
        unit_page,
        decide,
        person_list,
        new_link,
        end_link,
        join,
        end_person,
    ],
    guards=[only_leads],
)


def file_routes(max_upload: int) -> Router:
    """The routes of files; only these accept a large request."""
    return Router(
        "/",
        route_handlers=[file_list, download, upload],
        guards=[only_leads],
        request_max_body_size=max_upload,
    )
