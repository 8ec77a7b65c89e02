"""Signing in and out: the first page, personal links, passwords of leads."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated

from litestar import get, post
from litestar.datastructures import Cookie
from litestar.exceptions import NotAuthorizedException
from litestar.params import PathParameter, URLEncodedBody
from litestar.response import Redirect, Response
from msgspec import Meta

from anaphor.annotate.campaign.people import (
    Person,
    check_password,
    close_session,
    extend_session,
    find_link,
    open_session,
    use_link,
)
from anaphor.annotate.campaign.workload import join_study, joining
from anaphor.annotate.store.audit import note
from anaphor.annotate.types import PersonRole
from anaphor.annotate.web.language import LANGUAGES
from anaphor.annotate.web.rate_limit import LINK, LOGIN, LOGINS
from anaphor.annotate.web.security import expected_token, make_cookie, session_of
from anaphor.annotate.web.state import AnyRequest, AppState, InjectedState, language_of
from anaphor.core import UnknownNameError

#: What platforms call the id of a person: our own word, Prolific, Mechanical Turk.
_PARTICIPANT = ("participant", "PROLIFIC_PID", "workerId")


@dataclass(frozen=True, slots=True)
class LoginForm:
    """Name and password of a lead."""

    name: Annotated[str, Meta(max_length=100)]
    password: Annotated[str, Meta(max_length=1000)]
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class EnterForm:
    """The token of a personal link."""

    token: Annotated[str, Meta(max_length=200)]
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class SessionResponse:
    """The person signed in in this browser, and the session's CSRF token."""

    person: str
    name: str
    csrf: str


@get("/", sync_to_thread=True)
def front(request: AnyRequest, app_state: InjectedState) -> Response[str] | Redirect:
    """The work of the signed-in person, otherwise the sign-in page."""
    session = session_of(request)
    if session is None:
        return _welcome(request, app_state)
    if session.person.role is PersonRole.LEAD:
        return Redirect("/lead")
    return Redirect("/items/next" if session.person.begun else "/start")


@get("/language/{code:str}", sync_to_thread=False)
def choose_language(app_state: InjectedState, code: Annotated[str, PathParameter(max_length=10)]) -> Redirect:
    """Use another language of the interface from now on."""
    if code not in LANGUAGES:
        raise UnknownNameError.among(code, LANGUAGES, kind="language", where="the address")
    cookie = Cookie(app_state.language_cookie, value=code, max_age=366 * 86400, httponly=True, samesite="lax")
    return Redirect("/", cookies=[cookie])


@get("/enter/{token:str}", sync_to_thread=True)
def landing(
    request: AnyRequest, app_state: InjectedState, token: Annotated[str, PathParameter(max_length=200)]
) -> Response[str]:
    """The page opened by a personal link. It changes nothing: entering takes an explicit click.

    A link embedded in another page or previewed by a mail program thus cannot replace a session.
    """
    app_state.rate_limiter.require(LINK, address_of(request))
    participant = next(filter(None, map(request.query_params.get, _PARTICIPANT)), None)
    if participant is not None:  # the shared link of a crowd platform
        token = f"{token}:{participant}"
    entry = find_link(app_state.store, token)
    name = entry[0].name if entry else joining(app_state.store, token)
    if not name:
        return _refused_link(request, app_state)
    csrf = secrets.token_urlsafe(24)
    cookies = [make_cookie(app_state, csrf, seconds=3600, form=True)]
    session = session_of(request)
    other = session.person.name if session is not None and session.person.name != name else ""
    return app_state.page(
        "entered.html",
        language=language_of(request),
        languages=LANGUAGES,
        cookies=cookies,
        session=None,
        here="",
        name=name,
        link_token=token,
        token=csrf,
        other=other,
    )


