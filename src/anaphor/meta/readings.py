"""Judged pronouns: single pronouns of real translations, each rated ok, wrong or unsure by readers.

A TSV file has a row per pronoun: its place in the source, the readers' ratings, and a verdict that settles
disagreements. The texts are stored separately. A file may have several parts, one per test set. An item is
the pronoun of a row if it has the same system and line and begins at the same character.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import MismatchError, UnknownNameError, Where
from anaphor.core.records import whole_number
from anaphor.languages import Tokenizer, split_tokens
from anaphor.meta.detection import MarkedItem
from anaphor.meta.judgements import Key, ScoredItem
from anaphor.meta.scores import any_rows

OK, WRONG, UNSURE = _VERDICTS = ("ok", "wrong", "unsure")
_READER = re.compile(r"reader_\w+")


@dataclass(frozen=True, slots=True)
class Reading:
    """One judged pronoun: `start` is its first character in the line of the source; both are counted from 0.

    `readers` has their ratings before settlement.
    """

    id: str
    part: str
    document: str
    line: int
    system: str
    start: int
    pronoun: str
    verdict: str
    readers: Mapping[str, str]
    where: Where


def read_readings(path: str | Path) -> tuple[Reading, ...]:
    """All judged pronouns of a file; `part` may be omitted if there is only one."""
    readings: dict[tuple[str, str, int, int], Reading] = {}
    for row in any_rows(path):
        readers = {name: row.choice(name, _VERDICTS) for name in row if _READER.fullmatch(name)}
        reading = Reading(
            id=row.text("id", ""),
            part=row.text("part", ""),
            document=row.text("document"),
            line=row.integer("line", low=0),
            system=row.text("system"),
            start=row.integer("start", low=0),
            pronoun=row.text("pronoun"),
            verdict=row.choice("verdict", _VERDICTS),
            readers=readers,
            where=row.where,
        )
        key = reading.part, reading.system, reading.line, reading.start
        if key in readings:
            row.refuse("start", f"the same pronoun as in {readings[key].where}", fix="keep one row for each")
        readings[key] = reading
    return tuple(readings.values())


def items_by_part(
    items: Sequence[str], readings: Sequence[Reading], *, part: str | None, path: str
) -> dict[str, list[str]]:
    """The files of items for each part: all files for `part`, or each file for the part named in it."""
    parts = dict.fromkeys(reading.part for reading in readings)
    if part is not None and part not in parts:
        raise UnknownNameError.among(part, parts, kind=f"part of {path}", where="--part")
    if part is None and len(parts) == 1:
        (part,) = parts
    if part is not None:
        return {part: list(items)}
    files: dict[str, list[str]] = {}
    for file in items:
        name = Path(file.removesuffix(".gz")).stem
        if name not in parts:
            raise MismatchError(
                f"it is unclear which part the items in {path} belong to",
                where=file,
                fix=f"name the file after its part ({', '.join(parts)}), or add --part",
            )
        files.setdefault(name, []).append(file)
    return files


def mark_read(
    parts: Mapping[str, Mapping[Key, ScoredItem]],
    readings: Sequence[Reading],
    *,
    path: str,
    tokenize: Tokenizer,
    any_reader: bool = False,
) -> tuple[list[MarkedItem], int]:
    """The items judged ok or wrong, and the number of judged pronouns that match no item.

    A pronoun is marked if its verdict is wrong, or, with `any_reader`, if any reader said so.
    """
    by_line: dict[tuple[str, str, int], list[ScoredItem]] = {}
    for part, items in parts.items():
        for scored in items.values():
            by_line.setdefault((part, scored.system, scored.segment), []).append(scored)
    systems = {(part, system) for part, system, _ in by_line}
    marked = []
    unmatched = 0
    for reading in readings:
        wrong = reading.verdict == WRONG or (any_reader and WRONG in reading.readers.values())
        # An unsure verdict is no label, but a single reader who is sure can count with `any_reader`.
        if reading.part not in parts or (reading.verdict == UNSURE and not wrong):
            continue
        if (reading.part, reading.system) not in systems:
            raise MismatchError(
                f"pronouns of {reading.system} are judged, but have no items",
                where=path,
                fix="pass the items of all systems that were judged (anaphor score --items)",
            )
        of_line = by_line.get((reading.part, reading.system, reading.line), ())
        starts = {start: scored for scored in of_line if (start := _start(scored, tokenize)) is not None}
        # Lines of another version of the texts would fit by number and be wrong, so the words are compared.
        if starts:
            _check_text(reading, *next(iter(starts.items())))
        # A reader may have judged a pronoun that the metric does not evaluate, such as an object.
        item = starts.get(reading.start)
        if item is None:
            unmatched += 1
            continue
        scores = item.outcome, item.scores, item.verdicts
        votes = sum(label == WRONG for label in reading.readers.values())
        marked.append(MarkedItem(reading.system, reading.document, wrong, *scores, reading.readers, votes))
    return marked, unmatched


def _start(item: ScoredItem, tokenize: Tokenizer) -> int | None:
    """The first character of the pronoun in its line; the item has it in brackets. None if the text itself
    contains the same brackets and the item's token is at neither place.
    """
    bracketed = re.escape(f"[{item.pronoun}]")
    places = [match.start() for match in re.finditer(bracketed, item.marked_source, re.IGNORECASE)]
    if not places:
        raise MismatchError(
            f"the item {item.id} of {item.system} has no line of the source with the pronoun in brackets",
            where="--items",
            fix="pass output of `anaphor score --items`, with its column source",
        )
    if len(places) == 1:
        return places[0]
    token = whole_number(item.id.partition(":")[2])
    for place in places:
        # The text was tokenized by the language pack, or came tokenized (`--tokenized`).
        for split in (tokenize, split_tokens):
            starts = split(_plain(item, place)).starts
            if token is not None and token < len(starts) and starts[token] == place:
                return place
    return None


def _plain(item: ScoredItem, place: int) -> str:
    """The line without the brackets, the first of which is at `place`."""
    end = place + len(item.pronoun) + 1
    return item.marked_source[:place] + item.marked_source[place + 1 : end] + item.marked_source[end + 1 :]


def _check_text(reading: Reading, place: int, item: ScoredItem) -> None:
    line = _plain(item, place)
    written = line[reading.start : reading.start + len(reading.pronoun)]
    if written.casefold() != reading.pronoun.casefold():
        raise MismatchError(
            f"line {reading.line} of the items has {written!r} at character {reading.start}, not "
            f"{reading.pronoun!r}",
            where=reading.where,
            fix="pass the items of the texts that were judged; lines and characters are counted from 0",
        )
