"""Template data in addition to the views: link ids, selected words as text, tables, unit cards."""

from __future__ import annotations

import hashlib
import math
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup, escape
from msgspec import structs

from anaphor.annotate.analysis.status import ProgressRow
from anaphor.annotate.judging.answer_rows import AnswerRow
from anaphor.annotate.judging.assignments import AssignmentProgress
from anaphor.annotate.judging.messages import Message, UnreadReply
from anaphor.annotate.judging.views import (
    GAP,
    HEAD,
    PRONOUN,
    AssignmentView,
    ItemView,
    LineView,
    PracticeView,
    SlotView,
    TokenView,
    UnitView,
    unit_views,
)
from anaphor.annotate.rules import BAD_TRANSLATION, SLOTS, WRONG_ALIGNMENT
from anaphor.annotate.store import Store
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode, TokenAt
from anaphor.annotate.web.language import Translate
from anaphor.core.table import counted
from anaphor.report.escape import shown
from anaphor.stats.agreement import AgreementCoefficient

Context = dict[str, Any]

#: Lines shown before the first one that pronoun and antecedents need, as in PROTEST.
CONTEXT_LINES = 1


def item_context(
    view: AssignmentView,
    *,
    progress: AssignmentProgress | None = None,
    before: int = CONTEXT_LINES,
    after: int = 0,
    messages: Sequence[Message] = (),
    replies: Sequence[UnreadReply] = (),
    last: bool = False,
    unanswered: bool = False,
    after_practice: PracticeView | None = None,
    translate: Translate,
) -> Context:
    """What `_item.html` shows; `last` after the last item was saved, `unanswered` if nothing was chosen.

    `after_practice` is the feedback on the practice item that was just answered correctly.
    """
    answer = view.prefilled or view.stored.answer
    # An item has one number everywhere: here, in lists, in *Go to*, and on the pages of the lead.
    name, total = translate("Item {n}", n=view.position), view.total
    if view.practice is not None:
        practice = progress.practice if progress else 0
        name, total = translate("Practice {n}", n=view.position), practice or view.total
    # In gap filling a bad translation is a choice; offered as a tag too, it would be asked about twice.
    offered = [tag for tag in view.tags if view.mode is not Mode.GAPS or tag != BAD_TRANSLATION]
    text = text_context(view.lines, f"/items/{view.assignment}/text", before=before, after=after)
    return (
        text
        | form_context(answer)
        | {
            "view": view,
            "progress": progress,
            "item_name": name,
            "item_total": total,
            "practised": after_practice,
            "unframed": view.mode is Mode.JUDGE and not view.framed,
            "choosable": view.mode is Mode.JUDGE,
            "renderings": rendering_words(view),
            "offered_tags": tuple(dict.fromkeys((*offered, *answer.tags))),
            "excusing": (BAD_TRANSLATION, WRONG_ALIGNMENT),
            "question_id": secrets.token_hex(16),
            "messages": messages,
            "replies": replies,
            "last": last,
            "unanswered": unanswered,
        }
    )


def text_context(lines: tuple[LineView, ...], text_url: str, *, before: int, after: int) -> Context:
    """The context of `_text.html` and `_answer.html`."""
    return {
        "before": before,
        "after": after,
        "text_url": text_url,
        "texts": {token.at: token.text for line in lines for slot in line.slots for token in slot.tokens},
        "has_head": any(token.role == HEAD for line in lines for token in line.source),
        "merged": merged_slots(lines),
    }


def merged_slots(lines: tuple[LineView, ...]) -> list[tuple[str, ...]]:
    """The slots of a comparison, merging those with identical text."""
    texts: dict[str, str] = {}
    for line in lines:
        for slot in line.slots:
            words = "".join(token.gap + token.text for token in slot.tokens)
            texts[slot.slot] = f"{texts.get(slot.slot, '')}\n{words}"
    groups: dict[str, list[str]] = {}
    for name, text in texts.items():
        groups.setdefault(text, []).append(name)
    return list(map(tuple, groups.values()))


def form_context(answer: AnnotatorAnswer) -> Context:
    """The context of an answer form, filled with an answer. Every form has a fresh request id."""
    return {
        "answer": answer,
        "request_id": secrets.token_hex(16),
        "order_text": order_text(answer.order),
        "places": {slot: place for place, group in enumerate(answer.order, start=1) for slot in group},
    }


# A page has hundreds of words, so these two write their HTML themselves: a template takes five times as long.


