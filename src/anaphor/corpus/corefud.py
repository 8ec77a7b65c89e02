"""CorefUD 1.x: CoNLL-U whose MISC column marks the mentions of entities; see `docs/formats.md`.

Brackets at the same word are ordered as in CorefUD files: closing before opening, longer mentions outside; a
one-word mention follows those that open there, or else precedes those that close there.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anaphor.core import InputError, Span, Where
from anaphor.corpus.conllu import Contraction, EmptyNode, ParsedSentence, Word, read_conllu, write_conllu
from anaphor.corpus.text import display_name

_MISC_COLUMN = 10
_ENTITY = "Entity="
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*?))?\s*")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(.*?)\s*")
# GRP is the name that GUM gives to entities whose numbers start again in every document.
_ENTITY_FIELDS = ("eid", "GRP")
_CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
_LABEL = re.compile(r"([^\s\[\]()|=-]+)(?:\[([1-9]\d{0,8})/([1-9]\d{0,8})\])?")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class CorefMention:
    """Words that mention an entity. Spans count words and empty nodes of the document separately, ascending.

    `attributes` are the values after the entity, by field name; empty ones are absent.
    """

    entity: str
    spans: tuple[Span, ...]
    attributes: Mapping[str, str]

    @property
    def nodes(self) -> tuple[int, ...]:
        """The position of every word and empty node in it."""
        return tuple(at for span in self.spans for at in range(*span))

    @property
    def type(self) -> str | None:
        """The kind of entity, such as person; None if the file has none."""
        return self.attributes.get("etype")

    @property
    def head(self) -> int | None:
        """The position of the head, which is one of `nodes`; None if the file has none."""
        number = self.attributes.get("head")
        return None if number is None else self.nodes[int(number) - 1]


@dataclass(frozen=True, slots=True)
class CorefDocument:
    """A document, its mentions in the order in which they begin, and the field names of brackets.

    `id` is None if the file has none; `fields` are empty if no comment named them. The sentences are
    unchanged, with the brackets in MISC.
    """

    id: str | None
    fields: tuple[str, ...]
    sentences: tuple[ParsedSentence, ...]
    mentions: tuple[CorefMention, ...]

    def nodes(self) -> Iterator[Word | EmptyNode]:
        """The words and empty nodes that positions count, in order."""
        rows = (row for sentence in self.sentences for row in sentence.rows())
        return (row for row in rows if not isinstance(row, Contraction))


def read_corefud(path: str | Path) -> Iterator[CorefDocument]:
    """The documents of a file. Errors are `InputError`s with line and column."""
    return corefud_documents(read_conllu(path), display_name(path))


def corefud_documents(sentences: Iterable[ParsedSentence], name: str) -> Iterator[CorefDocument]:
    """The documents that sentences of the file `name` make. The first may begin without a comment."""
    fields: tuple[str, ...] = ()
    inside: list[ParsedSentence] = []
    for sentence in sentences:
        if inside and any(_NEW_DOCUMENT.fullmatch(comment) for comment in sentence.comments):
            fields = _fields(inside, fields, name)
            yield _document(inside, fields, name)
            inside = []
        inside.append(sentence)
    if inside:
        yield _document(inside, _fields(inside, fields, name), name)


def write_corefud(path: str | Path, documents: Sequence[CorefDocument]) -> None:
    """Write documents so that `read_corefud` gives the same mentions; anything else is an `InputError`.

    Comments, which name documents and fields, are written unchanged, and so is an Entity that already has the
    right brackets in any order.
    """
    name = str(path)
    try:
        sentences = [sentence for document in documents for sentence in sentences_with_entities(document)]
        read = list(corefud_documents(sentences, name))
    except InputError as error:
        raise InputError(f"not valid CorefUD: {error.what}", where=name, fix=error.fix) from error

    def counted(document: CorefDocument) -> Counter[tuple[object, ...]]:
        """The number of occurrences of each mention; their order only reflects the brackets."""
        return Counter(
            (mention.entity, mention.spans, frozenset(mention.attributes.items()))
            for mention in document.mentions
        )

    for document, again in zip(documents, read, strict=False):
        if (document.id, document.fields) != (again.id, again.fields):
            what = f"the comments do not name the document {document.id} and its fields"
            fix = "start its first sentence with # newdoc id = ... and # global.Entity = ..."
            raise InputError(what, where=name, fix=fix)
        if counted(document) != counted(again):
            what = f"the mentions of the document {document.id} would not be read back the same"
            fix = "keep spans in the document, and mentions of one entity inside each other or apart"
            raise InputError(what, where=name, fix=fix)
    if len(documents) != len(read):
        what = f"{len(documents)} documents would be read back as {len(read)}"
        raise InputError(what, where=name, fix="begin every document with a comment # newdoc id = ...")
    write_conllu(path, sentences)


def sentences_with_entities(document: CorefDocument) -> Iterator[ParsedSentence]:
    """The sentences with the document's mentions as Entity in MISC, replacing earlier ones."""
    cells = entity_cells(document)
    at = 0
    for sentence in document.sentences:
        words: list[Word] = []
        empty_nodes: list[EmptyNode] = []
        for row in sentence.rows():
            if isinstance(row, Contraction):
                continue
            misc = with_entity(row.misc, cells.get(at, ""))
            # Brackets in another order say the same: the cell then stays as it was.
            if Counter(_brackets(row.misc, Where("MISC"))) == Counter(_brackets(misc, Where("MISC"))):
                misc = row.misc
            if isinstance(row, Word):
                words.append(replace(row, misc=misc))
            else:
                empty_nodes.append(replace(row, misc=misc))
            at += 1
        yield replace(sentence, words=tuple(words), empty_nodes=tuple(empty_nodes))


