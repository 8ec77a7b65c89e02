"""The page itself: head with its policy, sections, examples, and how the numbers were computed."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from anaphor.core import InputError, OptionError, Outcome, UserError, VerdictCounts
from anaphor.files.folders import inside
from anaphor.report.charts import asset, element
from anaphor.report.escape import escaped, json_block, shown
from anaphor.report.html.data import ReportView, category_of, page_data
from anaphor.report.html.elements import MARKS, legend, table
from anaphor.report.html.sections import facts, name_of, score_cells, score_headings, sections, summary
from anaphor.report.ranking import Refusal, sort_out
from anaphor.report.result_tables import CASE_NAMES
from anaphor.report.stored import StoredResult, read_stored


def report_page(view: ReportView) -> str:
    """A whole page for one or several results; equal results give identical bytes."""
    parts = [*sections(view), ("examples", "Examples", _examples(view)), ("legend", "Legend", legend(view))]
    links = "".join(f'<li><a href="#{name}">{escaped(heading)}</a></li>' for name, heading, _ in parts)
    body = "".join(section(*part) for part in parts)
    notes = "".join(f"<li>{escaped(note)}</li>" for stored in view.results for note in stored.notes)
    about = _signatures(view) + (
        f"<details><summary>Notes</summary><ul>{notes}</ul></details>" if notes else ""
    )
    return document(
        view.title,
        f"<header><h1>{escaped(view.title)}</h1>{facts(view)}</header>"
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>'
        f'<main id="main">{body}</main>'
        f"<footer>{section('about', 'How the numbers were computed', about)}</footer>",
        script=asset("page.js") if view.has_cards else "",
        data=json_block(page_data(view)) if view.has_cards else "",
    )


def page_date() -> str:
    """The date of a page: that of SOURCE_DATE_EPOCH, for reproducible builds, or today's."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(epoch) if epoch else time.time(), tz=UTC).date().isoformat()
    except (ValueError, OverflowError, OSError) as error:
        fix = "set it to seconds since 1970, or omit it"
        raise OptionError(f"not a time: {epoch!r}", where="SOURCE_DATE_EPOCH", fix=fix) from error


def document(title: str, body: str, *, script: str = "", data: str = "") -> str:
    """An HTML document that can fetch nothing; only this style and this script are allowed, by hash."""
    style = "".join(map(asset, ("palette.css", "charts.css", "page.css")))
    # Hashes, not 'unsafe-inline': a script in a text could not run even if it were not escaped.
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


def _signatures(view: ReportView) -> str:
    lines = (score.line for system in view.systems for score in system.scores)
    items = "".join(f"<li><code>{escaped(line)}</code></li>" for line in lines)
    return f"<details><summary>Signatures of all scores</summary><ul>{items}</ul></details>"


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode("utf-8")).digest()).decode("ascii")


def _examples(view: ReportView) -> str:
    if not view.has_cards:
        return element(
            "p", "The result has no cards. Score with --cards to see the examples behind each number."
        )
    pronouns = view.cards[0].pronouns
    documents = dict.fromkeys(
        (view.cards[0].documents or {})[pronoun.segment] for pronoun in pronouns if view.cards[0].documents
    )
    labels = sorted({label for system in view.systems for pair in system.confusion for label in pair})
    categories = {category_of(view, pronoun) for pronoun in pronouns} - {""}
    # Every field of the filter: its label, its values and their names.
    choices = {
        "system": ("system", [(shown(system.name), view.names[system.name]) for system in view.systems]),
        "pronoun": ("pronoun", _same(sorted({pronoun.form for pronoun in pronouns}))),
        "outcome": ("outcome", [(str(case.value), CASE_NAMES[case]) for case in Outcome]),
        **{f"verdict-{name}": (f"verdict of {name}", _same(VerdictCounts._fields)) for name in view.judges},
        "category": ("category", _same(sorted(categories))),
        "document": ("document", _same(list(documents))),
        "reference": ("reference form", _same(labels)),
        "candidate": ("candidate form", _same(labels)),
        "order": ("order", [("text", "as in the text")]),
    }
    fields = ""
    for name, (label, values) in choices.items():
        everything = ("", "disagreements first" if name == "order" else "all")
        options = "".join(
            f'<option value="{escaped(value)}">{escaped(text)}</option>'
            for value, text in [everything, *values]
        )
        if values:
            fields += f'<label>{escaped(label)}<select name="{escaped(name)}">{options}</select></label>'
    marks = "".join(f"<li>{mark} {told}</li>" for mark, told in MARKS.items())
    return (
        "<noscript><p>Examples are shown by the script of this page, which is switched off.</p></noscript>"
        f'<ul class="marks">{marks}</ul>'
        f'<form id="filter" hidden aria-label="Filter examples">{fields}'
        '<label>words<input type="search" name="words" autocomplete="off"></label>'
        '<label class="check"><input type="checkbox" name="disagreement" value="1">systems disagree</label>'
        '<button type="reset">Show all</button></form>'
        '<p id="status" role="status" tabindex="-1"></p><div id="list"></div>'
        '<button type="button" id="more" hidden>Show more</button>'
    )


def _same(values: Sequence[str]) -> list[tuple[str, str]]:
    return [(shown(value), value) for value in values]


def read_folder(folder: str | Path) -> tuple[tuple[StoredResult, ...], tuple[Refusal, ...]]:
    """The comparable results of a folder by file name, and the rejected files.

    Files are rejected if they are not results, were modified, are not comparable with most others, or repeat
    a system. A folder without any result is an error.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError("folder not found", where=str(folder), fix="pass a folder of result files")
    results: list[StoredResult] = []
    refused: list[Refusal] = []
    for path in sorted(place.glob("*.json")):
        try:
            results.append(read_stored(inside(place, path)))
        except UserError as error:
            refused.append(Refusal(str(path), error.what))
    if not results:
        what = f"no result file among {len(refused)} JSON files"
        raise InputError(what, where=str(folder), fix="write results there with `anaphor score --output`")
    kept, incomparable = sort_out(results)
    return kept, (*refused, *incomparable)


def leaderboard_page(
    results: Sequence[StoredResult], refused: Sequence[Refusal], *, title: str, date: str = ""
) -> str:
    """The page: ranked systems with intervals, the origin of each, and the rejected files."""
    view = ReportView.of(results, title=title, date=date)
    rows = [
        [name_of(view, system.name), escaped(Path(stored.path).name), *score_cells(view, system)]
        for stored in view.results
        for system in stored.systems
    ]
    files = table("Where the scores come from", ["system", "file", *score_headings(view)], rows)
    parts = section("summary", "Systems", summary(view)) + section("files", "Files", files)
    if refused:
        lines = [[escaped(Path(file.path).name), escaped(file.reason)] for file in refused]
        left_out = table("Files left out of the table", ["file", "reason"], lines)
        parts += section("refused", "Rejected", left_out)
    parts += section("about", "Signatures", _signatures(view))
    heading = f"<header><h1>{escaped(title)}</h1>{facts(view)}</header>"
    return document(title, f'{heading}<main id="main">{parts}</main>')
