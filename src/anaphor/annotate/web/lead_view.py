"""What the templates of the lead's pages show: tables by person and category, cards of units."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.annotate.adjudicate import Decision, Given, answers_to, decisions
from anaphor.annotate.content import answer_json
from anaphor.annotate.nouns import Answer, Mode
from anaphor.annotate.research import ProgressRow
from anaphor.annotate.store import Store
from anaphor.annotate.unit_views import UnitView, unit_view
from anaphor.annotate.web.item_view import CONTEXT, Context, order_text, text_context
from anaphor.stats import AgreementCoefficient


@dataclass(frozen=True, slots=True)
class ProgressTable:
    """Answered and all, by category and person; the totals are the last row and column."""

    people: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class UnitCard:
    """A unit with everything that is known of it, for decisions and as an example."""

    view: UnitView
    answers: tuple[Given, ...]
    decisions: tuple[Decision, ...]
    context: Context

    @property
    def decision(self) -> Decision | None:
        return self.decisions[0] if self.decisions else None


def progress_by_category(rows: Sequence[ProgressRow]) -> ProgressTable:
    """The progress of everybody as one table."""
    people = tuple(dict.fromkeys(row.person for row in rows))
    categories = tuple(dict.fromkeys(row.category for row in rows))
    cells = {(row.category, row.person): (row.done + row.conflicts, row.total) for row in rows}
    found = {
        category: [cells.get((category, person), (0, 0)) for person in people] for category in categories
    }
    found["total"] = [_sum([found[category][at] for category in categories]) for at in range(len(people))]
    return ProgressTable(people, tuple((name, (*row, _sum(row))) for name, row in found.items()))


def unit_card(store: Store, unit: str, *, before: int = CONTEXT, after: int = 0) -> UnitCard:
    """One unit. The answers to a comparison are turned into the order of the unit's own slots."""
    view = unit_view(store, unit, before=before, after=after)
    answers = tuple(_in_order_of(view, one) for one in answers_to(store, unit))
    context = text_context(view.lines, f"/lead/units/{unit}", before=before, after=after)
    return UnitCard(view, answers, decisions(store, unit), context)


def decision_context(card: UnitCard) -> Context:
    """What the form of a decision shows: the decision that stands, or an empty one."""
    answer = card.decision.answer if card.decision else Answer()
    return card.context | {
        "card": card,
        "view": card.view,
        "answer": answer,
        "choosable": False,
        "texts": {
            token.at: token.text for line in card.view.lines for slot in line.slots for token in slot.tokens
        },
        "version": card.decision.version if card.decision else 0,
        "request_id": secrets.token_hex(16),
        "answer_json": answer_json,
        "order_text": order_text(answer.order),
        "places": {slot: place for place, group in enumerate(answer.order, start=1) for slot in group},
        "verdict": verdict,
    }


def verdict(answer: Answer) -> str:
    """The colour of an answer about a pronoun: `right`, `wrong` or nothing."""
    return {"yes": "right", "no": "wrong"}.get(answer.pronoun.value, "")


def coefficient(agreement: AgreementCoefficient | None) -> str:
    """A coefficient with its interval, such as 0.62 [0.51, 0.73]; a dash where it is not defined."""
    if agreement is None or math.isnan(agreement.value):
        return "–"
    if agreement.interval is None:
        return f"{agreement.value:.2f}"
    return f"{agreement.value:.2f} [{agreement.interval.low:.2f}, {agreement.interval.high:.2f}]"


def _in_order_of(view: UnitView, given: Given) -> Given:
    if view.mode is not Mode.COMPARE:
        return given
    slots: Mapping[str, str] = {name: slot for slot, name in view.systems.items()}
    order = tuple(tuple(sorted(slots[name] for name in group)) for group in given.ranking)
    answer = Answer(tags=given.answer.tags, remark=given.answer.remark, order=order)
    return Given(given.person, given.assignment, answer, given.saved, given.ranking)


def _sum(cells: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(done for done, _ in cells), sum(total for _, total in cells)
