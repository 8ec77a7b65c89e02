"""Alignments made by people: nouns and readers.

Formats (all UTF-8, one segment a line, positions counted from 0 or 1):

    pharaoh        links `i-j` sure, `i?j` or `ipj` possible, from 0
    hansards       the same from 1, the text in a second file: `source tokens ||| target tokens`
    xl-wa          three columns between tabs: source tokens, target tokens, links `i-j` from 0, all sure
    pronoun-links  one JSON object a line (see `read_pronoun_links`), from 0

A link given twice counts once; one given as sure and as possible is sure.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError, UserError, Where
from anaphor.corpus import Text, read_text

LAYOUTS = ("pharaoh", "hansards", "xl-wa")

_LINK = re.compile(r"([0-9]{1,6})([-?p])([0-9]{1,6})")
_WORD = re.compile(r"[^ ]+")
_FIELDS = ("id", "pair", "source", "pronoun", "target", "sure", "possible", "function")


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """The links of one segment as (source, target) pairs from 0; `possible` includes `sure`."""

    sure: frozenset[tuple[int, int]]
    possible: frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class GoldSegment:
    """A segment with its gold alignment."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    gold: GoldAlignment


@dataclass(frozen=True, slots=True)
class PronounLinkItem:
    """One source pronoun with the target positions that translate it; `possible` includes `sure`.

    Nothing possible means that the translation has no counterpart: the pronoun is rightly unaligned.
    """

    id: str
    pair: LanguagePair
    source: tuple[str, ...]
    target: tuple[str, ...]
    pronoun: int
    sure: frozenset[int]
    possible: frozenset[int]
    function: str

    @property
    def form(self) -> str:
        """The pronoun, case-folded."""
        return self.source[self.pronoun].casefold()


def read_gold(path: str | Path, *, layout: str) -> tuple[GoldAlignment, ...]:
    """The gold alignment of every segment; `layout` is one of `LAYOUTS`.

    No text is needed, so links of pharaoh and hansards files are not checked against sentence lengths.
    """
    if layout not in LAYOUTS:
        raise UnknownNameError.among(layout, LAYOUTS, kind="gold layout", where="--gold-layout")
    if layout == "xl-wa":
        return tuple(segment.gold for segment in read_xlwa(path))
    return _read_links(read_text(path), first=1 if layout == "hansards" else 0)


def read_hansards(path: str | Path, *, text: str | Path) -> tuple[GoldSegment, ...]:
    """The segments of a `text` file with their links, checked against the lengths of the sentences."""
    links, sentences = read_text(path), read_text(text)
    if len(links.lines) != len(sentences.lines):
        raise MismatchError(
            f"{links.path} has {len(links.lines)} lines, {sentences.path} has {len(sentences.lines)}",
            where=Where(links.path, min(len(links.lines), len(sentences.lines)) + 1),
            fix="give the links and the text of the same segments",
        )
    golds = _read_links(links, first=1)
    segments = []
    for number, (line, gold) in enumerate(zip(sentences.lines, golds, strict=True), start=1):
        source, target = _parts(line, "|||", 2, Where(sentences.path, number))
        segments.append(_segment(gold, source=source, target=target, where=Where(links.path, number)))
    return tuple(segments)


def read_xlwa(path: str | Path) -> tuple[GoldSegment, ...]:
    """The segments of an XL-WA file with their links, checked against the lengths of the sentences."""
    text = read_text(path)
    segments = []
    for number, line in enumerate(text.lines, start=1):
        where = Where(text.path, number)
        source, target, links = _parts(line, "\t", 3, where)
        gold = _parse(links, where, first=0, skipped=len(line) - len(links))
        segments.append(_segment(gold, source=source, target=target, where=where))
    return tuple(segments)


def read_pronoun_links(path: str | Path) -> tuple[PronounLinkItem, ...]:
    """The items of a pronoun-links file, one JSON object a line; other keys than these are ignored.

    `id` (unique), `pair` (`en-fr`), `source` and `target` (tokens), `pronoun` (source position),
    `sure` and `possible` (target positions; both empty where the pronoun is rightly unaligned) and
    `function` (anaphoric, pleonastic, event ...).
    """
    text = read_text(path)
    items = [_item(line, Where(text.path, number)) for number, line in enumerate(text.lines, start=1)]
    lines: dict[str, int] = {}
    for number, item in enumerate(items, start=1):
        if lines.setdefault(item.id, number) != number:
            raise InputError(
                f"the id {item.id} was already given in line {lines[item.id]}",
                where=Where(text.path, number),
                fix="give every item an id of its own",
            )
    return tuple(items)


