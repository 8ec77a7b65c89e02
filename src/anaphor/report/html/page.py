"""The page itself: head with its policy, sections, examples, and what made the numbers."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from importlib.resources import files

from anaphor.core import Outcome
from anaphor.report.charts import CASE_NAMES
from anaphor.report.escape import escaped, json_block, shown
from anaphor.report.html.data import category_of, page_data
from anaphor.report.html.sections import sections
from anaphor.report.html.view import ReportView
from anaphor.report.svg import element


def report_page(view: ReportView) -> str:
    """A whole page for one or several results; the same results give the same bytes."""
    parts = list(sections(view))
    links = "".join(f'<li><a href="#{name}">{escaped(heading)}</a></li>' for name, heading, _ in parts)
    body = "".join(section(*part) for part in parts)
    first = view.results[0]
    size = f"{first.segments} segments, {first.pronouns} pronouns, {len(view.systems)} systems"
    examples = section("examples", "Examples", _examples(view))
    return document(
        view.title,
        f'<header><h1>{escaped(view.title)}</h1><p class="faint">{escaped(first.settings.pair)}, {size}</p>'
        f'<nav aria-label="Sections"><ul>{links}<li><a href="#examples">Examples</a></li></ul></nav></header>'
        f'<main id="main">{body}{examples}</main>'
        f"<footer>{section('about', 'What made the numbers', _about(view))}</footer>",
        script=asset("page.js") if view.has_cards else "",
        data=json_block(page_data(view)) if view.has_cards else "",
    )


def document(title: str, body: str, *, script: str = "", data: str = "") -> str:
    """An HTML document that can fetch nothing; only this style and this script run, by their hashes."""
    style = "".join(map(asset, ("palette.css", "charts.css", "page.css")))
    allowed = f"script-src '{_hash(script)}'; " if script else ""
    policy = f"default-src 'none'; {allowed}style-src '{_hash(style)}'; base-uri 'none'; form-action 'none'"
    scripts = f'<script type="application/json" id="data">{data}</script><script>{script}</script>'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escaped(title)}</title><style>{style}</style></head>"
        f'<body><a class="skip" href="#main">Skip to the numbers</a>{body}{scripts if script else ""}'
        "</body></html>\n"
    )


def section(name: str, heading: str, content: str) -> str:
    """A section with a heading that screen readers list."""
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading">'
        f'<h2 id="{name}-heading">{escaped(heading)}</h2>{content}</section>'
    )


def asset(name: str) -> str:
    return (files("anaphor") / "report" / "html" / "assets" / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


def _examples(view: ReportView) -> str:
    if not view.has_cards:
        return element(
            "p", "The result has no cards. Score with --cards to see the examples behind each number."
        )
    fields = "".join(
        f'<label>{escaped(name)}<select name="{name}">{_options(values)}</select></label>'
        for name, values in _choices(view)
    )
    return (
        "<noscript><p>Examples are shown by the script of this page, which is switched off.</p></noscript>"
        f'<form id="filter" hidden aria-label="Filter examples">{fields}'
        '<label class="check"><input type="checkbox" name="disagreement" value="1">systems disagree</label>'
        '<button type="reset">Show all</button></form>'
        '<p id="status" role="status" tabindex="-1"></p><div id="list"></div>'
        '<button type="button" id="more" hidden>Show more</button>'
    )


def _choices(view: ReportView) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Every field of the filter with its values and their names."""
    known = [stored.cards for stored in view.results if stored.cards is not None]
    labels = {label for system in view.systems for pair in system.confusion for label in pair}
    categories = {category_of(view, pronoun) for cards in known for pronoun in cards.pronouns} - {""}
    forms = sorted({pronoun.form for cards in known for pronoun in cards.pronouns})
    yield "system", _same([system.name for system in view.systems])
    yield "pronoun", _same(forms)
    yield "outcome", [(str(case.value), CASE_NAMES[case]) for case in Outcome]
    if categories:
        yield "category", _same(sorted(categories))
    yield "reference", _same(sorted(labels))
    yield "candidate", _same(sorted(labels))


def _same(values: list[str]) -> list[tuple[str, str]]:
    return [(shown(value), value) for value in values]


def _options(values: list[tuple[str, str]]) -> str:
    offered = [("", "all"), *values]
    return "".join(f'<option value="{escaped(value)}">{escaped(name)}</option>' for value, name in offered)


def _about(view: ReportView) -> str:
    lines = [score.line for system in view.systems for score in system.scores]
    notes = [note for stored in view.results for note in stored.notes]
    listed = "".join(f"<li><code>{escaped(line)}</code></li>" for line in lines)
    told = "".join(f"<li>{escaped(note)}</li>" for note in notes)
    return (
        f"<details><summary>Signatures of all scores</summary><ul>{listed}</ul></details>"
        + (f"<details><summary>Notes</summary><ul>{told}</ul></details>" if told else "")
        + element("p", escaped(f"Made by anaphor {view.results[0].version}."), kind="faint")
    )
