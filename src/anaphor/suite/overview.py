"""Overviews for people and programs: what a suite consists of, single items in their text, shipped suites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anaphor.core import Item, Suite, UnknownNameError
from anaphor.core.table import Block, Paragraph, Table, count, text
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.shipped import load_shipped, shipped_suites
from anaphor.suite.texts import SOURCE


@dataclass(frozen=True, slots=True)
class SuiteOverview:
    """The size of a suite, its references and its categories."""

    suite: Suite

    def to_dict(self) -> dict[str, Any]:
        suite = self.suite
        counts = Counter(item.category for item in suite.items)
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
            "categories": {category.name: counts[category.name] for category in suite.categories},
        }

    def tables(self) -> list[Block]:
        content = self.to_dict()
        counts = content.pop("categories")
        content["references"] = ", ".join(content["references"])
        rows = [
            (category.name, "counts" if category.antecedent else "-", counts[category.name])
            for category in self.suite.categories
        ]
        return [
            Paragraph([f"{key}: {value}" for key, value in content.items()]),
            Table((text("category"), text("antecedent"), count("items")), rows),
        ]


@dataclass(frozen=True, slots=True)
class ItemOverview:
    """Some items of a suite as words: their lines, antecedents, and accepted translations."""

    items: tuple[dict[str, str], ...]

    @classmethod
    def of(cls, loaded: LoadedSuite, ids: Iterable[str]) -> ItemOverview:
        known = {item.id: item for item in loaded.suite.items}
        found = []
        for name in ids:
            if name not in known:
                raise UnknownNameError.among(name, known, kind="item", where="--item")
            found.append(describe_item(loaded, known[name]))
        return cls(tuple(found))

    def to_dict(self) -> list[dict[str, str]]:
        return list(self.items)

    def tables(self) -> list[Block]:
        return [Paragraph([f"{key}: {value}" for key, value in one.items()]) for one in self.items]


def describe_item(loaded: LoadedSuite, item: Item) -> dict[str, str]:
    """An item in words: its lines, what it refers to, its translations and the approved ones."""
    source = loaded.texts.locators(SOURCE)[item.document]
    shown = {"item": item.id, "category": item.category, "document": item.document}
    shown["pronoun"] = source.text(item.pronoun)
    if item.antecedents:
        shown["antecedents"] = " | ".join(source.text(one.span) for one in item.antecedents)
        shown["heads"] = " | ".join(source.text(one.head) for one in item.antecedents)
    places = (item.pronoun, *(one.head for one in item.antecedents))
    segments = sorted({at.segment - source.first for place in places for at in source.stretches(place)})
    shown["source"] = " | ".join(source.lines[segment] for segment in segments)
    for pair in item.references:
        locator = loaded.texts.locators(pair.reference)[item.document]
        shown[pair.reference] = ", ".join(locator.text(place) or "-" for place in (pair.pronoun, *pair.heads))
    for one in item.alternatives:
        shown[f"approved by {one.by}"] = ", ".join((one.pronoun or "-", *one.heads))
    return shown | dict(item.features)


@dataclass(frozen=True, slots=True)
class ShippedOverview:
    """The suites that ship with the package."""

    suites: tuple[Suite, ...]

    @classmethod
    def load(cls) -> ShippedOverview:
        return cls(tuple(load_shipped(name).suite for name in shipped_suites()))

    def to_dict(self) -> list[dict[str, Any]]:
        keys = ("name", "version", "pair", "documents", "items", "licence")
        overviews = (SuiteOverview(one).to_dict() for one in self.suites)
        return [{key: overview[key] for key in keys} for overview in overviews]

    def tables(self) -> list[Block]:
        rows = self.to_dict()
        return [Table([text(key) for key in rows[0]], [[str(cell) for cell in row.values()] for row in rows])]
