"""Coming in and going out: the first page, personal links, the sign-in of leads, leaving."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from litestar import get, post
from litestar.enums import MediaType
from litestar.params import PathParameter, URLEncodedBody
from litestar.response import Redirect, Response
from msgspec import Meta

from anaphor.annotate.access import close_session, open_session, use_link
from anaphor.annotate.audit import note
from anaphor.annotate.nouns import Role
from anaphor.annotate.people import check_password
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.pace import LINK, LOGIN
from anaphor.annotate.web.visitors import form_cookie, form_token, session_cookie, session_of

Token = Annotated[str, PathParameter(max_length=200)]


@get("/", sync_to_thread=True)
def front(request: AnyRequest, desk: AtDesk) -> Response[str] | Redirect:
    """The work of whoever is signed in, else the way in."""
    session = session_of(request)
    if session is None:
        return _welcome(request, desk)
    return Redirect("/lead" if session.person.role is Role.LEAD else "/items/next")


@get("/enter/{token:str}", sync_to_thread=True)
def enter(request: AnyRequest, desk: AtDesk, token: Token) -> Response[str]:
    """Exchange a personal link for a session.

    It answers with a page that goes on by itself, not with a redirect: a redirect that began on another site,
    such as a mail program in the browser, would not carry the strict cookie.
    """
    desk.pace.require(LINK, address_of(request))
    found = use_link(desk.store, token)
    if found is None:
        note(desk.store, actor="stranger", action="link refused", address=address_of(request))
        return _welcome(
            request,
            desk,
            refused="This link is not valid, or no longer. Ask for a new one.",
            status=403,
        )
    person, link = found
    hours = desk.settings.session_hours if person.role is Role.ANNOTATOR else desk.settings.lead_hours
    session = open_session(desk.store, person.id, link=link, hours=hours)
    note(desk.store, actor=person.name, action="entered by link", address=address_of(request))
    page = desk.pages.get_template("entered.html").render(person=person, session=None, here="")
    return Response(page, media_type=MediaType.HTML, cookies=[session_cookie(desk, session, hours=hours)])


@dataclass(frozen=True, slots=True)
class LoginForm:
    """Name and password of a lead."""

    name: Annotated[str, Meta(max_length=100)]
    password: Annotated[str, Meta(max_length=1000)]
    csrf: str = ""


@post("/login", sync_to_thread=True, status_code=303)
def login(
    request: AnyRequest,
    desk: AtDesk,
    data: URLEncodedBody[LoginForm],
) -> Response[str] | Redirect:
    """Sign a lead in by name and password; each name and each address may try a few times a minute."""
    desk.pace.require(LOGIN, address_of(request))
    desk.pace.require(LOGIN, f"name {data.name}")
    person = check_password(desk.store, data.name, data.password)
    if person is None:
        note(desk.store, actor="stranger", action="sign-in refused", address=address_of(request))
        return _welcome(request, desk, name=data.name, refused="Name or password is wrong.", status=403)
    hours = desk.settings.lead_hours
    token = open_session(desk.store, person.id, hours=hours)
    note(desk.store, actor=person.name, action="signed in", address=address_of(request))
    return Redirect("/lead", status_code=303, cookies=[session_cookie(desk, token, hours=hours)])


@post("/leave", sync_to_thread=True, status_code=303)
def leave(request: AnyRequest, desk: AtDesk) -> Redirect:
    """End the session. What waits in the browser to be sent stays there."""
    token = request.scope.get("auth")
    if isinstance(token, str):
        close_session(desk.store, token)
    return Redirect("/", status_code=303, cookies=[session_cookie(desk, "", hours=0)])


def address_of(request: AnyRequest) -> str:
    """Where a request comes from, for rate limits and the audit log."""
    return request.client.host if request.client else "unknown"


def _welcome(
    request: AnyRequest, desk: Desk, *, name: str = "", refused: str = "", status: int = 200
) -> Response[str]:
    token = form_token(request)
    page = desk.pages.get_template("welcome.html").render(
        token=token, name=name, refused=refused, session=None, here=""
    )
    cookies = [form_cookie(desk, token)]
    return Response(page, status_code=status, media_type=MediaType.HTML, cookies=cookies)
