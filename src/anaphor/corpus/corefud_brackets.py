"""The brackets of CorefUD: `Entity=(e1-person-2(e2)e3)` in MISC opens e1, has e2 whole and closes e3.

A bracket that opens has the values of its mention, one for each field after the first that the comment
`# global.Entity` names; one that only closes has the entity alone. `e1[1/2]` is the first of two parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.core import InputError, Where

MISC_COLUMN = 10
_ENTITY = "Entity="
_CHUNK = re.compile(r"\([^()]+\)?|[^()]+\)")
_LABEL = re.compile(r"([^\s\[\]()|=-]+)(?:\[([1-9]\d{0,8})/([1-9]\d{0,8})\])?")


@dataclass(frozen=True, slots=True)
class Bracket:
    """One bracket; `part` is a number counted from 1 and how many there are, None for a mention in one piece.

    The one that both opens and closes is a whole mention, or part, of one word.
    """

    entity: str
    part: tuple[int, int] | None
    values: tuple[str, ...]
    opens: bool
    closes: bool

    @property
    def label(self) -> str:
        """The entity as the bracket names it, with its part."""
        return label_of(self.entity, self.part)


def label_of(entity: str, part: tuple[int, int] | None) -> str:
    """`e1`, or `e1[1/2]` for a part."""
    return entity if part is None else f"{entity}[{part[0]}/{part[1]}]"


def brackets_of(misc: str, where: Where) -> Iterator[Bracket]:
    """The brackets in a MISC cell, in order; none where it has no Entity."""
    cell = entity_of(misc, where)
    at = 0
    while cell is not None and at < len(cell):
        chunk = _CHUNK.match(cell, at)
        if chunk is None:
            raise _bad(f"no bracket opens or closes here: {cell[at:]!r}", where)
        yield _bracket(chunk[0], where)
        at = chunk.end()


def entity_of(misc: str, where: Where) -> str | None:
    """The value of Entity in a MISC cell, None where there is none; two of them are an `InputError`."""
    found = [part.removeprefix(_ENTITY) for part in misc.split("|") if part.startswith(_ENTITY)]
    if len(found) > 1 or "" in found:
        raise _bad("Entity stands twice, or without a value", where)
    return found[0] if found else None


def with_entity(misc: str, value: str) -> str:
    """A MISC cell with this Entity, where the old one was or by the alphabet; without it if it is empty."""
    parts = [] if misc == "_" else misc.split("|")
    old = next((at for at, part in enumerate(parts) if part.startswith(_ENTITY)), None)
    if old is not None:
        parts[old : old + 1] = [f"{_ENTITY}{value}"] if value else []
    elif value:
        place = sum(part.lower() < _ENTITY.lower() for part in parts)
        parts.insert(place, f"{_ENTITY}{value}")
    return "|".join(parts) or "_"


def _bracket(chunk: str, where: Where) -> Bracket:
    opens, closes = chunk.startswith("("), chunk.endswith(")")
    name, *values = chunk.strip("()").split("-")
    label = _LABEL.fullmatch(name)
    if label is None:
        raise _bad(f"not the name of an entity: {name!r}", where)
    if values and not opens:
        raise _bad(f"a closing bracket has more than its entity: {chunk!r}", where)
    part = None if label[2] is None else (int(label[2]), int(label[3]))
    if part is not None and (part[1] < 2 or part[0] > part[1]):
        raise _bad(f"no part of several: {name!r}", where)
    return Bracket(label[1], part, tuple(values), opens, closes)


def _bad(what: str, where: Where) -> InputError:
    return InputError(what, where=where, fix="write brackets such as (e1-person-1 to open, e1) to close")
