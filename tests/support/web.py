"""Small campaigns that are served in memory."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import dataclass
from typing import Any

from litestar import Litestar
from litestar.testing import TestClient

from anaphor.annotate.campaign.people import add_link, begin, find_person
from anaphor.annotate.store.database import Store

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody with a browser: a client with cookies of its own."""

    client: TestClient[Litestar]

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, **options)

    def token(self) -> str:
        """The CSRF token of the last page that had one."""
        found = re.search(r'name="csrf" (?:content|value)="([^"]+)"', self.client.get("/guidelines").text)
        found = found or re.search(r'name="csrf" (?:content|value)="([^"]+)"', self.client.get("/").text)
        assert found is not None
        return found[1]

    def enter(self, link: str) -> Any:
        """Open a personal link, by its path or token, and press the button of its page."""
        page = self.client.get(link if link.startswith("/") else f"/enter/{link}")
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
        if page.status_code != 200:
            return page
        return self.client.post("/enter", data=hidden, follow_redirects=False)

    def post(self, path: str, form: dict[str, Any] | None = None, **options: Any) -> Any:
        """Send a form with its token, and follow no redirect."""
        content = {"csrf": self.token(), **(form or {})}
        return self.client.post(path, data=content, follow_redirects=False, **options)

    def send(self, path: str, content: object) -> Any:
        """Send JSON with the token, as the script of the page does."""
        headers = {"X-CSRF-Token": self.token(), "Content-Type": "application/json"}
        return self.client.post(path, content=json.dumps(content), headers=headers)

    def first(self) -> str:
        """The id of the first item."""
        return str(self.client.get("/items/at?position=1").url.path.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class Served:
    """A campaign that is being served, and the people who may come."""

    store: Store
    app: Litestar

    def stranger(self) -> Visitor:
        return Visitor(TestClient(self.app, base_url="http://127.0.0.1"))

    def annotator(self, name: str = "Ann", *, begins: bool = True) -> Visitor:
        """Somebody who has signed in, and has been past the instructions unless they only begin."""
        visitor = self.stranger()
        assert visitor.enter(add_link(self.store, name, by="test")).status_code == 303
        if begins:
            begin(self.store, find_person(self.store, name), agreed=False)
        return visitor

    def lead(self) -> Visitor:
        visitor = self.stranger()
        assert visitor.post("/login", {"name": "Lea", "password": PASSWORD}).status_code == 303
        return visitor

    def person(self, name: str = "Ann") -> str:
        return find_person(self.store, name).id


def answer(**fields: Any) -> dict[str, Any]:
    """A request of the page's script."""
    version = fields.pop("version", 0)
    go = fields.pop("go", "next")
    request = fields.pop("request", secrets.token_hex(8))
    return {"request": request, "version": version, "go": go, "answer": fields}
