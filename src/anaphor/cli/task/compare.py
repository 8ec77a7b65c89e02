"""`anaphor task compare`: scores ranked among the published ones."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output
from anaphor.cli.task.options import add_systems, read_systems

EXAMPLES = """examples:
  anaphor task compare test.tsv predictions.tsv --pair en-fr --year 2017
  anaphor task compare test.tsv mine=a.tsv other=b.tsv --pair en-de --year 2016 --json

A fair comparison needs the test sets of the shared tasks; the output says what differs."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_systems(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair
    from anaphor.task.published import published_results, rank_with_published

    published = published_results(LanguagePair.parse(options.pair), year=options.year)
    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        systems = read_systems(options)
    print_result(options, rank_with_published(systems.scores(), published))
    return 0
