"""`anaphor annotate annotator`: people who join a campaign or leave it."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate annotator campaign.db
  anaphor annotate annotator campaign.db --add dan
  anaphor annotate annotator campaign.db --add dan --share overlap
  anaphor annotate annotator campaign.db --end bob"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", nargs="+", metavar="NAME", help="new annotators")
    what.add_argument("--end", nargs="+", metavar="NAME", help="let them in no more; their answers stay")
    parser.add_argument(
        "--share",
        choices=("open", "overlap", "all", "none"),
        default="open",
        help="what a new one is asked: what nobody answered yet, what several answer, all (default open)",
    )


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.assignments import progress_of
    from anaphor.annotate.joining import add_annotator
    from anaphor.annotate.people import deactivate, people

    with opened(options) as store:
        for name in options.add or ():
            add_annotator(store, name, share=options.share)
        for name in options.end or ():
            deactivate(store, name)
        for one in people(store):
            if one.role.value == "annotator":
                progress = progress_of(store, one.id)
                state = "" if one.active else ", no longer active"
                print(f"{one.name}: {progress.done + progress.conflicts} of {progress.total} answered{state}")
