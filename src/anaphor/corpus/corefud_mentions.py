"""Mentions of entities, put together from the brackets of a CorefUD document."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from anaphor.core import InputError, Span, Where
from anaphor.corpus.corefud_brackets import Bracket

_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that mention an entity. Spans count words and empty nodes of the document, ascending, apart.

    `attributes` are the values after the entity by the names of their fields; what is left empty is absent.
    """

    entity: str
    spans: tuple[Span, ...]
    attributes: Mapping[str, str]

    @property
    def nodes(self) -> tuple[int, ...]:
        """The position of every word and empty node in it."""
        return tuple(at for span in self.spans for at in range(*span))

    @property
    def type(self) -> str | None:
        """The kind of entity, such as person; None where the file names none."""
        return self.attributes.get("etype")

    @property
    def head(self) -> int | None:
        """The position of the head, which is one of `nodes`; None where the file names none."""
        number = self.attributes.get("head")
        return None if number is None else self.nodes[int(number) - 1]


@dataclass(frozen=True, slots=True)
class _Begun:
    """A mention that is not complete: its whole parts, and where the part that is open starts."""

    number: int
    entity: str
    attributes: Mapping[str, str]
    where: Where
    start: int
    spans: tuple[Span, ...] = ()


class MentionBuilder:
    """Takes the brackets of one document in order, and gives its mentions at the end.

    A bracket closes the mention of its entity that was opened last.
    """

    def __init__(self, fields: tuple[str, ...]) -> None:
        self._fields = fields
        self._count = 0
        self._done: dict[int, Mention] = {}
        self._open: defaultdict[str, list[_Begun]] = defaultdict(list)
        self._waiting: defaultdict[tuple[str, int, int], list[_Begun]] = defaultdict(list)

    def take(self, bracket: Bracket, position: int, where: Where) -> None:
        """One bracket at the node of this position."""
        opened = self._open[bracket.label]
        if bracket.opens:
            opened.append(self._begun(bracket, position, where))
        if bracket.closes and not opened:
            what = f"the mention {bracket.label} is closed here and was never opened"
            raise InputError(what, where=where, fix=f"open it with ({bracket.label} at its first word")
        if bracket.closes:
            self._close(opened.pop(), bracket.part, position)

    def finish(self) -> tuple[Mention, ...]:
        """All mentions in the order in which they begin; one that is not whole is an `InputError`."""
        for label, opened in self._open.items():
            for begun in opened:
                what = f"the mention {label} opens here and is not closed before the document ends"
                raise InputError(what, where=begun.where, fix=f"close it with {label}) in the same document")
        for (entity, part, parts), waiting in self._waiting.items():
            for begun in waiting:
                label = f"{entity}[{part}/{parts}]"
                what = f"the mention {entity} begins here and has no part {label} before the document ends"
                raise InputError(
                    what, where=begun.where, fix=f"add the part ({label} or count the parts again"
                )
        return tuple(self._done[number] for number in sorted(self._done))

    def _begun(self, bracket: Bracket, position: int, where: Where) -> _Begun:
        attributes = self._attributes(bracket, where)
        if bracket.part is None or bracket.part[0] == 1:
            self._count += 1
            return _Begun(self._count, bracket.entity, attributes, where, position)
        waiting = self._waiting[bracket.entity, *bracket.part]
        if not waiting or waiting[-1].spans[-1].end > position:
            what = f"the part {bracket.label} has no part before it"
            raise InputError(what, where=where, fix="number the parts of a mention from 1 in their order")
        if attributes and attributes != waiting[-1].attributes:
            what = f"the part {bracket.label} has other values than the first part"
            raise InputError(what, where=where, fix="give all parts of a mention the same values")
        return replace(waiting.pop(), start=position)

    def _attributes(self, bracket: Bracket, where: Where) -> dict[str, str]:
        if not self._fields:
            fix = "add the comment # global.Entity = eid-etype-head-other to the first sentence"
            raise InputError("nothing says what the values of Entity are", where=where, fix=fix)
        if len(bracket.values) >= len(self._fields):
            what = f"{bracket.label} has {len(bracket.values) + 1} values for {len(self._fields)} fields"
            fix = f"give at most {'-'.join(self._fields)}; a hyphen inside a value is written %2D"
            raise InputError(what, where=where, fix=fix)
        named = zip(self._fields[1:], bracket.values, strict=False)  # the last values may be left out
        return {name: value for name, value in named if value}

    def _close(self, begun: _Begun, part: tuple[int, int] | None, position: int) -> None:
        spans = (*begun.spans, Span(begun.start, position + 1))
        if part is None or part[0] == part[1]:
            mention = Mention(begun.entity, spans, begun.attributes)
            _check_head(mention, begun.where)
            self._done[begun.number] = mention
        else:
            self._waiting[begun.entity, part[0] + 1, part[1]].append(replace(begun, spans=spans))


def _check_head(mention: Mention, where: Where) -> None:
    head = mention.attributes.get("head", "1")
    size = len(mention.nodes)
    if not _NUMBER.fullmatch(head) or int(head) > size:
        what = f"the head of {mention.entity} is {head!r}, the mention has {size} words"
        raise InputError(what, where=where, fix=f"give the number of a word in the mention, 1 to {size}")
