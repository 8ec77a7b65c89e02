"""Errors as visitors see them: what happened, where, and how to fix it; never a traceback."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from litestar.enums import MediaType
from litestar.exceptions import HTTPException
from litestar.response import Response

from anaphor.annotate.judging.answers import StaleAnswerError
from anaphor.annotate.store.database import StoreError
from anaphor.annotate.web.security import session_of
from anaphor.annotate.web.state import AnyRequest, app_state_of
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
class ErrorMessage:
    """An error in three parts, as JSON for the script of the page."""

    what: str
    where: str
    fix: str


def explain_user_error(request: AnyRequest, error: UserError) -> Response[object]:
    status = next((code for kind, code in _CODES.items() if isinstance(error, kind)), HTTPStatus.BAD_REQUEST)
    return _response(request, ErrorMessage(error.what, str(error.where), error.fix), status)


def explain_store_error(request: AnyRequest, error: StoreError) -> Response[object]:
    """The database fails. 503 tells the page to keep the answer in the browser and to send it again later."""
    _LOG.error("%s (%s)", error.what, error.where)
    message = ErrorMessage(error.what, "the database of the campaign", error.fix)
    return _response(request, message, HTTPStatus.SERVICE_UNAVAILABLE)


def explain_http_error(request: AnyRequest, error: HTTPException) -> Response[object]:
    """A request that the framework refuses. Its messages name parameters at most, never one of our values."""
    status = HTTPStatus(error.status_code)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return explain_failure(request, error)
    what = (error.detail or status.phrase).split("\n")[0]
    if isinstance(error.extra, list) and error.extra and isinstance(error.extra[0], dict):
        field = error.extra[0]  # the first field that failed validation
        what = f"{field.get('key', 'the request')}: {field.get('message', 'not valid')}"
    fix = _FIXES.get(status, "check what was sent, and send it again")
    response = _response(request, ErrorMessage(what, request.url.path, fix), status)
    for name, value in (error.headers or {}).items():
        response.headers[name] = value
    return response


def explain_undecodable(request: AnyRequest, _error: UnicodeDecodeError) -> Response[object]:
    """A form that is not UTF-8, which our own pages never send."""
    message = ErrorMessage("the request body is not UTF-8", request.url.path, "send the form from its page")
    return _response(request, message, HTTPStatus.BAD_REQUEST)


def explain_failure(request: AnyRequest, error: Exception) -> Response[object]:
    """A bug of ours: the log has the traceback, the page only says that it happened."""
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    message = ErrorMessage(
        "internal error; nothing was saved by this request",
        request.url.path,
        "try again; if it happens again, tell the lead the time and what you did",
    )
    return _response(request, message, HTTPStatus.INTERNAL_SERVER_ERROR)


def _response(request: AnyRequest, message: ErrorMessage, status: HTTPStatus) -> Response[object]:
    """The message as JSON for the script of the page, else as a page."""
    if request.url.path.startswith("/api/"):
        return Response(message, status_code=status, media_type=MediaType.JSON)
    text = app_state_of(request).render(
        "error.html", message=message, status=status, session=session_of(request), here=""
    )
    return Response(text, status_code=status, media_type=MediaType.HTML)
