"""`anaphor meta correlate`: every metric against every human score."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_level, numbers
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor meta correlate --scores metrics.tsv --human human.tsv
  anaphor meta correlate --scores result.json --human human.tsv --outliers weakest --json
  anaphor meta correlate --scores table.tsv --human table.tsv --human-scores PROTEST
  anaphor meta correlate --scores wmt21 --human wmt21 --pair en-de
  anaphor meta correlate --counts repaired.json plain.json --human human.tsv

Scores are TSV files (system and scores), result files, .sys.score files, or folders in the layout of
mt-metrics-eval. --counts adds a grid over the weights w2 and w6 of APT, one half for each kind of repair."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--scores", nargs="+", default=[], metavar="PATH", help="scores of metrics")
    files.add_argument("--human", nargs="+", required=True, metavar="PATH", help="human scores")
    files.add_argument(
        "--counts", nargs="+", default=[], metavar="FILE", help="cases of APT: result files, or TSV"
    )
    files.add_argument("--pair", metavar="SRC-TGT", help="which scores of a folder, such as en-de")
    group = parser.add_argument_group("what is compared, and how")
    group.add_argument("--metrics", nargs="+", default=[], metavar="NAME", help="only these scores")
    group.add_argument(
        "--human-scores", nargs="+", default=[], metavar="NAME", help="only these human scores"
    )
    group.add_argument(
        "--outliers", nargs="+", default=[], metavar="SYSTEM", help="also correlate without these"
    )
    group.add_argument(
        "--common", action="store_true", help="leave out systems that lack a score, instead of stopping"
    )
    group.add_argument(
        "--human-range",
        type=numbers,
        metavar="LOW,HIGH",
        help="range of the human scores (default 0,1; any in the layout of mt-metrics-eval)",
    )
    for case, meaning in ((2, "equivalent"), (6, "both missing")):
        group.add_argument(
            f"--w{case}",
            type=numbers,
            default=(0.0, 0.5, 1.0),
            metavar="W,...",
            help=f"weights of case {case}, {meaning}, in the grid (default 0,0.5,1)",
        )
    group.add_argument(
        "--discard", type=numbers, default=(), metavar="CASES", help="cases to leave out, such as 5,6"
    )
    add_level(group)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.meta.correlate import meta_evaluate

    found = meta_evaluate(
        human=options.human,
        scores=options.scores,
        counts=options.counts,
        pair=options.pair,
        metrics=options.metrics,
        human_scores=options.human_scores,
        outliers=options.outliers,
        common=options.common,
        human_range=options.human_range,
        w2=options.w2,
        w6=options.w6,
        discard=options.discard,
        level=options.level,
    )
    print_result(options, found)
