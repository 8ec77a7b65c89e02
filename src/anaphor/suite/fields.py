"""Strict reading of the records of a suite: JSON lines and TOML tables, with file and line in every error."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import NoReturn

from anaphor.core import InputError, Place, Span, Where
from anaphor.corpus.text import Text

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_FIX = "write it as docs/suites/format.md describes"


class Fields:
    """The keys and values of one record. A value of another kind than asked for raises `InputError`."""

    def __init__(self, values: Mapping[str, object], *, where: Where, path: str = "") -> None:
        self._values = values
        self.where = where
        self._path = path

    def allow(self, *keys: str) -> None:
        """Refuse every key that is not among `keys`."""
        for key in self._values:
            if key not in keys:
                self.refuse(key, "unknown key", fix=f"remove or rename it; known: {', '.join(sorted(keys))}")

    def refuse(self, key: str, problem: str, *, fix: str = _FIX) -> NoReturn:
        """Raise the error of this record at one key."""
        raise InputError(f"{self._path}{key}: {problem}", where=self.where, fix=fix)

    def has(self, key: str) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def text(self, key: str, default: str | None = None) -> str:
        """A string with something in it; the default where there is one and the key is absent."""
        if default is not None and key not in self._values:
            return default
        value = self._get(key)
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            self.refuse(key, f"not a text: {value!r:.60}", fix="write a string of one line")
        return value

    def cell(self, key: str) -> str:
        """A string that may be empty."""
        value = self._get(key)
        if not isinstance(value, str):
            self.refuse(key, f"not a text: {value!r:.60}", fix="write a string")
        return value

    def flag(self, key: str) -> bool:
        value = self._get(key)
        if not isinstance(value, bool):
            self.refuse(key, f"neither true nor false: {value!r:.60}")
        return value

    def count(self, key: str) -> int:
        """A whole number from 1 up."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.refuse(key, f"not a number from 1 up: {value!r:.60}")
        return value

    def share(self, key: str) -> float | None:
        """A number from 0 to 1, or None where the key is absent."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            self.refuse(key, f"not a number from 0 to 1: {value!r:.60}")
        return float(value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; none where the key is absent."""
        values = Fields(dict(enumerated(self._list(key))), where=self.where, path=f"{self._path}{key}")
        return tuple(values.text(number) for number in values)

    def names(self, key: str) -> dict[str, str]:
        """A table of strings; empty where the key is absent."""
        table = self.table(key)
        return {name: table.text(name) for name in table}

    def table(self, key: str) -> Fields:
        """A table inside this one; empty where the key is absent."""
        return self._inner(key, self._values.get(key, {}))

    def tables(self, key: str) -> tuple[Fields, ...]:
        """A list of tables; none where the key is absent."""
        return tuple(self._inner(f"{key}{number}", value) for number, value in enumerated(self._list(key)))

    def place(self, key: str) -> Place:
        """A list of stretches `[start, end]`, ascending and apart; an empty list is an empty place."""
        return self._place(key, self._get(key))

    def places(self, key: str) -> tuple[Place, ...]:
        """A list of places; none where the key is absent."""
        return tuple(self._place(f"{key}{number}", value) for number, value in enumerated(self._list(key)))

    def _get(self, key: str) -> object:
        if key not in self._values:
            self.refuse(key, "missing", fix="add this key; docs/suites/format.md describes it")
        return self._values[key]

    def _list(self, key: str) -> list[object]:
        value = self._values.get(key, [])
        if not isinstance(value, list):
            self.refuse(key, f"not a list: {value!r:.60}")
        return value

    def _inner(self, key: str, value: object) -> Fields:
        if not isinstance(value, dict):
            self.refuse(key, f"not a table: {value!r:.60}")
        return Fields(value, where=self.where, path=f"{self._path}{key}.")

    def _place(self, key: str, value: object) -> Place:
        if not isinstance(value, list):
            self.refuse(key, f"not a list of [start, end]: {value!r:.60}")
        last = 0
        spans = []
        for piece in value:
            match piece:
                case [int(start), int(end)] if last <= start < end and start is not False:
                    spans.append(Span(start, end))
                    last = end
                case _:
                    self.refuse(key, f"no stretch of characters, or reversed or out of order: {piece!r:.60}")
        return tuple(spans)


def enumerated(values: list[object]) -> Iterator[tuple[str, object]]:
    return ((f"[{number}]", value) for number, value in enumerate(values))


def parse_json_lines(text: Text) -> Iterator[Fields]:
    """The record of every line, which must be a JSON object."""
    for number, line in enumerate(text.lines, start=1):
        where = Where(text.path, number)
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON: {error}", where=where, fix="write one JSON object a line") from error
        if not isinstance(value, dict) or ("\\u" in line and _is_broken(value)):
            raise InputError(
                "not a JSON object, or half a character in it",
                where=where,
                fix="write one JSON object a line",
            )
        yield Fields(value, where=where)


def _is_broken(value: object) -> bool:
    """Whether there is half of a pair of UTF-16 somewhere, which escapes can spell and which is no text."""
    return _SURROGATE.search(json.dumps(value, ensure_ascii=False)) is not None


def parse_toml(text: Text) -> Fields:
    """The outermost table of a TOML file."""
    try:
        return Fields(tomllib.loads("\n".join(text.lines)), where=Where(text.path))
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        where = Where(text.path, int(place[1]), int(place[2])) if place else Where(text.path)
        what = _PLACE.sub("", str(error)) or "nested too deeply"
        raise InputError(
            f"not valid TOML: {what}", where=where, fix="mend the line; see toml.io for the syntax"
        ) from error
