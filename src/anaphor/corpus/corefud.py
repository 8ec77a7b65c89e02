"""CorefUD 1.x: CoNLL-U whose MISC column says which words mention which entity.

Comments `# newdoc id = ...` start documents; `# global.Entity = eid-etype-head-other` names the values of
every mention, and holds until another one. `Bridge` and `SplitAnte` stay in MISC as they stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, Where
from anaphor.corpus.conllu import read_conllu
from anaphor.corpus.conllu_nouns import Contraction, EmptyNode, ParsedSentence, Row, Word
from anaphor.corpus.corefud_brackets import MISC_COLUMN, brackets_of, entity_of
from anaphor.corpus.corefud_mentions import Mention, MentionBuilder
from anaphor.corpus.reading import display_name

_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b(?:\s+id\s*=\s*(.*?))?\s*")
_GLOBAL = re.compile(r"#\s*global\.Entity\s*=\s*(.*?)\s*")
# GRP is the name that GUM gives to entities that are numbered in every document anew.
_ENTITY_FIELDS = ("eid", "GRP")


@dataclass(frozen=True, slots=True)
class CorefDocument:
    """A document, its mentions in the order in which they begin, and the names of a bracket's fields.

    `id` is None where the file gives none; `fields` are empty where no comment named them. The sentences
    are as they were read, with the brackets in MISC.
    """

    id: str | None
    fields: tuple[str, ...]
    sentences: tuple[ParsedSentence, ...]
    mentions: tuple[Mention, ...]

    def nodes(self) -> Iterator[Word | EmptyNode]:
        """The words and empty nodes that positions count, in order."""
        rows = (row for sentence in self.sentences for row in sentence.rows())
        return (row for row in rows if not isinstance(row, Contraction))


def read_corefud(path: str | Path) -> Iterator[CorefDocument]:
    """The documents of a file. A mistake is an `InputError` with line and column."""
    return corefud_documents(read_conllu(path), display_name(path))


def corefud_documents(sentences: Iterable[ParsedSentence], name: str) -> Iterator[CorefDocument]:
    """The documents that sentences make; `name` stands in messages. The first may begin without a comment."""
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


def _fields(sentences: Sequence[ParsedSentence], before: tuple[str, ...], name: str) -> tuple[str, ...]:
    """The fields that hold in a document: those of its comment, or those `before` it."""
    found = before
    for number, sentence in enumerate(sentences):
        for line, comment in enumerate(sentence.comments, start=sentence.line - len(sentence.comments)):
            match = _GLOBAL.fullmatch(comment)
            if match is not None:
                fields = _checked_fields(match[1], Where(name, line))
                if number > 0 and fields != found:
                    what = "the fields of Entity change inside a document"
                    fix = "name them once, in the first sentence of the document"
                    raise InputError(what, where=Where(name, line), fix=fix)
                found = fields
    return found


def _checked_fields(text: str, where: Where) -> tuple[str, ...]:
    fields = tuple(text.split("-"))
    if fields[0] not in _ENTITY_FIELDS or len(set(fields)) < len(fields) or not all(fields):
        raise InputError(
            f"an unknown order of the fields of Entity: {text!r}",
            where=where,
            fix="begin with eid and name every field once, such as eid-etype-head-other",
        )
    return fields


def _document(sentences: Sequence[ParsedSentence], fields: tuple[str, ...], name: str) -> CorefDocument:
    builder = MentionBuilder(fields)
    position = 0
    for line, row in _numbered_rows(sentences):
        where = Where(name, line, MISC_COLUMN)
        if isinstance(row, Contraction):
            _check_no_entity(row, where)
            continue
        for bracket in brackets_of(row.misc, where):
            builder.take(bracket, position, where)
        position += 1
    return CorefDocument(_id(sentences[0]), fields, tuple(sentences), builder.finish())


def _numbered_rows(sentences: Iterable[ParsedSentence]) -> Iterator[tuple[int, Row]]:
    for sentence in sentences:
        yield from enumerate(sentence.rows(), start=sentence.line)


def _check_no_entity(contraction: Contraction, where: Where) -> None:
    if entity_of(contraction.misc, where) is not None:
        what = f"Entity stands at the token {contraction.form!r}, not at one of its words"
        raise InputError(what, where=where, fix="move it to the word that the mention begins or ends with")


def _id(sentence: ParsedSentence) -> str | None:
    found = (_NEW_DOCUMENT.fullmatch(comment) for comment in sentence.comments)
    return next((match[1] for match in found if match is not None), None)
