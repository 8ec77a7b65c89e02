"""`anaphor bench check`: the files of a set against known hashes and counts."""

from __future__ import annotations

import argparse

from anaphor.cli.bench.options import add_originals
from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor bench check disceval-anaphora anaphora.json
  anaphor bench check winomt en.txt --pair en-de"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_originals(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import check_files
    from anaphor.cli.output import print_result
    from anaphor.core import CheckError

    result = check_files(options.name, options.files, pair=options.pair)
    print_result(options, result)
    if result.problems:
        fix = "download the set again, or use the files as a version of your own: figures are not comparable"
        raise CheckError("the files are not a known version of the set", where=options.files[0], fix=fix)
