"""Requests drawn from the description of the routes: whatever comes, the server does not break."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok
from sqlalchemy import select

from anaphor.annotate.maintenance import check
from anaphor.annotate.store import schema as tables
from anaphor.annotate.types import Mode
from anaphor.annotate.web import ServerConfig
from anaphor.annotate.web.rate_limit import RateLimiter

if TYPE_CHECKING:
    from tests.support.security import Site, Visitor

pytestmark = pytest.mark.slow

EXAMPLES = 12
#: Where each role has something to do; a stranger tries everything.
ROUTES = {
    "stranger": ("/",),
    "annotator": ("/items", "/guidelines", "/api/items", "/api/positions", "/api/guidelines"),
    "lead": ("/lead", "/api/lead"),
}


def known_ids(site: Site) -> dict[str, str]:
    """Ids that are there: drawn ones would never get past the first check."""
    with site.store.read() as connection:
        unit = connection.execute(select(tables.units.c.id)).scalars().first()
    return {"assignment": site.items()[0], "unit": str(unit), "name": "jsonl"}


def fuzz(operation: Any, visitor: Visitor, known: dict[str, str]) -> list[tuple[int, str]]:
    """The status of some requests to one route, and how to ask again; the same every time."""
    answers: list[tuple[int, str]] = []
    cookies = dict(visitor.client.cookies)
    # Half of all requests bring the right token, and ids that are there.
    turns = iter(range(10**6))

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy())
    def ask(case: Any) -> None:
        if next(turns) % 2 == 0:
            for name in set(case.path_parameters or {}) & set(known):
                case.path_parameters[name] = known[name]
        answer = case.call(headers={"X-CSRF-Token": visitor.token}, cookies=cookies)
        again = case.as_curl_command() if answer.status_code >= 500 else ""
        answers.append((answer.status_code, again))

    ask()
    return answers


@pytest.mark.parametrize(
    ("role", "mode"),
    [("stranger", Mode.JUDGE), *product(("annotator", "lead"), Mode)],  # strangers see the same in every mode
)
def test_no_request_breaks_the_server(
    attack: Callable[..., Site], role: str, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rate limits would answer for the routes.
    monkeypatch.setattr(RateLimiter, "require", lambda *_: None)
    site = attack(mode, ServerConfig(hosts=None))
    visitor, known = getattr(site, role)(), known_ids(site)
    described = schemathesis.openapi.from_asgi("/schema/openapi.json", site.app)
    operations = [found.ok() for found in described.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) == sum(1 for _ in described.get_all_operations()), "a route is described wrongly"
    chosen = [one for one in operations if one.path.startswith(ROUTES[role])]
    answers = [answer for one in chosen for answer in fuzz(one, visitor, known)]
    assert [answer for answer in answers if answer[0] >= 500] == []
    if role != "stranger":
        assert sum(status < 400 for status, _ in answers) > len(chosen), "hardly anything got through"
    assert not any(check(site.store).values()), "the campaign does not hold together afterwards"
