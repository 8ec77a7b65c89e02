"""Units of a translated file: source, target, metadata, and the position of the target.

Every format yields the same units, and a copy with changed targets or added notes is the text of the file
with some characters replaced: the rest is identical, byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from anaphor.core import InputError, Span, Where, digest
from anaphor.corpus.text import decode, display_name, is_file, read_bytes
from anaphor.files.folders import is_utf8

#: Larger files are refused: no tool of translators writes them, and each is held in memory as a whole.
LARGEST_FILE = 256 << 20
#: A longer unit is a whole document that was never segmented.
LONGEST_UNIT = 20_000
#: Longer names of documents and units are shortened: what is written once may name thousands of units.
LONGEST_NAME = 1000


class Content(NamedTuple):
    """A file as text, line ends and byte order mark included."""

    path: str
    text: str

    @classmethod
    def read(cls, path: str) -> Content:
        """The content of a file that is UTF-8 and not too large."""
        name = display_name(path)
        if not is_utf8(name):
            what = "the name of the file is not UTF-8"
            raise InputError(what, where=name, fix="rename the file or its folder")
        # A huge file is refused before it is in memory; what was compressed, after it was read.
        if is_file(path):
            _check_size(Path(path).stat().st_size, name)
        data = read_bytes(path)
        _check_size(len(data), name)
        if (at := data.find(b"\0")) >= 0:
            what = "the file has a NUL byte, so it is not UTF-8 text"
            raise InputError(what, where=Where(name, data.count(b"\n", 0, at) + 1), fix="save it as UTF-8")
        return cls(name, decode(data, path=name))


def _check_size(size: int, name: str) -> None:
    if size > LARGEST_FILE:
        what = f"the file has {size >> 20} MiB, more than {LARGEST_FILE >> 20}"
        raise InputError(what, where=name, fix="split it into several files")


class LineIndex:
    """Line and column, from 1, of characters of a text."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text)]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column of a character."""
        line = bisect_right(self._ends, at - 1)
        return line + 1, at - (self._ends[line - 1] + 1 if line else 0) + 1

    def line(self, at: int) -> int:
        return self.place(at)[0]


class Escapes(NamedTuple):
    """How a format escapes special characters: `&amp;`, `\\n`, `""`.

    `decode` returns the characters for a match of `pattern`, and `encode` escapes any text.
    """

    pattern: re.Pattern[str] | None = None
    decode: Callable[[str], str] = str
    encode: Callable[[str], str] = str

    def plain(self, raw: str) -> str:
        """The text that is written."""
        return self.pattern.sub(lambda match: self.decode(match[0]), raw) if self.pattern else raw

    def offsets(self, raw: str) -> list[int]:
        """The offset in `raw` of each character of the plain text, and the end of the last one."""
        if self.pattern is None:
            return list(range(len(raw) + 1))
        offsets: list[int] = []
        at = 0
        for match in self.pattern.finditer(raw):
            offsets += range(at, match.start())
            offsets += [match.start()] * len(self.decode(match[0]))
            at = match.end()
        return [*offsets, *range(at, len(raw) + 1)]


