"""What pages cost: "save and next" is one request of few statements, each found through an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import select

from anaphor.annotate.judging.views import unit_views
from anaphor.annotate.store import schema
from tests.support.campaigns import statements_of

#: These have one row, or one for every system: to read them whole is the quickest way.
SMALL = {"campaign", "systems"}
#: The index of the few units that are practice.
FEW = "SCAN units USING INDEX units_practice"

Send = Callable[..., dict[str, Any]]


def test_no_statement_of_save_and_next_reads_a_whole_table(served: Any, answered: Send) -> None:
    ann = served.annotator()
    path, headers = f"/api/items/{ann.first()}/answer", {"X-CSRF-Token": ann.token()}
    executed = statements_of(served.store)
    body = answered(remark="x", tags=["my tag"])
    assert ann.client.post(path, json=body, headers=headers).status_code == 200
    statements = [
        one for one in executed if one[0].lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE"))
    ]
    assert 10 < len(executed) < 25
    with served.store.read() as connection:
        for text, given in statements:
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", given).all():
                plan = str(row[-1])
                scanned = plan.split()[1] if plan.startswith("SCAN") else "CONSTANT"  # no table at all
                assert scanned in (*SMALL, "CONSTANT") or plan.startswith(FEW), f"{plan}: {text}"


def test_a_page_of_examples_takes_as_many_queries_as_one_example(served: Any) -> None:
    with served.store.read() as connection:
        units = list(connection.execute(select(schema.units.c.id).order_by(schema.units.c.id)).scalars())
    executed = statements_of(served.store)
    (alone,) = unit_views(served.store, units[:1], before=1)
    of_one = len(executed)
    together = unit_views(served.store, units, before=1)
    assert len(units) > 3
    assert len(executed) - of_one == of_one
    assert together[0] == alone
