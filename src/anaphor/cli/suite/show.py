"""`anaphor suite show`: what a suite is made of, or single items in their text."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import TYPE_CHECKING

from anaphor.cli.suite.options import add_suite, load
from anaphor.core.errors import UnknownNameError

if TYPE_CHECKING:
    from anaphor.core import Item, Suite
    from anaphor.suite import LoadedSuite


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    parser.add_argument("--item", nargs="+", default=[], metavar="ID", help="show these items")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    import json

    from anaphor.suite import read_suite

    if options.item:
        loaded = load(options)
        shown = [_item(loaded, _find(loaded.suite, name)) for name in options.item]
        print(json.dumps(shown, ensure_ascii=False, indent=2) if options.json else _blocks(shown))
        return
    suite = read_suite(options.suite)
    print(json.dumps(_summary(suite), ensure_ascii=False, indent=2) if options.json else _text(suite))


def _summary(suite: Suite) -> dict[str, object]:
    from anaphor.suite import suite_digest

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


def _text(suite: Suite) -> str:
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    summary = _summary(suite)
    del summary["categories"]
    lines = [
        f"{key}: {', '.join(value) if isinstance(value, list) else value}" for key, value in summary.items()
    ]
    counts = Counter(item.category for item in suite.items)
    rows = [["category", "antecedent", "items"]]
    rows += [
        [category.name, "counts" if category.antecedent else "-", str(counts[category.name])]
        for category in suite.categories
    ]
    return "\n".join(lines) + "\n\n" + table(rows, paint=paint())


def _find(suite: Suite, name: str) -> Item:
    items = {item.id: item for item in suite.items}
    if name not in items:
        raise UnknownNameError.among(name, items, kind="item", where="--item")
    return items[name]


def _item(loaded: LoadedSuite, item: Item) -> dict[str, str]:
    """The item in words: its lines, what it refers to, what the references and people have for it."""
    from anaphor.suite.texts import SOURCE

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
    shown |= item.features
    return shown


def _blocks(shown: list[dict[str, str]]) -> str:
    return "\n\n".join("\n".join(f"{key}: {value}" for key, value in one.items()) for one in shown)
