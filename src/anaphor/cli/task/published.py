"""`anaphor task published`: the results of the shared tasks of 2016 and 2017."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output
from anaphor.cli.task.options import add_task

EXAMPLES = """examples:
  anaphor task published --pair en-de --year 2017
  anaphor task published --pair fr-en --year 2016 --json

2016 had en-fr, fr-en, en-de and de-en; 2017 had en-fr, en-de, de-en and es-en."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_task(parser.add_argument_group("which results"))
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.output import print_result
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results

    print_result(options, published_results(LanguagePair.parse(options.pair), year=options.year))
    return 0
