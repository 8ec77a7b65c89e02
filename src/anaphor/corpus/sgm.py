"""Test sets in the SGML of the older WMT and NIST campaigns (`.sgm`).

    <srcset setid="s" srclang="en"><doc docid="d1"><p><seg id="1">...</seg></p></doc></srcset>
    <refset setid="s" srclang="en" trglang="fr"><doc docid="d1" sysid="ref">...</doc></refset>
    <tstset setid="s" srclang="en" trglang="fr"><doc docid="d1" sysid="X">...</doc></tstset>

Usually each set is a file of its own; they are read together from one folder, or from one file that
has them one after the other. The files are not XML: `&` and `<` may stand unescaped in a segment, tags
may be in capitals. The scanner allows that and nothing else. It knows the five entities of XML and
character numbers; a document type that points elsewhere is passed over and never read. Space at the
ends of a segment is layout and is dropped, as the campaigns' scorer does.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from anaphor.core import InputError, LanguagePair, MismatchError, Where
from anaphor.corpus.bundle import Bundle, Role, Version, assemble
from anaphor.corpus.markup import MAX_DEPTH, Element, segments_of
from anaphor.corpus.reading import decode

_SKIPPED = re.compile(r"\s+|<!--.*?-->|<\?[^<>]*\?>|<!DOCTYPE[^<>\[\]]*>", re.DOTALL | re.IGNORECASE)
# The lengths are bounded so that no tag, however long, takes more than a moment to search.
_TAG = re.compile(r"<(/?)([A-Za-z]{1,20})((?:\s[^<>]{0,2000})?)>")
_ATTRIBUTE = re.compile(r"""([A-Za-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))""")
_SEG_END = re.compile(r"</seg\s*>", re.IGNORECASE)
_INSIDE_SEG = re.compile(r"</?(?:seg|p|hl|doc|srcset|refset|tstset|mteval)[\s>]", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ROLES = {"srcset": Role.SOURCE, "refset": Role.REFERENCE, "tstset": Role.CANDIDATE}
_GROUPS = ("p", "hl")


def parse_sgm(files: Iterable[tuple[str, bytes]], *, path: str, pair: LanguagePair) -> Bundle:
    """One test set from the names and bytes of one or more files."""
    versions: list[Version] = []
    for name, data in files:
        for part in _sets(_Scanner(decode(data, path=name), name).scan()):
            versions += _versions(part, pair)
    return assemble(versions, path=path)


def _sets(root: Element) -> Iterator[Element]:
    for child in root.only("mteval", *_ROLES):
        yield from child.only(*_ROLES) if child.tag == "mteval" else [child]


def _versions(part: Element, pair: LanguagePair) -> Iterator[Version]:
    _check_language(part, "srclang", pair.source)
    _check_language(part, "trglang", pair.target)
    for document in part.only("doc"):
        segments = segments_of(document, groups=_GROUPS)
        yield Version(
            document.require("docid"), _ROLES[part.tag], _name(part, document), segments, document.where
        )


def _name(part: Element, document: Element) -> str:
    if part.tag == "srcset":
        return ""
    for attributes in (document.attributes, part.attributes):
        for key in ("sysid", "refid"):
            if attributes.get(key, "").strip():
                return attributes[key]
    return "ref" if part.tag == "refset" else document.require("sysid")


def _check_language(part: Element, attribute: str, expected: str) -> None:
    """WMT writes `any` for a source language that differs from document to document."""
    stated = part.attributes.get(attribute, "any").lower()
    if stated not in ("any", expected):
        raise MismatchError(
            f"<{part.tag}> has {attribute} {stated}, the language pair says {expected}",
            where=part.where,
            fix="give the language pair of the file",
        )


class _Scanner:
    """Walks through one file and builds its elements; every fault carries its line and column."""

    def __init__(self, text: str, path: str) -> None:
        self.text = text
        self.path = path
        self.line_ends = [match.start() for match in re.finditer("\n", text)]
        self.root = Element("file", {}, Where(path))
        self.open = [self.root]

    def scan(self) -> Element:
        at = 0
        while at < len(self.text):
            skipped = _SKIPPED.match(self.text, at)
            at = skipped.end() if skipped else self.tag(at)
        if len(self.open) > 1:
            raise InputError(
                f"<{self.open[-1].tag}> is never closed", where=self.open[-1].where, fix="complete the file"
            )
        return self.root

    def tag(self, at: int) -> int:
        """Read the tag at a place, and a whole segment if it opens one; the place after it."""
        match = _TAG.match(self.text, at)
        if match is None:
            raise self.fault(f"neither a tag nor in a segment: {self.text[at : at + 40]!r}", at)
        closing, tag = bool(match[1]), match[2].lower()
        if closing:
            self.close(tag, at)
            return match.end()
        element = Element(tag, _attributes(match[3]), self.where(at))
        self.open[-1].children.append(element)
        if tag == "seg":
            return self.segment(element, match.end())
        if len(self.open) > MAX_DEPTH:
            raise self.fault("elements are nested too deeply", at)
        self.open.append(element)
        return match.end()

    def close(self, tag: str, at: int) -> None:
        if self.open[-1].tag != tag or len(self.open) == 1:
            raise self.fault(f"</{tag}> closes what is not open", at)
        self.open.pop()

    def segment(self, element: Element, start: int) -> int:
        end = _SEG_END.search(self.text, start)
        if end is None or _INSIDE_SEG.search(self.text, start, end.start()):
            raise InputError("<seg> is never closed", where=element.where, fix="end the segment with </seg>")
        element.pieces.append(_ENTITY.sub(_character, self.text[start : end.start()].strip(" \t\n")))
        return end.end()

    def where(self, at: int) -> Where:
        line = bisect_left(self.line_ends, at)
        start = self.line_ends[line - 1] + 1 if line else 0
        return Where(self.path, line + 1, at - start + 1)

    def fault(self, what: str, at: int) -> InputError:
        return InputError(
            what, where=self.where(at), fix="repair the nesting of set, doc, p and seg at this place"
        )


def _attributes(text: str) -> dict[str, str]:
    return {
        match[1].lower(): _ENTITY.sub(_character, match[2] or match[3] or match[4] or "")
        for match in _ATTRIBUTE.finditer(text)
    }


def _character(match: re.Match[str]) -> str:
    """The character of an entity; a number that is no character stays as it is written."""
    if match[1]:
        return _NAMED[match[1]]
    number = int(match[2]) if match[2] else int(match[3], 16)
    is_character = 0 < number < 0xD800 or 0xDFFF < number < 0x110000
    return chr(number) if is_character else match[0]
