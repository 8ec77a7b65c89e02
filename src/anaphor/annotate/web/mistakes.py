"""Errors as people see them: what happened, where, how to mend it; never a trace."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from litestar.enums import MediaType
from litestar.exceptions import HTTPException
from litestar.response import Response

from anaphor.annotate.answers import StaleAnswerError
from anaphor.annotate.faults import StoreError
from anaphor.annotate.web.desk import AnyRequest, desk_of
from anaphor.annotate.web.visitors import session_of
from anaphor.core import UnknownNameError, UserError

_LOG = logging.getLogger("anaphor.annotate.web")

_CODES = {UnknownNameError: HTTPStatus.NOT_FOUND, StaleAnswerError: HTTPStatus.CONFLICT}

_FIXES = {
    HTTPStatus.UNAUTHORIZED: "open your personal link again, or sign in as a lead; nothing you typed is lost",
    HTTPStatus.FORBIDDEN: "go back to the page and load it again",
    HTTPStatus.NOT_FOUND: "check the address, or start again from the first page",
    HTTPStatus.METHOD_NOT_ALLOWED: "use the forms and links of the pages",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "send less at once",
    HTTPStatus.TOO_MANY_REQUESTS: "wait a little, then try again",
}


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake in three parts, as JSON for the script of the page."""

    what: str
    where: str
    fix: str


def explain_user_error(request: AnyRequest, error: UserError) -> Response[object]:
    status = next((code for kind, code in _CODES.items() if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)
    return explained(request, Mistake(error.what, str(error.where), error.fix), status)


def explain_store_error(request: AnyRequest, error: StoreError) -> Response[object]:
    """The database is in trouble: the answer stays in the browser, and is sent again later."""
    _LOG.error("%s (%s)", error.what, error.where)
    mistake = Mistake(error.what, "the database of the campaign", error.fix)
    return explained(request, mistake, HTTPStatus.SERVICE_UNAVAILABLE)


def explain_http_error(request: AnyRequest, error: HTTPException) -> Response[object]:
    """What the framework refuses. Its words name parameters at most, never a value of ours."""
    status = HTTPStatus(error.status_code)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return explain_failure(request, error)
    what = _refused_field(error) or (error.detail or status.phrase).split("\n")[0]
    fix = _FIXES.get(status, "check what was sent, and send it again")
    response = explained(request, Mistake(what, request.url.path, fix), status)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def _refused_field(error: HTTPException) -> str:
    """The first field of a request that did not fit, and why; empty where it was something else."""
    found = error.extra[0] if isinstance(error.extra, list) and error.extra else None
    if not isinstance(found, dict):
        return ""
    return f"{found.get('key', 'the request')}: {found.get('message', 'not valid')}"


def explain_undecodable(request: AnyRequest, _error: UnicodeDecodeError) -> Response[object]:
    """A form in bytes that are no UTF-8; pages and files of ours never are."""
    mistake = Mistake(
        "what was sent is no text", request.url.path, "send it again as the page does, in UTF-8"
    )
    return explained(request, mistake, HTTPStatus.BAD_REQUEST)


def explain_failure(request: AnyRequest, error: Exception) -> Response[object]:
    """A mistake of ours. The log has it all, the page says that it happened."""
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    mistake = Mistake(
        "the server made a mistake; nothing was saved by this request",
        request.url.path,
        "try again; if it happens again, tell the lead the time and what you did",
    )
    return explained(request, mistake, HTTPStatus.INTERNAL_SERVER_ERROR)


def explained(request: AnyRequest, mistake: Mistake, status: HTTPStatus) -> Response[object]:
    """The mistake as JSON for the script of the page, else as a page."""
    if request.url.path.startswith("/api/"):
        return Response(mistake, status_code=status, media_type=MediaType.JSON)
    page = desk_of(request).pages.get_template("mistake.html")
    text = page.render(mistake=mistake, status=status, session=session_of(request), here="")
    return Response(text, status_code=status, media_type=MediaType.HTML)