def entity_cells(document: CorefDocument) -> Mapping[int, str]:
    """The value of Entity at every position that has one."""
    parts = []
    for mention in document.mentions:
        # Empty values at the end are left out.
        values = "-".join(mention.attributes.get(field, "") for field in document.fields[1:]).rstrip("-")
        total = len(mention.spans)
        for number, span in enumerate(mention.spans, start=1):
            label = f"{mention.entity}[{number}/{total}]" if total > 1 else mention.entity
            parts.append((span, label, f"-{values}" if values else ""))
    opening, closing, single = (defaultdict[int, list[str]](list) for _ in range(3))
    for span, label, values in sorted(parts, key=lambda part: (part[0].start, -part[0].end)):
        if len(range(*span)) == 1:
            single[span.start].append(f"({label}{values})")
        else:
            opening[span.start].append(f"({label}{values}")
            closing[span.end - 1].insert(0, f"{label})")
    return {
        at: "".join((*closing[at], *opening[at], *single[at]) if opening[at] else (*single[at], *closing[at]))
        for at in {*opening, *closing, *single}
    }


def with_entity(misc: str, value: str) -> str:
    """A MISC cell with this Entity at its old or alphabetical position; without it if it is empty."""
    parts = [] if misc == "_" else misc.split("|")
    old = next((at for at, part in enumerate(parts) if part.startswith(_ENTITY)), None)
    if old is not None:
        parts[old : old + 1] = [f"{_ENTITY}{value}"] if value else []
    elif value:
        place = sum(part.lower() < _ENTITY.lower() for part in parts)
        parts.insert(place, f"{_ENTITY}{value}")
    return "|".join(parts) or "_"


