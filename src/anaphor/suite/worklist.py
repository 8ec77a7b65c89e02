"""Mismatches as a work list for annotators, and approved translations from their verdicts.

protest-2016, section 6. A work list is tab-separated text with a header, or JSON lines with the same keys. An
annotator writes `ok` or `bad` into the empty column `verdict`, and may shorten `pronoun` and `heads` to the
words that make the translation correct. Rows without a verdict change nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from anaphor.core import Alternative, InputError, Suite, UnknownNameError, Where
from anaphor.core.records import Record
from anaphor.corpus import Text
from anaphor.suite.evaluate import SuiteReport
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import ItemOutcome
from anaphor.suite.texts import SOURCE

COLUMNS = (
    *("verdict", "system", "item", "category", "outcome", "pronoun", "heads"),
    *("source_pronoun", "source_heads", "references", "source", "candidate"),
)
BAR = " | "
_VERDICTS = ("", "ok", "bad")


def work_list(
    loaded: LoadedSuite, report: SuiteReport, candidates: Mapping[str, Text]
) -> Iterator[dict[str, str]]:
    """A row with the keys of `COLUMNS` for every mismatch of every system; the verdict is empty.

    Brackets in the source mark the evaluated pronoun, since a line can have several of the same form. Source
    and candidate have the lines from the antecedent on, or three before a pronoun without an antecedent.
    """
    locators = loaded.texts.locators
    antecedent_counts = {category.name: category.antecedent for category in loaded.suite.categories}
    for system in report.systems:
        candidate = candidates[system.system]
        for judged in system.judged:
            item = judged.item
            if judged.outcome is ItemOutcome.MATCH:
                continue
            source = locators[SOURCE][item.document]
            heads = item.antecedents if antecedent_counts[item.category] else ()
            segments = source.context(item)
            references = []
            for pair in item.references:
                locator = locators[pair.reference][item.document]
                translated = (pair.pronoun, *pair.heads[: len(heads)])
                references.append(", ".join(locator.text(place) or "-" for place in translated))
            yield {
                "verdict": "",
                "system": system.system,
                "item": item.id,
                "category": item.category,
                "outcome": judged.outcome.value,
                "pronoun": " ".join(judged.words.pronoun),
                "heads": BAR.join(" ".join(words) for words in judged.words.heads[: len(heads)]),
                "source_pronoun": source.text(item.pronoun),
                "source_heads": BAR.join(source.text(head.head) for head in heads),
                "references": "; ".join(references),
                "source": BAR.join(source.marked(at, item.pronoun) for at in segments),
                "candidate": BAR.join(candidate.lines[at] for at in segments),
            }


def format_work_list(rows: Iterable[Mapping[str, str]], *, json_lines: bool) -> str:
    """The rows as text. A tab inside a cell becomes a space in tab-separated text; JSON keeps it."""
    if json_lines:
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    lines = ["\t".join(COLUMNS)]
    lines += ["\t".join(row[column].replace("\t", " ") for column in COLUMNS) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def with_approved(suite: Suite, work_list: Text, *, by: str, when: str) -> Suite:
    """The suite with an alternative for every row that is `ok`, unless the item has it already.

    Spreadsheets write `OK` and `Ok`, so case is ignored.
    """
    items = {item.id: item for item in suite.items}
    antecedent_counts = {category.name: category.antecedent for category in suite.categories}
    for row in _rows(work_list):
        name, verdict = row.text("item", blank=True), row.text("verdict", blank=True).strip().casefold()
        if name not in items:
            raise UnknownNameError.among(name, items, kind="item", where=row.where)
        item = items[name]
        if verdict not in _VERDICTS:
            what = f"unknown verdict: {verdict!r:.60}"
            raise InputError(what, where=row.where, fix="write ok or bad, or leave it empty")
        if verdict == "ok":
            heads: tuple[str, ...] = ()
            if antecedent_counts[item.category]:
                heads = tuple(row.text("heads", blank=True).split(BAR))
                if len(heads) != len(item.antecedents) or not all(map(str.strip, heads)):
                    what = "the words for an antecedent head are missing"
                    raise InputError(what, where=row.where, fix="add them to the column heads")
            pronoun = row.text("pronoun", blank=True).strip()
            if (pronoun, heads) not in {
                (alternative.pronoun, alternative.heads) for alternative in item.alternatives
            }:
                approved = Alternative(pronoun, heads, by, when)
                items[name] = replace(item, alternatives=(*item.alternatives, approved))
    return replace(suite, items=tuple(items.values()))


def _rows(text: Text) -> Iterator[Record]:
    if text.lines[0].startswith("{"):
        yield from Record.from_json_lines(text.lines, path=text.path)
        return
    if tuple(text.lines[0].split("\t")) != COLUMNS:
        what = "not the header of a work list"
        raise InputError(what, where=Where(text.path, 1), fix="keep the first line of the list")
    for number, line in enumerate(text.lines[1:], start=2):
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            what = f"the line has {len(cells)} columns instead of {len(COLUMNS)}"
            fix = "keep all columns, with tabs between them"
            raise InputError(what, where=Where(text.path, number), fix=fix)
        yield Record(dict(zip(COLUMNS, cells, strict=True)), where=Where(text.path, number))
