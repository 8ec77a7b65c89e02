"""Overviews for people and programs: the contents of a suite, single items in context, shipped suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from anaphor.core import Item, Suite, UnknownNameError
from anaphor.core.table import Listing, Paragraph, Table, count, text
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.shipped import load_shipped, shipped_suites
from anaphor.suite.texts import SOURCE


def suite_overview(suite: Suite) -> Listing:
    """The size of a suite, its references and its categories."""
    facts = _facts(suite)
    counts = Counter(item.category for item in suite.items)
    rows = [
        (category.name, "counts" if category.antecedent else "-", counts[category.name])
        for category in suite.categories
    ]
    shown = facts | {"references": ", ".join(facts["references"])}
    return Listing(
        facts | {"categories": {category.name: counts[category.name] for category in suite.categories}},
        [
            Paragraph([f"{key}: {value}" for key, value in shown.items()]),
            Table((text("category"), text("antecedent"), count("items")), rows),
        ],
    )


def shipped_overview() -> Listing:
    """The suites that ship with the package."""
    keys = ("name", "version", "pair", "documents", "items", "licence")
    suites = [_facts(load_shipped(name).suite) for name in shipped_suites()]
    rows = [[str(facts[key]) for key in keys] for facts in suites]
    return Listing(
        [{key: facts[key] for key in keys} for facts in suites], [Table(list(map(text, keys)), rows)]
    )


def _facts(suite: Suite) -> dict[str, Any]:
    return {
        "name": suite.name,
        "version": suite.version,
        "pair": str(suite.pair),
        "licence": suite.licence,
        "hash": suite_digest(suite),
        "documents": len(suite.documents),
        "segments": suite.segments,
        "references": list(suite.references()),
        "items": len(suite.items),
        "to confirm": sum(item.confidence is not None for item in suite.items),
        "alternatives": sum(len(item.alternatives) for item in suite.items),
    }


def item_overview(loaded: LoadedSuite, ids: Iterable[str]) -> Listing:
    """A description of some items of a suite."""
    known = {item.id: item for item in loaded.suite.items}
    shown = []
    for name in ids:
        if name not in known:
            raise UnknownNameError.among(name, known, kind="item", where="--item")
        shown.append(_describe(loaded, known[name]))
    return Listing(shown, [Paragraph([f"{key}: {value}" for key, value in item.items()]) for item in shown])


def _describe(loaded: LoadedSuite, item: Item) -> dict[str, str]:
    """A description of an item: its lines, antecedents, translations and approved alternatives."""
    source = loaded.texts.locators[SOURCE][item.document]
    shown = {"item": item.id, "category": item.category, "document": item.document}
    shown["line"] = str(source.stretches(item.pronoun)[0].segment - source.first + 1)
    shown["pronoun"] = source.text(item.pronoun)
    if item.antecedents:
        shown["antecedents"] = " | ".join(source.text(antecedent.span) for antecedent in item.antecedents)
        shown["heads"] = " | ".join(source.text(antecedent.head) for antecedent in item.antecedents)
    shown["source"] = " | ".join(source.marked(segment, item.pronoun) for segment in source.context(item))
    for pair in item.references:
        locator = loaded.texts.locators[pair.reference][item.document]
        shown[pair.reference] = ", ".join(locator.text(place) or "-" for place in (pair.pronoun, *pair.heads))
    for alternative in item.alternatives:
        shown[f"approved by {alternative.by}"] = ", ".join((alternative.pronoun or "-", *alternative.heads))
    return shown | dict(item.features)
