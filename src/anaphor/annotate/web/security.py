"""Authentication and authorization: sessions, roles, CSRF tokens, host names, security headers."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie, MutableScopeHeaders
from litestar.di import NamedDependency
from litestar.enums import ScopeType
from litestar.exceptions import ClientException, NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.response import Response
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from anaphor.annotate.analysis.tally import CampaignTally
from anaphor.annotate.campaign.people import Person, Session, find_session
from anaphor.annotate.store import Store
from anaphor.annotate.types import PersonRole
from anaphor.annotate.web.forms import HtmlFragment
from anaphor.annotate.web.language import LANGUAGES
from anaphor.annotate.web.rate_limit import RateLimit
from anaphor.annotate.web.state import (
    AnyConnection,
    AnyRequest,
    AppState,
    ServerConfig,
    app_state_of,
    language_of,
    path_of,
)

#: Suffix of the cookie with the CSRF token of visitors who have no session yet.
_FORM_COOKIE = "-form"
#: Forms that are shown without a session and may be sent with one.
_ENTRIES = ("/enter", "/login")
_FORM_TYPES = ("application/x-www-form-urlencoded", "multipart/form-data")

HEADERS = {
    # Nothing inline, nothing from elsewhere, no frame around our pages; script and style are our own files.
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in person and the campaign served to them."""

    app_state: AppState
    session: Session
    language: str = "en"

    @property
    def store(self) -> Store:
        return self.app_state.store

    @property
    def person(self) -> Person:
        return self.session.person

    @property
    def tally(self) -> CampaignTally:
        """The current labels of all answers."""
        return self.app_state.counted()

    def limit(self, rate: RateLimit) -> None:
        """Count one use of something; excess uses are rejected."""
        self.app_state.rate_limiter.require(rate, self.person.id)

    def page(self, template: str, here: str, *, status: int = 200, **context: Any) -> Response[str]:
        """A page; `here` is its name in the navigation."""
        return self.app_state.page(
            template,
            status=status,
            session=self.session,
            here=here,
            language=self.language,
            languages=self._languages,
            **context,
        )

    def fragment(self, template: str, **context: Any) -> HtmlFragment:
        return HtmlFragment(
            self.app_state.render(template, language=self.language, session=self.session, **context)
        )

    @property
    def _languages(self) -> Mapping[str, str]:
        """The languages that the page offers; the pages of leads are English."""
        return {} if self.person.role is PersonRole.LEAD else LANGUAGES


Visitor: TypeAlias = NamedDependency[Visit]
"""The type of the argument `visitor` of a route behind a guard."""


class SessionMiddleware(ASGIMiddleware):
    """Sets the user of every request to the session of its cookie, or to None."""

    scopes = (ScopeType.HTTP,)
    exclude_path_pattern = ("^/static/", "^/health$")

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        connection: AnyConnection = ASGIConnection(scope)
        app_state = app_state_of(connection)
        token = connection.cookies.get(app_state.cookie)
        session = await sync_to_thread(find_session, app_state.store, token) if token else None
        scope["user"] = session
        scope["auth"] = token if session else None
        await next_app(scope, receive, send)


def session_of(connection: AnyConnection) -> Session | None:
    """The session of a request, None if the visitor is not signed in."""
    user = connection.scope.get("user")
    return user if isinstance(user, Session) else None


def provide_visitor(request: AnyRequest) -> Visit:
    """The person who sends a request; without a session it is refused."""
    session = _signed_in(request)
    language = "en" if session.person.role is PersonRole.LEAD else language_of(request)
    return Visit(app_state_of(request), session, language)


def _only(role: PersonRole) -> Callable[[AnyConnection, BaseRouteHandler], None]:
    def guard(connection: AnyConnection, _: BaseRouteHandler) -> None:
        if _signed_in(connection).person.role is not role:
            raise PermissionDeniedException(f"this page is for the role {role.value}")

    return guard


only_annotators, only_leads = _only(PersonRole.ANNOTATOR), _only(PersonRole.LEAD)


class StepFirstError(PermissionDeniedException):
    """Another page must be shown before the items, or instead of them: the one at `path`."""

    def __init__(self, what: str, path: str) -> None:
        super().__init__(what)
        self.path = path


def only_ready(connection: AnyConnection, _: BaseRouteHandler) -> None:
    """Redirect annotators who must first give their consent, or whom a gate has stopped."""
    person = _signed_in(connection).person
    if person.stopped:
        raise StepFirstError("this campaign needs no more answers from you", "/stopped")
    if app_state_of(connection).campaign.consent and person.begun is None:
        raise StepFirstError("read the instructions first", "/start")


def _signed_in(connection: AnyConnection) -> Session:
    session = session_of(connection)
    if session is None:
        raise NotAuthorizedException("you are not signed in")
    return session


def make_cookie(app_state: AppState, value: str, *, seconds: int, form: bool = False) -> Cookie:
    """The session cookie; with `form`, a cookie that ties a pre-sign-in form to its browser."""
    name, secure = app_state.cookie + (_FORM_COOKIE if form else ""), app_state.config.secure
    return Cookie(name, value=value, max_age=seconds, httponly=True, samesite="strict", secure=secure)


def expected_token(request: AnyRequest) -> str | None:
    """The CSRF token that a form of this visitor must contain."""
    session = session_of(request)
    if session is not None:
        return session.csrf
    return request.cookies.get(app_state_of(request).cookie + _FORM_COOKIE)


async def add_headers(message: Message, scope: Scope) -> None:
    """Add the security headers to every response, errors included; pages are never cached."""
    if message["type"] != "http.response.start":
        return
    headers = MutableScopeHeaders.from_message(message)
    for name, value in HEADERS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")
    config: ServerConfig = scope["app"].state["app_state"].config
    if (goal := headers.get("Location", "")).startswith("/"):
        headers["Location"] = config.base + goal
    if config.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"


async def check_request(request: AnyRequest) -> None:
    """Reject requests to unknown host names, and changes from other sites or without a token."""
    known = app_state_of(request).config.hosts
    if known is not None and host_name(request.headers.get("host", "")) not in known:
        raise ClientException("unknown host name")
    if request.method in ("GET", "HEAD", "OPTIONS"):
        return
    # Browsers say where a request comes from; other clients send neither header. A form on a page without
    # referrer has the origin "null".
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin", "null")
    # The token below would do; this also stops a page that got hold of one.
    if site not in ("same-origin", "none") or (
        origin != "null" and origin.partition("://")[2] != request.headers.get("host", "")
    ):
        raise PermissionDeniedException("the request comes from another site")
    given = request.headers.get("x-csrf-token")
    if given is None and request.content_type[0] in _FORM_TYPES:
        field = (await request.form()).get("csrf", "")
        given = field if isinstance(field, str) else ""
    expected = [expected_token(request)]
    if path_of(request) in _ENTRIES:
        # A browser that comes from a webmail page does not show its session until it sends the form.
        expected.append(request.cookies.get(app_state_of(request).cookie + _FORM_COOKIE))
    if not any(token and hmac.compare_digest(_bytes(given or ""), _bytes(token)) for token in expected):
        raise PermissionDeniedException("the form is no longer valid; open the page again")


def host_name(header: str) -> str | None:
    """The name in a Host header without the port; None if it is invalid."""
    try:
        return urlsplit(f"//{header}").hostname
    except ValueError:
        return None


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")
