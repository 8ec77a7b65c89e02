"""The behaviour of Python 2.7 and its NumPy that differs from today's and that the released tools depend on.

APT numbers its labels in the order in which a Python 2.7 set yields them, takes "the first" element of such
sets and orders its matrix with an unstable sort. All three were deterministic (2.7 did not salt its hashes),
so the same `.score` file can be reproduced. Its files are read as 2.7 read them: neither a byte order mark
nor double spaces are removed; both are kept, with a warning.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from anaphor.core import InputError, InputWarning, OptionError, Where
from anaphor.corpus.text import decode, read_bytes

K = TypeVar("K", str, int | None)

_WORD = (1 << 64) - 1
_SMALLEST_TABLE = 8
_INSERTION_SORT = 16  # parts of at most this length were sorted by insertion


def old_lower(text: str) -> str:
    """Lower case by the one-to-one mapping of Python 2.7: no final sigma, no two-letter results."""
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def old_hash(value: str | int | None) -> int:
    """The hash of a 64-bit Python 2.7 as an unsigned number.

    The hash of None was an address. All outputs we have seen put None behind the slots 0 to 4 of a
    small table; 7 does so.
    """
    if value is None:
        return 7
    if isinstance(value, int):
        return (value if value != -1 else -2) & _WORD
    if not value:
        return 0
    state = ord(value[0]) << 7
    for letter in value:
        state = (1000003 * state ^ ord(letter)) & _WORD
    state ^= len(value)
    return state if state != _WORD else _WORD - 1


class OldSet(Generic[K]):
    """A set that is never changed and that iterates in the order of Python 2.7.

    It is the hash table of that time: open addressing, a perturbed probe sequence, and growth by four
    once two thirds are used. Keys sit in one-tuples, because None is a key.
    """

    __slots__ = ("_slots", "_used")

    def __init__(self, items: Iterable[K] = ()) -> None:
        self._slots: list[tuple[K] | None] = [None] * _SMALLEST_TABLE
        self._used = 0
        for item in items:
            if self._put(item) and self._used * 3 >= len(self._slots) * 2:
                self._resize(self._used * (2 if self._used > 50_000 else 4))

    def __iter__(self) -> Iterator[K]:
        return (slot[0] for slot in self._slots if slot is not None)

    def __len__(self) -> int:
        return self._used

    def __contains__(self, item: K) -> bool:
        return self._slots[self._find(item)] is not None

    def __or__(self, other: OldSet[K]) -> OldSet[K]:
        union: OldSet[K] = OldSet()
        for part in (self, other):
            if (len(union) + len(part)) * 3 >= len(union._slots) * 2:
                union._resize((len(union) + len(part)) * 2)
            for item in part:
                union._put(item)
        return union

    def __and__(self, other: OldSet[K]) -> OldSet[K]:
        """The shared elements, met in the order of the smaller set, of the right one if equal in size."""
        walked, other = (self, other) if len(other) > len(self) else (other, self)
        return OldSet(item for item in walked if item in other)

    def __sub__(self, other: OldSet[K]) -> OldSet[K]:
        return OldSet(item for item in self if item not in other)

    def _find(self, item: K) -> int:
        """The slot that holds the item, or the empty one where it belongs."""
        mask = len(self._slots) - 1
        perturbation = place = old_hash(item)
        place &= mask
        while (slot := self._slots[place & mask]) is not None and slot[0] != item:
            place = (5 * place + perturbation + 1) & _WORD
            perturbation >>= 5
        return place & mask

    def _put(self, item: K) -> bool:
        """Whether the item is new."""
        place = self._find(item)
        if self._slots[place] is not None:
            return False
        self._slots[place] = (item,)
        self._used += 1
        return True

    def _resize(self, minimum: int) -> None:
        size = _SMALLEST_TABLE
        while size <= minimum:
            size *= 2
        items = list(self)
        self._slots = [None] * size
        self._used = 0
        for item in items:
            self._put(item)


def old_argsort(values: Sequence[int]) -> list[int]:
    """The positions that sort `values` in ascending order, ties as the quicksort of old NumPy left them."""
    order = list(range(len(values)))
    waiting = [(0, len(values) - 1)]
    while waiting:
        low, high = waiting.pop()
        while high - low >= _INSERTION_SORT:
            middle = _partition(order, values, low=low, high=high)
            if middle - low < high - middle:
                waiting.append((middle + 1, high))
                high = middle - 1
            else:
                waiting.append((low, middle - 1))
                low = middle + 1
        # A part this small was sorted by insertion, which is stable, as Python's own sort is.
        order[low : high + 1] = sorted(order[low : high + 1], key=values.__getitem__)
    return order


def _partition(order: list[int], values: Sequence[int], *, low: int, high: int) -> int:
    """Split a part around the median of its first, middle and last value; return where that value ends."""

    def exchange(first: int, two: int) -> None:
        order[first], order[two] = order[two], order[first]

    middle = (low + high) // 2
    for first, two in ((low, middle), (middle, high), (low, middle)):
        if values[order[two]] < values[order[first]]:
            exchange(first, two)
    pivot = values[order[middle]]
    exchange(middle, high - 1)
    left, right = low + 1, high - 2
    while True:
        while values[order[left]] < pivot:
            left += 1
        while pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        exchange(left, right)
        left, right = left + 1, right - 1
    exchange(left, high - 1)
    return left


T = TypeVar("T")

_HEADER = re.compile(r"\[([^]]+)\]")
_OPTION = re.compile(r"([^:=\s][^:=]*)\s*[:=]\s*(.*)$")
_DEFAULTS = "DEFAULT"


@dataclass(frozen=True, slots=True)
class IniEntry:
    """The value of one key and the line it starts on."""

    value: str
    line: int


@dataclass(frozen=True, slots=True)
class IniFile:
    """Sections by name (case matters), entries by key (lower case).

    The rules are those of Python 2.7's RawConfigParser. They differ from today's `configparser`: a comment
    line starts in the first column, an indented line always continues the value above, `;` after white space
    starts a comment inside a value, and a key or section may be given twice (the last value wins).
    """

    path: str
    sections: Mapping[str, Mapping[str, IniEntry]]

    def entry(self, section: str, key: str) -> IniEntry:
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


def parse_ini(text: str, path: str) -> IniFile:
    """Read a whole configuration."""
    sections: dict[str, dict[str, IniEntry]] = {}
    section: dict[str, IniEntry] | None = None
    key: str | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line[0] in "#;":
            continue
        if line[0] in "rR" and line.split(None, 1)[0].lower() == "rem":
            continue
        if line[0].isspace() and section is not None and key is not None:
            section[key] = IniEntry(f"{section[key].value}\n{line.strip()}", section[key].line)
        elif header := _HEADER.match(line):
            section, key = sections.setdefault(header[1], {}), None
        elif section is not None and (option := _OPTION.match(line)):
            key = option[1].rstrip().lower()
            value = option[2]
            at = value.find(";")
            # A `;` in the first place looks at the last character, as it did.
            if at != -1 and value[at - 1].isspace():
                value = value[:at]
            value = value.strip()
            section[key] = IniEntry("" if value == '""' else value, number)
        else:
            raise InputError(
                f"not a section, a key or a comment: {line.strip()!r}",
                where=Where(path, number, 1),
                fix="write `[section]`, then `key: value` or `key = value`, or start the line with #",
            )
    return IniFile(path, sections)


_SPLITTERS = re.compile("\r(?!\n|\\Z)|[\v\f\x1c-\x1e\x85\u2028\u2029]")


def is_file(path: Path) -> bool:
    """Whether the path names a file; a path that cannot be accessed does not."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_utf8(path: Path) -> str:
    """The whole file, a byte order mark and carriage returns included."""
    text = decode(read_bytes(path), path=str(path))
    if text.startswith("\ufeff"):
        _warn(f"{path}: a byte order mark stays part of the first token, as in the original")
    if "\r\n" in text:
        _warn(f"{path}: read Windows line ends (CRLF)")
    return text


