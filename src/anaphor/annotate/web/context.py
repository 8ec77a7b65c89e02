"""What the templates need besides the views: ids of links, chosen words as text, tables, cards of units."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anaphor.annotate.analysis.status import ProgressRow
from anaphor.annotate.answer_json import answer_json
from anaphor.annotate.campaign.people import Session
from anaphor.annotate.judging.adjudication import Adjudication, PersonAnswer
from anaphor.annotate.judging.assignments import AssignmentProgress
from anaphor.annotate.judging.views import (
    HEAD,
    AssignmentView,
    LineView,
    SlotView,
    TokenView,
    UnitView,
    unit_view,
)
from anaphor.annotate.store import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.stats import AgreementCoefficient

Context = dict[str, Any]

#: Lines shown before the first one that pronoun and antecedents need, as in PROTEST.
CONTEXT_LINES = 1


@dataclass(frozen=True, slots=True)
class ProgressTable:
    """Answered and assigned, by category and person; the totals are the last row and column."""

    people: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class UnitCard:
    """A unit with everything known about it, for decisions and as an example."""

    view: UnitView
    answers: tuple[PersonAnswer, ...]
    context: Context

    @property
    def decisions(self) -> tuple[Adjudication, ...]:
        return self.view.decisions

    @property
    def decision(self) -> Adjudication | None:
        return self.view.decision


def item_context(
    view: AssignmentView,
    session: Session,
    *,
    progress: AssignmentProgress | None = None,
    before: int = CONTEXT_LINES,
    after: int = 0,
) -> Context:
    """Everything that `_item.html` shows."""
    answer = view.stored.answer
    text = text_context(view.lines, f"/items/{view.assignment}/text", before=before, after=after)
    return (
        text
        | form_context(answer)
        | {
            "view": view,
            "session": session,
            "progress": progress,
            "here": "item",
            "choosable": view.mode is Mode.JUDGE,
            "offered_tags": tuple(dict.fromkeys((*view.tags, *answer.tags))),
        }
    )


def text_context(lines: tuple[LineView, ...], text_url: str, *, before: int, after: int) -> Context:
    """What `_text.html` and `_answer.html` need to show some lines."""
    texts = {token.at: token.text for line in lines for slot in line.slots for token in slot.tokens}

    def words_of(answer: AnnotatorAnswer) -> str:
        """The chosen words; those of lines that are not shown by their numbers."""
        return ", ".join(texts.get(at) or f"{at.segment}:{at.token}" for at in answer.words)

    return {
        "before": before,
        "after": after,
        "text_url": text_url,
        "texts": texts,
        "links_of": links_of,
        "back_links": back_links,
        "line_marked": line_marked,
        "words_of": words_of,
        "has_head": any(token.role == HEAD for line in lines for token in line.source),
    }


def form_context(answer: AnnotatorAnswer) -> Context:
    """What the form of an answer needs, filled with an answer. Every form has a fresh request id."""
    return {
        "answer": answer,
        "request_id": secrets.token_hex(16),
        "order_text": order_text(answer.order),
        "places": {slot: place for place, group in enumerate(answer.order, start=1) for slot in group},
    }


def conflict_context(view: AssignmentView, session: Session, mine: AnnotatorAnswer) -> Context:
    """What `_conflict.html` shows: the saved answer beside the one that was not saved."""
    return item_context(view, session) | {"mine": mine, "mine_json": answer_json(mine)}


def links_of(token: TokenView, slots: Iterable[SlotView]) -> str:
    """The element ids of the words that a source word is linked to, in every translation shown."""
    return " ".join(
        f"t-{slot.slot}-{at.segment}-{at.token}"
        for slot in slots
        for at in slot.source_links.get(token.at.token, ())
    )


def back_links(token: TokenView) -> str:
    """The element ids of the source words that a word of a translation is linked to."""
    return " ".join(f"s-{at.segment}-{at.token}" for at in token.links)


def line_marked(line: LineView) -> bool:
    """Whether a line has a pronoun or an antecedent on any side; the others are only context."""
    sides = (line.source, *(slot.tokens for slot in line.slots))
    return any(token.role for side in sides for token in side)


def order_text(order: Iterable[Iterable[str]]) -> str:
    """An order as the form writes it: `a|b c`."""
    return "|".join(" ".join(group) for group in order)


def answer_words(answer: AnnotatorAnswer) -> str:
    """An answer on one line, such as `pronoun yes, antecedent no, tags: ant_unsure`."""
    marks = (("antecedent", answer.antecedent), ("pronoun", answer.pronoun))
    parts = [f"{name} {mark.value}" for name, mark in marks if mark is not Mark.UNSET]
    parts += [f"choices: {', '.join(answer.choices)}"] if answer.choices else []
    parts += [f"order: {order_text(answer.order)}"] if answer.order else []
    parts += [f"tags: {', '.join(answer.tags)}"] if answer.tags else []
    parts += [f"{len(answer.words)} words chosen"] if answer.words else []
    parts += [f"remark: {answer.remark}"] if answer.remark else []
    return ", ".join(parts) or "nothing"


def progress_by_category(rows: Sequence[ProgressRow]) -> ProgressTable:
    """The progress of all annotators as one table."""
    people = tuple(dict.fromkeys(row.person for row in rows))
    cells = {(row.category, row.person): (row.done + row.conflicts, row.total) for row in rows}
    found = {
        category: [cells.get((category, person), (0, 0)) for person in people]
        for category in dict.fromkeys(row.category for row in rows)
    }
    found["total"] = [_sum(column) for column in zip(*found.values(), strict=True)]
    return ProgressTable(people, tuple((name, (*row, _sum(row))) for name, row in found.items()))


def _sum(cells: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(done for done, _ in cells), sum(total for _, total in cells)


def unit_card(store: Store, unit: str, *, before: int = CONTEXT_LINES, after: int = 0) -> UnitCard:
    """One unit. The answers to a comparison are converted to the order of the unit's own slots."""
    view = unit_view(store, unit, before=before, after=after)
    answers = view.answers
    if view.mode is Mode.COMPARE:
        slots = {name: slot for slot, name in view.systems.items()}
        answers = tuple(
            replace(
                given,
                answer=AnnotatorAnswer(
                    tags=given.answer.tags,
                    remark=given.answer.remark,
                    order=tuple(tuple(sorted(slots[name] for name in group)) for group in given.ranking),
                ),
            )
            for given in answers
        )
    context = text_context(view.lines, f"/lead/units/{unit}", before=before, after=after)
    return UnitCard(view, answers, context)


def decision_context(card: UnitCard) -> Context:
    """What the form of a decision shows: the decision that stands, or an empty one."""
    answer = card.decision.answer if card.decision else AnnotatorAnswer()
    return (
        card.context
        | form_context(answer)
        | {
            "card": card,
            "view": card.view,
            "choosable": False,
            "version": card.decision.version if card.decision else 0,
            "answer_json": answer_json,
            "verdict": verdict,
        }
    )


def verdict(answer: AnnotatorAnswer) -> str:
    """The CSS class of an answer about a pronoun: `right`, `wrong` or nothing."""
    return {Mark.YES: "right", Mark.NO: "wrong"}.get(answer.pronoun, "")


def coefficient(agreement: AgreementCoefficient | None) -> str:
    """A coefficient with its interval, such as 0.62 [0.51, 0.73]; a dash where it is undefined."""
    if agreement is None or math.isnan(agreement.value):
        return "–"
    if agreement.interval is None:
        return f"{agreement.value:.2f}"
    return f"{agreement.value:.2f} [{agreement.interval.low:.2f}, {agreement.interval.high:.2f}]"
