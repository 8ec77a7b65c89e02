"""Marked-up test sets: the XML of WMT since 2021, and the SGML of the older WMT and NIST campaigns.

`docs/formats.md` describes both. XML is read with all risky features switched off. SGM files are not XML: `&`
and `<` may be unescaped in a segment, and tags may be upper-case. The scanner allows only these deviations.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, Where
from anaphor.corpus.bundle import DocumentVersion, Inputs, TextRole, assemble
from anaphor.corpus.text import decode

MAX_DEPTH = 32
_XML_FIX = "repair the XML, or export it again"
_SKIPPED = re.compile(r"\s+|<!--.*?-->|<\?[^<>]*\?>|<!DOCTYPE[^<>\[\]]*>", re.DOTALL | re.IGNORECASE)
# The lengths are bounded so that no tag, however long, takes more than a moment to search.
_TAG = re.compile(r"<(/?)([A-Za-z]{1,20})((?:\s[^<>]{0,2000})?)>")
_ATTRIBUTE = re.compile(r"""([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_SEG_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_INSIDE_SEG = re.compile(r"</?(?:seg|p|hl|doc|srcset|refset|tstset|mteval)[\s>]", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_MOST_DIGITS = 7
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_SGM_ROLES = {"srcset": TextRole.SOURCE, "refset": TextRole.REFERENCE, "tstset": TextRole.CANDIDATE}
_SGM_NAMES = ("sysid", "refid")
# wmt-wrap leaves the translator out where there is one reference only.
_ONLY_TRANSLATOR = "default"


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
        """The value of a required attribute, which must not be blank."""
        value = self.attributes.get(attribute, "")
        if not value.strip():
            what = f"<{self.tag}> has no {attribute}"
            raise InputError(what, where=self.where, fix=f'write <{self.tag} {attribute}="...">')
        return value

    def only(self, *tags: str) -> list[Element]:
        """The children, after making sure that they have these tags, without text between them."""
        if self.text.strip():
            what = f"there is text in <{self.tag}> outside a segment: {self.text.strip()[:40]!r}"
            raise InputError(what, where=self.where, fix="put the text of each segment into <seg> and </seg>")
        for child in self.children:
            if child.tag not in tags:
                what = f"<{child.tag}> is not allowed in <{self.tag}>"
                raise InputError(what, where=child.where, fix=f"allowed here: {', '.join(tags)}")
        return self.children

    def nested(self, *tags: str, groups: Sequence[str]) -> Iterator[Element]:
        """The elements with these tags, directly inside this one or inside one of its groups."""
        for child in self.only(*groups, *tags):
            yield from child.only(*tags) if child.tag in groups else (child,)


def segments_of(element: Element, *, groups: tuple[str, ...]) -> dict[str, str]:
    """The text of every `<seg>` by its id, directly inside an element or inside one of its groups."""
    segments: dict[str, str] = {}
    for seg in element.nested("seg", groups=groups):
        number = seg.require("id")
        if number in segments:
            what = f"segment {number} occurs twice in its document"
            raise InputError(what, where=seg.where, fix="assign a unique id to each segment of a document")
        for child in seg.children:
            what = f"<{child.tag}> is not allowed in <seg>"
            raise InputError(what, where=child.where, fix="leave only the text in the segment")
        segments[number] = seg.text
    return segments


def parse_xml(data: bytes, *, path: str) -> Element:
    """The root element of an XML file.

    Document types and entity declarations are rejected, so no entity can expand and no external file is ever
    read; nesting depth is limited. The text must be UTF-8, whatever it declares.
    """
    decode(data, path=path)
    builder = _Builder(path)
    try:
        builder.parser.Parse(data, True)
    except expat.ExpatError as error:
        what = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise InputError(what, where=Where(path, error.lineno, error.offset + 1), fix=_XML_FIX) from error
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
        what = "the file declares a document type or an entity, which is refused for safety"
        fix = "remove the <!DOCTYPE ...> declaration and write out the entities it declares"
        raise InputError(what, where=self.where(), fix=fix)


def parse_sgm(files: Iterable[tuple[str, bytes]], *, path: str, pair: LanguagePair) -> Inputs:
    """One test set from the names and bytes of one or more files."""
    versions: list[DocumentVersion] = []
    for name, data in files:
        root = _Scanner(decode(data, path=name), name).scan()
        for part in root.nested(*_SGM_ROLES, groups=("mteval",)):
            versions += _sgm_versions(part, pair)
    return assemble(versions, path=path)


def _sgm_versions(part: Element, pair: LanguagePair) -> Iterator[DocumentVersion]:
    for attribute, expected in (("srclang", pair.source), ("trglang", pair.target)):
        # WMT writes `any` for a source language that differs from document to document.
        stated = part.attributes.get(attribute, "any").lower()
        if stated not in ("any", expected):
            what = f"<{part.tag}> has {attribute} {stated}, but the language pair says {expected}"
            raise MismatchError(what, where=part.where, fix="pass the language pair of the file")
    role = _SGM_ROLES[part.tag]
    for document in part.only("doc"):
        segments = segments_of(document, groups=("p", "hl"))
        identifier = document.require("docid")
        places = (
            (attributes, key) for attributes in (document.attributes, part.attributes) for key in _SGM_NAMES
        )
        name = next((attributes[key] for attributes, key in places if attributes.get(key, "").strip()), "")
        if role is TextRole.SOURCE:
            name = ""
        elif not name:
            name = "ref" if role is TextRole.REFERENCE else document.require("sysid")
        yield DocumentVersion(identifier, role, name, segments, document.where)


class _Scanner:
    """Walks through one file and builds its elements; every fault carries its line and column."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        # Known in advance, so that each element gets its line without counting from the start.
        self.line_ends = [match.start() for match in re.finditer("\n", text)]
        self.root = Element("file", {}, Where(path))
        self.open = [self.root]

    def scan(self) -> Element:
        at = 0
        while at < len(self.text):
            skipped = _SKIPPED.match(self.text, at)
            at = skipped.end() if skipped else self.tag(at)
        if len(self.open) > 1:
            what = f"<{self.open[-1].tag}> is never closed"
            raise InputError(what, where=self.open[-1].where, fix="complete the file")
        return self.root

    def tag(self, at: int) -> int:
        """Read the tag at a position, and a whole segment if it opens one; return the position after it."""
        match = _TAG.match(self.text, at)
        if match is None:
            raise self.fault(f"text outside a segment: {self.text[at : at + 40]!r}", at)
        tag = match[2].lower()
        if match[1]:
            if self.open[-1].tag != tag or len(self.open) == 1:
                raise self.fault(f"</{tag}> does not match an open tag", at)
            self.open.pop()
            return match.end()
        attributes = {
            attribute[1].lower(): _ENTITY.sub(character, attribute[2] or attribute[3] or attribute[4] or "")
            for attribute in _ATTRIBUTE.finditer(match[3])
        }
        element = Element(tag, attributes, self.where(at))
        self.open[-1].children.append(element)
        if tag == "seg":
            return self.segment(element, match.end())
        if len(self.open) > MAX_DEPTH:
            raise self.fault("elements are nested too deeply", at)
        self.open.append(element)
        return match.end()

    def segment(self, element: Element, start: int) -> int:
        end = _SEG_END.search(self.text, start)
        if end is None or _INSIDE_SEG.search(self.text, start, end.start()):
            raise InputError("<seg> is never closed", where=element.where, fix="end the segment with </seg>")
        element.pieces.append(_ENTITY.sub(character, self.text[start : end.start()].strip(" \t\n")))
        return end.end()

    def where(self, at: int) -> Where:
        line = bisect_left(self.line_ends, at)
        start = self.line_ends[line - 1] + 1 if line else 0
        return Where(self.path, line + 1, at - start + 1)

    def fault(self, what: str, at: int) -> InputError:
        return InputError(what, where=self.where(at), fix="fix the nesting of set, doc, p and seg here")


def character(match: re.Match[str]) -> str:
    """The character of an entity, by its name, number or hexadecimal number in the groups of the match.

    A number that is not a character stays as it is written.
    """
    if match[1]:
        return _ENTITIES[match[1]]
    digits = (match[2] or match[3]).lstrip("0")
    number = int(digits or "0", 10 if match[2] else 16) if len(digits) <= _MOST_DIGITS else 0
    is_character = 0 < number < 0xD800 or 0xDFFF < number < 0x110000
    return chr(number) if is_character else match[0]


def parse_wmt_xml(data: bytes, *, path: str, pair: LanguagePair) -> Inputs:
    """All documents of all collections, one after the other.

    Test suites travel in the same files without references. Documents marked `testsuite` that have
    no reference in the target language are left out with a warning.
    """
    root = parse_xml(data, path=path)
    if root.tag != "dataset":
        what = f"the file is <{root.tag}>, not <dataset>"
        raise InputError(what, where=root.where, fix="pass a WMT test set")
    versions, left_out = list[DocumentVersion](), 0
    for document in root.nested("doc", groups=("collection",)):
        texts = list(_xml_versions(document, pair))
        if "testsuite" in document.attributes and not any(v.role is TextRole.REFERENCE for v in texts):
            left_out += 1
        else:
            versions += texts
    if left_out:
        what = f"{path}: left out {left_out} test-suite documents without a reference"
        warnings.warn(what, InputWarning, stacklevel=2)
    return assemble(versions, path=path)


def _xml_versions(document: Element, pair: LanguagePair) -> Iterator[DocumentVersion]:
    identifier = document.require("id")
    for child in document.only("src", "ref", "hyp", "supplemental"):
        if child.tag == "supplemental":
            continue
        # The language without its region (`en` for `en_US`), or None where the file does not say.
        stated = child.attributes.get("lang", child.attributes.get("language"))
        language = None if stated is None else stated.replace("_", "-").partition("-")[0].lower()
        if child.tag == "src":
            if language not in (None, pair.source):
                what = f"the source is in {language}, the language pair is {pair}"
                raise MismatchError(what, where=child.where, fix="pass the language pair of the file")
            role, name = TextRole.SOURCE, ""
        elif language not in (None, pair.target):
            continue
        elif child.tag == "ref":
            role, name = TextRole.REFERENCE, child.attributes.get("translator", _ONLY_TRANSLATOR)
        else:
            role, name = TextRole.CANDIDATE, child.require("system")
        yield DocumentVersion(identifier, role, name, segments_of(child, groups=("p",)), child.where)
