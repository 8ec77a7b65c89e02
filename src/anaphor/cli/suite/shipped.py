"""`anaphor suite shipped`: the suites that come with the package."""

from __future__ import annotations

import argparse

from anaphor.core.errors import OptionError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="suite to copy; all are listed without it")
    parser.add_argument("--output", metavar="FOLDER", help="new folder for the copy")
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.suite import copy_shipped

    if bool(options.name) != bool(options.output):
        raise OptionError(
            "a copy needs a name and a folder", where="NAME, --output", fix="give both, or none for the list"
        )
    if options.name:
        copy_shipped(options.name, options.output)
        print(f"{options.output}: {options.name}")
    else:
        _print_list(as_json=options.json)


def _print_list(*, as_json: bool) -> None:
    import json

    from anaphor.cli.terminal import paint
    from anaphor.report.table import table
    from anaphor.suite import load_shipped, shipped_suites

    suites = [load_shipped(name).suite for name in shipped_suites()]
    rows = [
        {
            "name": one.name,
            "version": one.version,
            "pair": str(one.pair),
            "documents": len(one.documents),
            "items": len(one.items),
            "licence": one.licence,
        }
        for one in suites
    ]
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        print(table([list(rows[0]), *([str(cell) for cell in row.values()] for row in rows)], paint=paint()))