@post("/enter", sync_to_thread=True, status_code=303)
def enter(
    request: AnyRequest, app_state: InjectedState, data: URLEncodedBody[EnterForm]
) -> Response[str] | Redirect:
    """Exchange a personal link for a session. An existing session of the same person is kept, so open pages
    keep working.
    """
    app_state.rate_limiter.require(LINK, address_of(request))
    entry = use_link(app_state.store, data.token)
    if entry is None:
        join_study(app_state.store, data.token)
        entry = use_link(app_state.store, data.token)
    if entry is None:
        return _refused_link(request, app_state)
    person, link = entry
    session, token = session_of(request), request.scope.get("auth")
    if session is not None and session.person.id == person.id and isinstance(token, str):
        hours = app_state.config.session_hours
        extend_session(app_state.store, token, hours=hours)
        cookie = make_cookie(app_state, token, seconds=int(hours * 3600))
    else:
        cookie = _open_session(request, app_state, person, "entered by link", link=link)
    return Redirect("/", status_code=303, cookies=[cookie])


@get("/api/session", sync_to_thread=False)
def api_session(request: AnyRequest) -> SessionResponse:
    """The signed-in person and form token, for a page whose token belongs to an earlier session."""
    session = session_of(request)
    if session is None:
        raise NotAuthorizedException("you are not signed in")
    return SessionResponse(session.person.id, session.person.name, session.csrf)


@post("/login", sync_to_thread=True, status_code=303)
def login(
    request: AnyRequest, app_state: InjectedState, data: URLEncodedBody[LoginForm]
) -> Response[str] | Redirect:
    """Sign a lead in by name and password.

    Attempts are limited per address, and per address and name, so strangers elsewhere cannot lock a lead out.
    """
    address = address_of(request)
    app_state.rate_limiter.require(LOGINS, address)
    app_state.rate_limiter.require(LOGIN, f"{address} {data.name}")
    person = check_password(app_state.store, data.name, data.password)
    if person is None:
        note(app_state.store, actor="stranger", action="sign-in refused", address=address_of(request))
        return _welcome(request, app_state, name=data.name, refused="Name or password is wrong.", status=403)
    cookie = _open_session(request, app_state, person, "signed in")
    return Redirect("/lead", status_code=303, cookies=[cookie])


@post("/leave", sync_to_thread=True, status_code=303)
def leave(request: AnyRequest, app_state: InjectedState) -> Redirect:
    """End the session. Answers that the browser has not sent yet stay in the browser."""
    token = request.scope.get("auth")
    if isinstance(token, str):
        close_session(app_state.store, token)
    return Redirect("/", status_code=303, cookies=[make_cookie(app_state, "", seconds=0)])


def address_of(request: AnyRequest) -> str:
    """The origin of a request, for rate limits and the audit log."""
    return request.client.host if request.client else "unknown"


def _open_session(
    request: AnyRequest, app_state: AppState, person: Person, action: str, *, link: str | None = None
) -> Cookie:
    is_lead = person.role is PersonRole.LEAD
    hours = app_state.config.lead_hours if is_lead else app_state.config.session_hours
    token = open_session(app_state.store, person.id, link=link, hours=hours)
    note(app_state.store, actor=person.name, action=action, address=address_of(request))
    return make_cookie(app_state, token, seconds=int(hours * 3600))


def _refused_link(request: AnyRequest, app_state: AppState) -> Response[str]:
    note(app_state.store, actor="stranger", action="link refused", address=address_of(request))
    refused = "This link is not, or no longer, valid. Ask for a new one."
    return _welcome(request, app_state, refused=refused, status=403)


def _welcome(
    request: AnyRequest, app_state: AppState, *, name: str = "", refused: str = "", status: int = 200
) -> Response[str]:
    token = expected_token(request) or secrets.token_urlsafe(24)
    cookies = [make_cookie(app_state, token, seconds=3600, form=True)]
    return app_state.page(
        "welcome.html",
        status=status,
        cookies=cookies,
        language=language_of(request),
        languages=LANGUAGES,
        session=None,
        here="",
        token=token,
        name=name,
        refused=refused,
    )
