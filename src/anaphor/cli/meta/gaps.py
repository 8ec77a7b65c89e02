"""`anaphor meta gaps`: the gap-filling evaluation of DiscoMT 2015."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_score_output
from anaphor.cli.output import print_result

EXAMPLES = """examples:
  anaphor meta gaps --answers gaps.tsv
  anaphor meta gaps --answers gaps.jsonl --bad skip --json
  anaphor meta gaps --answers gaps.tsv --output human.tsv

The columns are system, id, candidate (what the system wrote; - for nothing) and choices: one or more of il,
elle, ils, elles, ce, on, ça/cela, other, with commas between them, or bad alone."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--answers", required=True, metavar="FILE", help="gaps and choices: TSV or JSON lines")
    group = parser.add_argument_group("how it is scored")
    group.add_argument(
        "--bad",
        choices=("wrong", "skip"),
        default="wrong",
        help="how to count items with a bad translation (default wrong)",
    )
    add_score_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.corpus import write_atomically
    from anaphor.meta.gaps import GapEvaluation, gap_columns, read_gaps, score_gaps
    from anaphor.meta.scores import format_score_table

    scores = score_gaps(read_gaps(options.answers), bad=options.bad)
    if options.output:
        write_atomically(options.output, format_score_table(gap_columns(scores)))
    print_result(options, GapEvaluation(options.bad, scores))
