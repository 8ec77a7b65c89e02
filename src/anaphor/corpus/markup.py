"""Elements of a marked-up test set, and XML read into them with everything risky switched off.

WMT XML and SGM share the elements; SGM is not XML and has its own scanner in `sgm.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from anaphor.core import InputError, Where
from anaphor.corpus.reading import decode

MAX_DEPTH = 32
_XML_FIX = "repair the XML, or write it again with the tool it came from"


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with its attributes, the text directly inside it in pieces, and the elements inside it."""

    tag: str
    attributes: dict[str, str]
    where: Where
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def require(self, attribute: str) -> str:
        """The value of an attribute that must be there and must not be blank."""
        value = self.attributes.get(attribute, "")
        if not value.strip():
            raise InputError(
                f"<{self.tag}> has no {attribute}",
                where=self.where,
                fix=f'write <{self.tag} {attribute}="...">',
            )
        return value

    def only(self, *tags: str) -> list[Element]:
        """The children, after making sure that they have these tags and that there is no text beside them."""
        if self.text.strip():
            raise InputError(
                f"there is text in <{self.tag}> outside a segment: {self.text.strip()[:40]!r}",
                where=self.where,
                fix="put the text of each segment into <seg> and </seg>",
            )
        for child in self.children:
            if child.tag not in tags:
                raise InputError(
                    f"<{child.tag}> cannot stand in <{self.tag}>",
                    where=child.where,
                    fix=f"only these can: {', '.join(tags)}",
                )
        return self.children


def segments_of(element: Element, *, groups: tuple[str, ...]) -> dict[str, str]:
    """The text of every `<seg>` by its id, directly inside an element or inside one of its groups."""
    found: dict[str, str] = {}
    for seg in _segs(element, groups):
        number = seg.require("id")
        if number in found:
            raise InputError(
                f"segment {number} occurs twice in its document",
                where=seg.where,
                fix="give each segment of a document its own id",
            )
        found[number] = _plain(seg)
    return found


def _segs(element: Element, groups: tuple[str, ...]) -> Iterator[Element]:
    for child in element.only("seg", *groups):
        yield from [child] if child.tag == "seg" else child.only("seg")


def _plain(seg: Element) -> str:
    for child in seg.children:
        raise InputError(
            f"<{child.tag}> cannot stand in <seg>",
            where=child.where,
            fix="leave only the text in the segment",
        )
    return seg.text


def parse_xml(data: bytes, *, path: str) -> Element:
    """The root element of an XML file.

    Document types and entity declarations are refused, so that no entity can expand and nothing
    outside the file is ever read; nesting is bounded. The text must be UTF-8, whatever it declares.
    """
    decode(data, path=path)
    builder = _Builder(path)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            where=Where(path, error.lineno, error.offset + 1),
            fix=_XML_FIX,
        ) from error
    return builder.root.children[0]


class _Builder:
    """Collects elements while the parser walks through the file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root = Element("", {}, Where(path))
        self.open = [self.root]
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def where(self) -> Where:
        return Where(self.path, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) > MAX_DEPTH:
            raise InputError("elements are nested too deeply", where=self.where(), fix=_XML_FIX)
        element = Element(tag, attributes, self.where())
        self.open[-1].children.append(element)
        self.open.append(element)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        self.open[-1].pieces.append(text)

    def refuse(self, *_declaration: object) -> None:
        raise InputError(
            "the file declares a document type or an entity, which is refused for safety",
            where=self.where(),
            fix="remove the <!DOCTYPE ...> declaration and write out the entities it declares",
        )