def source_words(line: LineView) -> Markup:
    """The words of a source line. Each names its linked elements."""
    parts = []
    for token in line.source:
        links = [
            f"t-{slot.slot}-{at.segment}-{at.token}"
            for slot in line.slots
            for at in slot.source_links.get(token.at.token, ())
        ]
        name = f'id="s-{token.at.segment}-{token.at.token}" data-links="{" ".join(links)}"'
        gap, text = escape(shown(token.gap)), escape(shown(token.text))
        if token.role:
            parts.append(f'{gap}<mark class="{_kind(token)}" {name} tabindex="0">{text}</mark>')
        else:
            parts.append(f"{gap}<span{f' {name}' if links else ''}>{text}</span>")
    return Markup("".join(parts))  # noqa: S704 - all text is escaped above


def target_words(
    slot: SlotView,
    chosen: Sequence[TokenAt] = (),
    rendering: Sequence[TokenAt] | None = None,
    *,
    choosable: bool = False,
    correctable: bool = False,
) -> Markup:
    """The words of a translated line; highlighted ones can be chosen if the page asks for that.

    With `correctable` any word can be named as what translates the pronoun; those of `rendering` are.
    """
    parts = []
    renders = frozenset(rendering or ())
    for token in slot.tokens:
        at, kind = token.at, _kind(token)
        links = " ".join(f"s-{link.segment}-{link.token}" for link in token.links)
        name = f'id="t-{slot.slot}-{at.segment}-{at.token}"'
        gap, text = escape(shown(token.gap)), escape(shown(token.text))
        if token.role == GAP:
            inside = '<span class="only-heard">hidden word</span>'
            parts.append(f'{gap}<span class="gap" {name}>{inside}</span>')
        elif token.role and choosable:
            box = f'type="checkbox" name="words" value="{at.segment}.{at.token}" data-of="{kind}"'
            checked = "checked" if at in chosen else ""
            heard = f'<span class="only-heard"> ({kind}, choose)</span>'
            named = f' data-at="{at.segment}.{at.token}"' if correctable and kind == "pronoun" else ""
            shown_as = f"word {kind} renders" if at in renders else f"word {kind}"
            label = f'<label class="{shown_as}" {name}{named} data-links="{links}">'
            parts.append(f"{gap}{label}<input {box} {checked}>{text}{heard}</label>")
        elif token.role:
            mark = f'<mark class="{kind}" {name} data-links="{links}" tabindex="0">'
            parts.append(f"{gap}{mark}{text}</mark>")
        elif correctable and _is_word(token.text):
            css = "any renders" if at in renders else "any"
            place = f'{name} data-at="{at.segment}.{at.token}" data-links="{links}" tabindex="-1"'
            parts.append(f'{gap}<span class="{css}" {place}>{text}</span>')
        else:
            css = ' class="renders"' if at in renders else ""
            linked = f' {name} data-links="{links}"' if links else ""
            parts.append(f"{gap}<span{css}{linked}>{text}</span>")
    return Markup("".join(parts))  # noqa: S704 - all text is escaped above


def _kind(token: TokenView) -> str:
    """The CSS class of a highlighted word."""
    return "pronoun" if token.role == PRONOUN else "antecedent"


def rendering_words(view: ItemView) -> tuple[TokenView, ...]:
    """The words that may translate the pronoun: those of the lines that an item needs."""
    if view.mode is not Mode.JUDGE:
        return ()
    lines = (line for line in view.lines if view.first <= line.segment <= view.last)
    return tuple(
        token for line in lines for slot in line.slots for token in slot.tokens if _is_word(token.text)
    )


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def line_marked(line: LineView) -> bool:
    """Whether a line contains a pronoun or an antecedent on any side; other lines are context."""
    sides = (line.source, *(slot.tokens for slot in line.slots))
    return any(token.role for side in sides for token in side)


def order_text(order: Iterable[Iterable[str]]) -> str:
    """An order in form syntax: `a|b c`."""
    return "|".join(" ".join(group) for group in order)


def answer_words(answer: AnnotatorAnswer) -> str:
    """An answer on one line, such as `pronoun yes, antecedent no, tags: ant_unsure`."""
    marks = (("antecedent", answer.antecedent), ("pronoun", answer.pronoun))
    parts = [f"{name} {mark.value}" for name, mark in marks if mark is not Mark.UNSET]
    parts += [f"choices: {', '.join(answer.choices)}"] if answer.choices else []
    parts += [f"order: {order_text(answer.order)}"] if answer.order else []
    parts += [f"tags: {', '.join(answer.tags)}"] if answer.tags else []
    parts += [f"{counted(len(answer.words), 'word')} chosen"] if answer.words else []
    if answer.rendering is not None:
        named = counted(len(answer.rendering), "word") if answer.rendering else "no word"
        parts.append(f"pronoun translated by {named}")
    parts += [f"remark: {answer.remark}"] if answer.remark else []
    return ", ".join(parts) or "nothing"


