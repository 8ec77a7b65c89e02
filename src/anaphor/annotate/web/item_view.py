"""What the templates of an item ask for besides the view itself: links as ids, words as text, orders."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any

from anaphor.annotate.access import Session
from anaphor.annotate.assignments import Progress
from anaphor.annotate.content import answer_json
from anaphor.annotate.lines import HEAD, LineView, SlotView, TokenView
from anaphor.annotate.nouns import Answer, Mark, Mode
from anaphor.annotate.views import AssignmentView

Context = dict[str, Any]

#: Lines before the first that pronoun and antecedents need, as PROTEST showed.
CONTEXT = 1


def item_context(
    view: AssignmentView,
    session: Session,
    *,
    progress: Progress | None = None,
    before: int = CONTEXT,
    after: int = 0,
) -> Context:
    """Everything that `_item.html` shows."""
    answer = view.stored.answer
    return text_context(view.lines, f"/items/{view.assignment}/text", before=before, after=after) | {
        "view": view,
        "session": session,
        "progress": progress,
        "here": "item",
        "answer": answer,
        "choosable": view.mode is Mode.JUDGE,
        "request_id": secrets.token_hex(16),
        "offered_tags": tuple(dict.fromkeys((*view.tags, *answer.tags))),
        "order_text": order_text(answer.order),
        "places": {slot: place for place, group in enumerate(answer.order, start=1) for slot in group},
    }


def text_context(lines: tuple[LineView, ...], text_url: str, *, before: int, after: int) -> Context:
    """What `_text.html` and `_answer.html` need of some lines."""
    return {
        "before": before,
        "after": after,
        "text_url": text_url,
        "links_of": links_of,
        "back_links": back_links,
        "line_marked": line_marked,
        "words_of": word_finder(lines),
        "has_head": any(token.role == HEAD for line in lines for token in line.source),
    }


def conflict_context(view: AssignmentView, session: Session, mine: Answer) -> Context:
    """What `_conflict.html` shows: the answer that is saved beside the one that is not."""
    return item_context(view, session) | {"mine": mine, "mine_json": answer_json(mine)}


def links_of(token: TokenView, slots: Iterable[SlotView]) -> str:
    """The ids of the words that a source word is linked to, in every translation that is shown."""
    return " ".join(
        f"t-{slot.slot}-{at.segment}-{at.token}"
        for slot in slots
        for at in slot.source_links.get(token.at.token, ())
    )


def back_links(token: TokenView) -> str:
    """The ids of the source words that a word of a translation is linked to."""
    return " ".join(f"s-{at.segment}-{at.token}" for at in token.links)


def line_marked(line: LineView) -> bool:
    """Whether a line has a pronoun or an antecedent, on any side; the others are only context."""
    sides = (line.source, *(slot.tokens for slot in line.slots))
    return any(token.role for side in sides for token in side)


def word_finder(lines: Iterable[LineView]) -> Callable[[Answer], str]:
    """Finds the words that an answer chose, as text; those of lines that are not shown by their numbers."""
    texts = {token.at: token.text for line in lines for slot in line.slots for token in slot.tokens}

    def words_of(answer: Answer) -> str:
        return ", ".join(texts.get(at) or f"{at.segment}:{at.token}" for at in answer.words)

    return words_of


def order_text(order: Iterable[Iterable[str]]) -> str:
    """An order as the form writes it: `a|b c`."""
    return "|".join(" ".join(group) for group in order)


def answer_words(answer: Answer) -> str:
    """An answer on one line, such as `pronoun yes, antecedent no, tags: ant_unsure`."""
    parts = [
        f"{name} {mark.value}"
        for name, mark in (("antecedent", answer.antecedent), ("pronoun", answer.pronoun))
        if mark is not Mark.UNSET
    ]
    parts += [f"choices: {', '.join(answer.choices)}"] if answer.choices else []
    parts += [f"order: {order_text(answer.order)}"] if answer.order else []
    parts += [f"tags: {', '.join(answer.tags)}"] if answer.tags else []
    parts += [f"{len(answer.words)} words chosen"] if answer.words else []
    parts += [f"remark: {answer.remark}"] if answer.remark else []
    return ", ".join(parts) or "nothing"
