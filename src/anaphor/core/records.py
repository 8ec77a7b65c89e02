"""Strict reading of records: every error names the file, the line if known, and the path of the key.

All structured user data is read here: TOML files, JSON objects, JSON lines, tab-separated tables. Packages
with special value types (folded word forms, character spans) subclass `Record` and add getters.

    record = Record.from_toml(content, file="en-fr.toml", docs="docs/packs.md")
    record.allow("about", "forms")
    name = record.table("about").text("name")  # InputError: about.name: missing
"""

from __future__ import annotations

import csv
import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, Self

from anaphor.core.errors import InputError, Where, did_you_mean
from anaphor.core.toml_lines import line_of

# tomllib ends its messages with the position; ours show it as the place of the error.
_TOML_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
_SURROGATE = re.compile("[\ud800-\udfff]")
#: Nothing that is counted has more digits; Python refuses thousands of them with an error of its own.
_LONGEST_COUNT = 18
#: A whole number with fewer digits can be turned into a float.
_MOST_DIGITS = 300


def whole_number(text: str) -> int | None:
    """Parse a string of decimal digits as a non-negative integer; None for other text and for more than 18
    digits.
    """
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_COUNT else None


def strict_json(text: str | bytes) -> Any:
    """Parse a machine-written JSON document; raise ValueError for anything our own programs never write.

    This includes duplicate keys, non-finite or overflowing numbers, lone surrogates, and nesting too deep for
    Python.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_without_repetition,
            parse_float=_finite,
            parse_int=lambda digits: int(digits) if len(digits) < _MOST_DIGITS else _too_large(digits),
            parse_constant=_too_large,
        )
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    # Only an escape can spell a half: UTF-8 has none.
    escapes = b"\\u" if isinstance(text, bytes) else "\\u"
    if escapes in text and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):  # type: ignore[operator]
        raise ValueError("a \\u escape is a lone surrogate")
    return value


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key occurs twice in an object")
    return table


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _too_large(text)


def _too_large(text: str) -> NoReturn:
    raise ValueError(f"not a finite number, or too large: {text:.20}")


# Made once: `json.loads` with an option makes a decoder for every line.
_DECODE = json.JSONDecoder(parse_constant=_too_large).decode


class Record:
    """The keys and values of one table. Getters check the type and raise `InputError` at `where`.

    A getter without a default requires its key. `path` prefixes the keys in messages (`forms[2].`). `docs`
    names the page that describes the keys; `fix`, if given, replaces the advice of all getters, for files
    that are not edited by hand.
    """

    __slots__ = ("_docs", "_fix", "_path", "_toml", "_values", "where")

    #: What error messages call a key.
    key_name = "key"

    def __init__(
        self,
        values: Mapping[str, object],
        *,
        where: Where | str,
        path: str = "",
        docs: str = "",
        fix: str = "",
        toml: str = "",
    ) -> None:
        self._values = values
        self.where = Where(where) if isinstance(where, str) else where
        self._path = path
        self._docs = docs
        self._fix = fix
        self._toml = toml

    @classmethod
    def from_toml(cls, content: bytes | str, *, file: str, docs: str = "") -> Self:
        """Read the top-level table of a TOML file."""
        try:
            text = content.decode("utf-8") if isinstance(content, bytes) else content
            return cls(tomllib.loads(text), where=file, docs=docs, toml=text)
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            raise InputError(
                "the file is not UTF-8", where=Where(file, line), fix="save the file as UTF-8"
            ) from error
        except (ValueError, RecursionError) as error:
            place = _TOML_PLACE.search(str(error))
            what = _TOML_PLACE.sub("", str(error)) or "nested too deeply"
            raise InputError(
                f"not valid TOML: {what}",
                where=Where(file, int(place[1]), int(place[2])) if place else Where(file),
                fix="correct this line; see toml.io for the syntax",
            ) from error

    @classmethod
    def from_json(cls, text: str, *, where: Where | str, docs: str = "", fix: str = "") -> Self:
        """Read a JSON object from text."""
        try:
            value = _DECODE(text)
            if not isinstance(value, dict):
                raise ValueError("not an object")
            # Escapes can spell half of a UTF-16 pair, which no UTF-8 file can hold.
            if "\\u" in text and _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
                raise ValueError("a \\u escape is a lone surrogate")
        except (ValueError, RecursionError) as error:
            advice = fix or "write one JSON object, such as {...}; a file that was cut off ends inside one"
            raise InputError(f"not a JSON object: {error}", where=where, fix=advice) from error
        return cls(value, where=where, docs=docs, fix=fix)

    @classmethod
    def from_json_lines(
        cls, lines: Iterable[str], *, path: str, docs: str = "", fix: str = ""
    ) -> Iterator[Self]:
        """Read one JSON object per line."""
        for number, line in enumerate(lines, start=1):
            yield cls.from_json(line, where=Where(path, number), docs=docs, fix=fix)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def allow(self, *keys: str) -> None:
        """Reject all keys not among `keys`."""
        for key in self._values:
            if key not in keys:
                self.refuse(key, f"unknown {self.key_name}", fix=_known(key, keys))

    def refuse(self, key: str, problem: str, *, fix: str = "", at: str = "") -> NoReturn:
        """Raise an `InputError` for one key of this record; in TOML at its line, or that of `at`."""
        advice = self._fix or fix or "correct the value" + (f"; see {self._docs}" if self._docs else "")
        where = self.where
        if self._toml:
            where = Where(where.path, line_of(self._toml.replace("\r\n", "\n"), f"{self._path}{at or key}"))
        raise InputError(f"{self._path}{key}: {problem}", where=where, fix=advice)

    def raw(self, key: str) -> object:
        """The parsed value, of any type; the key is required."""
        if key not in self._values:
            advice = f"add a value for this {self.key_name}" + (
                f"; {self._docs} describes it" if self._docs else ""
            )
            self.refuse(key, "missing", fix=advice)
        return self._values[key]

    def text(
        self,
        key: str,
        default: str | None = None,
        *,
        blank: bool = False,
        one_line: bool = False,
        max_length: int | None = None,
    ) -> str:
        """A string; empty and blank strings are rejected unless `blank`."""
        if default is not None and key not in self._values:
            return default
        value = self.raw(key)
        if not isinstance(value, str) or not (blank or value.strip()) or (one_line and "\n" in value):
            kind = f"a {'' if blank else 'non-empty '}string{' of one line' if one_line else ''}"
            self._expected(key, kind, value)
        if max_length is not None and len(value) > max_length:
            self.refuse(key, f"{len(value)} characters", fix=f"use at most {max_length}")
        return value

    def optional_text(self, key: str) -> str | None:
        """A non-empty string, or None if the key is absent."""
        return self.text(key) if key in self._values else None

    def choice(self, key: str, choices: Iterable[str], default: str | None = None) -> str:
        """One of a fixed set of words."""
        value = self.text(key, default)
        known = tuple(choices)
        if value not in known:
            self.refuse(key, f"unknown value: {value}", fix=_known(value, known))
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and key not in self._values:
            return default
        value = self.raw(key)
        if not isinstance(value, bool):
            self._expected(key, "true or false", value)
        return value

    def integer(
        self, key: str, default: int | None = None, *, low: int | None = None, high: int | None = None
    ) -> int:
        """A 64-bit integer within inclusive bounds."""
        if default is not None and key not in self._values:
            return default
        value = self._parsed(key)
        if not isinstance(value, int) or isinstance(value, bool) or not _within(value, low, high):
            self._expected(key, f"an integer{_bounds(low, high)}", self.raw(key))
        if abs(value) >= 1 << 63:
            self._expected(key, "an integer of 64 bits", self.raw(key))
        return value

    def number(
        self, key: str, default: float | None = None, *, low: float | None = None, high: float | None = None
    ) -> float:
        """A finite number within inclusive bounds."""
        if default is not None and key not in self._values:
            return default
        value = self._parsed(key)
        if (
            not isinstance(value, int | float)
            or isinstance(value, bool)
            or not _is_finite(value)
            or not _within(value, low, high)
        ):
            self._expected(key, f"a number{_bounds(low, high)}", self.raw(key))
        return float(value)

    def elements(self, key: str, default: Sequence[object] | None = None) -> Self:
        """The elements of a list as a record with the keys `[0]`, `[1]` and so on."""
        value: object = list(default) if default is not None and key not in self._values else self.raw(key)
        if not isinstance(value, list):
            self._expected(key, "a list", value)
        return self._inner({f"[{i}]": element for i, element in enumerate(value)}, key)

    def texts(
        self, key: str, default: Sequence[str] | None = None, *, one_line: bool = False
    ) -> tuple[str, ...]:
        """A list of non-empty strings."""
        given = self._values.get(key)
        if type(given) is list and all(
            type(element) is str and element.strip() and not (one_line and "\n" in element)
            for element in given
        ):
            return tuple(given)  # the common case, several times faster
        elements = self.elements(key, default)
        return tuple(elements.text(index, one_line=one_line) for index in elements)

    def table(self, key: str, default: Mapping[str, object] | None = None) -> Self:
        """The table under a key."""
        value = default if default is not None and key not in self._values else self.raw(key)
        if not isinstance(value, Mapping):
            self._expected(key, "a table", value)
        return self._inner(value, f"{key}.")

    def tables(self, key: str, default: Sequence[Mapping[str, object]] | None = None) -> tuple[Self, ...]:
        """A list of tables."""
        elements = self.elements(key, default)
        return tuple(elements.table(index) for index in elements)

    def _parsed(self, key: str) -> object:
        """The value to convert to a number."""
        return self.raw(key)

    def _expected(self, key: str, kind: str, value: object) -> NoReturn:
        try:
            shown = f"{value!r:.60}"
        except ValueError:  # TOML has whole numbers of more digits than Python prints
            shown = "a number of thousands of digits"
        self.refuse(key, f"expected {kind}, got {shown}")

    def _inner(self, values: Mapping[str, object], path: str) -> Self:
        return type(self)(
            values,
            where=self.where,
            path=f"{self._path}{path}",
            docs=self._docs,
            fix=self._fix,
            toml=self._toml,
        )


def shipped_rows(lines: Iterable[str]) -> Iterator[list[str]]:
    """The cells of a tab-separated table in the package; `#` begins a comment.

    User tables are read with `Row`, which can report the place of an invalid cell.
    """
    return (line.split("\t") for line in lines if line and not line.startswith("#"))


class Row(Record):
    """A row of a table of text cells, by column name; empty cells count as absent."""

    __slots__ = ()
    key_name = "column"

    @classmethod
    def from_tsv(cls, lines: Sequence[str], *, path: str) -> Iterator[Self]:
        """Read the tab-separated rows below a header."""
        header = [cell.strip() for cell in lines[0].split("\t")]
        if len(set(header)) != len(header) or not all(header):
            what = "the header has a column twice or without a name"
            raise InputError(what, where=Where(path, 1), fix="give every column a unique name")
        for number, line in enumerate(lines[1:], start=2):
            cells = line.split("\t")
            if len(cells) != len(header):
                what = f"the line has {len(cells)} columns, the header has {len(header)}"
                fix = "write one cell for each column, with tabs between them"
                raise InputError(what, where=Where(path, number), fix=fix)
            named = zip(header, map(str.strip, cells), strict=True)
            yield cls({column: cell for column, cell in named if cell}, where=Where(path, number))

    @classmethod
    def from_csv(cls, lines: Iterable[str], *, path: str) -> Iterator[Self]:
        """Read the comma-separated rows below a header; cells may be quoted as in RFC 4180.

        White space around cells is kept, since offsets may count it. A row is reported at the line on which
        it begins.
        """
        reader = csv.reader((f"{line}\n" for line in lines), strict=True)
        header: list[str] = []
        begin = 1
        try:
            for cells in reader:
                where, begin = Where(path, begin), reader.line_num + 1
                if not header:
                    header = [cell.strip() for cell in cells]
                    if len(set(header)) != len(header) or not all(header):
                        what = "the header has a column twice or without a name"
                        raise InputError(what, where=where, fix="give every column a unique name")
                    continue
                if len(cells) != len(header):
                    what = f"the row has {len(cells)} columns, the header has {len(header)}"
                    fix = "write one cell for each column, with commas between them and quotes around commas"
                    raise InputError(what, where=where, fix=fix)
                yield cls({name: cell for name, cell in zip(header, cells, strict=True) if cell}, where=where)
        except csv.Error as error:
            fix = "write cells with commas between them, in double quotes where they contain commas or quotes"
            raise InputError(f"not valid CSV: {error}", where=Where(path, begin), fix=fix) from error

    @classmethod
    def from_objects(cls, lines: Iterable[str], *, path: str) -> Iterator[Self]:
        """Read one JSON object per line; null is an empty cell, lists of strings are joined with commas."""
        for record in Record.from_json_lines(lines, path=path):
            cells = {}
            for column in record:
                value = record.raw(column)
                if isinstance(value, list) and all(isinstance(part, str) for part in value):
                    value = ",".join(value)
                if isinstance(value, bool) or not (value is None or isinstance(value, str | int | float)):
                    record.refuse(
                        column, "neither text nor a number", fix="write text, a number or a list of texts"
                    )
                if value is not None and value != "":
                    cells[column] = str(value)
            yield cls(cells, where=record.where)

    def _parsed(self, key: str) -> object:
        """Parse numbers from text; a count may be written `3.0`."""
        cell = self.text(key)
        try:
            value = float(cell)
        except ValueError:
            return None
        return int(value) if value.is_integer() else value


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        return False


def _known(name: str, known: Iterable[str]) -> str:
    return f"{did_you_mean(name, known)}known: {', '.join(sorted(known))}"


def _within(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _bounds(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of at least {low:g}"
    return "" if high is None else f" of at most {high:g}"
