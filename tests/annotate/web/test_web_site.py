"""Several campaigns on one server: a path each, and nothing of one can be reached from the other."""

from __future__ import annotations

import re
from typing import Any

import pytest
from litestar.testing import TestClient

from anaphor.annotate.campaign.people import add_link
from anaphor.annotate.store.database import open_store
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.site import CampaignSite, campaign_paths
from anaphor.core import OptionError

PASSWORD = "a long enough password"  # noqa: S105 - of a lead in these tests


@pytest.fixture
def stores(serve_small: Any) -> dict[str, Any]:
    """Two campaigns with the same people; the second is in another language, so that it is another one."""
    return {"/agreement": serve_small().store, "/b": serve_small(pair="en-de").store}


@pytest.fixture
def client(stores: dict[str, Any]) -> TestClient[Any]:
    site = CampaignSite(stores, ServerConfig())
    return TestClient(site, base_url="http://127.0.0.1")


def enter(client: TestClient[Any], path: str, store: Any, name: str) -> Any:
    page = client.get(f"{path}/enter/{add_link(store, name)}")
    hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    return client.post(f"{path}/enter", data=hidden, follow_redirects=False)


def sign_in(client: TestClient[Any], path: str) -> Any:
    token = re.findall(r'name="csrf" value="([^"]+)"', client.get(f"{path}/").text)[0]
    form = {"csrf": token, "name": "Lea", "password": PASSWORD}
    return client.post(f"{path}/login", data=form, follow_redirects=False)


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        (("a.db",), {"": "a.db"}),
        (("pilot=a.db",), {"/pilot": "a.db"}),
        (("x/a.db", "main=y/a.db"), {"/a": "x/a.db", "/main": "y/a.db"}),
        (
            ("a.db", "postgresql://me@host/judging?host=/run/pg"),
            {"/a": "a.db", "/judging": "postgresql://me@host/judging?host=/run/pg"},
        ),
    ],
)
def test_every_campaign_has_a_path(given: tuple[str, ...], paths: dict[str, str]) -> None:
    assert campaign_paths(given) == paths


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("x/a.db", "y/a.db"), "two campaigns are called a"),
        (("a.db", "b c.db"), "not a valid campaign name"),
        (("../=a.db",), "not a valid campaign name"),
    ],
)
def test_names_that_cannot_be_are_refused(given: tuple[str, ...], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        campaign_paths(given)


def test_copies_of_one_campaign_are_refused(stores: dict[str, Any]) -> None:
    with (
        open_store(stores["/b"].address) as copy,
        pytest.raises(OptionError, match="b and copy are copies of the same campaign"),
    ):
        CampaignSite({**stores, "/copy": copy}, ServerConfig())


def test_the_root_lists_the_campaigns(client: TestClient[Any]) -> None:
    front = client.get("/")
    assert front.status_code == 200
    assert re.findall(r'<li><a href="([^"]+)"', front.text) == ["/agreement/", "/b/"]
    assert front.headers["content-security-policy"].startswith("default-src 'none'")
    assert client.get("/elsewhere").status_code == 404
    assert client.get("/health").json() == {"state": "running"}
    assert client.get("/b", follow_redirects=False).headers["location"] == "/b/"
    assert client.get("/", headers={"Host": "rebound.example"}).status_code == 400
    for address in re.findall(r'(?:href|src)="(/[^"]*static[^"]*)"', front.text):
        assert client.get(address).status_code == 200


def test_sessions_and_leads_are_apart(client: TestClient[Any], stores: dict[str, Any]) -> None:
    assert enter(client, "/agreement", stores["/agreement"], "Ann").status_code == 303
    assert client.get("/agreement/items").status_code == 200
    assert client.get("/b/items").status_code == 401, "a session of one is none of the other"
    assert enter(client, "/b", stores["/agreement"], "Bob").status_code != 303, "a link of one is none either"
    assert sign_in(client, "/b").headers["location"] == "/b/lead"
    assert client.get("/b/lead").status_code == 200
    assert client.get("/agreement/items").status_code == 200, "and neither ends the other"
    assert client.get("/agreement/lead").status_code == 403
    item = client.get("/agreement/items/at?position=1").url.path.rpartition("/")[2]
    assert client.get(f"/b/items/{item}").status_code == 403
    assert client.get("/agreement/api/nothing").json()["fix"], "errors of scripts are JSON below a path too"


def test_every_address_of_every_page_stays_below_its_path(
    client: TestClient[Any], stores: dict[str, Any]
) -> None:
    """`/agreement` is also the name of a page, which must not confuse anybody."""
    enter(client, "/agreement", stores["/agreement"], "Ann")
    assert client.get("/agreement/").url.path == "/agreement/start"
    first = client.get("/agreement/items/next").url.path
    pages = ["/agreement/start", first, f"{first}/history", "/agreement/items", "/agreement/guidelines"]
    assert first.startswith("/agreement/items/")
    token = re.findall(r'name="csrf" content="([^"]+)"', client.get("/agreement/items").text)[0]
    answer = {"request": "first-answer", "version": 0, "answer": {"pronoun": "yes"}, "go": "next"}
    api = first.replace("/items/", "/api/items/") + "/answer"
    saved = client.post(api, json=answer, headers={"X-CSRF-Token": token})
    assert saved.status_code == 200
    for path in pages:
        assert_own_addresses(client.get(path).text, "/agreement")
    assert_own_addresses(saved.json()["html"], "/agreement")
    assert sign_in(client, "/b").status_code == 303
    names = ("", "/disagreements", "/agreement", "/inbox", "/examples", "/people", "/files", "/log")
    for name in names:
        found = client.get(f"/b/lead{name}")
        assert found.status_code == 200, name
        assert_own_addresses(found.text, "/b")
    page = client.get("/b/lead/people").text
    form = {"csrf": re.findall(r'name="csrf" value="([^"]+)"', page)[0], "name": "Ann"}
    made = client.post("/b/lead/links", data=form).text
    link = re.findall(r'id="made">http://127.0.0.1(/b/enter/[^<]+)<', made)
    assert client.get(link[0]).status_code == 200


def assert_own_addresses(html: str, base: str) -> None:
    found = re.findall(r'(?:href|src|action|formaction|data-url)="(/[^"]*)"', html)
    assert found
    assert [one for one in found if not one.startswith(f"{base}/")] == []
