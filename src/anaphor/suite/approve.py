"""A judged work list as approved translations, which later evaluations accept (protest-2016, section 6).

A person writes `ok` or `bad` into the column `verdict`, and may shorten `pronoun` and `heads` to the words
that make the translation right. Rows without a verdict are still to be judged and change nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from anaphor.core import Alternative, InputError, Item, Suite, UnknownNameError, Where
from anaphor.corpus import Text
from anaphor.suite.fields import parse_json_lines
from anaphor.suite.worklist import BAR, COLUMNS

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
