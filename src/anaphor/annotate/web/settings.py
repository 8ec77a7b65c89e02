"""What the person who starts the server decides, and the limits that keep it alive."""

from __future__ import annotations

from dataclasses import dataclass

#: Names under which a server on this machine alone is asked. Others are refused, so that a foreign page
#: cannot reach it through a host name that it lets point here.
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the application behaves. `hosts` are the names it answers to, None for any.

    - `secure`: the browser reaches it over TLS, so that cookies are marked and the browser stays with TLS.
    - `session_hours`: how long somebody who came in by a link stays; a lead stays `lead_hours`.
    - `max_body`: bytes of a request; `max_upload`: bytes of a file that a lead brings back.
    """

    hosts: frozenset[str] | None = LOOPBACK
    secure: bool = False
    session_hours: float = 72.0
    lead_hours: float = 12.0
    max_body: int = 64 * 1024
    max_upload: int = 32 * 1024 * 1024
