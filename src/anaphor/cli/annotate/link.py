"""`anaphor annotate link`: personal links of annotators and leads."""

from __future__ import annotations

import argparse

from anaphor.cli.annotate.options import add_database, opened
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor annotate link campaign.db
  anaphor annotate link campaign.db --add ann bob --days 14
  anaphor annotate link campaign.db --add ann --url https://judge.example.org
  anaphor annotate link campaign.db --revoke 1f0a...
  anaphor annotate link study.db --revoke shared

A link is shown only once. Whoever has it can enter as that person until it expires or is revoked.
`--revoke shared` ends the shared link of a study: nobody else joins, whoever has joined comes back."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group().add_argument
    what("--add", nargs="+", metavar="NAME", help="make a link for each of these people")
    what("--revoke", nargs="+", metavar="ID", help="end these links and the sessions they opened")
    add = parser.add_argument
    add("--days", type=float, default=30, metavar="N", help="days until a link expires (default 30)")
    add("--url", metavar="URL", help="address of the pages (default: where they were last served)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.campaign.people import add_links, link_list, revoke_link

    with opened(options) as store:
        for link in options.revoke or ():
            revoke_link(store, link)
        made = add_links(store, options.add, days=options.days, url=options.url) if options.add else None
        print_result(options, made or link_list(store))
