"""`anaphor suite shipped`: the suites that come with the package."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output
from anaphor.core.errors import OptionError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="suite to copy; without it, all are listed")
    parser.add_argument("--output", metavar="FOLDER", help="new folder for the copy")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.suite import copy_shipped
    from anaphor.suite.overview import shipped_overview

    if bool(options.name) != bool(options.output):
        what = "a copy needs a name and a folder"
        raise OptionError(what, where="NAME, --output", fix="give both, or none for the list")
    if options.name:
        copy_shipped(options.name, options.output)
        print(f"{options.output}: {options.name}")
    else:
        print_result(options, shipped_overview())
