"""Whatever a text holds, a page shows it as text: attacks in every field, on every page, in every mode."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import html5lib
import pytest

from anaphor.annotate.exchange import EXPORTS
from anaphor.annotate.types import Mode
from anaphor.annotate.web.rate_limit import RateLimiter

if TYPE_CHECKING:
    from tests.support.security import Site, Visitor

#: Every element that our templates have, those a parser adds, and that of times; others came out of a text.
PAGES = files("anaphor.annotate.web") / "pages"
OURS = {
    name
    for page in PAGES.iterdir()
    for name in re.findall(r"<([a-z][a-z0-9]*)", page.read_text(encoding="utf-8"))
} | {"html", "head", "body", "tbody", "time"}
#: Attributes whose value may be text of others; elsewhere it would have a meaning.
TEXTUAL = {"value", "aria-label", "title", "data-title", "data-label", "content", "placeholder", "alt"}
ADDRESSES = {"href", "src", "action", "formaction", "data-url"}


def parsed(page: str) -> Any:
    """The root element of a page as browsers see it."""
    return html5lib.parse(page, namespaceHTMLElements=False)


def complaints(root: Any) -> list[str]:
    """What on a page came out of a text: elements, attributes, addresses, scripts."""
    found = []
    for one in root.iter():
        if not isinstance(one.tag, str):
            continue  # a comment
        name = str(one.tag).rpartition("}")[2]
        if name not in OURS:
            found.append((f"element {name}", one))
        if name == "script" and not str(one.get("src", "")).startswith("/static/"):
            found.append(("script", one))
        for attribute, value in one.attrib.items():
            if attribute.startswith("on") or attribute in ("style", "srcdoc"):
                found.append((f"attribute {attribute}", one))
            if attribute in ADDRESSES and not re.match(r"(/(?!/)|#|\?)", value):
                found.append((f"address {value}", one))
            if "evil" in value and attribute not in TEXTUAL and attribute not in ADDRESSES:
                found.append((f"text in {attribute}", one))
    # Writing elements out takes most of the time: only those that are complained about.
    return [
        f"{what}: {ElementTree.tostring(one, encoding='unicode', method='html')[:200]}" for what, one in found
    ]


def text_of(root: Any) -> str:
    """What is shown; in a text area people edit their own characters, whatever they are."""
    for one in root.iter("textarea"):
        one.text = ""
    return "".join(root.itertext())


def followed(visitor: Visitor, path: str) -> Any:
    return visitor.client.get(path, follow_redirects=True)


def annotator_pages(site: Site, visitor: Visitor) -> Iterator[str]:
    paths = ["/", "/items", "/guidelines"]
    paths += [f"/items/{item}" for item in site.items()[::3]]  # all systems of an item stand together
    paths += [f"/items/{item}/history" for item in site.items()[::9]]
    for path in paths:
        yield followed(visitor, path).text


def annotator_pieces(site: Site, visitor: Visitor) -> Iterator[str]:
    items = site.items()
    for path in ("/api/guidelines", "/api/keys", f"/api/items/{items[0]}/text?before=500&after=500"):
        yield followed(visitor, path).json()["html"]
    for item in items[::9]:
        yield followed(visitor, f"/api/items/{item}").json()["html"]
        yield followed(visitor, f"/api/items/{item}/history").json()["html"]
    yield from (page["html"] for page in followed(visitor, "/api/positions/1/ahead").json()["pages"])


def lead_pages(visitor: Visitor) -> Iterator[str]:
    paths = ["/lead", "/lead/agreement", "/lead/people", "/lead/files", "/lead/log"]
    paths += [f"/lead/{one}?page={number}" for one in ("examples", "disagreements") for number in (1, 2, 3)]
    units: set[str] = set()
    for path in paths:
        page = followed(visitor, path)
        assert page.status_code == 200, path
        units |= set(re.findall(r'href="(/lead/units/[^"?]+)"', page.text))
        yield page.text
    for unit in sorted(units):
        yield followed(visitor, unit).text


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(Mode))
def test_attacks_in_every_text_stay_text(attack: Callable[..., Site], mode: Mode) -> None:
    site = attack(mode, answered=True)
    annotator, lead = site.annotator(), site.lead()
    texts = (*annotator_pages(site, annotator), *annotator_pieces(site, annotator), *lead_pages(lead))
    pages = list(map(parsed, texts))  # once, because it takes most of the time of this test
    assert [one for page in pages for one in complaints(page)] == []
    shown = "".join(map(text_of, pages))
    for attack_text in ("<script>evil()</script>", "</textarea>", "<img src=x onerror=evil()>", "{{evil"):
        assert attack_text in shown, "the attack is not shown at all"
    assert "\u202e" not in shown
    assert "\x1b" not in shown


def test_names_of_systems_reach_no_annotator(site: Site) -> None:
    annotator = site.annotator()
    pages = "".join(text_of(parsed(page)) for page in annotator_pages(site, annotator))
    assert "secret" not in pages
    assert "secret" in text_of(parsed(site.lead().get("/lead/examples").text)), "all systems are called so"
    for path in ("/lead", "/lead/examples", "/api/lead", "/lead/files/jsonl"):
        assert annotator.get(path).status_code == 403


def test_error_pages_show_attacks_as_text(site: Site) -> None:
    lead, stranger = site.lead(), site.stranger()
    attack_text = "<script>evil()</script>"
    encoded = "%3Cscript%3Eevil()%3C%2Fscript%3E"
    pages = [
        lead.get(f"/lead/units/{encoded}"),
        lead.get(f"/lead/files/{encoded}"),
        lead.get(f"/lead/examples?category={encoded}&system={encoded}"),
        lead.get(f"/lead/examples?mark={encoded}"),
        lead.get(f"/lead/disagreements?category={encoded}&page={encoded}"),
        lead.get(f"/{encoded}"),
        lead.post("/lead/links", {"name": attack_text}),
        lead.post("/lead/people", {"name": attack_text, "share": attack_text}),
        lead.post("/lead/people", {"name": attack_text}),
        lead.post("/lead/people/end", {"name": attack_text}),
        lead.post(f"/lead/links/{encoded}/revoke"),
        stranger.get(f"/enter/{encoded}"),
        stranger.post("/login", {"name": f'"{attack_text}', "password": attack_text}),
        site.annotator().get(f"/items/{encoded}"),
    ]
    assert [one for page in pages for one in complaints(parsed(page.text))] == []
    assert all(page.status_code < 500 for page in pages)


def test_files_that_attack_are_shown_as_text(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RateLimiter, "require", lambda *_: None)
    lead = site.lead()
    line = json.dumps({"unit": "<script>evil()</script>", "person": "<img src=x onerror=evil()>"})
    for name in ("jsonl", "csv", "tsv", "pearmut", "label-studio", "protest", "mtme", "<script>evil()"):
        for content in (line, f"[{line}]", "<script>evil()</script>,x\n<script>evil()</script>,y\n"):
            file = {"file": ("<script>evil()</script>.csv", content.encode(), "text/csv")}
            page = lead.post("/lead/files", {"format": name, "look_only": ""}, files=file)
            assert page.status_code in (200, 400, 404), page.text
            assert complaints(parsed(page.text)) == []


def test_json_cannot_be_taken_for_a_page(site: Site) -> None:
    answered = site.annotator().get(f"/api/items/{site.items()[0]}")
    assert answered.headers["content-type"].startswith("application/json")
    assert answered.headers["x-content-type-options"] == "nosniff"


def test_exports_are_files_and_never_pages(attack: Callable[..., Site]) -> None:
    lead = attack(answered=True).lead()
    names = list(set(EXPORTS) - {"gaps"})
    assert names
    for name in names:  # which is of another mode
        file = lead.get(f"/lead/files/{name}")
        assert file.status_code == 200, name
        assert file.headers["content-disposition"].startswith("attachment; filename="), name
        assert not file.headers["content-type"].startswith(("text/html", "image/svg")), name
