"""What people judged right becomes an alternative of the suite, which later evaluations accept.

The words are those that they chose. Where a lead decided, the decision counts; else everybody who answered
must call it right. The rest is `anaphor suite approve`: an alternative names who approved it and when.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from anaphor.annotate.adjudicate import Decision, last_decisions
from anaphor.annotate.campaign import campaign_facts
from anaphor.annotate.exchange.texts import Side, read_all_texts
from anaphor.annotate.gathered import Gathered, gather
from anaphor.annotate.judged import require_mode
from anaphor.annotate.nouns import Answer, Mark, Mode, Status
from anaphor.annotate.store import Store
from anaphor.core import MismatchError, Outcome, Suite
from anaphor.corpus import Text
from anaphor.suite import ItemOutcome, suite_digest, with_approved
from anaphor.suite.worklist import BAR

#: What the automatic check accepts anyway.
_ACCEPTED = (ItemOutcome.MATCH.value, Outcome.IDENTICAL.name.lower())


class Approval(NamedTuple):
    """A translation of an item that people call right: its words, who says so and since which day."""

    by: str
    when: str
    item: str
    pronoun: str
    heads: str


def approvals(store: Store) -> tuple[Approval, ...]:
    """All translations that people approved and the references do not have."""
    with store.read() as connection:
        require_mode(connection, Mode.JUDGE)
        rows: dict[str, list[Gathered]] = {}
        for row in gather(connection):
            rows.setdefault(row.unit, []).append(row)
        decided = last_decisions(connection)
        texts = read_all_texts(connection).systems
    found = (_approval(part, decided.get(unit), texts[part[0].systems[0]]) for unit, part in rows.items())
    return tuple(one for one in found if one is not None)


def approve(store: Store, suite: Suite) -> Suite:
    """The suite, which must be that of the campaign, with an alternative for every approval."""
    with store.read() as connection:
        _require_suite(connection, suite)
    known = {item.id for item in suite.items}
    by_origin: dict[tuple[str, str], list[Approval]] = {}
    for one in approvals(store):
        if one.item in known:  # a pronoun of a plan may be no item
            by_origin.setdefault((one.by, one.when), []).append(one)
    for (by, when), part in by_origin.items():
        suite = with_approved(suite, _work_list(part, store.address), by=by, when=when)
    return suite


def _require_suite(connection: Connection, suite: Suite) -> None:
    expected, found = campaign_facts(connection).suite_digest, suite_digest(suite)
    if expected != found:
        raise MismatchError(
            f"the campaign was made from the suite {expected}, and this is {found}",
            where=suite.name,
            fix="give the suite that the campaign was made from, unchanged",
        )


def _approval(rows: Sequence[Gathered], decision: Decision | None, side: Side) -> Approval | None:
    first = rows[0]
    if first.targets[0].outcome in _ACCEPTED:
        return None
    answers = [row.answer for row in rows] if decision is None else [decision.answer]
    if not all(_is_right(first, answer) for answer in answers):
        return None
    if decision is None and any(row.status is Status.CONFLICT for row in rows):
        return None
    by = ", ".join(row.person for row in rows) if decision is None else decision.by
    when = max(row.saved for row in rows) if decision is None else decision.at
    return _worded(first, answers[0], side, by=by, when=when[:10])


def _is_right(row: Gathered, answer: Answer) -> bool:
    head = answer.antecedent is Mark.YES or not row.asked.asks_antecedent
    return answer.pronoun is Mark.YES and head


def _worded(row: Gathered, answer: Answer, side: Side, *, by: str, when: str) -> Approval | None:
    """The chosen words of pronoun and heads; None where somebody chose none for one of them."""
    chosen = set(answer.words)
    highlight = row.asked.highlight
    parts = [highlight.pronoun, *(highlight.heads if row.asked.asks_antecedent else ())]
    words = [side.words([at for at in part if at in chosen]) for part in parts]
    if not all(words):
        return None
    return Approval(by, when, row.suite_item, words[0], BAR.join(words[1:]))


def _work_list(part: Sequence[Approval], path: str) -> Text:
    lines = [
        json.dumps({"verdict": "ok", "item": one.item, "pronoun": one.pronoun, "heads": one.heads})
        for one in part
    ]
    return Text.of(lines, path=f"{path} [approved]")
