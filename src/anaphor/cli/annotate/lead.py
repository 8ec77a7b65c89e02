"""`anaphor annotate lead`: leads, who see everything and sign in with a password."""

from __future__ import annotations

import argparse
import sys

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate lead campaign.db --add "C. Lead"
  anaphor annotate lead campaign.db --password "C. Lead"
  pass show lead | anaphor annotate lead campaign.db --add "C. Lead"

The password is prompted for, or read from the first line of standard input; it is never an option, because
other users of the machine could see it. Only an argon2 hash of it is stored."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--add", metavar="NAME", help="a new lead")
    what.add_argument("--password", metavar="NAME", help="a lead whose password is changed")


def run(options: argparse.Namespace) -> None:
    from getpass import getpass

    from anaphor.annotate.campaign.people import add_lead, set_password
    from anaphor.core import OptionError

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
