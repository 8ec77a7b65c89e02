"""What requests bring and responses carry, typed so that the OpenAPI description says it all.

What is read is a `Struct`: of these the description also has the limits of every field.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from litestar.datastructures import FormMultiDict
from msgspec import Meta, Struct, field

from anaphor.annotate.content import parse_answer
from anaphor.annotate.nouns import Answer, Mark
from anaphor.core import InputError

Version = Annotated[int, Meta(ge=0, lt=2**31)]
Request = Annotated[str, Meta(min_length=8, max_length=100, pattern="^[ -~]*$")]
Position = Annotated[int, Meta(ge=1, lt=2**31)]
Index = Annotated[int, Meta(ge=0, lt=2**31)]
Tag = Annotated[str, Meta(max_length=60)]
Go = Literal["next", "previous", "stay", "jump", "none"]


class AnswerFields(Struct, frozen=True):
    """An answer as the script of the page sends it."""

    antecedent: Mark = Mark.UNSET
    pronoun: Mark = Mark.UNSET
    words: list[tuple[Index, Index]] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    remark: Annotated[str, Meta(max_length=4000)] = ""
    choices: list[Tag] = field(default_factory=list)
    order: list[list[Tag]] = field(default_factory=list)

    def answer(self) -> Answer:
        content = {
            "antecedent": self.antecedent.value,
            "pronoun": self.pronoun.value,
            "words": self.words,
            "tags": self.tags,
            "remark": self.remark,
            "choices": self.choices,
            "order": self.order,
        }
        return parse_answer(content, where="your answer")


class AnswerBody(Struct, frozen=True):
    """An answer, the version it was given to, its id, and where to go then."""

    request: Request
    version: Version
    answer: AnswerFields
    go: Go = "next"
    position: Position | None = None
    seconds: Annotated[float, Meta(ge=0, le=86400)] | None = None


class UndoBody(Struct, frozen=True):
    """Which version to take back, under which id."""

    request: Request
    version: Version


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a page."""

    html: str


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that is durable now: its version, and the page to show (none for answers sent later)."""

    version: int
    saved: str | None
    html: str


@dataclass(frozen=True, slots=True)
class AheadPage:
    """An item that comes later, for the time without a server."""

    assignment: str
    position: int
    html: str


@dataclass(frozen=True, slots=True)
class Ahead:
    """The next items."""

    pages: list[AheadPage]


@dataclass(frozen=True, slots=True)
class SentForm:
    """An answer as a plain form sends it, without script."""

    answer: Answer
    version: int
    request: str
    go: str


def read_form(form: FormMultiDict) -> SentForm:
    """The form of an item. A version that is no number, or an answer that is none, is an error."""
    version = _text(form, "version")
    if not version.isascii() or not version.isdigit() or len(version) > 9:
        raise InputError("not a version", where="version", fix="open the page again")
    whole = _text(form, "answer")
    content = _decoded(whole) if whole else answer_fields(form)
    answer = parse_answer(content, where="your answer")
    return SentForm(answer, int(version), _text(form, "request"), _text(form, "go") or "next")


def answer_fields(form: FormMultiDict) -> Mapping[str, Any]:
    """The single fields of a form, as JSON would have them."""
    own = [tag.strip() for tag in _text(form, "own_tags").split(",")]
    return {
        "antecedent": _text(form, "antecedent") or "unset",
        "pronoun": _text(form, "pronoun") or "unset",
        "words": [_word(value) for value in _texts(form, "words")],
        "tags": [*_texts(form, "tags"), *own],
        # A browser sends line breaks of a text area as two characters.
        "remark": _text(form, "remark").replace("\r\n", "\n"),
        "choices": _texts(form, "choices"),
        "order": _order(form),
    }


def _word(value: str) -> list[Any]:
    return [int(part) if part.isascii() and part.isdigit() else part for part in value[:40].split(".")]


def _order(form: FormMultiDict) -> list[list[str]]:
    written = _text(form, "order")
    if written:
        return [group.split(" ") for group in written.split("|")]
    places: dict[str, list[str]] = {}
    for name in form:
        if name.startswith("place-"):
            places.setdefault(_text(form, name), []).append(name.removeprefix("place-"))
    return [places[place] for place in sorted(places)]


def _decoded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError("not an answer", where="answer", fix="open the page again") from error


def _text(form: FormMultiDict, name: str) -> str:
    found = form.get(name, "")
    return found if isinstance(found, str) else ""


def _texts(form: FormMultiDict, name: str) -> list[str]:
    return [one for one in form.getall(name, []) if isinstance(one, str)]
