"""Derived columns of assignments, status and labels, filled in for answers that are there already."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from anaphor.annotate.answer_json import read_answer
from anaphor.annotate.campaign.facts import system_names
from anaphor.annotate.judging.assignments import assignments_with_items, mode_and_choices, task_in
from anaphor.annotate.labels import QUESTIONS, labels_of
from anaphor.annotate.rules import status_of
from anaphor.annotate.store import schema

_ROWS_AT_ONCE = 2000


def fill_labels(connection: Connection) -> None:
    """Derive status and labels of every answer anew."""
    if connection.execute(select(schema.campaign.c.id)).first() is None:
        return
    mode, choices = mode_and_choices(connection)
    names, answers, given = system_names(connection), schema.answers, schema.assignments
    query = assignments_with_items().add_columns(answers.c.content).join(answers)
    rows = []
    for row in connection.execute(query):
        answer = read_answer(row.content)
        status = status_of(task_in(row, mode, choices), answer)
        found = labels_of(mode, answer, [names[key] for key in json.loads(row.shown)])
        rows.append({"key": row.id, "status": status.value, **found.columns()})
    columns: dict[str, Any] = {
        name: bindparam(name) for name in ("status", *(f"{one}_label" for one in QUESTIONS))
    }
    statement = update(given).where(given.c.id == bindparam("key")).values(columns)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        connection.execute(statement, rows[start : start + _ROWS_AT_ONCE])
