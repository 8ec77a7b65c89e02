"""What protects people from other people's pages: headers on every answer, checks on every request."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from litestar.datastructures import MutableScopeHeaders
from litestar.exceptions import ClientException, PermissionDeniedException
from litestar.types import Message, Scope

from anaphor.annotate.web.desk import AnyRequest, desk_of
from anaphor.annotate.web.visitors import expected_token

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

#: Nothing inline, nothing from elsewhere, no frame around us. Script and style are our own files.
_CONTENT = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

HEADERS = {
    "Content-Security-Policy": _CONTENT,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


async def add_headers(message: Message, scope: Scope) -> None:
    """Add the headers to every answer, also to those of errors; pages are stored nowhere."""
    if message["type"] != "http.response.start":
        return
    headers = MutableScopeHeaders.from_message(message)
    for name, value in HEADERS.items():
        headers[name] = value
    headers.setdefault("Cache-Control", "no-store")
    if scope["app"].state["desk"].settings.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"


async def check_request(request: AnyRequest) -> None:
    """Refuse a request under a foreign host name, and one that changes something without its token."""
    _check_host(request)
    if request.method not in _SAFE:
        _check_sender(request)
        await _check_token(request)


def _check_host(request: AnyRequest) -> None:
    known = desk_of(request).settings.hosts
    if known is not None and _name(f"//{request.headers.get('host', '')}") not in known:
        raise ClientException("this server is not asked under that host name")


def _check_sender(request: AnyRequest) -> None:
    """What browsers say about where a request comes from; other programs say nothing."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise PermissionDeniedException("the request comes from another site")
    # A form on a page without referrers names no origin: "null".
    origin = request.headers.get("origin", "null")
    if origin != "null" and origin.partition("://")[2] != request.headers.get("host", ""):
        raise PermissionDeniedException("the request comes from another site")


async def _check_token(request: AnyRequest) -> None:
    given = request.headers.get("x-csrf-token")
    if given is None:
        given = await _form_field(request)
    expected = expected_token(request)
    if expected is None or not hmac.compare_digest(_bytes(given), _bytes(expected)):
        raise PermissionDeniedException("the form is no longer valid; open the page again")


async def _form_field(request: AnyRequest) -> str:
    kind, _ = request.content_type
    if kind not in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return ""
    found = (await request.form()).get("csrf", "")
    return found if isinstance(found, str) else ""


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None