def _fields(sentences: Sequence[ParsedSentence], before: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The fields that apply to a document: those of its comment, or the previous ones in `before`."""
    declared = before
    for number, sentence in enumerate(sentences):
        for line, comment in enumerate(sentence.comments, start=sentence.line - len(sentence.comments)):
            match = _GLOBAL.fullmatch(comment)
            if match is None:
                continue
            fields = tuple(match[1].split("-"))
            if fields[0] not in _ENTITY_FIELDS or len(set(fields)) < len(fields) or not all(fields):
                what = f"invalid fields of Entity: {match[1]!r}"
                fix = "begin with eid and list every field once, such as eid-etype-head-other"
                raise InputError(what, where=Where(name, line), fix=fix)
            if number > 0 and fields != declared:
                what = "the fields of Entity change inside a document"
                fix = "declare them once, in the first sentence of the document"
                raise InputError(what, where=Where(name, line), fix=fix)
            declared = fields
    return declared


def _document(sentences: Sequence[ParsedSentence], fields: tuple[str, ...], name: str) -> CorefDocument:
    builder = _MentionBuilder(fields)
    position = 0
    for sentence in sentences:
        for line, row in enumerate(sentence.rows(), start=sentence.line):
            where = Where(name, line, _MISC_COLUMN)
            if not isinstance(row, Contraction):
                for bracket in _brackets(row.misc, where):
                    builder.take(bracket, position, where)
                position += 1
            elif _entity(row.misc, where) is not None:
                what = f"Entity is given for the token {row.form!r}, not for one of its words"
                fix = "move it to the word that the mention begins or ends with"
                raise InputError(what, where=where, fix=fix)
    starts = (_NEW_DOCUMENT.fullmatch(comment) for comment in sentences[0].comments)
    identifier = next((match[1] for match in starts if match is not None), None)
    return CorefDocument(identifier, fields, tuple(sentences), builder.finish())


@dataclass(frozen=True, slots=True)
class _Bracket:
    """One bracket; `part` is a number counted from 1 and how many there are, None for a mention in one piece.

    `label` is the entity with its part, as it is written. The bracket that both opens and closes is a whole
    mention, or part, of one word.
    """

    label: str
    entity: str
    part: tuple[int, int] | None
    values: tuple[str, ...]
    opens: bool
    closes: bool


def _brackets(misc: str, where: Where) -> Iterator[_Bracket]:
    """The brackets in a MISC cell, in order; none without Entity."""
    cell = _entity(misc, where)
    at = 0
    while cell is not None and at < len(cell):
        chunk = _CHUNK.match(cell, at)
        if chunk is None:
            raise _bad_entity(f"expected an opening or closing bracket: {cell[at:]!r}", where)
        opens, closes = chunk[0].startswith("("), chunk[0].endswith(")")
        name, *values = chunk[0].strip("()").split("-")
        label = _LABEL.fullmatch(name)
        if label is None:
            raise _bad_entity(f"invalid name of an entity: {name!r}", where)
        if values and not opens:
            raise _bad_entity(f"a closing bracket has values: {chunk[0]!r}", where)
        part = None if label[2] is None else (int(label[2]), int(label[3]))
        if part is not None and (part[1] < 2 or part[0] > part[1]):
            raise _bad_entity(f"not a valid part number: {name!r}", where)
        yield _Bracket(name, label[1], part, tuple(values), opens, closes)
        at = chunk.end()


def _entity(misc: str, where: Where) -> str | None:
    """The value of Entity in a MISC cell, None if there is none; two of them are an `InputError`."""
    values = [part.removeprefix(_ENTITY) for part in misc.split("|") if part.startswith(_ENTITY)]
    if len(values) > 1 or "" in values:
        raise _bad_entity("Entity occurs twice, or has no value", where)
    return values[0] if values else None


def _bad_entity(what: str, where: Where) -> InputError:
    return InputError(what, where=where, fix="use brackets such as (e1-person-1 to open, e1) to close")


@dataclass(frozen=True, slots=True)
class _OpenMention:
    """An incomplete mention: its complete parts, and the start of its open part."""

    number: int
    entity: str
    attributes: Mapping[str, str]
    where: Where
    start: int
    spans: tuple[Span, ...] = ()


class _MentionBuilder:
    """Processes the brackets of one document in order, and returns its mentions at the end.

    A bracket closes the mention of its entity that was opened last.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields
        self._count = 0
        self._done: dict[int, CorefMention] = {}
        self._open: defaultdict[str, list[_OpenMention]] = defaultdict(list)
        #: Mentions without an open part, by the label of the part that must follow.
        self._waiting: defaultdict[str, list[_OpenMention]] = defaultdict(list)

    def take(self, bracket: _Bracket, position: int, where: Where) -> None:
        """Process a bracket at the node with this position."""
        opened = self._open[bracket.label]
        if bracket.opens:
            opened.append(self._begun(bracket, position, where))
        if bracket.closes and not opened:
            what = f"the mention {bracket.label} is closed here, but was never opened"
            raise InputError(what, where=where, fix=f"open it with ({bracket.label} at its first word")
        if bracket.closes:
            self._close(opened.pop(), bracket.part, position)

    def finish(self) -> tuple[CorefMention, ...]:
        """All mentions in the order in which they begin; an incomplete one is an `InputError`."""
        for label, begun in ((label, mention) for label, opened in self._open.items() for mention in opened):
            what = f"the mention {label} opens here and is not closed before the document ends"
            raise InputError(what, where=begun.where, fix=f"close it with {label}) in the same document")
        for label, begun in (
            (label, mention) for label, waiting in self._waiting.items() for mention in waiting
        ):
            what = f"the mention {begun.entity} begins here and has no part {label} before the document ends"
            raise InputError(what, where=begun.where, fix=f"add the part ({label} or count the parts again")
        return tuple(self._done[number] for number in sorted(self._done))

    def _begun(self, bracket: _Bracket, position: int, where: Where) -> _OpenMention:
        attributes = self._attributes(bracket, where)
        if bracket.part is None or bracket.part[0] == 1:
            self._count += 1
            return _OpenMention(self._count, bracket.entity, attributes, where, position)
        waiting = self._waiting[bracket.label]
        if not waiting or waiting[-1].spans[-1].end > position:
            what = f"the part {bracket.label} has no part before it"
            raise InputError(what, where=where, fix="number the parts of a mention from 1 in their order")
        if attributes and attributes != waiting[-1].attributes:
            what = f"the part {bracket.label} has other values than the first part"
            raise InputError(what, where=where, fix="give all parts of a mention the same values")
        return replace(waiting.pop(), start=position)

    def _attributes(self, bracket: _Bracket, where: Where) -> dict[str, str]:
        if not self._fields:
            fix = "add the comment # global.Entity = eid-etype-head-other to the first sentence"
            raise InputError("the fields of Entity are not declared", where=where, fix=fix)
        if len(bracket.values) >= len(self._fields):
            what = f"{bracket.label} has {len(bracket.values) + 1} values for {len(self._fields)} fields"
            fix = f"use at most {'-'.join(self._fields)}; a hyphen inside a value is written %2D"
            raise InputError(what, where=where, fix=fix)
        named = zip(self._fields[1:], bracket.values, strict=False)  # the last values may be left out
        return {name: value for name, value in named if value}

    def _close(self, begun: _OpenMention, part: tuple[int, int] | None, position: int) -> None:
        spans = (*begun.spans, Span(begun.start, position + 1))
        if part is None or part[0] == part[1]:
            mention = CorefMention(begun.entity, spans, begun.attributes)
            head, size = mention.attributes.get("head", "1"), len(mention.nodes)
            if not _NUMBER.fullmatch(head) or int(head) > size:
                what = f"the head of {mention.entity} is {head!r}, the mention has {size} words"
                fix = f"pass the number of a word in the mention, 1 to {size}"
                raise InputError(what, where=begun.where, fix=fix)
            self._done[begun.number] = mention
        else:
            self._waiting[f"{begun.entity}[{part[0] + 1}/{part[1]}]"].append(replace(begun, spans=spans))
