"""INI files by the rules of Python 2.7's RawConfigParser, with line numbers for the messages.

They differ from today's `configparser`: a comment line starts in the first column, an indented line
always continues the value above, `;` after white space starts a comment inside a value, a key or
section given twice is no mistake (the last value wins).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from anaphor.core import InputError, OptionError, Where

T = TypeVar("T")

_HEADER = re.compile(r"\[([^]]+)\]")
_OPTION = re.compile(r"([^:=\s][^:=]*)\s*[:=]\s*(.*)$")
_DEFAULTS = "DEFAULT"


@dataclass(frozen=True, slots=True)
class Entry:
    """The value of one key and the line it starts on."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Ini:
    """Sections by name (case matters), entries by key (lower case)."""

    path: str
    sections: Mapping[str, Mapping[str, Entry]]

    def entry(self, section: str, key: str) -> Entry:
        """The entry of a key that must exist; `[DEFAULT]` lends its keys to every section."""
        if section not in self.sections:
            raise InputError(
                f"the configuration has no section [{section}]",
                where=self.path,
                fix="add the section with all its keys; a key may be empty, but not missing",
            )
        defaults = self.sections.get(_DEFAULTS, {})
        entry = self.sections[section].get(key.lower(), defaults.get(key.lower()))
        if entry is None:
            raise InputError(
                f"the section [{section}] has no key {key}",
                where=self.path,
                fix=f"add the line `{key}:`; a key may be empty, but not missing",
            )
        return entry

    def text(self, section: str, key: str) -> str:
        return self.entry(section, key).value

    def convert(self, section: str, key: str, read: Callable[[str], T], *, wanted: str) -> T:
        """The value as `read` understands it; a ValueError of `read` becomes a message."""
        entry = self.entry(section, key)
        try:
            return read(entry.value)
        except ValueError as error:
            raise OptionError(
                f"{key} is {entry.value!r}", where=Where(self.path, entry.line), fix=f"write {wanted}"
            ) from error


def parse_ini(text: str, path: str) -> Ini:
    """Read a whole configuration."""
    sections: dict[str, dict[str, Entry]] = {}
    section: dict[str, Entry] | None = None
    key: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if _is_comment(line):
            continue
        if line[0].isspace() and section is not None and key is not None:
            section[key] = Entry(f"{section[key].value}\n{line.strip()}", section[key].line)
        elif header := _HEADER.match(line):
            section, key = sections.setdefault(header[1], {}), None
        elif section is not None and (option := _OPTION.match(line)):
            key = option[1].rstrip().lower()
            section[key] = Entry(_value(option[2]), number)
        else:
            raise InputError(
                f"not a section, a key or a comment: {line.strip()!r}",
                where=Where(path, number, 1),
                fix="write `[section]`, then `key: value` or `key = value`, or start the line with #",
            )
    return Ini(path, sections)


def _is_comment(line: str) -> bool:
    if not line.strip() or line[0] in "#;":
        return True
    return line[0] in "rR" and line.split(None, 1)[0].lower() == "rem"


def _value(written: str) -> str:
    """The value without its comment. A `;` in the first place looks at the last character, as it did."""
    at = written.find(";")
    if at != -1 and written[at - 1].isspace():
        written = written[:at]
    written = written.strip()
    return "" if written == '""' else written
