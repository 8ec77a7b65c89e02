"""Mismatches as a work list for people (protest-2016, section 6).

A list is tab-separated text with a heading, or JSON lines with the same keys. The verdict is empty: a person
writes it, and `approve.py` reads the list again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from anaphor.core import Item
from anaphor.corpus import Text
from anaphor.suite.evaluate import SuiteReport
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.outcomes import ItemOutcome, Judged
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

    def row(self, judged: Judged) -> dict[str, str]:
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
