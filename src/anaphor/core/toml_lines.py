"""The lines of the keys and list elements of a TOML file, which the standard library does not tell."""

from __future__ import annotations

import json
import re
import tomllib
from bisect import bisect_left
from collections.abc import Sequence

from anaphor.core.errors import UNPRINTABLE

_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_SPACES = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Three quotes before one: else the first two of them would be an empty string.
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\]|\\.)*"|' + r"'[^']*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}#\n]+")
_LAST_PART = re.compile(r"(?:\.[^.\[\]]*|\[\d+\]|^[^.\[\]]*)$")


def toml_lines(text: str) -> dict[str, int]:
    """The first line of every key, table and list element of a valid TOML file, by its path as messages write
    it: `tokens.fused[1].host`.
    """
    return _TomlScanner(text).lines


def line_of(text: str, path: str) -> int | None:
    """The line of a path or, if the file does not have it, of what is around it; None if that is the file."""
    lines = toml_lines(text)
    while path and path not in lines:
        path = _LAST_PART.sub("", path, count=1)
    return lines.get(path)


class _TomlScanner:
    """Goes through a file that `tomllib` has read, so it need not expect anything invalid."""

    def __init__(self, text: str) -> None:
        self.lines: dict[str, int] = {}
        self._text, self._at = text, 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._sizes: dict[str, int] = {}
        table = ""
        self._skip(_BLANK)
        while self._at < len(text):
            if text.startswith("[", self._at):
                table = self._header()
            else:
                self._entry(table)
            self._skip(_BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        """Go past what the pattern matches here, and return it."""
        match = pattern.match(self._text, self._at)
        if match is None:
            return ""
        self._at = match.end()
        return match[0]

    def _found(self, path: str, start: int) -> None:
        self.lines.setdefault(path, bisect_left(self._ends, start) + 1)

    def _header(self) -> str:
        """The path of the table that a header such as `[[tokens.fused]]` begins."""
        start = self._at
        several = self._text.startswith("[[", start)
        self._at += 2 if several else 1
        *outer, last = self._key()
        self._at += 2 if several else 1
        path = ""
        for part in outer:
            path = _join(path, part)
            self._found(path, start)
            path = self._latest(path)
        path = _join(path, last)
        self._found(path, start)
        if several:
            self._sizes[path] = self._sizes.get(path, 0) + 1
            path = self._latest(path)
            self._found(path, start)
        return path

    def _latest(self, path: str) -> str:
        """The path of the last element if this is a list of tables."""
        return f"{path}[{self._sizes[path] - 1}]" if path in self._sizes else path

    def _key(self) -> Sequence[str]:
        """The parts of a key, which dots separate; the end is the first character after it."""
        parts = []
        while True:
            self._skip(_SPACES)
            raw = self._skip(_STRING)
            parts.append(str(tomllib.loads(f"k = {raw}")["k"]) if raw else self._skip(_BARE))
            self._skip(_SPACES)
            if not self._text.startswith(".", self._at):
                return parts
            self._at += 1

    def _entry(self, table: str) -> None:
        """A key and its value."""
        start = self._at
        path = table
        for part in self._key():
            path = _join(path, part)
            self._found(path, start)
        self._at += 1  # the equals sign
        self._skip(_SPACES)
        self._value(path)

    def _value(self, path: str) -> None:
        opening = self._text[self._at : self._at + 1]
        if opening not in ("[", "{"):
            if not self._skip(_STRING):
                self._skip(_SCALAR)
            return
        self._at += 1
        closing, number = ("]" if opening == "[" else "}"), 0
        self._skip(_BLANK)
        while not self._text.startswith(closing, self._at):
            if opening == "[":
                inner = f"{path}[{number}]"
                self._found(inner, self._at)
                self._value(inner)
                number += 1
            else:
                self._entry(path)
            self._skip(_BLANK)
            if self._text.startswith(",", self._at):
                self._at += 1
                self._skip(_BLANK)
        self._at += 1


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def toml_string(text: str) -> str:
    """A text as a string of TOML, without what TOML forbids or a terminal would obey."""
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))
