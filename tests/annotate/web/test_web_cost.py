"""What "save and next" costs: one request, few statements, each found through an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import event

#: These have one row, or one for every system: to read them whole is the quickest way.
SMALL = {"campaign", "systems"}
#: Indexes of their own have the few units that are practice, and the few conversations with the lead.
FEW = (
    "SCAN units USING INDEX units_practice",
    "SCAN messages USING COVERING INDEX messages_assignment",
    "SCAN anon_1",  # the last message of each conversation
)

Send = Callable[..., dict[str, Any]]


def test_no_statement_of_save_and_next_reads_a_whole_table(served: Any, answered: Send) -> None:
    ann = served.annotator()
    path, headers = f"/api/items/{ann.first()}/answer", {"X-CSRF-Token": ann.token()}
    executed: list[tuple[str, Any]] = []
    engine = served.store._engine
    event.listen(
        engine, "before_cursor_execute", lambda _c, _u, text, given, *_: executed.append((text, given))
    )
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
