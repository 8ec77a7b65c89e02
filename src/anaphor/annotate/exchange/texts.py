"""The content of exported files: texts with character offsets, units in context, answers as error spans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.json import Decoder
from sqlalchemy import Connection, select

from anaphor.annotate.campaign.facts import SOURCE, SYSTEM, system_names, tokens_end
from anaphor.annotate.judging.assignments import mode_and_choices, task_of
from anaphor.annotate.rules import AnswerTask
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import plain_rows
from anaphor.annotate.types import AnnotatorAnswer, Highlight, Mark, TokenAt, read_marks, read_targets
from anaphor.core import InputError, Span, Where
from anaphor.core.records import Record, strict_json

PRONOUN, ANTECEDENT = "pronoun", "antecedent"
_ROWS_AT_ONCE = 500
_TOKENS = Decoder(list[str])


class StoredTokens(Sequence[Sequence[str]]):
    """The tokens of every line, decoded on access."""

    def __init__(self, encoded: Sequence[str]) -> None:
        self._encoded = encoded
        # Neighbours ask about the same lines again and again.
        self._line = lru_cache(maxsize=64)(lambda segment: _TOKENS.decode(encoded[segment]))

    def __len__(self) -> int:
        return len(self._encoded)

    def __getitem__(self, segment: Any) -> Any:
        return self._line(segment)

    def __iter__(self) -> Iterator[Sequence[str]]:
        return map(_TOKENS.decode, self._encoded)


class CampaignText:
    """The source, a reference or a translation."""

    def __init__(self, rows: Iterable[Sequence[str]]) -> None:
        lines, encoded = list[str](), list[str]()
        for line, tokens in rows:
            lines.append(line)
            encoded.append(tokens)
        # The garbage collector visits long lists again and again, but not tuples of strings.
        self.lines, self.tokens = tuple(lines), StoredTokens(tuple(encoded))

    def span(self, at: TokenAt) -> Span:
        """The characters of a token in its line."""
        tokens = self.tokens[at.segment]
        end = tokens_end(self.lines[at.segment], tokens[: at.token + 1])
        return Span(end - len(tokens[at.token]), end)

    def words(self, places: Sequence[TokenAt]) -> str:
        return " ".join(self.tokens[at.segment][at.token] for at in places)

    def window(self, first: int, last: int) -> TextWindow:
        return TextWindow(self, first, last)


class TextWindow:
    """The lines from one segment to another, joined by newlines, with token positions."""

    def __init__(self, whole: CampaignText, first: int, last: int) -> None:
        self._whole, self._first, self._last = whole, first, last

    @cached_property
    def text(self) -> str:
        return "\n".join(self._whole.lines[self._first : self._last + 1])

    def span(self, at: TokenAt) -> Span:
        """The characters of a token."""
        before, span = self._whole.lines[self._first : at.segment], self._whole.span(at)
        start = sum(map(len, before)) + len(before)
        return Span(start + span.start, start + span.end)

    def tokens(self) -> tuple[TokenAt, ...]:
        """All tokens from the first line to the last."""
        return tuple(
            TokenAt(segment, number)
            for segment in range(self._first, self._last + 1)
            for number in range(len(self._whole.tokens[segment]))
        )

    def overlapping(self, start: int, end: int, among: Sequence[TokenAt]) -> tuple[TokenAt, ...]:
        """The tokens that share a character with a span, whose end is exclusive."""
        return tuple(at for at in among if self.span(at).start < end and start < self.span(at).end)

    def marked(self, tokens: Sequence[TokenAt], opening: str, closing: str) -> str:
        """The text with marks around some tokens."""
        parts, end = [], 0
        for span in sorted(map(self.span, tokens)):
            parts += [self.text[end : span.start], opening, self.text[span.start : span.end], closing]
            end = span.end
        return "".join(parts) + self.text[end:]


@dataclass(frozen=True, slots=True)
class CampaignTexts:
    """The source, and every system by its name."""

    source: CampaignText
    systems: Mapping[str, CampaignText]


class UnitText(Struct, frozen=True, kw_only=True):
    """An item in one system: its lines in both texts, from `first` to `last`, and the question."""

    unit: str
    item: str
    document: str
    category: str
    system: str
    marks: Highlight
    task: AnswerTask
    texts: CampaignTexts
    first: int
    last: int

    @property
    def source(self) -> TextWindow:
        return self.texts.source.window(self.first, self.last)

    @property
    def target(self) -> TextWindow:
        return self.texts.systems[self.system].window(self.first, self.last)


class ErrorSpan(NamedTuple):
    """A character span of a translation that is wrong, end exclusive, and the question it concerns."""

    span: Span
    question: str


def foreign_json(data: bytes, *, path: str, line: int | None = None) -> Record:
    """UTF-8 JSON of a third-party tool, wrapped in a record that checks all reads."""
    where, fix = Where(path, line), "pass the file as the other tool wrote it"
    try:
        content = strict_json(data.decode("utf-8"))
    except ValueError as error:
        raise InputError(f"not JSON: {error}", where=where, fix=fix) from error
    return Record({"file": content}, where=where, fix=fix)


def separated(elements: Iterable[bytes]) -> Iterator[bytes]:
    """The elements of a JSON list, one per line, in chunks large enough to send."""
    left, before = iter(elements), b""
    while part := list(islice(left, _ROWS_AT_ONCE)):
        yield before + b",\n".join(part)
        before = b",\n"


def read_text(connection: Connection, side: str, name: str) -> CampaignText:
    """Read one text of a campaign; systems are identified by id."""
    table = schema.texts
    query = select(table.c.line, table.c.tokens).where(table.c.side == side, table.c.name == name)
    query = query.order_by(table.c.segment)
    return CampaignText(chain.from_iterable(plain_rows(connection, query, at_once=_ROWS_AT_ONCE)))


def read_all_texts(connection: Connection) -> CampaignTexts:
    """The source and all translations of a campaign, in memory."""
    names = system_names(connection)
    systems = {name: read_text(connection, SYSTEM, key) for key, name in names.items()}
    return CampaignTexts(read_text(connection, SOURCE, ""), systems)


def unit_texts(
    connection: Connection, *, texts: CampaignTexts | None = None, person: str | None = None
) -> Iterator[UnitText]:
    """All units of a campaign that judges one system at a time, in suite order.

    With `person`, those of one person, in assignment order. `texts` already in memory are not read again.
    """
    texts = texts or read_all_texts(connection)
    names = system_names(connection)
    mode, choices = mode_and_choices(connection)
    units, items, given = schema.units, schema.items, schema.assignments
    query = (
        select(units.c.id, units.c.targets, items.c.suite_item, items.c.document, items.c.category)
        .add_columns(items.c.antecedent, items.c.marks, items.c.first, items.c.last)
        .join(items)
    )
    query = query.where(units.c.expected.is_(None))
    if person is None:
        query = query.order_by(items.c.place, units.c.id)
    else:
        query = query.join(given, given.c.unit == units.c.id)
        query = query.where(given.c.person == person).order_by(given.c.place)
    rows = chain.from_iterable(plain_rows(connection, query, at_once=_ROWS_AT_ONCE))
    for unit, encoded, item, document, category, antecedent, marks, first, last in rows:
        targets = read_targets(encoded)
        system = names[targets[0].system]
        yield UnitText(
            unit=unit,
            item=item,
            document=document,
            category=category,
            system=system,
            marks=read_marks(marks),
            task=task_of(mode, choices, targets, antecedent=bool(antecedent)),
            texts=texts,
            first=first,
            last=last,
        )


def error_spans(highlight: Highlight, window: TextWindow) -> tuple[ErrorSpan, ...]:
    """The error spans for an answer of no to both questions, which is all that some tools can express.

    A wrong pronoun or antecedent is an error on its highlighted words. An untranslated pronoun has no
    characters and no span.
    """
    return tuple(
        ErrorSpan(span, question)
        for question, words in ((PRONOUN, highlight.pronoun), (ANTECEDENT, highlight.head_words))
        for span in joined_spans(words, window)
    )


def joined_spans(words: Iterable[TokenAt], window: TextWindow) -> list[Span]:
    """The character spans of some words; adjacent words share a span, for tools that count errors."""
    spans: list[Span] = []
    for at in words:
        span = window.span(at)
        if spans and window.text[spans[-1].end : span.start].isspace():
            spans[-1] = Span(spans[-1].start, span.end)
        else:
            spans.append(span)
    return spans


def answer_from_spans(spans: Sequence[Span], unit: UnitText) -> AnnotatorAnswer:
    """The reverse: an error on a highlighted word means no, its absence yes.

    Such a yes does not identify the correct words; tags and remarks are lost.
    """

    def mark(words: Sequence[TokenAt]) -> Mark:
        wrong = any(unit.target.overlapping(span.start, span.end, words) for span in spans)
        return Mark.NO if wrong else Mark.YES

    highlight = unit.task.highlight
    antecedent = mark(highlight.head_words) if unit.task.asks_antecedent else Mark.UNSET
    return AnnotatorAnswer(antecedent=antecedent, pronoun=mark(highlight.pronoun))