def _read_links(text: Text, *, first: int) -> tuple[GoldAlignment, ...]:
    return tuple(
        _parse(line, Where(text.path, number), first=first) for number, line in enumerate(text.lines, start=1)
    )


def _parse(text: str, where: Where, *, first: int, skipped: int = 0) -> GoldAlignment:
    """The links of one line; `skipped` characters of the line come before `text`."""
    sure, possible = set(), set()
    for word in _WORD.finditer(text):
        match = _LINK.fullmatch(word[0])
        if match is None or int(match[1]) < first or int(match[3]) < first:
            raise InputError(
                f"not a gold link: {word[0][:40]!r}",
                where=Where(where.path, where.line, skipped + word.start() + 1),
                fix=f"write i-j for a sure and i?j or ipj for a possible link, positions from {first}",
            )
        link = (int(match[1]) - first, int(match[3]) - first)
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldAlignment(frozenset(sure), frozenset(possible))


def _parts(line: str, separator: str, count: int, where: Where) -> list[str]:
    parts = line.split(separator)
    if len(parts) != count:
        raise InputError(
            f"the line has {len(parts)} parts between {separator!r}, not {count}",
            where=where,
            fix="check that this is a gold alignment in the layout that was named",
        )
    return parts


def _segment(gold: GoldAlignment, *, source: str, target: str, where: Where) -> GoldSegment:
    """A segment out of text with spaces between tokens; raises for the first link outside of it."""
    sources, targets = tuple(_WORD.findall(source)), tuple(_WORD.findall(target))
    for i, j in sorted(gold.possible):
        if i >= len(sources) or j >= len(targets):
            raise InputError(
                f"a link joins the words {i} and {j} (counted from 0), but the source has "
                f"{len(sources)} tokens and the target {len(targets)}",
                where=where,
                fix="give the text that was aligned, with the same tokens",
            )
    return GoldSegment(sources, targets, gold)


def _item(line: str, where: Where) -> PronounLinkItem:
    found = _fields(line, where)
    source, target = _tokens(found, "source", where), _tokens(found, "target", where)
    (pronoun,) = _positions([found["pronoun"]], "pronoun", len(source), where)
    sure = _positions(found["sure"], "sure", len(target), where)
    return PronounLinkItem(
        id=_string(found, "id", where),
        pair=_pair(_string(found, "pair", where), where),
        source=source,
        target=target,
        pronoun=pronoun,
        sure=sure,
        possible=sure | _positions(found["possible"], "possible", len(target), where),
        function=_string(found, "function", where),
    )


def _fields(line: str, where: Where) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        column = error.colno if isinstance(error, json.JSONDecodeError) else None
        raise InputError(
            f"not JSON ({error})",
            where=Where(where.path, where.line, column),
            fix="write one JSON object a line",
        ) from error
    missing = [key for key in _FIELDS if key not in found] if isinstance(found, dict) else _FIELDS
    if missing:
        raise _faulty(f"the item has no {', '.join(missing)}", where)
    return dict(found)


def _string(found: dict[str, Any], key: str, where: Where) -> str:
    if not isinstance(found[key], str) or not found[key]:
        raise _faulty(f"{key} is not a text", where)
    return str(found[key])


def _pair(text: str, where: Where) -> LanguagePair:
    try:
        return LanguagePair.parse(text)
    except UserError as error:
        raise InputError(error.what, where=where, fix=error.fix) from error


def _tokens(found: dict[str, Any], key: str, where: Where) -> tuple[str, ...]:
    if not isinstance(found[key], list) or not all(isinstance(token, str) for token in found[key]):
        raise _faulty(f"{key} is not a list of tokens", where)
    return tuple(found[key])


def _positions(values: Any, key: str, length: int, where: Where) -> frozenset[int]:
    if not isinstance(values, list) or not all(type(value) is int for value in values):
        raise _faulty(f"{key} has something else than token positions", where)
    if outside := [value for value in values if not 0 <= value < length]:
        raise _faulty(f"{key} has the position {outside[0]} in a sentence of {length} tokens", where)
    return frozenset(values)


def _faulty(what: str, where: Where) -> InputError:
    return InputError(what, where=where, fix=f"an item has the keys {', '.join(_FIELDS)}; positions from 0")
