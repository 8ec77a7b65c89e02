"""PO files of gettext. Every plural form is a separate unit; the strings of a source file form a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.units import Content, Escapes, LineIndex, Replacement, UnitFile, Units
from anaphor.core import InputError, Span, Where

_LINE = re.compile(r"[^\n]*\n|[^\n]+\Z")
_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[(\d+)\])?)\s*(?=")')
# Possessive: a way back for each character would take a hundred times the memory of a long string.
_STRING = re.compile(r'"([^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+)"\s*')
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\"}
_HEADER = re.compile(r"^([\w-]+):[ \t]*(.*)$", re.MULTILINE)
_CHARSET = re.compile(r"charset=([\w.:-]+)")


def _decoded(raw: str) -> str:
    return _ESCAPED.get(raw[1:], raw) if raw.startswith("\\") else ""


def _encoded(text: str) -> str:
    for plain, letter in (("\\", "\\"), ('"', '"'), ("\n", "n"), ("\t", "t"), ("\r", "r")):
        text = text.replace(plain, f"\\{letter}")
    return text


#: A string may go on in the quotes of the next line.
PO_ESCAPES = Escapes(re.compile(r'\\[^\r\n]|"\s*\r?\n\s*"'), _decoded, _encoded)


@dataclass
class _Entry:
    """The strings of one entry by keyword, as spans of their content, and what its comments say."""

    start: int
    strings: dict[str, Span] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    reference: str = ""
    flags: set[str] = field(default_factory=set)
    obsolete: bool = False


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """Every entry but the header; fuzzy, obsolete and empty ones are skipped."""
    index = LineIndex(content.text)
    languages = ["", ""]
    for entry in _entries(content, index):
        if not entry.strings:
            continue
        if _text(content, entry, "msgid") == "" and "msgctxt" not in entry.strings:
            _check_header(content, header := _text(content, entry, "msgstr"))
            fields = dict(_HEADER.findall(header))
            target = fields.get("Language", "").strip()
            # The texts in a program are English unless its files say otherwise.
            source = fields.get("X-Source-Language", "").strip() or ("en" if target else "")
            languages = [source, target]
            continue
        _add(content, index, entry, options, units, languages)
    return languages[0], languages[1]


def _check_header(content: Content, header: str) -> None:
    charset = _CHARSET.search(header)
    if charset and charset[1].upper() not in ("UTF-8", "UTF8", "ASCII", "US-ASCII", "CHARSET"):
        what = f"the header says that the file is in {charset[1]}"
        raise InputError(what, where=content.path, fix="convert it: msgconv --to-code=UTF-8")


def _entries(content: Content, index: LineIndex) -> list[_Entry]:
    text, entries, entry, keyword = content.text, list[_Entry](), _Entry(0), ""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        match = _LINE.match(text, at)
        assert match is not None  # noqa: S101 - a line always matches
        line, start, at = match[0].strip(), at, match.end()
        opens = line.startswith("#") or (
            line.startswith(("msgctxt", "msgid")) and not line.startswith("msgid_plural")
        )
        if not line or (opens and any(name.startswith("msgstr") for name in entry.strings)):
            entries.append(entry)
            entry, keyword = _Entry(start), ""
        if not line:
            entry.start = at
        elif line.startswith("#"):
            _comment(entry, line)
        else:
            begin = start + match[0].index(line)
            if named := _KEYWORD.match(text, begin):
                keyword = named[1]
                if keyword in entry.strings:
                    _refuse(content, index, begin, entry, f"{keyword} occurs twice in an entry")
                begin = named.end()
            string = _STRING.match(text, begin)
            if not keyword or string is None or string.end() < match.start() + len(match[0].rstrip()):
                _refuse(content, index, begin, entry, f"not a string or a keyword: {line[:40]!r}")
            known = entry.strings.get(keyword)
            assert string is not None  # noqa: S101
            entry.strings[keyword] = Span(known.start if known else string.start(1), string.end(1))
    return [*entries, entry]


def _comment(entry: _Entry, line: str) -> None:
    if line.startswith("#~"):
        entry.obsolete = True
    elif line.startswith("#:"):
        first = line[2:].split()
        entry.reference = entry.reference or (first[0].rpartition(":")[0] or first[0] if first else "")
    elif line.startswith("#,"):
        entry.flags |= {flag.strip() for flag in line[2:].split(",")}
    elif not line.startswith("#|"):
        entry.comments.append(line.lstrip("#.").strip())


def _refuse(content: Content, index: LineIndex, at: int, entry: _Entry, what: str) -> None:
    place = Where(content.path, *index.place(at))
    if source := _text(content, entry, "msgid"):
        what += f", in the entry of {source[:40]!r}"
    raise InputError(what, where=place, fix="check the file with: msgfmt --check-format FILE")


def _text(content: Content, entry: _Entry, keyword: str) -> str:
    span = entry.strings.get(keyword)
    return "" if span is None else PO_ESCAPES.plain(content.text[span.start : span.end])


def _add(
    content: Content,
    index: LineIndex,
    entry: _Entry,
    options: ReadOptions,
    units: Units,
    languages: list[str],
) -> None:
    if entry.obsolete:
        return
    context, source = _text(content, entry, "msgctxt"), _text(content, entry, "msgid")
    plural = _text(content, entry, "msgid_plural") or source
    for keyword, written in entry.strings.items():
        if not keyword.startswith("msgstr"):
            continue
        line = index.line(written.start)
        form = keyword.removeprefix("msgstr")
        identifier = f"{context}|{source}{form}" if context else f"{source}{form}"
        identifier = " ".join(identifier.split())
        identifier = identifier if len(identifier) <= 60 else f"{identifier[:59]}…"
        if "fuzzy" in entry.flags:
            units.skip("marked fuzzy", line=line, id=identifier)
            continue
        if options.is_other(languages[1], side="target"):
            units.skip(f"its target language is {languages[1]}", line=line, id=identifier)
            continue
        units.add(
            id=identifier,
            source=source if form in ("", "[0]") else plural,
            target=_text(content, entry, keyword),
            line=line,
            written=written,
            # Strings that nobody places together are no context of each other.
            document=entry.reference or f"line {index.line(entry.start)}",
            notes=[*entry.comments, context],
            note_at=entry.start,
        )


def annotate(file: UnitFile, notes: Mapping[int, str]) -> list[Replacement]:
    """A translator's comment before each entry that has findings."""
    places: dict[int, list[str]] = {}
    for unit in file.units:
        if unit.number in notes and unit.note_at is not None:
            places.setdefault(unit.note_at, []).append(" ".join(notes[unit.number].split()))
    end = "\r\n" if "\r\n" in file.content.text else "\n"
    return [
        Replacement(Span(at, at), "".join(f"# anaphor: {note}{end}" for note in written))
        for at, written in places.items()
    ]


FORMAT = Format("po", (".po", ".pot"), read, PO_ESCAPES, annotate=annotate)
