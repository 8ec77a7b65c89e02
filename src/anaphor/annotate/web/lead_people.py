"""People and their personal links, and files that leave or enter the campaign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from litestar import Router, get, post
from litestar.params import URLEncodedBody
from litestar.response import Redirect, Response
from msgspec import Meta

from anaphor.annotate.access import Session, add_link, links, revoke_link
from anaphor.annotate.joining import add_annotator
from anaphor.annotate.nouns import Role
from anaphor.annotate.people import deactivate, people
from anaphor.annotate.web.desk import AnyRequest, AtDesk, Desk
from anaphor.annotate.web.judging import Id, page
from anaphor.annotate.web.visitors import Visitor, only_leads

PersonName = Annotated[str, Meta(max_length=200)]


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
    """Somebody who shall come in no more."""

    name: PersonName
    csrf: str = ""


@get("/lead/people", sync_to_thread=True)
def listed(desk: AtDesk, visitor: Visitor) -> Response[str]:
    """Everybody, and all personal links."""
    return _people(desk, visitor)


@post("/lead/links", sync_to_thread=True, status_code=200)
def new_link(
    request: AnyRequest,
    desk: AtDesk,
    visitor: Visitor,
    data: URLEncodedBody[LinkForm],
) -> Response[str]:
    """Make a personal link. It is shown this once: the database has only its hash."""
    token = add_link(desk.store, data.name, days=data.days, by=visitor.person.name)
    return _people(desk, visitor, made=(data.name, f"{request.base_url}enter/{token}"))


@post("/lead/links/{link:str}/revoke", sync_to_thread=True, status_code=303)
def end_link(desk: AtDesk, visitor: Visitor, link: Id) -> Redirect:
    """End a link and every session that came in by it."""
    revoke_link(desk.store, link, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


@post("/lead/people", sync_to_thread=True, status_code=200)
def join(
    request: AnyRequest,
    desk: AtDesk,
    visitor: Visitor,
    data: URLEncodedBody[JoinForm],
) -> Response[str]:
    """Add an annotator with work and a link."""
    added = add_annotator(desk.store, data.name, share=data.share, by=visitor.person.name)
    token = add_link(desk.store, added.name, by=visitor.person.name)
    return _people(desk, visitor, made=(added.name, f"{request.base_url}enter/{token}"))


@post("/lead/people/end", sync_to_thread=True, status_code=303)
def end_person(
    desk: AtDesk,
    visitor: Visitor,
    data: URLEncodedBody[EndForm],
) -> Redirect:
    """Let somebody in no more; their answers stay."""
    deactivate(desk.store, data.name, by=visitor.person.name)
    return Redirect("/lead/people", status_code=303)


def _people(desk: Desk, visitor: Session, made: tuple[str, str] | None = None) -> Response[str]:
    return page(
        desk,
        "lead_people.html",
        session=visitor,
        here="people",
        people=[one for one in people(desk.store) if one.role is Role.ANNOTATOR],
        links=links(desk.store),
        made=made,
    )


ROUTES = Router("/", route_handlers=[listed, new_link, end_link, join, end_person], guards=[only_leads])
