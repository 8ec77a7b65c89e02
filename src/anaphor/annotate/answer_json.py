"""Answers as JSON, for the database, the page and files."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from anaphor.annotate.types import MAX_TAGS, AnnotatorAnswer
from anaphor.core import InputError, Where

FIELDS = AnnotatorAnswer.__struct_fields__


def answer_content(answer: AnnotatorAnswer) -> dict[str, Any]:
    """An answer as JSON values; every field is present."""
    content: dict[str, Any] = msgspec.to_builtins(answer)
    return content


def answer_json(answer: AnnotatorAnswer) -> str:
    """The same answer always gives the same characters."""
    return msgspec.json.encode(answer).decode()


_DECODER = msgspec.json.Decoder(AnnotatorAnswer)


def read_answer(text: str) -> AnnotatorAnswer:
    """An answer that `answer_json` wrote: its lists are sorted already, and nothing else needs a check."""
    try:
        return _DECODER.decode(text)
    except msgspec.DecodeError as error:
        fix = "run `anaphor annotate check DATABASE`, and restore the last backup"
        raise InputError(f"a damaged answer: {error}", where="the database", fix=fix) from error


#: Neither a database nor a file can store NUL or half of a surrogate pair.
_STORABLE = re.compile("[^\0\ud800-\udfff]*").fullmatch


def parse_answer(content: object, *, where: Where | str) -> AnnotatorAnswer:
    """An answer from decoded JSON; missing fields are empty, unknown ones are an error.

    Lists come back sorted and without duplicates, so that equal answers are equal.
    """
    try:
        answer = msgspec.convert(content, AnnotatorAnswer)
    except (msgspec.ValidationError, UnicodeError) as error:  # half of a surrogate pair is no text
        expected = (
            "use the marks yes, no, unclear or unset, words as [SEGMENT, TOKEN], the rest as the page does"
        )
        raise InputError(f"invalid answer: {error}", where=where, fix=expected) from error
    plain = not (answer.words or answer.rendering or answer.tags or answer.choices or answer.order)
    if plain and _STORABLE(answer.remark):
        return answer  # as most are
    # What the types of the fields cannot express:
    tags = {tag for one in answer.tags if (tag := one.strip())}
    slots = [slot for group in answer.order for slot in set(group)]
    texts = "".join((*tags, answer.remark, *answer.choices, *slots))
    joined = any(character in tag for tag in tags for character in ",\n\t")
    twice = len(slots) != len(set(slots))
    for broken, what, fix in (
        (len(tags) > MAX_TAGS, f"more than {MAX_TAGS} tags", "use fewer tags, and a remark"),
        (joined, "a tag with a comma, tab or line break", "use a hyphen or two tags"),
        (twice, "a translation is ranked twice", "rank every translation once"),
        (not _STORABLE(texts), "a text contains a character that cannot be stored", "type it again"),
    ):
        if broken:
            raise InputError(what, where=where, fix=fix)
    return msgspec.structs.replace(
        answer,
        words=tuple(sorted(set(answer.words))),
        rendering=None if answer.rendering is None else tuple(sorted(set(answer.rendering))),
        tags=tuple(sorted(tags)),
        choices=tuple(sorted(set(answer.choices))),
        order=tuple(tuple(sorted(set(group))) for group in answer.order if group),
    )
