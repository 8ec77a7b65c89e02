"""JSON: a list of objects, objects one per line, or two files of strings by key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from anaphor.check.formats.contract import Format, ReadOptions
from anaphor.check.formats.tables import chosen_columns
from anaphor.check.units import Content, Escapes, LineIndex, Units
from anaphor.core import InputError, Span, Where

_MOST_LEVELS = 60
# Possessive: a way back for each character would take a hundred times the memory of a long string.
_TOKEN = re.compile(r'"([^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+)"|[{}\[\],:]|[^\s{}\[\],:"]+')
_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\.")
_HALF = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
JSON_ESCAPES = Escapes(
    _ESCAPE,
    lambda raw: str(json.loads(f'"{raw}"')),
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
)
_FIX = "write one JSON document of objects or strings, or one object per line"


class _String(NamedTuple):
    """A string value: its path of keys and indices, and its position in the file."""

    path: tuple[str | int, ...]
    span: Span


def _strings(content: Content, index: LineIndex) -> Iterator[_String]:
    """The string values of one document, or of one per line, in order."""
    text = content.text
    document, path, expects_key, key = -1, list[str | int](), False, ""
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if not path:
            document += 1
        if mark in "{[":
            if len(path) >= _MOST_LEVELS:
                place = Where(content.path, *index.place(match.start()))
                raise InputError("the document is nested too deeply", where=place, fix=_FIX)
            path.append("" if mark == "{" else 0)
            expects_key = mark == "{"
        elif mark in "}]":
            path.pop()
            expects_key = False
        elif mark == ",":
            last = path[-1] if path else ""
            if isinstance(last, int):
                path[-1] = last + 1
            expects_key = isinstance(last, str)
        elif mark == ":":
            expects_key = False
        elif match[1] is not None:
            if expects_key:
                key = JSON_ESCAPES.plain(match[1])
                path[-1] = key
            else:
                yield _String((document, *path), Span(*match.span(1)))


def _checked(content: Content) -> None:
    """Reject invalid JSON or text, and duplicate keys, since the second would hide the first."""

    def without_repetition(pairs: list[tuple[str, object]]) -> None:
        if len({key for key, _ in pairs}) != len(pairs):
            raise ValueError("a key occurs twice in an object")

    for escape in _ESCAPE.finditer(content.text):
        if _HALF.fullmatch(escape[0]):
            place = Where(content.path, *LineIndex(content.text).place(escape.start()))
            fix = "write the character itself, or both halves"
            raise InputError(f"{escape[0]} is half of a surrogate pair", where=place, fix=fix)
    text = content.text.removeprefix("\ufeff")
    try:
        json.loads(text, object_pairs_hook=without_repetition)
        return
    except (ValueError, RecursionError) as error:
        whole = error
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    for number, line in lines:
        try:
            json.loads(line, object_pairs_hook=without_repetition)
        except (ValueError, RecursionError) as error:
            # The first line of a document that is broken elsewhere is no document either.
            shown = error if number > 1 else whole
            at = getattr(shown, "lineno", number) if shown is whole else number
            raise InputError(f"not valid JSON: {shown}", where=Where(content.path, at), fix=_FIX) from error


def read(content: Content, options: ReadOptions, units: Units) -> tuple[str, str]:
    """Objects with named members; with a source file, strings by key."""
    _checked(content)
    index = LineIndex(content.text)
    strings = list(_strings(content, index))
    text = content.text
    if options.source is not None:
        _checked(options.source)
        source = {
            string.path: JSON_ESCAPES.plain(options.source.text[string.span.start : string.span.end])
            for string in _strings(options.source, LineIndex(options.source.text))
        }
        for string in strings:
            name = ".".join(str(part) for part in string.path[1:])
            line = index.line(string.span.start)
            if string.path not in source:
                units.skip("a key that the source does not have", line=line, id=name)
                continue
            units.add(
                id=name,
                source=source.pop(string.path),
                target=JSON_ESCAPES.plain(text[string.span.start : string.span.end]),
                line=line,
                written=string.span,
            )
        for path in source:
            units.skip("not translated", line=1, id=".".join(str(part) for part in path[1:]))
        return "", ""
    objects: dict[tuple[str | int, ...], dict[str, Span]] = {}
    for string in strings:
        objects.setdefault(string.path[:-1], {})[str(string.path[-1])] = string.span
    names = list(dict.fromkeys(name for members in objects.values() for name in members))
    columns = chosen_columns(names, options, content.path)
    for number, members in enumerate(objects.values(), start=1):
        first = min(members.values())
        cells = {
            role: JSON_ESCAPES.plain(text[members[name].start : members[name].end])
            for role, name in columns.items()
            if name in members
        }
        line = index.line(members.get(columns["target"], first).start)
        if "source" not in cells or "target" not in cells:
            if "source" in cells:
                units.skip("not translated", line=line, id=cells.get("id", ""))
            continue
        units.add(
            id=cells.get("id", "") or str(number),
            source=cells["source"],
            target=cells["target"],
            line=line,
            written=members[columns["target"]],
            document=cells.get("document", ""),
            speaker=cells.get("speaker", "").strip(),
            listener=cells.get("listener", "").strip(),
            notes=[cells.get("note", "")],
        )
    return "", ""


FORMAT = Format("json", (".json", ".jsonl", ".arb"), read, JSON_ESCAPES, either=True)
