"""`suite.toml`: everything about a suite but its items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import TypeVar

from anaphor.core import (
    Alternative,
    Antecedent,
    Category,
    Item,
    LanguagePair,
    OptionError,
    Place,
    ReferencePair,
    Suite,
    SuiteDocument,
    UnknownNameError,
)
from anaphor.corpus import Text
from anaphor.suite.fields import Fields, parse_json_lines, parse_toml

FORMAT = "anaphor-suite 1"
#: Names that are also names of files and folders: nothing in them can lead elsewhere.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SOURCE = "source"


@dataclass(frozen=True, slots=True)
class SuiteHeader:
    """A suite that has no items yet, and the digest that it should have with them; None if none is named."""

    suite: Suite
    digest: str | None


def parse_header(text: Text) -> SuiteHeader:
    """From the text of a `suite.toml`."""
    fields = parse_toml(text)
    fields.allow(
        *("format", "name", "version", "pair", "licence", "description", "hash"), "category", "document"
    )
    if fields.text("format") != FORMAT:
        fields.refuse("format", f"unknown: {fields.text('format')}", fix=f'write format = "{FORMAT}"')
    suite = Suite(
        fields.text("name"),
        fields.text("version"),
        _pair(fields),
        fields.text("licence"),
        fields.text("description", ""),
        tuple(map(_category, fields.tables("category"))),
        tuple(map(_document, fields.tables("document"))),
        (),
    )
    _refuse_twins(fields, "category", [category.name for category in suite.categories])
    _refuse_twins(fields, "document", [document.id for document in suite.documents])
    return SuiteHeader(suite, fields.text("hash") if fields.has("hash") else None)


def format_header(suite: Suite, digest: str | None) -> str:
    """The text of a `suite.toml`; the same suite always gives the same text."""
    lines = [
        _line("format", FORMAT),
        _line("name", suite.name),
        _line("version", suite.version),
        _line("pair", str(suite.pair)),
        _line("licence", suite.licence),
        *([_line("description", suite.description)] if suite.description else []),
        *([] if digest is None else [_line("hash", digest)]),
        *(line for category in suite.categories for line in _category_lines(category)),
        *(line for document in suite.documents for line in _document_lines(document)),
    ]
    return "".join(f"{line}\n" for line in lines)


def _pair(fields: Fields) -> LanguagePair:
    try:
        return LanguagePair.parse(fields.text("pair"))
    except OptionError as error:
        fields.refuse("pair", error.what, fix=error.fix)


def _category(fields: Fields) -> Category:
    fields.allow("name", "antecedent", "description")
    return Category(fields.text("name"), fields.flag("antecedent"), fields.text("description", ""))


def _document(fields: Fields) -> SuiteDocument:
    fields.allow("id", "segments", "source", "references")
    references = fields.names("references")
    for name in (fields.text("id"), *references):
        if not _NAME.fullmatch(name) or name == _SOURCE:
            fields.refuse(
                "id, references",
                f"no name of a file: {name!r:.60}",
                fix="use letters, digits, dots, hyphens and low lines, and not the name source",
            )
    return SuiteDocument(fields.text("id"), fields.count("segments"), fields.text("source"), references)


def _refuse_twins(fields: Fields, key: str, names: list[str]) -> None:
    if not names:
        fields.refuse(key, "missing", fix=f"describe at least one in [[{key}]]")
    for number, name in enumerate(names):
        if name in names[:number]:
            fields.refuse(key, f"{name} is described twice", fix="keep one of the two")


def _category_lines(category: Category) -> Iterator[str]:
    yield "\n[[category]]"
    yield _line("name", category.name)
    yield f"antecedent = {'true' if category.antecedent else 'false'}"
    if category.description:
        yield _line("description", category.description)


def _document_lines(document: SuiteDocument) -> Iterator[str]:
    yield "\n[[document]]"
    yield _line("id", document.id)
    yield f"segments = {document.segments}"
    yield _line("source", document.source)
    pairs = (f"{_quoted(name)} = {_quoted(value)}" for name, value in document.references.items())
    yield f"references = {{ {', '.join(pairs)} }}"


def _line(key: str, value: str) -> str:
    return f"{key} = {_quoted(value)}"


def _quoted(text: str) -> str:
    """A string of TOML, which JSON writes the same way but for one control character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


