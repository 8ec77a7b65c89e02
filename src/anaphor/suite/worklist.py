"""Mismatches as a work list for people (protest-2016, section 6).

A list is tab-separated text with a heading, or JSON lines with the same keys. The verdict is empty: a person
writes it, and `approve.py` reads the list again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from anaphor.core import Alternative, InputError, Item, Suite, UnknownNameError, Where
from anaphor.corpus import Text
from anaphor.suite.evaluate import SuiteReport
from anaphor.suite.fields import parse_json_lines
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import ItemJudgement, ItemOutcome
from anaphor.suite.texts import SOURCE, Locator

COLUMNS = (
    *("verdict", "system", "item", "category", "outcome", "pronoun", "heads"),
    *("source_pronoun", "source_heads", "references", "source", "candidate"),
)
BAR = " | "


@dataclass(frozen=True, slots=True)
class _Context:
    """What a row shows besides the judgement."""

    locators: Mapping[str, Mapping[str, Locator]]
    candidate: Text
    head_counts: Mapping[str, bool]

    def row(self, judged: ItemJudgement) -> dict[str, str]:
        item = judged.item
        source = self.locators[SOURCE][item.document]
        heads = item.antecedents if self.head_counts[item.category] else ()
        places = (item.pronoun, *(one.head for one in heads))
        segments = sorted({at.segment for place in places for at in source.stretches(place)})
        return {
            "item": item.id,
            "category": item.category,
            "outcome": judged.outcome.value,
            "pronoun": " ".join(judged.found.pronoun),
            "heads": BAR.join(" ".join(words) for words in judged.found.heads[: len(heads)]),
            "source_pronoun": source.text(item.pronoun),
            "source_heads": BAR.join(source.text(one.head) for one in heads),
            "references": "; ".join(self._references(item, len(heads))),
            "source": BAR.join(source.lines[at - source.first] for at in segments),
            "candidate": BAR.join(self.candidate.lines[at] for at in segments),
        }

    def _references(self, item: Item, heads: int) -> Iterator[str]:
        for pair in item.references:
            locator = self.locators[pair.reference][item.document]
            yield ", ".join(locator.text(place) or "-" for place in (pair.pronoun, *pair.heads[:heads]))


def work_list(
    loaded: LoadedSuite, report: SuiteReport, candidates: Mapping[str, Text]
) -> Iterator[dict[str, str]]:
    """A row with the keys of `COLUMNS` for every mismatch of every system; the verdict is empty."""
    locators = {side: loaded.texts.locators(side) for side, _ in loaded.texts.sides()}
    head_counts = {one.name: one.antecedent for one in loaded.suite.categories}
    for system in report.systems:
        context = _Context(locators, candidates[system.system], head_counts)
        for judged in system.judged:
            if judged.outcome is not ItemOutcome.MATCH:
                yield {"verdict": "", "system": system.system, **context.row(judged)}


def format_work_list(rows: Iterable[Mapping[str, str]], *, json_lines: bool) -> str:
    """The rows as text. A tab inside a cell becomes a space in tab-separated text; JSON keeps it."""
    if json_lines:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row[column].replace("\t", " ") for column in COLUMNS) for row in rows]
    return "".join(f"{line}\n" for line in lines)


_VERDICTS = ("", "ok", "bad")
_READ = ("verdict", "item", "pronoun", "heads")


class _Row(NamedTuple):
    """The columns that count, and where they stand."""

    where: Where
    verdict: str
    item: str
    pronoun: str
    heads: str


def with_approved(suite: Suite, work_list: Text, *, by: str, when: str) -> Suite:
    """The suite with an alternative for every row that is `ok`; one that the item has is not added again."""
    items = {item.id: item for item in suite.items}
    counts = {category.name: category.antecedent for category in suite.categories}
    for row in _rows(work_list):
        if row.item not in items:
            raise UnknownNameError.among(row.item, items, kind="item", where=row.where)
        if row.verdict not in _VERDICTS:
            raise _refuse(
                row.where, f"unknown verdict: {row.verdict!r:.60}", "write ok or bad, or nothing yet"
            )
        if row.verdict == "ok":
            item = items[row.item]
            found = _alternative(row, item if counts[item.category] else None, by=by, when=when)
            items[row.item] = _grown(item, found)
    return replace(suite, items=tuple(items.values()))


def _alternative(row: _Row, item: Item | None, *, by: str, when: str) -> Alternative:
    """The approved words; `item` is None where antecedents do not count."""
    heads = tuple(row.heads.split(BAR)) if item is not None else ()
    if item is not None and (len(heads) != len(item.antecedents) or not all(map(str.strip, heads))):
        raise _refuse(row.where, "the words for an antecedent head are missing", "write them into heads")
    return Alternative(row.pronoun.strip(), heads, by, when)


def _grown(item: Item, found: Alternative) -> Item:
    known = {(one.pronoun, one.heads) for one in item.alternatives}
    if (found.pronoun, found.heads) in known:
        return item
    return replace(item, alternatives=(*item.alternatives, found))


def _rows(text: Text) -> Iterator[_Row]:
    if text.lines[0].startswith("{"):
        for fields in parse_json_lines(text):
            yield _Row(fields.where, *(fields.cell(column) for column in _READ))
        return
    if tuple(text.lines[0].split("\t")) != COLUMNS:
        raise _refuse(
            Where(text.path, 1), "not the heading of a work list", "keep the first line of the list"
        )
    for number, line in enumerate(text.lines[1:], start=2):
        cells = dict(zip(COLUMNS, line.split("\t"), strict=False))
        if line.count("\t") != len(COLUMNS) - 1:
            what = f"the line has {line.count(chr(9)) + 1} columns instead of {len(COLUMNS)}"
            raise _refuse(Where(text.path, number), what, "keep all columns, with tabs between them")
        yield _Row(Where(text.path, number), *(cells[column] for column in _READ))


def _refuse(where: Where, what: str, fix: str) -> InputError:
    return InputError(what, where=where, fix=fix)
