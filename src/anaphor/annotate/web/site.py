"""Several campaigns on one server, each under its own path and with its own people and sessions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from litestar import Litestar
from litestar.types import Receive, Scope, Send
from sqlalchemy import make_url

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.store import Store
from anaphor.annotate.store.database import is_address
from anaphor.annotate.web.app import create_app
from anaphor.annotate.web.security import HEADERS, host_name
from anaphor.annotate.web.state import ServerConfig
from anaphor.core import OptionError

#: What a campaign may be called in an address: nothing that a browser would write in another way.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def campaign_paths(databases: tuple[str, ...]) -> dict[str, str]:
    """The server path of every database; a single one is served at the root.

    A database is given as `NAME=DATABASE`, or named after its file or database.
    """
    addresses: dict[str, str] = {}
    for text in databases:
        name, equals, address = text.partition("=")
        # An address of PostgreSQL may have an = of its own, after its ://.
        if not equals or "://" in name or Path(text).exists():
            name, address = "", text
        if name or len(databases) > 1:
            own = (make_url(address).database or "") if is_address(address) else Path(address).stem
            name = name or own
            if not _NAME.fullmatch(name):
                what, fix = (
                    f"not a valid campaign name: {name!r:.80}",
                    "write NAME=DATABASE, of letters, digits, -",
                )
                raise OptionError(what, where="DATABASE", fix=fix)
        path = f"/{name}" if name else ""
        if path in addresses:
            fix = "give one of them another name: NAME=DATABASE"
            raise OptionError(f"two campaigns are called {name}", where="DATABASE", fix=fix)
        addresses[path] = address
    return addresses


class CampaignSite:
    """An application that forwards each request to the campaign with its path; the root lists all of them."""

    def __init__(self, stores: Mapping[str, Store], config: ServerConfig) -> None:
        self.apps: dict[str, Litestar] = {}
        known: dict[str, str] = {}
        for path, store in stores.items():
            campaign = read_campaign(store)
            if (other := known.setdefault(campaign.id, path)) != path:
                # Their cookies would have the same name, and a session of one would end that of the other.
                what = f"{other[1:]} and {path[1:]} are copies of the same campaign"
                raise OptionError(what, where="DATABASE", fix="serve one of the two, or each on its own port")
            self.apps[path] = create_app(store, replace(config, base=path))
        self._hosts = config.hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        first, slash, _ = path[1:].partition("/")
        app = self.apps.get(f"/{first}")
        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        if app is not None and slash:
            scope["root_path"] = f"/{first}"
            await app(scope, receive, send)
        elif self._hosts is not None and host_name(host) not in self._hosts:
            await _respond(send, 400, "unknown host name", kind="text/plain")
        elif app is not None:
            await _respond(send, 307, "", location=f"/{first}/")
        elif path == "/health":
            await _respond(send, 200, '{"state":"running"}', kind="application/json")
        else:
            await self._list(send, 200 if path == "/" else 404)

    async def _list(self, send: Send, status: int) -> None:
        states = {path: app.state["app_state"] for path, app in self.apps.items()}
        named = {path: state.campaign.name for path, state in states.items()}
        first = next(iter(states.values()))
        await _respond(send, status, first.render("campaigns.html", campaigns=named, found=status == 200))


async def _respond(
    send: Send, status: int, body: str, *, kind: str = "text/html; charset=utf-8", location: str = ""
) -> None:
    headers = {**HEADERS, "Cache-Control": "no-store", "Content-Type": kind}
    if location:
        headers["Location"] = location
    lines = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": body.encode(), "more_body": False})
