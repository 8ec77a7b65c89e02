"""Errors shown to visitors: what happened, where, and how to fix it; never a traceback."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from litestar.enums import MediaType
from litestar.exceptions import HTTPException
from litestar.response import Redirect, Response

from anaphor.annotate.judging.answers import StaleAnswerError
from anaphor.annotate.store.database import StoreError
from anaphor.annotate.web.security import StepFirstError, session_of
from anaphor.annotate.web.state import AnyRequest, app_state_of, language_of, path_of
from anaphor.core import UnknownNameError, UserError

_LOG = logging.getLogger("anaphor.annotate.web")

_CODES = {UnknownNameError: HTTPStatus.NOT_FOUND, StaleAnswerError: HTTPStatus.CONFLICT}

_FIXES = {
    HTTPStatus.UNAUTHORIZED: "open your personal link again, or sign in as a lead; nothing you typed is lost",
    HTTPStatus.FORBIDDEN: "start again from the first page, or go back to the page and reload it",
    HTTPStatus.NOT_FOUND: "check the address, or start again from the first page",
    HTTPStatus.METHOD_NOT_ALLOWED: "use the forms and links on the pages",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "send a smaller request",
    HTTPStatus.TOO_MANY_REQUESTS: "wait a moment, then try again",
}


def explain(request: AnyRequest, error: Exception) -> Response[Any]:
    """An error in three parts: as JSON for the page's script, otherwise as a page."""
    status, path = HTTPStatus.BAD_REQUEST, path_of(request)
    match error:
        case StoreError():
            # 503 tells the page to keep the answer in the browser and to send it again later.
            _LOG.error("%s (%s)", error.what, error.where)
            status = HTTPStatus.SERVICE_UNAVAILABLE
            what, where, fix = error.what, "the database of the campaign", error.fix
        case UserError():
            status = next((code for kind, code in _CODES.items() if isinstance(error, kind)), status)
            what, where, fix = error.what, str(error.where), error.fix
        case HTTPException() if error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            # The framework's messages name parameters at most, never one of our values.
            status, where = HTTPStatus(error.status_code), path
            what = (error.detail or status.phrase).split("\n")[0]
            if isinstance(error.extra, list) and error.extra and isinstance(error.extra[0], dict):
                field = error.extra[0]  # the first field that failed validation
                what = f"{field.get('key', 'the request')}: {field.get('message', 'not valid')}"
            fix = _FIXES.get(status, "check the request and send it again")
        case UnicodeDecodeError():  # our own pages never send such a form
            what, where, fix = "the request body is not UTF-8", path, "send the form from its page"
        case RecursionError():  # of the parser: no answer is nested more than a few times
            what, where, fix = "the request body is nested too deeply", path, "send the form from its page"
        case _:
            # A bug of ours, or a row that somebody changed by hand, which `anaphor annotate check` finds.
            # The log has the traceback, the page only says that it happened.
            _LOG.error("%s %s failed", request.method, path, exc_info=error)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            what, where = "internal error; nothing was saved by this request", path
            fix = "try again; if it happens again, tell the lead the time and what you did"
    if isinstance(error, StepFirstError) and not path.startswith("/api/"):
        return Redirect(error.path, status_code=303)
    message = {"what": what, "where": where, "fix": fix}
    headers = (error.headers or {}) if isinstance(error, HTTPException) else {}
    if path.startswith("/api/"):
        return Response(message, status_code=status, media_type=MediaType.JSON, headers=headers)
    response = app_state_of(request).page(
        "error.html",
        status=status,
        language=language_of(request),
        message=message,
        session=session_of(request),
        here="",
    )
    response.headers.update(headers)
    return response
