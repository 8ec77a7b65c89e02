"""`anaphor task published`: what the shared tasks of 2016 and 2017 found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.task.options import add_task

if TYPE_CHECKING:
    from anaphor.report.table import Paint
    from anaphor.task.published import PublishedResults

EXAMPLES = """examples:
  anaphor task published --pair en-de --year 2017
  anaphor task published --pair fr-en --year 2016 --json

2016 had en-fr, fr-en, en-de and de-en; 2017 had en-fr, en-de, de-en and es-en."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_task(parser.add_argument_group("which results"))
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.terminal import paint
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results

    found = published_results(LanguagePair.parse(options.pair), year=options.year)
    print(_as_json(found) if options.json else _as_text(found, paint()))
    return 0


def _as_text(found: PublishedResults, paint: Paint) -> str:
    from anaphor.cli.task.tables import percent
    from anaphor.report.table import table

    rows = [["system", "rank", "macro-recall", "accuracy", *(found.instances or {})]]
    if found.instances:
        rows.append(["placeholders", "", "", "", *map(str, found.instances.values())])
    for system in found.systems:
        recalls = map(percent, (system.recalls or {}).values())
        rank = "" if system.rank is None else str(system.rank)
        rows.append([system.name, rank, percent(system.macro_recall), percent(system.accuracy), *recalls])
    heading = f"{found.pair} {found.year}, published in {found.source}"
    classes = "; class columns are recalls" if found.instances else ""
    return f"{heading}\n\n{table(rows, paint=paint)}\n\nrank: of primary submissions by macro-recall{classes}"


def _as_json(found: PublishedResults) -> str:
    import json
    from dataclasses import asdict

    content = {
        "pair": str(found.pair),
        "year": found.year,
        "source": found.source,
        "instances": found.instances,
        "systems": [asdict(system) for system in found.systems],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)
