"""Gold alignments, made by annotators: types and readers.

Formats (all UTF-8, one segment per line, positions counted from 0 or 1):

    pharaoh        links `i-j` sure, `i?j` or `ipj` possible, from 0
    hansards       the same from 1, the text in a second file: `source tokens ||| target tokens`
    xl-wa          three tab-separated columns: source tokens, target tokens, links `i-j` from 0, all sure
    pronoun-links  one JSON object per line (see `read_pronoun_links`), from 0

A link given twice counts once; one given as sure and as possible is sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anaphor.align.symmetrize import LinkSet
from anaphor.core import InputError, LanguagePair, MismatchError, UnknownNameError, UserError, Where
from anaphor.core.records import Record
from anaphor.corpus import AlignmentFile, Inputs, Text, read_alignments, read_text, within_range
from anaphor.languages import split_words

LAYOUTS = ("pharaoh", "hansards", "xl-wa")

_LINK = re.compile(r"([0-9]{1,6})([-?p])([0-9]{1,6})")
_WORD = re.compile(r"[^ ]+")
_DOCS = "docs/howto/align.md"


@dataclass(frozen=True, slots=True)
class GoldAlignment:
    """The links of one segment as (source, target) pairs from 0; `possible` includes `sure`."""

    sure: LinkSet
    possible: LinkSet


class GoldSegment(NamedTuple):
    """A segment with its gold alignment."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    gold: GoldAlignment


@dataclass(frozen=True, slots=True)
class PronounLinkItem:
    """One source pronoun with the target positions that translate it; `possible` includes `sure`.

    Without possible positions the translation has no counterpart: the pronoun should stay unaligned.
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


def read_segments(
    path: str | Path,
    *,
    layout: str,
    source: str | None = None,
    target: str | None = None,
    text: str | None = None,
) -> Sequence[GoldSegment]:
    """The gold alignment of every segment with its text, which is tokenized.

    Pharaoh gold takes its text from `source` and `target`, hansards gold from `text`.
    """
    if layout == "xl-wa":
        return read_xlwa(path)
    if layout == "hansards":
        return read_hansards(path, text=str(text))
    texts = Inputs(read_text(str(source)), (read_text(str(target)),), {})
    lines = zip(texts.source.lines, texts.references[0].lines, strict=True)
    sentences = [(tuple(split_words(source)), tuple(split_words(other))) for source, other in lines]
    check_inside(read_alignments(path, segments=len(sentences)), sentences)
    # Surplus empty lines at the end of the gold file were reported when its links were read.
    golds = read_gold(path, layout=layout)
    return [GoldSegment(*sentence, gold) for sentence, gold in zip(sentences, golds, strict=False)]


def check_inside(links: AlignmentFile, sentences: Sequence[tuple[Sized, Sized]]) -> None:
    """Raise for the first link outside its sentence pair."""
    lengths = np.array([(len(source), len(target)) for source, target in sentences]).reshape(-1, 2)
    try:
        within_range(links, source_lengths=lengths[:, 0], target_lengths=lengths[:, 1])
    except InputError as error:
        fix = "links and text must have the same tokens, counted from 0"
        raise InputError(error.what, where=error.where, fix=fix) from error


def read_hansards(path: str | Path, *, text: str | Path) -> tuple[GoldSegment, ...]:
    """The segments of a `text` file with their links, checked against the lengths of the sentences."""
    links, sentences = read_text(path), read_text(text)
    if len(links.lines) != len(sentences.lines):
        raise MismatchError(
            f"{links.path} has {len(links.lines)} lines, {sentences.path} has {len(sentences.lines)}",
            where=Where(links.path, min(len(links.lines), len(sentences.lines)) + 1),
            fix="pass the links and the text of the same segments",
        )
    golds = _read_links(links, first=1)
    segments = []
    for number, (line, gold) in enumerate(zip(sentences.lines, golds, strict=True), start=1):
        source, target = _parts(line, "|||", 2, Where(sentences.path, number))
        segments.append(_segment(gold, source, target, Where(links.path, number)))
    return tuple(segments)


def read_xlwa(path: str | Path) -> tuple[GoldSegment, ...]:
    """The segments of an XL-WA file with their links, checked against the lengths of the sentences."""
    text = read_text(path)
    segments = []
    for number, line in enumerate(text.lines, start=1):
        where = Where(text.path, number)
        source, target, links = _parts(line, "\t", 3, where)
        gold = _parse(links, where, first=0, skipped=len(line) - len(links))
        segments.append(_segment(gold, source, target, where))
    return tuple(segments)


def read_pronoun_links(path: str | Path) -> tuple[PronounLinkItem, ...]:
    """The items of a pronoun-links file, one JSON object per line; keys other than these are ignored.

    `id` (unique), `pair` (`en-fr`), `source` and `target` (tokens), `pronoun` (source position),
    `sure` and `possible` (target positions; both empty if the pronoun should stay unaligned) and
    `function` (anaphoric, pleonastic, event ...).
    """
    text = read_text(path)
    items = []
    lines: dict[str, int] = {}
    for number, record in enumerate(Record.from_json_lines(text.lines, path=text.path, docs=_DOCS), start=1):

        def positions(key: str, length: int, record: Record = record) -> frozenset[int]:
            elements = record.elements(key)
            return frozenset(elements.integer(index, low=0, high=length - 1) for index in elements)

        # Tokens may be white space, such as the no-break space of some tokenizers.
        source, target = (
            tuple(tokens.text(index, blank=True) for index in tokens)
            for tokens in (record.elements("source"), record.elements("target"))
        )
        sure = positions("sure", len(target))
        try:
            pair = LanguagePair.parse(record.text("pair"))
        except UserError as error:
            raise InputError(error.what, where=record.where, fix=error.fix) from error
        item = PronounLinkItem(
            id=record.text("id"),
            pair=pair,
            source=source,
            target=target,
            pronoun=record.integer("pronoun", low=0, high=len(source) - 1),
            sure=sure,
            possible=sure | positions("possible", len(target)),
            function=record.text("function"),
        )
        items.append(item)
        if lines.setdefault(item.id, number) != number:
            raise InputError(
                f"the id {item.id} was already given in line {lines[item.id]}",
                where=record.where,
                fix="give every item a different id",
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
        # A link given as sure and as possible is sure, in whatever order.
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return GoldAlignment(frozenset(sure), frozenset(possible))


def _parts(line: str, separator: str, count: int, where: Where) -> list[str]:
    parts = line.split(separator)
    if len(parts) != count:
        raise InputError(
            f"the line has {len(parts)} parts separated by {separator!r}, not {count}",
            where=where,
            fix="check that this is a gold alignment in the specified layout",
        )
    return parts


def _segment(gold: GoldAlignment, source: str, target: str, where: Where) -> GoldSegment:
    """A segment from text with spaces between tokens; raises for the first link outside of it."""
    sources, targets = tuple(_WORD.findall(source)), tuple(_WORD.findall(target))
    # In order, so that the error names the first of several.
    for i, j in sorted(gold.possible):
        if i >= len(sources) or j >= len(targets):
            raise InputError(
                f"a link joins the words {i} and {j} (counted from 0), but the source has "
                f"{len(sources)} tokens and the target {len(targets)}",
                where=where,
                fix="pass the text that was aligned, with the same tokens",
            )
    return GoldSegment(sources, targets, gold)
