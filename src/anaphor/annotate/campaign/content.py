"""The rows of a campaign: its systems, texts, items and units, whether it is new or grows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from anaphor.annotate.answer_json import answer_json
from anaphor.annotate.campaign.facts import REFERENCE, SOURCE, SYSTEM
from anaphor.annotate.campaign.pool import PoolItem, PoolSystem, PoolUnit
from anaphor.annotate.campaign.sampling import population_json
from anaphor.annotate.campaign.workload import insert_rows
from anaphor.annotate.store import schema
from anaphor.annotate.store.database import to_row
from anaphor.annotate.types import marks_json, targets_json
from anaphor.core import Suite, SuiteDocument
from anaphor.languages import Words
from anaphor.meta import PlannedUnit, SamplingPlan, plan_json
from anaphor.suite import LoadedSuite, suite_digest
from anaphor.suite.format import format_header, format_items
from anaphor.suite.linking import LinkedTexts


def insert_documents(connection: Connection, documents: Sequence[SuiteDocument], *, first: int = 0) -> None:
    """Documents in order; `first` is the first segment of the first one."""
    rows = []
    for document in documents:
        rows.append({"id": document.id, "first": first, "segments": document.segments})
        first += document.segments
    insert_rows(connection, schema.documents, rows)


def insert_systems(connection: Connection, systems: Sequence[PoolSystem], *, first: int = 0) -> None:
    """Systems without their texts; `first` is the place of the first one."""
    rows = (to_row(schema.systems, system, place=place) for place, system in enumerate(systems, start=first))
    insert_rows(connection, schema.systems, rows)


def insert_items(connection: Connection, items: Sequence[PoolItem], *, first: int = 0) -> None:
    """Items in order; `first` is the place of the first one."""
    rows = (
        to_row(
            schema.items,
            item,
            pronoun_key=item.key,
            place=place,
            marks=marks_json(item.marks),
            reference_words=json.dumps(item.reference_words, ensure_ascii=False),
        )
        for place, item in enumerate(items, start=first)
    )
    insert_rows(connection, schema.items, rows)


def insert_units(connection: Connection, units: Sequence[PoolUnit]) -> None:
    rows = (
        to_row(
            schema.units,
            unit,
            item=unit.item.id,
            category=unit.item.category,
            targets=targets_json(unit.targets),
            expected=None if unit.expected is None else answer_json(unit.expected),
        )
        for unit in units
    )
    insert_rows(connection, schema.units, rows)


def suite_columns(suite: Suite, items: Iterable[PoolItem]) -> dict[str, str]:
    """The columns of a campaign about its suite, in the formats of its files."""
    categories: dict[str, dict[str, object]] = {
        category.name: {
            "name": category.name,
            "antecedent": category.antecedent,
            "description": category.description,
        }
        for category in suite.categories
    }
    for item in items:  # a plan may have categories of its own
        categories.setdefault(item.category, {"name": item.category, "antecedent": False, "description": ""})
    return {
        "suite_header": format_header(suite, None),
        "suite_items": format_items(suite),
        "suite_digest": suite_digest(suite),
        "categories": json.dumps(list(categories.values()), ensure_ascii=False),
    }


def plan_columns(
    plan: SamplingPlan | None, population: Sequence[PlannedUnit] | None
) -> dict[str, str | None]:
    """The columns of a campaign about its sample, and about what it was drawn from."""
    return {
        "sampling_plan": None if plan is None else plan_json(plan),
        "population": None if population is None else population_json(population),
    }


def text_rows(
    loaded: LoadedSuite, linked: LinkedTexts, systems: Sequence[PoolSystem], words: Words
) -> Iterator[dict[str, Any]]:
    """Every line of source, references and systems with its tokens and links."""
    yield from _side_rows(SOURCE, "", loaded.texts.source_lines, linked.source)
    for name in loaded.texts.references:
        lines = [line or "" for line in loaded.texts.lines(name)]
        yield from _side_rows(REFERENCE, name, lines, [words(line) for line in lines])
    for system in systems:
        yield from _side_rows(SYSTEM, system.id, system.lines, system.tokens, system.links)


def _side_rows(
    side: str,
    name: str,
    lines: Sequence[str],
    tokens: Sequence[Sequence[str]],
    links: Sequence[str] | None = None,
) -> Iterator[dict[str, Any]]:
    for segment, (line, words) in enumerate(zip(lines, tokens, strict=True)):
        yield {
            "side": side,
            "name": name,
            "segment": segment,
            "line": line,
            "tokens": json.dumps(list(words), ensure_ascii=False),
            "links": None if links is None else links[segment],
        }
