"""A folder of result files as one static page: comparable ones ranked, the others refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from anaphor.core import InputError, UserError
from anaphor.report.comparable import Refusal, sort_out
from anaphor.report.escape import escaped
from anaphor.report.html.page import document, section
from anaphor.report.html.sections import score_cell, summary
from anaphor.report.html.tables import table
from anaphor.report.html.view import ReportView
from anaphor.report.result_file import StoredResult, read_stored
from anaphor.report.svg import element


def read_folder(folder: str | Path) -> tuple[tuple[StoredResult, ...], tuple[Refusal, ...]]:
    """The comparable results of a folder by the names of their files, and what was refused.

    Refused is what is no result file, was changed, does not fit most of the others, or names a system
    that is there already. A folder without any result is an error.
    """
    place = Path(folder)
    if not place.is_dir():
        raise InputError("there is no such folder", where=str(folder), fix="name a folder of result files")
    results: list[StoredResult] = []
    refused: list[Refusal] = []
    for path in sorted(place.glob("*.json")):
        try:
            results.append(read_stored(path))
        except UserError as error:
            refused.append(Refusal(str(path), error.what))
    if not results:
        raise InputError(
            f"no result file among {len(refused)} JSON files",
            where=str(folder),
            fix="write results there with `anaphor score --output`",
        )
    kept, incomparable = sort_out(results)
    return kept, (*refused, *incomparable)


def leaderboard_page(results: Sequence[StoredResult], refused: Sequence[Refusal], *, title: str) -> str:
    """The page: ranked systems with intervals, where each came from, and the refused files."""
    view = ReportView.of(results, title=title)
    first = results[0]
    told = f"{first.settings.pair}, {first.segments} segments, {len(view.systems)} systems"
    parts = "".join(section(*part) for part in _sections(view, refused))
    heading = f"<header><h1>{escaped(title)}</h1>{element('p', escaped(told), kind='faint')}</header>"
    return document(title, f'{heading}<main id="main">{parts}</main>')


def _sections(view: ReportView, refused: Sequence[Refusal]) -> Iterator[tuple[str, str, str]]:
    yield "summary", "Systems", summary(view)
    rows = [
        [escaped(system.name), escaped(Path(stored.path).name), *map(score_cell, system.scores)]
        for stored in view.results
        for system in stored.systems
    ]
    yield "files", "Files", table("Where the scores come from", ["system", "file", *view.metrics], rows)
    if refused:
        lines = [[escaped(Path(one.path).name), escaped(one.reason)] for one in refused]
        yield "refused", "Refused", table("Files that cannot stand in the table", ["file", "reason"], lines)
    code = "".join(
        f"<li><code>{escaped(score.line)}</code></li>" for one in view.systems for score in one.scores
    )
    yield (
        "about",
        "Signatures",
        f"<details><summary>Signatures of all scores</summary><ul>{code}</ul></details>",
    )
