"""`anaphor meta correlate`: every metric against every human score."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.meta.options import numbers

if TYPE_CHECKING:
    from anaphor.meta.grid import CaseCounts
    from anaphor.meta.scores import ScoreColumn

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
    files.add_argument("--human", nargs="+", required=True, metavar="PATH", help="scores of people")
    files.add_argument(
        "--counts", nargs="+", default=[], metavar="FILE", help="cases of APT: result files, or TSV"
    )
    files.add_argument("--pair", metavar="SRC-TGT", help="which scores of a folder, such as en-de")
    group = parser.add_argument_group("what is compared, and how")
    group.add_argument("--metrics", nargs="+", default=[], metavar="NAME", help="only these scores")
    group.add_argument("--human-scores", nargs="+", default=[], metavar="NAME", help="only these human ones")
    group.add_argument("--outliers", nargs="+", default=[], metavar="SYSTEM", help="also without these")
    group.add_argument(
        "--common", action="store_true", help="leave out systems that lack a score, instead of stopping"
    )
    group.add_argument(
        "--human-range",
        type=numbers,
        metavar="LOW,HIGH",
        help="what people could give: 0,1 if not said, but anything in the layout of mt-metrics-eval",
    )
    group.add_argument(
        "--w2", type=numbers, default=(0.0, 0.5, 1.0), metavar="W,...", help="of the grid (default 0,0.5,1)"
    )
    group.add_argument(
        "--w6", type=numbers, default=(0.0, 0.5, 1.0), metavar="W,...", help="of the grid (default 0,0.5,1)"
    )
    group.add_argument("--discard", type=numbers, default=(), metavar="CASES", help="left out, such as 5,6")
    group.add_argument(
        "--level", type=float, default=0.95, metavar="SHARE", help="of the intervals (default 0.95)"
    )
    parser.add_argument_group("output").add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.meta.correlate_tables import as_json, as_text
    from anaphor.cli.terminal import paint
    from anaphor.meta.correlate import correlate
    from anaphor.meta.grid import weight_grid

    humans, metrics, counts = _inputs(options)
    study = None
    if metrics:
        study = correlate(metrics, humans, outliers=options.outliers, level=options.level)
    weights = {"w2": options.w2, "w6": options.w6, "discard": options.discard}
    grid = weight_grid(counts, humans, outliers=options.outliers, **weights)
    print(as_json(study, grid) if options.json else as_text(study, grid, paint()))


def _inputs(
    options: argparse.Namespace,
) -> tuple[Sequence[ScoreColumn], Sequence[ScoreColumn], Sequence[CaseCounts]]:
    """Human scores, scores of metrics and cases; with --common all of the same systems."""
    from anaphor.cli.meta.inputs import read_counts
    from anaphor.core import OptionError
    from anaphor.meta.scores import shared_systems

    if not options.scores and not options.counts:
        raise OptionError("nothing to correlate", where="--scores", fix="name --scores, --counts or both")
    humans = _humans(options)
    metrics = _metrics(options, humans)
    counts = read_counts(options.counts)
    if not options.common:
        return humans, metrics, counts
    parts = [*(column.values for column in (*humans, *metrics)), *(part.systems for part in counts)]
    shared = shared_systems(parts)
    return (
        [column.only(shared) for column in humans],
        [column.only(shared) for column in metrics],
        [part.only(shared) for part in counts],
    )


def _humans(options: argparse.Namespace) -> tuple[ScoreColumn, ...]:
    from anaphor.cli.meta.inputs import follows_layout, read_columns
    from anaphor.core import OptionError
    from anaphor.meta.scores import check_range, choose

    columns = read_columns(options.human, pair=options.pair, human=True)
    chosen = choose(columns, options.human_scores, option="--human-scores")
    limits = options.human_range
    if limits is None and not any(map(follows_layout, options.human)):
        limits = (0.0, 1.0)
    if limits is not None:
        if len(limits) != 2 or not limits[0] < limits[1]:
            raise OptionError("not a range", where="--human-range", fix="write two numbers such as 0,100")
        check_range(chosen, low=limits[0], high=limits[1])
    return chosen


def _metrics(options: argparse.Namespace, humans: Sequence[ScoreColumn]) -> tuple[ScoreColumn, ...]:
    from anaphor.cli.meta.inputs import read_columns
    from anaphor.core import OptionError
    from anaphor.meta.scores import choose

    if not options.scores:
        return ()
    columns = read_columns(options.scores, pair=options.pair, human=False)
    # One table may hold both kinds; a human score is not a metric as well.
    human = {(column.name, column.path) for column in humans}
    rest = [column for column in columns if (column.name, column.path) not in human]
    if not rest:
        raise OptionError(
            "every score is a human one", where="--scores", fix="say which ones are with --human-scores"
        )
    return choose(rest, options.metrics, option="--metrics")
