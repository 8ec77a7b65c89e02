"""`anaphor annotate annotator`: annotators who join a campaign or leave it."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened
from anaphor.cli.output import print_result

EXAMPLES = """examples:
  anaphor annotate annotator campaign.db
  anaphor annotate annotator campaign.db --add dan
  anaphor annotate annotator campaign.db --add dan --share overlap
  anaphor annotate annotator campaign.db --end bob"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", nargs="+", metavar="NAME", help="new annotators")
    what.add_argument("--end", nargs="+", metavar="NAME", help="end their access; their answers stay")
    text = (
        "what a new annotator is asked: what nobody has answered yet, what several people answer, "
        "everything or nothing (default open)"
    )
    parser.add_argument("--share", choices=("open", "overlap", "all", "none"), default="open", help=text)


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import annotator_list
    from anaphor.annotate.campaign.people import deactivate
    from anaphor.annotate.campaign.workload import add_annotators

    with opened(options) as store:
        add_annotators(store, options.add or (), share=options.share)
        for name in options.end or ():
            deactivate(store, name)
        found = annotator_list(store)
    print_result(options, found)
