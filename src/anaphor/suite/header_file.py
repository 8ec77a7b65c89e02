"""`suite.toml`: everything about a suite but its items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.core import Category, LanguagePair, OptionError, Suite, SuiteDocument
from anaphor.corpus import Text
from anaphor.suite.fields import Fields, parse_toml

FORMAT = "anaphor-suite 1"
#: Names that are also names of files and folders: nothing in them can lead elsewhere.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_SOURCE = "source"


@dataclass(frozen=True, slots=True)
class Header:
    """A suite that has no items yet, and the digest that it should have with them; None if none is named."""

    suite: Suite
    digest: str | None


def parse_header(text: Text) -> Header:
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
    return Header(suite, fields.text("hash") if fields.has("hash") else None)


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
