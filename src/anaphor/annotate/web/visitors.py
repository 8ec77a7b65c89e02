"""Who asks: the session behind a cookie, and the doors that stay shut without the right role."""

from __future__ import annotations

import secrets
from typing import TypeAlias

from litestar.concurrency import sync_to_thread
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.enums import ScopeType
from litestar.exceptions import NotAuthorizedException, PermissionDeniedException
from litestar.handlers.base import BaseRouteHandler
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from anaphor.annotate.access import Session, find_session
from anaphor.annotate.nouns import Role
from anaphor.annotate.web.desk import AnyConnection, AnyRequest, Desk, desk_of

#: Stands in a page before anybody is known, so that a form for entering has a token too.
_STRANGER = "-form"

Visitor: TypeAlias = NamedDependency[Session]
"""What a route behind a guard gets as its argument `visitor`."""


class Visits(ASGIMiddleware):
    """Puts the session of the cookie, or None, into every request as its user."""

    scopes = (ScopeType.HTTP,)
    exclude_path_pattern = ("^/static/", "^/health$")

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        connection: AnyConnection = ASGIConnection(scope)
        desk = desk_of(connection)
        token = connection.cookies.get(desk.cookie)
        found = await sync_to_thread(find_session, desk.store, token) if token else None
        scope["user"] = found
        scope["auth"] = token if found else None
        await next_app(scope, receive, send)


def session_of(connection: AnyConnection) -> Session | None:
    """The session of a request, None for a stranger."""
    found = connection.scope.get("user")
    return found if isinstance(found, Session) else None


def provide_visitor(request: AnyRequest) -> Session:
    """The session, for routes behind a guard."""
    session = session_of(request)
    if session is None:
        raise NotAuthorizedException("you are not signed in")
    return session


def only_annotators(connection: AnyConnection, _: BaseRouteHandler) -> None:
    _require(connection, Role.ANNOTATOR)


def only_leads(connection: AnyConnection, _: BaseRouteHandler) -> None:
    _require(connection, Role.LEAD)


def _require(connection: AnyConnection, role: Role) -> None:
    session = session_of(connection)
    if session is None:
        raise NotAuthorizedException("you are not signed in")
    if session.person.role is not role:
        raise PermissionDeniedException(f"this page is for the role {role.value}")


def session_cookie(desk: Desk, token: str, *, hours: float) -> Cookie:
    """The cookie of a session; an empty token takes it away."""
    return _cookie(desk, desk.cookie, token, max_age=int(hours * 3600) if token else 0)


def form_cookie(desk: Desk, token: str) -> Cookie:
    """The cookie that ties a form for strangers to the browser that asked for it."""
    return _cookie(desk, desk.cookie + _STRANGER, token, max_age=3600)


def expected_token(request: AnyRequest) -> str | None:
    """What a form of this visitor must bring along."""
    session = session_of(request)
    return request.cookies.get(desk_of(request).cookie + _STRANGER) if session is None else session.csrf


def form_token(request: AnyRequest) -> str:
    """The token for a form on a page that strangers see; a new one if the browser has none."""
    return expected_token(request) or secrets.token_urlsafe(24)


def _cookie(desk: Desk, name: str, value: str, *, max_age: int) -> Cookie:
    return Cookie(
        key=name,
        value=value,
        path="/",
        max_age=max_age,
        httponly=True,
        samesite="strict",
        secure=desk.settings.secure,
    )
