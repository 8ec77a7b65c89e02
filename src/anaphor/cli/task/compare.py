"""`anaphor task compare`: our runs beside the published ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.task.options import add_systems

if TYPE_CHECKING:
    from anaphor.report.table import Paint
    from anaphor.task.published import PublishedResults, RankedSystem

EXAMPLES = """examples:
  anaphor task compare test.tsv predictions.tsv --pair en-fr --year 2017
  anaphor task compare test.tsv mine=a.tsv other=b.tsv --pair en-de --year 2016 --json

The test sets of the shared tasks are needed for a fair comparison; every answer says what differs."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_systems(parser)
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.task.systems import read_systems
    from anaphor.cli.terminal import Progress, paint
    from anaphor.core import LanguagePair
    from anaphor.task.published import comparability_notes, published_results, rank_with_published
    from anaphor.task.scoring import score_labels

    found = published_results(LanguagePair.parse(options.pair), year=options.year)
    with Progress() as progress:
        progress("reading")
        systems = read_systems(options)
    scores = {
        name: score_labels(systems.gold.labels, labels, classes=systems.classes, average=systems.average)
        for name, labels in systems.predicted.items()
    }
    rows = rank_with_published(scores, found)
    apart = comparability_notes(next(iter(scores.values())), found)
    print(_as_json(found, rows, apart) if options.json else _as_text(found, rows, apart, paint()))
    return 0


def _as_text(
    found: PublishedResults, rows: Sequence[RankedSystem], apart: Sequence[str], paint: Paint
) -> str:
    from anaphor.cli.task.tables import percent
    from anaphor.report.table import table

    cells = [["system", "", "macro-recall", "accuracy"]]
    for row in rows:
        kind = paint.mark("ours") if row.ours else "published"
        cells.append([row.name, kind, percent(row.macro_recall), percent(row.accuracy)])
    heading = f"{found.pair} {found.year}, published in {found.source}"
    return "\n\n".join([heading, table(cells, paint=paint), "Not the same conditions:\n" + "\n".join(apart)])


def _as_json(found: PublishedResults, rows: Sequence[RankedSystem], apart: Sequence[str]) -> str:
    import json
    from dataclasses import asdict

    content = {
        "pair": str(found.pair),
        "year": found.year,
        "source": found.source,
        "systems": [asdict(row) for row in rows],
        "differences": list(apart),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
