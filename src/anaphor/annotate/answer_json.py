"""Answers as JSON, for the database, the page and files; and the limits of what an answer can contain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anaphor.annotate.types import AnnotatorAnswer, Mark, TokenAt
from anaphor.core import InputError

MAX_REMARK = 4000
MAX_TAG = 60
MAX_TAGS = 30
#: More highlighted words, choices or slots than any item has.
MAX_PARTS = 1000

FIELDS = ("antecedent", "pronoun", "words", "tags", "remark", "choices", "order")


def answer_content(answer: AnnotatorAnswer) -> dict[str, Any]:
    """An answer as JSON values; every field is present."""
    return {
        "antecedent": answer.antecedent.value,
        "pronoun": answer.pronoun.value,
        "words": [list(at) for at in answer.words],
        "tags": list(answer.tags),
        "remark": answer.remark,
        "choices": list(answer.choices),
        "order": [list(group) for group in answer.order],
    }


def answer_json(answer: AnnotatorAnswer) -> str:
    """The same answer always gives the same characters."""
    return json.dumps(answer_content(answer), ensure_ascii=False, separators=(",", ":"))


def read_answer(text: str) -> AnnotatorAnswer:
    """An answer that `answer_json` wrote."""
    return parse_answer(json.loads(text), where="the database")


def parse_answer(content: object, *, where: str) -> AnnotatorAnswer:
    """An answer from decoded JSON; missing fields are empty, unknown ones are an error.

    Lists come back sorted and without duplicates, so that equal answers are equal.
    """
    if not isinstance(content, Mapping):
        raise _refuse("an answer must be an object", where)
    unknown = sorted(map(str, content.keys() - set(FIELDS)))
    if unknown:
        raise _refuse(f"unknown field: {unknown[0]:.60}", where)
    groups = [_names(group, where) for group in _list(content.get("order", []), where)]
    if sum(map(len, groups)) != len(set().union(*groups)):
        raise _refuse("a translation has two places in the order", where)
    return AnnotatorAnswer(
        antecedent=_mark(content.get("antecedent", "unset"), where),
        pronoun=_mark(content.get("pronoun", "unset"), where),
        words=tuple(sorted({_token(one, where) for one in _list(content.get("words", []), where)})),
        tags=_tags(content.get("tags", []), where),
        remark=_text(content.get("remark", ""), where, longest=MAX_REMARK),
        choices=tuple(sorted(_names(content.get("choices", []), where))),
        order=order_of(groups),
    )


def order_of(groups: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """An order as answers have it: ties in alphabetical order, no empty group."""
    return tuple(group for group in (tuple(sorted(set(one))) for one in groups) if group)


def _mark(value: object, where: str) -> Mark:
    known = [mark.value for mark in Mark]
    if not isinstance(value, str) or value not in known:
        raise _refuse(f"not an answer: {value!r:.60}", where, fix=f"give {', '.join(known)}")
    return Mark(value)


def _token(value: object, where: str) -> TokenAt:
    parts = _list(value, where)
    if len(parts) != 2 or not all(type(part) is int and 0 <= part < 2**31 for part in parts):
        raise _refuse(f"not a word: {value!r:.60}", where, fix="give [SEGMENT, TOKEN], both counted from 0")
    return TokenAt(parts[0], parts[1])


def _tags(value: object, where: str) -> tuple[str, ...]:
    tags = {tag for one in _list(value, where) if (tag := _text(one, where, longest=MAX_TAG).strip())}
    if len(tags) > MAX_TAGS:
        raise _refuse(f"more than {MAX_TAGS} tags", where, fix="use fewer tags, and a remark")
    if any(character in tag for tag in tags for character in ",\n\t"):
        raise _refuse("a tag with a comma, tab or line break", where, fix="use a hyphen or two tags")
    return tuple(sorted(tags))


def _names(value: object, where: str) -> set[str]:
    return {_text(one, where, longest=MAX_TAG) for one in _list(value, where)}


def _list(value: object, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple) or len(value) > MAX_PARTS:
        raise _refuse(f"not a list: {value!r:.60}", where)
    return value


def _text(value: object, where: str, *, longest: int) -> str:
    """A string without what a database or file cannot store: NUL and lone surrogates."""
    if not isinstance(value, str):
        raise _refuse(f"not a string: {value!r:.60}", where)
    if len(value) > longest:
        raise _refuse(f"a text of {len(value)} characters", where, fix=f"use at most {longest}")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise _refuse("a text with a character that cannot be stored", where, fix="type it again")
    return value


def _refuse(what: str, where: str, *, fix: str = "send an answer as the page does") -> InputError:
    return InputError(what, where=where, fix=fix)
