"""`anaphor annotate status`: how far a campaign is, how people agree, what is left."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate status campaign.db
  anaphor annotate status campaign.db --target 0.05 --json
  anaphor annotate status campaign.db --question antecedent"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument(
        "--question",
        choices=("overall", "pronoun", "antecedent"),
        default="overall",
        help="that agreement is asked of; overall is the exported judgement (default overall)",
    )
    parser.add_argument(
        "--target",
        type=float,
        default=0.02,
        metavar="SHARE",
        help="how far intervals may reach to each side; says how many more to judge (default 0.02)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.status import read_status
    from anaphor.cli.annotate.status_tables import as_json, as_text
    from anaphor.cli.terminal import paint

    with opened(options) as store:
        status = read_status(store, question=options.question, target=options.target)
    print(as_json(status) if options.json else as_text(status, paint()))
