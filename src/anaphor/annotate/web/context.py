"""What the templates need besides the views: ids of links, chosen words as text, tables, cards of units."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from anaphor.annotate.analysis.status import ProgressRow
from anaphor.annotate.judging.answer_rows import AnswerRow
from anaphor.annotate.judging.assignments import AssignmentProgress
from anaphor.annotate.judging.views import HEAD, AssignmentView, LineView, SlotView, TokenView, unit_view
from anaphor.annotate.rules import SLOTS
from anaphor.annotate.store import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.stats import AgreementCoefficient

Context = dict[str, Any]

#: Lines shown before the first one that pronoun and antecedents need, as in PROTEST.
CONTEXT_LINES = 1


def item_context(
    view: AssignmentView,
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
            "progress": progress,
            "choosable": view.mode is Mode.JUDGE,
            "offered_tags": tuple(dict.fromkeys((*view.tags, *answer.tags))),
        }
    )


def text_context(lines: tuple[LineView, ...], text_url: str, *, before: int, after: int) -> Context:
    """What `_text.html` and `_answer.html` need to show some lines."""
    return {
        "before": before,
        "after": after,
        "text_url": text_url,
        "texts": {token.at: token.text for line in lines for slot in line.slots for token in slot.tokens},
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


def progress_by_category(rows: Sequence[ProgressRow]) -> Context:
    """Answered and assigned, by category and person; the totals are the last row and column."""
    people = tuple(dict.fromkeys(row.person for row in rows))
    cells = {(row.category, row.person): (row.done + row.conflicts, row.total) for row in rows}
    found = {
        category: [cells.get((category, person), (0, 0)) for person in people]
        for category in dict.fromkeys(row.category for row in rows)
    }
    found["total"] = [_sum(column) for column in zip(*found.values(), strict=True)]
    return {"people": people, "rows": [(name, (*row, _sum(row))) for name, row in found.items()]}


def _sum(cells: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(done for done, _ in cells), sum(total for _, total in cells)


def unit_context(store: Store, unit: str, *, before: int = CONTEXT_LINES, after: int = 0) -> Context:
    """A unit with everything known about it, as an example and for decisions.

    The answers to a comparison are converted to the order of the unit's own slots.
    """
    view = unit_view(store, unit, before=before, after=after)
    if view.mode is Mode.COMPARE:
        view = replace(view, answers=tuple(map(_in_order_of_unit, view.answers)))
    text = text_context(view.lines, f"/lead/units/{unit}", before=before, after=after)
    return text | {"view": view}


def _in_order_of_unit(row: AnswerRow) -> AnswerRow:
    slots = dict(zip(row.unit_systems, SLOTS, strict=False))
    order = tuple(tuple(sorted(slots[name] for name in group)) for group in row.ranking)
    answer = AnnotatorAnswer(tags=row.answer.tags, remark=row.answer.remark, order=order)
    return replace(row, answer=answer, systems=row.unit_systems)


def decision_context(store: Store, unit: str, *, before: int = CONTEXT_LINES, after: int = 0) -> Context:
    """A unit with the form of a decision, filled with the one that stands."""
    context = unit_context(store, unit, before=before, after=after)
    decision = context["view"].decision
    form = form_context(decision.answer if decision else AnnotatorAnswer())
    version = decision.version if decision else 0
    return context | form | {"choosable": False, "version": version}


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
