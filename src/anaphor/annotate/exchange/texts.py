"""What exported files show: texts with character offsets, units in context, answers as error spans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import SOURCE, SYSTEM, system_names, tokens_with_gaps
from anaphor.annotate.judging.assignments import mode_and_choices, task_of
from anaphor.annotate.rules import AnswerTask
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import from_row
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, TokenAt, read_marks, read_targets
from anaphor.core import InputError, Span, Where
from anaphor.core.records import Record, strict_json

PRONOUN, ANTECEDENT = "pronoun", "antecedent"


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A stretch of text, and the character offsets of its tokens."""

    text: str
    spans: Mapping[TokenAt, Span]

    def overlapping(self, start: int, end: int, among: Sequence[TokenAt]) -> tuple[TokenAt, ...]:
        """Those of some tokens that share a character with a span, whose end is excluded."""
        return tuple(at for at in among if self.spans[at].start < end and start < self.spans[at].end)

    def marked(self, tokens: Sequence[TokenAt], opening: str, closing: str) -> str:
        """The text with marks around some tokens."""
        parts, end = [], 0
        for span in sorted(self.spans[at] for at in tokens):
            parts += [self.text[end : span.start], opening, self.text[span.start : span.end], closing]
            end = span.end
        return "".join(parts) + self.text[end:]


@dataclass(frozen=True, slots=True)
class CampaignText:
    """The source or one translation: its lines and tokens."""

    lines: tuple[str, ...]
    tokens: tuple[tuple[str, ...], ...]

    def window(self, first: int, last: int) -> TextWindow:
        """The lines from one segment to another, joined by newlines."""
        spans: dict[TokenAt, Span] = {}
        start = 0
        for segment in range(first, last + 1):
            line, end = self.lines[segment], start
            for number, (gap, token) in enumerate(tokens_with_gaps(line, self.tokens[segment])):
                spans[TokenAt(segment, number)] = Span(end + len(gap), end + len(gap) + len(token))
                end += len(gap) + len(token)
            start += len(line) + 1
        return TextWindow("\n".join(self.lines[first : last + 1]), spans)

    def words(self, places: Sequence[TokenAt]) -> str:
        return " ".join(self.tokens[at.segment][at.token] for at in places)


@dataclass(frozen=True, slots=True)
class CampaignTexts:
    """The source, and every system by its name."""

    source: CampaignText
    systems: Mapping[str, CampaignText]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitText:
    """An item in one system: the context on both sides, and what is asked."""

    unit: str
    item: str
    document: str
    category: str
    system: str
    marks: Highlight
    task: AnswerTask
    source: TextWindow
    target: TextWindow


class ErrorSpan(NamedTuple):
    """Characters of a translation that are wrong, the end excluded, and the question that they concern."""

    span: Span
    question: str


def foreign_json(data: bytes, *, path: str, line: int | None = None) -> Record:
    """UTF-8 JSON of a third-party tool, under the key `file` of a record that checks what is read from it."""
    where, fix = Where(path, line), "give the file as the other tool wrote it"
    try:
        content = strict_json(data.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"not JSON: {error}", where=where, fix=fix) from error
    return Record({"file": content}, where=where, fix=fix)


def read_all_texts(connection: Connection) -> CampaignTexts:
    """All texts of a campaign, in memory."""

    def read(side: str, name: str) -> CampaignText:
        table = schema.texts
        query = select(table.c.line, table.c.tokens).where(table.c.side == side, table.c.name == name)
        rows = connection.execute(query.order_by(table.c.segment)).all()
        tokens = tuple(tuple(json.loads(row.tokens)) for row in rows)
        return CampaignText(tuple(row.line for row in rows), tokens)

    names = system_names(connection)
    return CampaignTexts(read(SOURCE, ""), {name: read(SYSTEM, key) for key, name in names.items()})


def unit_texts(connection: Connection) -> Iterator[UnitText]:
    """All units of a campaign that asks about one system at a time, in the order of the suite."""
    texts = read_all_texts(connection)
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)
    units, items = schema.units, schema.items
    query = (
        select(units.c.id.label("unit"), units.c.targets, items)
        .join(items)
        .where(units.c.expected.is_(None))
        .order_by(items.c.place, units.c.id)
    )
    for row in connection.execute(query):
        targets = read_targets(row.targets)
        system = names[targets[0].system]
        yield from_row(
            UnitText,
            row,
            item=row.suite_item,
            system=system,
            marks=read_marks(row.marks),
            task=task_of(mode, choices, targets, antecedent=row.antecedent),
            source=texts.source.window(row.first, row.last),
            target=texts.systems[system].window(row.first, row.last),
        )


def error_spans(answer: AnnotatorAnswer, highlight: Highlight, window: TextWindow) -> tuple[ErrorSpan, ...]:
    """An answer as error spans, which is all that some tools know.

    A wrong pronoun or antecedent is an error on its highlighted words; adjacent words share a span. An
    untranslated pronoun has no characters and no span.
    """
    found: list[ErrorSpan] = []
    for question, mark, words in (
        (PRONOUN, answer.pronoun, highlight.pronoun),
        (ANTECEDENT, answer.antecedent, highlight.head_words),
    ):
        spans: list[Span] = []
        for at in words if mark is Mark.NO else ():
            span = window.spans[at]
            # Tools that count errors would otherwise count one for every word.
            if spans and window.text[spans[-1].end : span.start].isspace():
                spans[-1] = Span(spans[-1].start, span.end)
            else:
                spans.append(span)
        found += [ErrorSpan(span, question) for span in spans]
    return tuple(found)


def answer_from_spans(spans: Sequence[Span], unit: UnitText) -> AnnotatorAnswer:
    """The reverse: an error on a highlighted word makes the answer no, its absence yes.

    Such a yes does not tell which words make it right; tags and remarks are lost.
    """

    def mark(words: Sequence[TokenAt]) -> Mark:
        wrong = any(unit.target.overlapping(span.start, span.end, words) for span in spans)
        return Mark.NO if wrong else Mark.YES

    highlight = unit.task.highlight
    antecedent = mark(highlight.head_words) if unit.task.asks_antecedent else Mark.UNSET
    return AnnotatorAnswer(antecedent=antecedent, pronoun=mark(highlight.pronoun))
