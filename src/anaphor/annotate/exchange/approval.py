"""Turn translations judged correct into alternatives of the suite, which later evaluations accept.

The words are those that annotators chose, also outside the frames. A lead's decision counts if there is one;
otherwise everybody who answered must call the translation correct. Like those of `anaphor suite approve`, an
alternative names who approved it and when.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from anaphor.annotate.campaign.facts import read_campaign, require_mode
from anaphor.annotate.exchange.texts import CampaignText, read_all_texts
from anaphor.annotate.judging.adjudication import Adjudication, last_decisions
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows, by_unit
from anaphor.annotate.store import Store
from anaphor.annotate.types import Mark, Mode, Status
from anaphor.core import MismatchError, Outcome, Suite
from anaphor.corpus import Text
from anaphor.suite import ItemOutcome, suite_digest, with_approved
from anaphor.suite.worklist import BAR

#: Outcomes that the automatic check accepts anyway.
_ACCEPTED = (ItemOutcome.MATCH.value, Outcome.IDENTICAL.label)


class Approval(NamedTuple):
    """An approved translation of an item: its words, who approved it and on which day."""

    by: str
    when: str
    item: str
    pronoun: str
    heads: str


def approvals(store: Store) -> tuple[Approval, ...]:
    """All approved translations that are not in the references."""
    with store.read() as connection:
        require_mode(connection, Mode.JUDGE)
        rows = by_unit(answer_rows(connection))
        decided = last_decisions(connection)
        texts = read_all_texts(connection).systems
    candidates = (
        _approval(part, decided.get(unit), texts[part[0].systems[0]]) for unit, part in rows.items()
    )
    return tuple(approval for approval in candidates if approval is not None)


def approve(store: Store, suite: Suite) -> Suite:
    """The suite of the campaign with an alternative for every approval."""
    expected, digest = read_campaign(store).suite_digest, suite_digest(suite)
    if expected != digest:
        what = f"the campaign was made from the suite {expected}, not {digest}"
        fix = "pass the suite that the campaign was made from, unchanged"
        raise MismatchError(what, where=suite.name, fix=fix)
    known = {item.id for item in suite.items}
    work_lists: dict[tuple[str, str], list[str]] = {}
    for approval in approvals(store):
        if approval.item in known:  # a pronoun of a sampling plan may not be an item of the suite
            record = {
                "verdict": "ok",
                "item": approval.item,
                "pronoun": approval.pronoun,
                "heads": approval.heads,
            }
            work_lists.setdefault((approval.by, approval.when), []).append(json.dumps(record))
    for (by, when), lines in work_lists.items():
        suite = with_approved(suite, Text.of(lines, path=f"{store.address} [approved]"), by=by, when=when)
    return suite


def _approval(
    rows: Sequence[AnswerRow], decision: Adjudication | None, text: CampaignText
) -> Approval | None:
    first = rows[0]
    if first.targets[0].outcome in _ACCEPTED:
        return None
    answers = [row.answer for row in rows] if decision is None else [decision.answer]
    for answer in answers:
        head = answer.antecedent is Mark.YES or not first.task.asks_antecedent
        if answer.pronoun is not Mark.YES or not head:
            return None
    # An answer that contradicts itself approves nothing until a lead decides.
    if decision is None and any(row.status is Status.CONFLICT for row in rows):
        return None
    if len({answer.rendering for answer in answers}) > 1:
        return None  # they do not agree on what translates the pronoun
    highlight, chosen = first.task.highlight.corrected(answers[0]), {*answers[0].words}
    chosen |= {*(answers[0].rendering or ())}
    parts = [highlight.pronoun, *(highlight.heads if first.task.asks_antecedent else ())]
    words = [text.words([at for at in part if at in chosen]) for part in parts]
    if not all(words):
        return None  # no words were chosen for the pronoun or for a head
    by = ", ".join(row.person for row in rows) if decision is None else decision.by
    when = max(row.saved for row in rows) if decision is None else decision.at
    return Approval(by, when[:10], first.suite_item, words[0], BAR.join(words[1:]))
