"""XLIFF 1.2 and 2.x. Inline elements stay in the text as they are written."""

from __future__ import annotations

from collections.abc import Mapping

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.formats.markup import XML_ESCAPES, Tag, check_xml, is_unclear, tags
from anaphor.check.units import (
    LONGEST_NAME,
    Content,
    LineIndex,
    Notes,
    Replacement,
    UnitFile,
    Units,
    shortened,
)
from anaphor.core import InputError, Span, Where

_UNITS = ("trans-unit", "unit")


class _Reader:
    """Walks through the tags of one file; `alt-trans` and `matches` hold texts that are not translations."""

    def __init__(self, content: Content, options: ReadOptions, units: Units) -> None:
        self.text, self.options, self.units = content.text, options, units
        self.index = LineIndex(content.text)
        self.languages = ["", ""]
        self.seen: set[tuple[str, ...]] = set()
        self.document = ""
        # The names down to each open group, and with that of the file: one string for all units inside.
        self.groups = [""]
        self.path: str | None = None
        self.unit: Tag | None = None
        self.identifier, self.translated = "", True
        self.segment = ""
        self.notes: list[str] = []
        self.shared_notes: Notes | None = None
        self.sides: dict[str, Span | None] = {}
        self.note_at: int | None = None
        self.ignored = 0
        self.opened: dict[str, Tag] = {}

    def walk(self) -> None:
        for tag in tags(self.text):
            if tag.name in ("alt-trans", "matches", "seg-source"):
                self.ignored += {"open": 1, "close": -1}.get(tag.kind, 0)
            elif not self.ignored:
                self.take(tag)

    def take(self, tag: Tag) -> None:
        name, kind = tag.name, tag.kind
        if name in ("xliff", "file") and kind != "close":
            source = tag.get("source-language") or tag.get("srcLang") or self.languages[0]
            target = tag.get("target-language") or tag.get("trgLang") or self.languages[1]
            self.languages = [source[:LONGEST_NAME], target[:LONGEST_NAME]]
            if name == "file":
                self.document, self.path = tag.get("original") or tag.get("id"), None
        elif name == "group":
            if kind == "open":
                own = tag.get("resname") or tag.get("name") or tag.get("id")
                self.groups.append(_joined(self.groups[-1], own))
            elif kind == "close" and len(self.groups) > 1:
                self.groups.pop()
            self.path = None
        elif name in _UNITS and kind == "open":
            if self.unit is not None:
                what = f"a unit is inside the unit {self.identifier}"
                place = Where(self.units.path, *self.index.place(tag.start))
                raise InputError(what, where=place, fix="export the file again")
            self.unit, self.notes, self.sides, self.note_at = tag, [], {}, None
            self.identifier = shortened(tag.get("id") or tag.get("resname") or tag.get("name"))
            self.translated = tag.get("translate") != "no"
            self.shared_notes = None
        elif name == "segment" and kind == "open" and self.unit is not None:
            self.segment, self.sides = tag.get("id"), {}
        elif name in ("source", "target", "note") and self.unit is not None:
            self.side(tag)
        elif kind == "close" and (name == "segment" or name == "trans-unit") and self.unit is not None:
            self.finish()
        if name in _UNITS and kind == "close":
            self.unit = None
        elif self.unit is not None and self.unit.name == "unit" and self.note_at is None:
            # XLIFF 2 has notes before the segments, inside <notes>.
            ends_notes = name == "notes" and kind == "close"
            begins_text = name in ("originalData", "segment", "ignorable") and kind == "open"
            self.note_at = tag.start if ends_notes or begins_text else None

    def side(self, tag: Tag) -> None:
        if tag.kind == "open":
            self.opened.setdefault(tag.name, tag)
            return
        opened = self.opened.pop(tag.name, None) if tag.kind == "close" else None
        if tag.name == "note":
            if opened is not None and opened.get("from") != "anaphor" and opened.get("category") != "anaphor":
                self.notes.append(XML_ESCAPES.plain(self.text[opened.end : tag.start]))
        elif tag.name not in self.sides:
            self.sides[tag.name] = None if opened is None else Span(opened.end, tag.start)
            if tag.name == "target" and self.unit is not None and self.unit.name == "trans-unit":
                self.note_at = tag.end

    def finish(self) -> None:
        assert self.unit is not None  # noqa: S101 - the caller has seen its opening tag
        own, self.sides = self.sides, {}
        self.seen.add(tuple(self.languages))
        source, target = own.get("source"), own.get("target")
        identifier = self.identifier
        if self.unit.name == "unit" and self.segment:
            identifier = shortened(f"{identifier}/{self.segment}")
        line = self.index.line((target or source or Span(self.unit.start, 0)).start)
        if not self.translated:
            return self.units.skip("marked translate=no", line=line, id=identifier)
        for side, language in zip(("source", "target"), self.languages, strict=True):
            if self.options.is_other(language, side=side):
                return self.units.skip(f"its {side} language is {language}", line=line, id=identifier)
        raw = [self.text[span.start : span.end] if span else "" for span in (source, target)]
        if any(map(is_unclear, raw)):
            return self.units.skip("a CDATA section with markup", line=line, id=identifier)
        if self.path is None:
            self.path = _joined(self.document, self.groups[-1])
        if self.shared_notes is None:
            self.shared_notes = Notes.of(self.notes)
        self.units.add(
            id=identifier,
            source=XML_ESCAPES.plain(raw[0]),
            target=XML_ESCAPES.plain(raw[1]),
            line=line,
            written=target or Span(0, 0),
            document=self.path,
            notes=self.shared_notes,
            note_at=self.note_at,
        )
        return None


def _joined(*names: str) -> str:
    return shortened("/".join(filter(None, names)))


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """The units of every file element."""
    check_xml(content)
    first = next(tags(content.text))
    if first.name != "xliff":
        what = f"the file is <{first.name}>, not <xliff>"
        raise InputError(what, where=content.path, fix="pass an XLIFF file of version 1.2 or 2")
    reader = _Reader(content, options, units)
    reader.walk()
    units.mixed = len({*reader.seen, tuple(reader.languages)}) > 1
    return reader.languages[0], reader.languages[1]


def annotate(file: UnitFile, notes: Mapping[int, str]) -> list[Replacement]:
    """A `<note>` for each unit that has findings, by the number of the unit."""
    places: dict[int, list[str]] = {}
    for unit in file.units:
        if unit.number in notes and unit.note_at is not None:
            places.setdefault(unit.note_at, []).append(XML_ESCAPES.encode(notes[unit.number]))
    text = file.content.text
    changes = []
    for at, written in places.items():
        if text.startswith("</notes", at):
            added = "".join(f'<note category="anaphor">{note}</note>' for note in written)
        elif text.endswith(("target>", "/>"), 0, at):
            added = "".join(f'<note from="anaphor">{note}</note>' for note in written)
        else:
            inside = "".join(f'<note category="anaphor">{note}</note>' for note in written)
            added = f"<notes>{inside}</notes>"
        changes.append(Replacement(Span(at, at), added))
    return changes


FORMAT = Format(
    "xliff",
    (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"),
    read,
    XML_ESCAPES,
    annotate=annotate,
)
