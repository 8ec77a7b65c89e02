"""Request and response bodies, typed so that the OpenAPI description is complete.

Request bodies are msgspec structs, which also describe the limits of every field.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from litestar.datastructures import FormMultiDict
from litestar.di import NamedDependency
from msgspec import Meta, Struct, field, to_builtins

from anaphor.annotate.answer_json import parse_answer
from anaphor.annotate.types import MAX_REMARK, AnnotatorAnswer, Index, Mark, Tag
from anaphor.annotate.web.state import AnyRequest
from anaphor.core import InputError

Version = Annotated[int, Meta(ge=0, lt=2**31)]
RequestId = Annotated[str, Meta(min_length=8, max_length=100, pattern="^[ -~]*$")]
Position = Annotated[int, Meta(ge=1, lt=2**31)]
Go = Literal["next", "previous", "stay", "jump", "none"]


class AnswerFields(Struct, frozen=True):
    """`AnnotatorAnswer` as JSON, with lists because the framework cannot describe variable-length tuples."""

    antecedent: Mark = Mark.UNSET
    pronoun: Mark = Mark.UNSET
    words: list[tuple[Index, Index]] = field(default_factory=list)
    rendering: list[tuple[Index, Index]] | None = None
    tags: list[Tag] = field(default_factory=list)
    remark: Annotated[str, Meta(max_length=MAX_REMARK)] = ""
    choices: list[Tag] = field(default_factory=list)
    order: list[list[Tag]] = field(default_factory=list)

    def answer(self) -> AnnotatorAnswer:
        return parse_answer(to_builtins(self), where="your answer")


class AnswerBody(Struct, frozen=True):
    """An answer, the version it replaces, its request id, and the next page."""

    request: RequestId
    version: Version
    answer: AnswerFields
    go: Go = "next"
    position: Position | None = None
    seconds: Annotated[float, Meta(ge=0, le=86400)] | None = None


class QuestionBody(Struct, frozen=True):
    """A question to the lead about an item, with the request id."""

    request: RequestId
    text: Annotated[str, Meta(max_length=MAX_REMARK)]


class UndoBody(Struct, frozen=True):
    """The version to undo, with the request id."""

    request: RequestId
    version: Version


class ConflictBody(Struct, frozen=True):
    """The answer to keep: `saved`, or the id of a conflicting one; the version seen, and a request id."""

    keep: Annotated[str, Meta(max_length=100)]
    request: RequestId
    version: Version


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """The same from a plain form, also used for replies of leads."""

    text: Annotated[str, Meta(max_length=MAX_REMARK)]
    request: RequestId
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class StartForm:
    """Whether the person agrees to the consent text on the first page."""

    agreed: str = ""
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class HtmlFragment:
    """A fragment of a page."""

    html: str


@dataclass(frozen=True, slots=True)
class SavedResponse:
    """A saved answer: its version, and the page to show (empty for answers sent later)."""

    version: int
    saved: str | None
    html: str


@dataclass(frozen=True, slots=True)
class WaitingAnswer:
    """A conflicting answer, stored on the server until its author chooses."""

    id: str
    assignment: str
    position: int
    at: str
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ConflictResponse:
    """Both answers to an item: the saved one with its version, the conflicting ones, and the page for
    choosing.
    """

    assignment: str
    position: int
    version: int
    saved: str | None
    answer: dict[str, Any]
    waiting: list[WaitingAnswer]
    html: str


@dataclass(frozen=True, slots=True)
class ConflictList:
    """All conflicting answers of an annotator, oldest first."""

    conflicts: list[WaitingAnswer]


@dataclass(frozen=True, slots=True)
class PrefetchedItem:
    """One of the next items, for working offline."""

    assignment: str
    position: int
    html: str


@dataclass(frozen=True, slots=True)
class PrefetchResponse:
    """The next items."""

    pages: list[PrefetchedItem]


@dataclass(frozen=True, slots=True)
class ConflictForm:
    """The choice between conflicting answers, from a plain form."""

    keep: Annotated[str, Meta(max_length=100)]
    request: RequestId
    version: Version
    csrf: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedForm:
    """An answer from a plain form, without script."""

    answer: AnnotatorAnswer
    version: int
    request: str
    go: str


async def provide_form(request: AnyRequest) -> SubmittedForm:
    """Parse an answer or decision form; an invalid version or answer is an error."""
    form = await request.form()
    version = _text(form, "version")
    if not version.isascii() or not version.isdigit() or len(version) > 9:
        raise InputError("invalid version", where="version", fix="open the page again")
    content: object = answer_fields(form)
    if whole := _text(form, "answer"):
        try:
            content = json.loads(whole)
        except (ValueError, RecursionError) as error:
            raise InputError("invalid answer", where="answer", fix="open the page again") from error
    answer = parse_answer(content, where="your answer")
    return SubmittedForm(answer, int(version), _text(form, "request"), _text(form, "go") or "next")


SentForm: TypeAlias = NamedDependency[SubmittedForm]
"""The type of the argument `sent` of a route that a plain form is sent to."""


def answer_fields(form: FormMultiDict) -> Mapping[str, Any]:
    """The individual fields of a form, in JSON form."""
    if written := _text(form, "order"):
        order = [group.split(" ") for group in written.split("|")]
    else:
        places: dict[str, list[str]] = {}
        for name in form:
            if name.startswith("place-"):
                # Identical translations share a field: place-a b.
                places.setdefault(_text(form, name), []).extend(name.removeprefix("place-").split(" "))
        order = [places[place] for place in sorted(places)]
    rendering = _texts(form, "rendering")
    return {
        "antecedent": _text(form, "antecedent") or "unset",
        "pronoun": _text(form, "pronoun") or "unset",
        "words": list(map(_place, _texts(form, "words"))),
        # The box for no word says so where no word is ticked.
        "rendering": [_place(value) for value in rendering if value != "none"] if rendering else None,
        "tags": [*_texts(form, "tags"), *(tag.strip() for tag in _text(form, "own_tags").split(","))],
        # Browsers send the line breaks of a text area as two characters.
        "remark": _text(form, "remark").replace("\r\n", "\n"),
        "choices": _texts(form, "choices"),
        "order": order,
    }


def _place(value: str) -> list[int | str]:
    """The position of a word in the form; a value that is not a number is kept, and rejected with the
    answer."""
    return [int(part) if part.isascii() and part.isdigit() else part for part in value[:40].split(".")]


def _text(form: FormMultiDict, name: str) -> str:
    value = form.get(name, "")
    return value if isinstance(value, str) else ""


def _texts(form: FormMultiDict, name: str) -> list[str]:
    return [value for value in form.getall(name, []) if isinstance(value, str)]