def plain_lines(text: str) -> list[str]:
    """Lines separated by `\\n` only."""
    return text.removesuffix("\n").split("\n") if text else []


def segment_lines(path: Path) -> list[str]:
    """The lines of one of APT's texts, stripped.

    APT's text reader also ended lines at U+2028 and the like, but its alignment reader did not, so all later
    segments got the wrong alignment. We refuse such a text.
    """
    text = read_utf8(path)
    if match := _SPLITTERS.search(text):
        raise InputError(
            f"the character U+{ord(match[0]):04X} makes the original tool split the line in two",
            where=Where(
                str(path), text.count("\n", 0, at := match.start()) + 1, at - text.rfind("\n", 0, at)
            ),
            fix="replace the character by a space and align the text again",
        )
    lines = [line.strip() for line in plain_lines(text)]
    warn_of_empty_tokens(lines, path)
    return lines


def warn_of_empty_tokens(lines: list[str], path: Path) -> None:
    """Warn if splitting at single spaces gives empty tokens."""
    numbers = [number for number, line in enumerate(lines, 1) if line.startswith(" ") or "  " in line]
    if numbers:
        _warn(
            f"{path}:{numbers[0]}: {len(numbers)} line(s) with surplus spaces; "
            "each counts as an empty token, as in the original"
        )


def _warn(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=3)
