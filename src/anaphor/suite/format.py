"""The two files of a suite: `suite.toml`, the header, and `items.jsonl`, one JSON object per item.

`docs/suites/format.md` describes both. Equal suites give identical text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from functools import cache
from typing import Any, TypeVar

from anaphor import core
from anaphor.core import Span, Suite, TextPlace
from anaphor.core.records import Record
from anaphor.corpus import Text

FORMAT = "anaphor-suite 1"
DOCS = "docs/suites/format.md"
#: Names that are also names of files and folders: they cannot contain a path that leads elsewhere.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SOURCE = "source"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
T = TypeVar("T")


class SuiteRecord(Record):
    """A record with character spans."""

    __slots__ = ()

    def place(self, key: str) -> TextPlace:
        """A list of spans `[start, end]`, ascending and not overlapping; an empty list is an empty place."""
        value = self.raw(key)
        if not isinstance(value, list):
            self.refuse(key, f"not a list of [start, end]: {value!r:.60}")
        last = 0
        spans = []
        for piece in value:
            match piece:
                # JSON's `false` is an int to Python, and 0 == False.
                case [int(start), int(end)] if last <= start < end and start is not False:
                    spans.append(Span(start, end))
                    last = end
                case _:
                    self.refuse(
                        key, f"not a valid character span, or reversed or out of order: {piece!r:.60}"
                    )
        return tuple(spans)

    def filled_place(self, key: str) -> TextPlace:
        """A place with at least one span."""
        place = self.place(key)
        if not place:
            self.refuse(key, "an empty place", fix="write [[start, end]] with the characters of the mention")
        return place

    def names(self, key: str) -> dict[str, str]:
        """A table of strings; empty if the key is absent."""
        table = self.table(key, {})
        return {name: table.text(name, one_line=True) for name in table}

    def known(self, key: str, known: Mapping[str, T]) -> T:
        """The value for a name."""
        name = self.text(key, one_line=True)
        if name not in known:
            raise core.UnknownNameError.among(name, known, kind=key, where=self.where)
        return known[name]


def parse_header(text: Text) -> tuple[Suite, str | None]:
    """The text of a `suite.toml`: a suite without items, and the digest it should have with them, if any."""
    record = SuiteRecord.from_toml("\n".join(text.lines), file=text.path, docs=DOCS)
    record.allow(
        *("format", "name", "version", "pair", "licence", "description", "hash"), "category", "document"
    )
    if record.text("format") != FORMAT:
        record.refuse("format", f"unknown: {record.text('format')}", fix=f'write format = "{FORMAT}"')
    try:
        pair = core.LanguagePair.parse(record.text("pair"))
    except core.OptionError as error:
        record.refuse("pair", error.what, fix=error.fix)
    categories = []
    for table in record.tables("category", []):
        table.allow("name", "antecedent", "description")
        name, description = table.text("name", one_line=True), table.text("description", "", one_line=True)
        categories.append(core.Category(name, table.flag("antecedent"), description))
    suite = Suite(
        record.text("name", one_line=True),
        record.text("version", one_line=True),
        pair,
        record.text("licence", one_line=True),
        record.text("description", "", one_line=True),
        tuple(categories),
        tuple(map(_document, record.tables("document", []))),
        (),
    )
    for key, names in (
        ("category", [category.name for category in suite.categories]),
        ("document", [document.id for document in suite.documents]),
    ):
        if not names:
            record.refuse(key, "missing", fix=f"describe at least one in [[{key}]]")
        for number, name in enumerate(names):
            if name in names[:number]:
                record.refuse(key, f"{name} is defined twice", fix="keep one of the two")
    return suite, record.text("hash", one_line=True) if "hash" in record else None


def _document(record: SuiteRecord) -> core.SuiteDocument:
    record.allow("id", "segments", "source", "references")
    references = record.names("references")
    for name in (record.text("id"), *references):
        if not _NAME.fullmatch(name) or name == _SOURCE:
            record.refuse(
                "id, references",
                f"not a valid file name: {name!r:.60}",
                fix="use letters, digits, dots, hyphens and underscores, and not the name source",
            )
    segments = record.integer("segments", low=1)
    return core.SuiteDocument(record.text("id"), segments, record.text("source", one_line=True), references)


def format_header(suite: Suite, digest: str | None) -> str:
    """The text of a `suite.toml`."""
    header = {"format": FORMAT, "name": suite.name, "version": suite.version, "pair": str(suite.pair)}
    header |= {"licence": suite.licence, "description": suite.description, "hash": digest or ""}
    lines = _toml_lines(header)
    for title, records in (("category", suite.categories), ("document", suite.documents)):
        for record in records:
            lines += [f"\n[[{title}]]", *_toml_lines(_record(record))]
    return "".join(f"{line}\n" for line in lines)


def _toml_lines(record: Mapping[str, object]) -> list[str]:
    """The keys of a table, without those whose text is empty."""
    return [f"{key} = {_toml(value)}" for key, value in record.items() if value != ""]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml(name)} = {_toml(entry)}' for name, entry in value.items())} }}"
    # JSON writes text, numbers and truth values in the same way, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def with_items(suite: Suite, text: Text, *, referenced: bool = True) -> Suite:
    """The suite of a header with the items of a file; an item that does not fit the header is an error.

    With `referenced` every item must be translated in a reference, which evaluation needs.
    """
    categories = {category.name: category for category in suite.categories}
    documents = {document.id: document for document in suite.documents}
    items: dict[str, core.Item] = {}
    for record in SuiteRecord.from_json_lines(text.lines, path=text.path, docs=DOCS):
        item = _item(record, categories, documents)
        if referenced and not item.references:
            fix = "provide the translation of the pronoun in at least one reference"
            record.refuse("references", "none", fix=fix)
        if item.id in items:
            record.refuse("id", f"{item.id} is used twice", fix="give every item its own id")
        items[item.id] = item
    return replace(suite, items=tuple(items.values()))


def _item(
    record: SuiteRecord, categories: Mapping[str, core.Category], documents: Mapping[str, core.SuiteDocument]
) -> core.Item:
    record.allow(
        *("id", "document", "category", "pronoun", "antecedents", "references", "alternatives"),
        *("features", "confidence"),
    )
    category = record.known("category", categories)
    document = record.known("document", documents)
    antecedents = []
    for table in record.tables("antecedents", []):
        table.allow("span", "head")
        antecedents.append(core.Antecedent(table.filled_place("span"), table.filled_place("head")))
    if category.antecedent and not antecedents:
        record.refuse("antecedents", f"none, but they count in {category.name}", fix="name the antecedent")
    # Where antecedents do not count, their translations may be left out.
    wanted = {len(antecedents)} if category.antecedent else {0, len(antecedents)}
    references = []
    for table in record.tables("references", []):
        table.allow("reference", "pronoun", "heads")
        table.known("reference", document.references)
        places = table.elements("heads", [])
        heads = tuple(places.place(index) for index in places)
        _check_heads(table, len(heads), wanted)
        references.append(core.ReferencePair(table.text("reference"), table.place("pronoun"), heads))
    alternatives = tuple(_alternative(table, wanted) for table in record.tables("alternatives", []))
    unconfirmed = "confidence" in record and record.raw("confidence") is not None
    return core.Item(
        record.text("id", one_line=True),
        document.id,
        category.name,
        record.filled_place("pronoun"),
        tuple(antecedents),
        tuple(references),
        alternatives,
        record.names("features"),
        record.number("confidence", low=0, high=1) if unconfirmed else None,
    )


def _alternative(record: SuiteRecord, wanted: set[int]) -> core.Alternative:
    record.allow("pronoun", "heads", "by", "when")
    when = record.text("when", one_line=True) if "when" in record else None
    if when is not None:
        try:
            valid = _DATE.fullmatch(when) is not None and bool(date.fromisoformat(when))
        except ValueError:
            valid = False
        if not valid:
            record.refuse("when", f"not a date: {when!r:.60}", fix="write year, month and day: 2016-05-23")
    heads = record.texts("heads", [], one_line=True)
    _check_heads(record, len(heads), wanted)
    return core.Alternative(
        record.text("pronoun", "", one_line=True), heads, record.text("by", one_line=True), when
    )


def _check_heads(record: SuiteRecord, given: int, wanted: set[int]) -> None:
    if given not in wanted:
        record.refuse(
            "heads",
            f"{given} heads for {max(wanted)} antecedents",
            fix="provide the translation of every head",
        )


def format_items(suite: Suite) -> str:
    """The text of an `items.jsonl`."""
    return "".join(f"{format_item(item)}\n" for item in suite.items)


def format_item(item: core.Item) -> str:
    """One line; empty fields are omitted, except for a pronoun that a reference leaves untranslated."""
    record = _record(item) | {
        "antecedents": list(map(_record, item.antecedents)),
        "references": [_filled(_record(reference), always="pronoun") for reference in item.references],
        "alternatives": [_filled(_record(alternative)) for alternative in item.alternatives],
        "features": dict(sorted(item.features.items())),
    }
    return json.dumps(_filled(record), ensure_ascii=False)


def _record(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by their names, which are the keys of the format."""
    kind: Any = type(value)
    return {name: getattr(value, name) for name in _names(kind)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _filled(record: Mapping[str, Any], *, always: str = "") -> dict[str, Any]:
    return {
        key: value for key, value in record.items() if key == always or value not in (None, "", (), [], {})
    }