def expected_words(answer: AnnotatorAnswer, translate: Translate) -> str:
    """The expected answer of practice in the language of the interface."""
    marks = (("antecedent", answer.antecedent), ("pronoun", answer.pronoun))
    words = {Mark.YES: "yes", Mark.NO: "no", Mark.UNCLEAR: "can’t judge"}
    parts = [f"{translate(name)} {translate(words[mark])}" for name, mark in marks if mark in words]
    return ", ".join([*parts, *answer.choices])


def progress_by_category(rows: Sequence[ProgressRow]) -> Context:
    """The answered and assigned counts per person and category."""
    people = tuple(dict.fromkeys(row.person for row in rows))
    cells = {(row.category, row.person): (row.done + row.conflicts, row.total) for row in rows}
    rows_of = {
        category: [cells.get((category, person), (0, 0)) for person in people]
        for category in dict.fromkeys(row.category for row in rows)
    }
    return {
        "categories": list(rows_of),
        "by_category": list(zip(people, zip(*rows_of.values(), strict=True), strict=True)),
    }


def duration(hours: float) -> str:
    """A duration in hours in readable form, such as 2 h 05 min."""
    minutes = math.ceil(60 * hours)
    return f"{minutes // 60} h {minutes % 60:02d} min" if minutes >= 60 else f"{minutes} min"


def unit_contexts(
    store: Store, units: Sequence[str], *, before: int = CONTEXT_LINES, after: int = 0, blind: bool = False
) -> list[Context]:
    """Units with all available information, as examples and for decisions.

    Comparison answers are converted to the unit's own slot order. With `blind`, annotators are numbered
    differently in each unit, so a number does not identify a person.
    """
    views = unit_views(store, units, before=before, after=after)
    return [_unit_context(view, before=before, after=after, blind=blind) for view in views]


def _unit_context(view: UnitView, *, before: int, after: int, blind: bool) -> Context:
    if view.mode is Mode.COMPARE:
        view = replace(view, answers=tuple(map(_in_order_of_unit, view.answers)))
    if blind:
        shuffled = sorted(
            view.answers, key=lambda row: hashlib.sha256(f"{view.unit} {row.person}".encode()).digest()
        )
        numbered = enumerate(shuffled, start=1)
        named = (structs.replace(row, person=f"Annotator {at}") for at, row in numbered)
        view = replace(view, answers=tuple(named))
    text = text_context(view.lines, f"/lead/units/{view.unit}", before=before, after=after)
    return text | {"view": view, "blind": blind}


def _in_order_of_unit(row: AnswerRow) -> AnswerRow:
    slots = dict(zip(row.unit_systems, SLOTS, strict=False))
    order = tuple(tuple(sorted(slots[name] for name in group)) for group in row.ranking)
    answer = AnnotatorAnswer(tags=row.answer.tags, remark=row.answer.remark, order=order)
    return structs.replace(row, answer=answer, systems=row.unit_systems)


def decision_context(
    store: Store, unit: str, *, before: int = CONTEXT_LINES, after: int = 0, blind: bool = False
) -> Context:
    """A unit with a decision form, filled with the current decision."""
    (context,) = unit_contexts(store, [unit], before=before, after=after, blind=blind)
    decision = context["view"].decision
    form = form_context(decision.answer if decision else AnnotatorAnswer())
    version = decision.version if decision else 0
    view = context["view"]
    return context | form | {"choosable": False, "renderings": rendering_words(view), "version": version}


def verdict(answer: AnnotatorAnswer) -> str:
    """The CSS classes of an answer: `right` or `wrong` about the pronoun, `head-right` or `head-wrong`."""
    words = {Mark.YES: "right", Mark.NO: "wrong"}
    of_head = [f"head-{words[answer.antecedent]}"] if answer.antecedent in words else []
    return " ".join([*([words[answer.pronoun]] if answer.pronoun in words else []), *of_head])


def coefficient(agreement: AgreementCoefficient | None) -> str:
    """A coefficient with its interval, such as 0.62 [0.51, 0.73], or a dash if undefined."""
    if agreement is None or math.isnan(agreement.value):
        return "–"
    if agreement.interval is None:
        return f"{agreement.value:.2f}"
    return f"{agreement.value:.2f} [{agreement.interval.low:.2f}, {agreement.interval.high:.2f}]"
