"""Strict reading of TOML tables: every value has its type, every key is asked for, nothing is left over."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import NoReturn

from anaphor.core import InputError, Where
from anaphor.languages.spelling import fold

_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


class Table:
    """One table of a pack file. Wrong content raises `InputError` with the file and the key path."""

    def __init__(self, values: Mapping[str, object], *, file: str, path: str = "") -> None:
        self._values = values
        self._file = file
        self._path = path

    @classmethod
    def parse(cls, content: bytes, *, file: str) -> Table:
        """The outermost table of a file."""
        try:
            return cls(tomllib.loads(content.decode("utf-8")), file=file)
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise InputError(
                "the pack is not UTF-8", where=Where(file, line), fix="save the file as UTF-8"
            ) from error
        except (ValueError, RecursionError) as error:
            raise _syntax_error(error, file) from error

    def allow(self, *keys: str) -> None:
        """Refuse every key that is not among `keys`."""
        for key in self._values:
            if key not in keys:
                self.refuse(key, "unknown key", fix=f"remove or rename it; known: {', '.join(sorted(keys))}")

    def refuse(self, key: str, problem: str, *, fix: str) -> NoReturn:
        """Raise the error of this file at one key."""
        raise InputError(f"{self._path}{key}: {problem}", where=Where(self._file), fix=fix)

    def filled(self, defaults: Mapping[str, object]) -> Table:
        """The same table with values for the keys that are absent."""
        return Table({**defaults, **self._values}, file=self._file, path=self._path)

    def has(self, key: str) -> bool:
        return key in self._values

    def text(self, key: str) -> str:
        """A string with something in it."""
        value = self._value(key)
        if not isinstance(value, str) or not value.strip():
            self.refuse(key, f"not a text: {value!r}", fix="write a string that is not empty")
        return value

    def choice(self, key: str, choices: Iterable[str]) -> str:
        """One of a closed set of words."""
        value = self.text(key)
        if value not in choices:
            self.refuse(key, f"unknown value: {value}", fix=f"write one of {', '.join(choices)}")
        return value

    def integer(self, key: str, *, low: int, high: int) -> int:
        value = self._value(key)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            self.refuse(key, f"not a number from {low} to {high}: {value!r}", fix="write a whole number")
        return value

    def integers(self, key: str, *, low: int, high: int) -> tuple[int, ...]:
        """A list of whole numbers, each once."""
        rows = {f"[{i}]": value for i, value in enumerate(self._list(key))}
        inner = Table(rows, file=self._file, path=self._path + key)
        numbers = tuple(inner.integer(index, low=low, high=high) for index in rows)
        if len(set(numbers)) < len(numbers):
            self.refuse(key, "a number is listed twice", fix="keep one of the two")
        return numbers

    def flag(self, key: str) -> bool:
        value = self._value(key)
        if not isinstance(value, bool):
            self.refuse(key, f"not true or false: {value!r}", fix="write true or false")
        return value

    def probability(self, key: str) -> float:
        value = self._value(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
            self.refuse(key, f"not a probability: {value!r}", fix="write a number from 0 to 1")
        return float(value)

    def form(self, key: str) -> str:
        """A single word in the folded spelling."""
        return self._folded(key, self._value(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts without white space, each once, spelled as they are."""
        return self._distinct(key, tuple(self._word(key, value) for value in self._list(key)))

    def forms(self, key: str) -> tuple[str, ...]:
        """A list of folded words, each once."""
        return self._distinct(key, tuple(self._folded(key, value) for value in self._list(key)))

    def groups(self, key: str) -> tuple[tuple[str, ...], ...]:
        """A list of lists of folded words."""
        rows = {f"[{i}]": row for i, row in enumerate(self._list(key))}
        inner = Table(rows, file=self._file, path=self._path + key)
        return tuple(inner.forms(index) for index in rows)

    def mapping(self, key: str) -> dict[str, tuple[str, ...]]:
        """A table from folded words to lists of folded words."""
        table = self.table(key)
        return {table._folded(word, word): table.forms(word) for word in table._values}

    def table(self, key: str) -> Table:
        """A table inside this one."""
        return self._inner(key, self._value(key))

    def tables(self, key: str) -> tuple[Table, ...]:
        """A list of tables."""
        return tuple(self._inner(f"{key}[{i}]", value) for i, value in enumerate(self._list(key)))

    def _value(self, key: str) -> object:
        if key not in self._values:
            self.refuse(key, "missing", fix="add this key; docs/packs.md describes language packs")
        return self._values[key]

    def _list(self, key: str) -> list[object]:
        value = self._value(key)
        if not isinstance(value, list):
            self.refuse(key, f"not a list: {value!r}", fix='write a list such as ["il", "elle"]')
        return value

    def _inner(self, key: str, value: object) -> Table:
        if not isinstance(value, dict):
            self.refuse(key, f"not a table: {value!r}", fix="write a table of keys and values")
        return Table(value, file=self._file, path=f"{self._path}{key}.")

    def _word(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value or value.split() != [value]:
            self.refuse(key, f"not a single word: {value!r}", fix="write words without white space")
        return value

    def _folded(self, key: str, value: object) -> str:
        word = self._word(key, value)
        if word != fold(word):
            self.refuse(key, f"not in the form that is compared: {word!r}", fix=f"write {fold(word)!r}")
        return word

    def _distinct(self, key: str, words: tuple[str, ...]) -> tuple[str, ...]:
        for i, word in enumerate(words):
            if word in words[:i]:
                self.refuse(key, f"{word} is listed twice", fix="keep one of the two")
        return words


def _syntax_error(error: Exception, file: str) -> InputError:
    """The parser's complaint, with the place it names moved to where places are shown."""
    message = str(error)
    place = _PLACE.search(message)
    where = Where(file, int(place[1]), int(place[2])) if place else Where(file)
    what = _PLACE.sub("", message) or "nested too deeply"
    return InputError(f"not valid TOML: {what}", where=where, fix="mend the line; see toml.io for the syntax")