T = TypeVar("T")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def with_items(suite: Suite, text: Text) -> Suite:
    """The suite of a header with the items of a file; an item that does not fit the header is an error."""
    categories = {category.name: category for category in suite.categories}
    documents = {document.id: document for document in suite.documents}
    items: dict[str, Item] = {}
    for fields in parse_json_lines(text):
        item = _item(fields, categories, documents)
        if item.id in items:
            fields.refuse("id", f"{item.id} is used twice", fix="give every item its own id")
        items[item.id] = item
    return replace(suite, items=tuple(items.values()))


def format_items(suite: Suite) -> str:
    """The text of an `items.jsonl`; the same items always give the same text."""
    return "".join(f"{format_item(item)}\n" for item in suite.items)


def format_item(item: Item) -> str:
    """One line; what is empty is left out."""
    record: dict[str, object] = {
        "id": item.id,
        "document": item.document,
        "category": item.category,
        "pronoun": item.pronoun,
        "antecedents": [{"span": one.span, "head": one.head} for one in item.antecedents],
        "references": [
            {"reference": one.reference, "pronoun": one.pronoun} | ({"heads": one.heads} if one.heads else {})
            for one in item.references
        ],
        "alternatives": [_alternative_record(one) for one in item.alternatives],
        "features": dict(sorted(item.features.items())),
    }
    kept = {key: value for key, value in record.items() if value}
    if item.confidence is not None:
        kept["confidence"] = item.confidence
    return json.dumps(kept, ensure_ascii=False)


def _alternative_record(one: Alternative) -> dict[str, object]:
    record: dict[str, object] = {"pronoun": one.pronoun, "heads": one.heads, "by": one.by, "when": one.when}
    return {key: value for key, value in record.items() if value}


def _item(fields: Fields, categories: Mapping[str, Category], documents: Mapping[str, SuiteDocument]) -> Item:
    fields.allow(
        *("id", "document", "category", "pronoun", "antecedents", "references", "alternatives"),
        *("features", "confidence"),
    )
    category = _known(fields, "category", categories)
    document = _known(fields, "document", documents)
    antecedents = tuple(map(_antecedent, fields.tables("antecedents")))
    wanted = {len(antecedents)} if category.antecedent else {0, len(antecedents)}
    if wanted == {0} and category.antecedent:
        fields.refuse("antecedents", f"none, but they count in {category.name}", fix="name the antecedent")
    references = tuple(_reference(one, document, wanted) for one in fields.tables("references"))
    alternatives = tuple(_alternative(one, wanted) for one in fields.tables("alternatives"))
    if not references:
        fields.refuse("references", "none", fix="say what at least one reference has for the pronoun")
    return Item(
        fields.text("id"),
        document.id,
        category.name,
        _filled(fields, "pronoun"),
        antecedents,
        references,
        alternatives,
        fields.names("features"),
        fields.share("confidence"),
    )


def _known(fields: Fields, key: str, known: Mapping[str, T]) -> T:
    name = fields.text(key)
    if name not in known:
        raise UnknownNameError.among(name, known, kind=key, where=fields.where)
    return known[name]


def _antecedent(fields: Fields) -> Antecedent:
    fields.allow("span", "head")
    return Antecedent(_filled(fields, "span"), _filled(fields, "head"))


def _filled(fields: Fields, key: str) -> Place:
    place = fields.place(key)
    if not place:
        fields.refuse(key, "an empty place", fix="write [[start, end]] with the characters of the mention")
    return place


def _reference(fields: Fields, document: SuiteDocument, wanted: set[int]) -> ReferencePair:
    fields.allow("reference", "pronoun", "heads")
    _known(fields, "reference", document.references)
    heads = fields.places("heads")
    _check_heads(fields, len(heads), wanted)
    return ReferencePair(fields.text("reference"), fields.place("pronoun"), heads)


def _alternative(fields: Fields, wanted: set[int]) -> Alternative:
    fields.allow("pronoun", "heads", "by", "when")
    when = fields.text("when") if fields.has("when") else None
    if when is not None and not _is_date(when):
        fields.refuse("when", f"not a date: {when!r:.60}", fix="write year, month and day: 2016-05-23")
    heads = fields.texts("heads")
    _check_heads(fields, len(heads), wanted)
    return Alternative(fields.text("pronoun", ""), heads, fields.text("by"), when)


def _check_heads(fields: Fields, given: int, wanted: set[int]) -> None:
    if given not in wanted:
        fields.refuse(
            "heads", f"{given} heads for {max(wanted)} antecedents", fix="give the translation of every head"
        )


def _is_date(text: str) -> bool:
    try:
        return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(text))
    except ValueError:
        return False
