"""XML with positions: where elements begin and end in the text, without building a tree.

A parser checks the file first: it must be well-formed and may declare neither document types nor entities, so
nothing can expand and nothing outside the file is read. A regular expression then finds every tag in the
validated text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.parsers import expat

from anaphor.check.units import Content, Escapes
from anaphor.core import InputError, Where
from anaphor.corpus.markup import character

_MOST_LEVELS = 100
_UNITS = frozenset({"trans-unit", "unit", "tu"})
_FIX = "export the file again; a file that was cut off ends inside an element"
_TOKEN = re.compile(
    r"<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<(?P<close>/?)(?P<name>[^\s/>]+)"
    r"(?P<attributes>(?:\s+[^\s=]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))*)\s*(?P<empty>/?)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"([^\s=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.DOTALL)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]+)|#x([0-9a-fA-F]+));")
_DECLARED = re.compile(r"<\?xml[^>]*\bencoding\s*=\s*[\"']([^\"']+)")


def _decoded(raw: str) -> str:
    match = _ENTITY.fullmatch(raw)
    # Anything else is a comment, an instruction, or the ends of a CDATA section.
    return "" if match is None else character(match)


def _encoded(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


#: Tags inside a text stay as they are written; comments disappear. One that does not end is text of a CDATA
#: section, which `is_unclear`; looking for its end at every beginning would take the square of its length.
XML_ESCAPES = Escapes(
    re.compile(rf"{_ENTITY.pattern}|<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)|<!\[CDATA\[|\]\]>", re.DOTALL),
    _decoded,
    _encoded,
)


def is_unclear(raw: str) -> bool:
    """Whether a CDATA section contains what would be an entity, a comment or an instruction outside it."""
    return "<![CDATA[" in raw and any(mark in raw for mark in ("&", "<!--", "<?"))


class Tag(NamedTuple):
    """An opening, closing or empty tag; `name` is without its namespace prefix."""

    kind: str
    name: str
    start: int
    end: int
    raw: str

    def get(self, attribute: str, default: str = "") -> str:
        """The value of an attribute, with or without a prefix in the file."""
        for match in _ATTRIBUTE.finditer(self.raw):
            if match[1] == attribute or match[1].rpartition(":")[2] == attribute:
                return XML_ESCAPES.plain(match[2] if match[2] is not None else match[3])
        return default


def check_xml(content: Content) -> None:
    """Reject XML that is not well-formed, too deep, or declares a document type or another encoding."""
    if (declared := _DECLARED.match(content.text.removeprefix("\ufeff"))) and declared[1].lower() not in (
        *("utf-8", "utf8"),
        *("us-ascii", "ascii"),
    ):
        what = f"the file declares the encoding {declared[1]}"
        raise InputError(what, where=Where(content.path, 1), fix="save it as UTF-8")
    parser = expat.ParserCreate("UTF-8")
    depth, unit = 0, ""

    def refuse(*_: object) -> None:
        what = "the file declares a document type or an entity, which is refused for safety"
        fix = "remove the <!DOCTYPE ...> declaration and write out the entities it declares"
        raise InputError(what, where=Where(content.path, parser.CurrentLineNumber), fix=fix)

    def opened(name: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth, unit
        depth += 1
        if name.rpartition(":")[2] in _UNITS:
            unit = attributes.get("id") or attributes.get("tuid") or unit
        if depth > _MOST_LEVELS:
            what = "elements are nested too deeply"
            raise InputError(what, where=Where(content.path, parser.CurrentLineNumber), fix=_FIX)

    def closed(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content.text.removeprefix("\ufeff").encode("utf-8"), True)
    except expat.ExpatError as error:
        after = f", in or after unit {unit}" if unit else ""
        what = f"not well-formed XML: {expat.ErrorString(error.code)}{after}"
        place = Where(content.path, error.lineno, error.offset + 1)
        raise InputError(what, where=place, fix=_FIX) from error


def tags(text: str) -> Iterator[Tag]:
    """The tags of a text that `check_xml` has accepted, in order."""
    for match in _TOKEN.finditer(text):
        name = match["name"]
        if name is None:  # a comment, an instruction or a CDATA section
            continue
        kind = "close" if match["close"] else "empty" if match["empty"] else "open"
        yield Tag(kind, name.rpartition(":")[2], match.start(), match.end(), match["attributes"] or "")