@dataclass(frozen=True, slots=True)
class Unit:
    """One source text with its translation.

    `written` are the characters of the target in the text of the file, with its escapes. `number` counts the
    units of the file from 0. Information that the file lacks is empty.
    """

    number: int
    id: str
    source: str
    target: str
    line: int
    written: Span
    document: str = ""
    speaker: str = ""
    listener: str = ""
    notes: tuple[str, ...] = ()
    #: Where a writer may put a note, in the text of the file.
    note_at: int | None = None


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of a unit, and the speaker, listener and scene that they name; its segments share them."""

    lines: tuple[str, ...]
    named: Mapping[str, str]

    @classmethod
    def of(cls, notes: Iterable[str]) -> Notes:
        lines = tuple(note for note in notes if note)
        return cls(lines, {name: shortened(value) for note in lines for name, value in directions(note)})


class Skipped(NamedTuple):
    """A unit that is not checked, and why."""

    reason: str
    line: int
    id: str = ""


class Replacement(NamedTuple):
    """A range of a file and its replacement."""

    span: Span
    text: str


@dataclass
class Units:
    """The results of a reader so far. Empty, overlong and untranslated units are skipped here, for all.

    `mixed` says that units are in other languages than those that the file names.
    """

    path: str
    units: list[Unit] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    mixed: bool = False

    def skip(self, reason: str, *, line: int, id: str = "") -> None:
        self.skipped.append(Skipped(reason, line, id))

    def add(
        self,
        *,
        id: str,
        source: str,
        target: str,
        line: int,
        written: Span,
        document: str = "",
        speaker: str = "",
        listener: str = "",
        notes: Iterable[str] | Notes = (),
        note_at: int | None = None,
    ) -> None:
        """Add a unit, or skip it if there is nothing to compare."""
        if not source.strip():
            if target.strip():
                self.skip("no source text", line=line, id=id)
            return
        if not target.strip():
            self.skip("not translated", line=line, id=id)
        elif max(len(source), len(target)) > LONGEST_UNIT:
            self.skip(f"longer than {LONGEST_UNIT:,} characters", line=line, id=id)
        elif _ICU.search(source):
            self.skip("a message with several variants (ICU)", line=line, id=id)
        else:
            notes = notes if isinstance(notes, Notes) else Notes.of(notes)
            named = notes.named
            self.units.append(
                Unit(
                    len(self.units),
                    id,
                    source,
                    target,
                    line,
                    written,
                    document or named.get("scene", ""),
                    _person(speaker or named.get("speaker", "")),
                    listener or named.get("listener", ""),
                    notes.lines,
                    note_at,
                )
            )


_ICU = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
_DIRECTION = re.compile(
    r"(?:\W*+\w++\])?\W*+(speaker|character|voice|listener|addressee|scene)\s*+[:=]\s*+(.+)", re.IGNORECASE
)
_SAME = {"character": "speaker", "voice": "speaker", "addressee": "listener"}


def _person(speaker: str) -> str:
    """The speaker of a unit; empty for a narrator, who is not a character."""
    return "" if speaker.lower() in ("narrator", "narration", "-") else speaker


def shortened(name: str) -> str:
    """A name of a length that thousands of units can have; different names stay different."""
    if len(name) <= LONGEST_NAME:
        return name
    return f"{name[:LONGEST_NAME]}… {digest([name.encode('utf-8', 'surrogatepass')])}"


def directions(note: str) -> list[tuple[str, str]]:
    """The information in note lines such as `Speaker: Mira`: speaker, listener or scene, and which."""
    matches = (_DIRECTION.match(line.strip()) for line in note.splitlines())
    return [(_SAME.get(name := match[1].lower(), name), match[2]) for match in matches if match]


@dataclass(frozen=True)
class UnitFile:
    """The units of one file, and its text for writing a copy."""

    content: Content
    format: str
    units: Sequence[Unit]
    skipped: Sequence[Skipped]
    escapes: Escapes
    annotate: Callable[[UnitFile, Mapping[int, str]], list[Replacement]] | None = None
    mixed: bool = False

    @property
    def path(self) -> str:
        return self.content.path

    @cached_property
    def index(self) -> LineIndex:
        return LineIndex(self.content.text)

    def place(self, unit: Unit, at: int) -> tuple[int, int]:
        """Line and column in the file of one character of a unit's target."""
        raw = self.content.text[unit.written.start : unit.written.end]
        return self.index.place(unit.written.start + self.escapes.offsets(raw)[at])

    def replacement(self, unit: Unit, span: Span, text: str) -> Replacement:
        """The change to the file that replaces some characters of a unit's target."""
        start = unit.written.start
        offsets = self.escapes.offsets(self.content.text[start : unit.written.end])
        at = Span(start + offsets[span.start], start + offsets[span.end])
        return Replacement(at, self.escapes.encode(text))

    def with_changes(self, changes: Iterable[Replacement]) -> str:
        """The text of a copy. Changes must not overlap."""
        parts, at = [], 0
        for span, text in sorted(changes):
            if span.start < at:
                raise ValueError("two changes overlap")
            parts += [self.content.text[at : span.start], text]
            at = span.end
        return "".join([*parts, self.content.text[at:]])

    def skipped_counts(self) -> Counter[str]:
        """The number of skipped units by reason."""
        return Counter(entry.reason for entry in self.skipped)
