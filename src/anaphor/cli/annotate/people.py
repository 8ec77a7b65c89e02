"""`anaphor annotate link`, `annotator` and `lead`: who may enter."""

from __future__ import annotations

import argparse
import sys

from anaphor.cli.annotate.database import add_database, opened
from anaphor.cli.commands import CommandParser
from anaphor.cli.output import add_output, print_result
from anaphor.core.errors import OptionError

LINK_EXAMPLES = """examples:
  anaphor annotate link campaign.db
  anaphor annotate link campaign.db --add ann bob --days 14
  anaphor annotate link campaign.db --add ann --url https://judge.example.org
  anaphor annotate link campaign.db --revoke 1f0a...
  anaphor annotate link study.db --revoke shared

A link is shown only once. Anyone who has it can sign in as that person until it expires or is revoked.
`--revoke shared` ends the shared link of a study: nobody else can join, but annotators who have joined can
still use it."""


def configure_link(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group().add_argument
    what("--add", nargs="+", metavar="NAME", help="make a link for each of these people")
    what("--revoke", nargs="+", metavar="ID", help="end these links and the sessions they opened")
    add = parser.add_argument
    add("--days", type=float, default=30, metavar="N", help="days until a link expires (default 30)")
    add("--url", metavar="URL", help="address of the pages (default: where they were last served)")
    add_output(parser)


def run_link(options: argparse.Namespace) -> None:
    from anaphor.annotate.campaign.people import add_links, link_list, revoke_link

    with opened(options) as store:
        for link in options.revoke or ():
            revoke_link(store, link)
        made = add_links(store, options.add, days=options.days, url=options.url) if options.add else None
        print_result(options, made or link_list(store))


ANNOTATOR_EXAMPLES = """examples:
  anaphor annotate annotator campaign.db
  anaphor annotate annotator campaign.db --add dan
  anaphor annotate annotator campaign.db --add dan --share overlap
  anaphor annotate annotator campaign.db --end bob"""


def configure_annotator(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", nargs="+", metavar="NAME", help="new annotators")
    what.add_argument(
        "--end", nargs="+", metavar="NAME", help="end the access of these annotators; their answers are kept"
    )
    text = "items for a new annotator: unanswered, answered by several people, all or none (default open)"
    parser.add_argument("--share", choices=("open", "overlap", "all", "none"), default="open", help=text)


def run_annotator(options: argparse.Namespace) -> None:
    from anaphor.annotate.analysis.status import annotator_list
    from anaphor.annotate.campaign.people import deactivate
    from anaphor.annotate.campaign.workload import add_annotators

    with opened(options) as store:
        add_annotators(store, options.add or (), share=options.share)
        for name in options.end or ():
            deactivate(store, name)
        annotators = annotator_list(store)
    print_result(options, annotators)


LEAD_EXAMPLES = """examples:
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate lead campaign.db --password "C. Lead"
  pass show lead | anaphor annotate lead campaign.db --add "C. Lead"

The password is prompted for, or read from the first line of standard input; it is never an option, because
other users of the machine could see it. Only an argon2 hash of it is stored."""


def configure_lead(parser: CommandParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--add", metavar="NAME", help="add this lead")
    what.add_argument("--password", metavar="NAME", help="change the password of this lead")


def run_lead(options: argparse.Namespace) -> None:
    from getpass import getpass

    from anaphor.annotate.campaign.people import add_lead, set_password

    with opened(options) as store:
        if not sys.stdin.isatty():
            password = sys.stdin.readline().rstrip("\n")
        elif (password := getpass("password: ")) != getpass("again: "):
            fix = "type the same password twice"
            raise OptionError("the two passwords differ", where="password", fix=fix)
        if options.add:
            print(f"{add_lead(store, options.add, password).name} can sign in now")
        else:
            set_password(store, options.password, password)
            print(f"the password of {options.password} is changed; all sessions ended")
