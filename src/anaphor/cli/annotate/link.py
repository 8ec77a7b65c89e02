"""`anaphor annotate link`: personal links of annotators and leads."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from anaphor.cli.annotate.options import add_database, opened

if TYPE_CHECKING:
    from anaphor.annotate.access import LinkFacts

EXAMPLES = """examples:
  anaphor annotate link campaign.db
  anaphor annotate link campaign.db --add ann bob --days 14
  anaphor annotate link campaign.db --add ann --url https://judge.example.org
  anaphor annotate link campaign.db --revoke 1f0a...

A link is shown once. Whoever has it is let in as that person until it expires or is revoked."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--add", nargs="+", metavar="NAME", help="make a link for each of these people")
    what.add_argument("--revoke", nargs="+", metavar="ID", help="end these links, and all who came by them")
    parser.add_argument("--days", type=float, default=30, metavar="N", help="a link is valid (default 30)")
    parser.add_argument(
        "--url",
        default="http://127.0.0.1:8080",
        metavar="URL",
        help="of the page (default http://127.0.0.1:8080)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.access import add_link, links, revoke_link

    with opened(options) as store:
        if options.add:
            made = {name: _url(options.url, add_link(store, name, days=options.days)) for name in options.add}
            print(json.dumps(made, ensure_ascii=False, indent=2) if options.json else _made(made))
            return
        for link in options.revoke or ():
            revoke_link(store, link)
        found = links(store)
    print(_json(found) if options.json else _text(found))


def _url(base: str, token: str) -> str:
    return f"{base.rstrip('/')}/enter/{token}"


def _made(made: dict[str, str]) -> str:
    return "\n".join(f"{name}\t{url}" for name, url in made.items())


def _text(found: tuple[LinkFacts, ...]) -> str:
    from anaphor.cli.terminal import paint
    from anaphor.report.table import table

    rows = [["link", "person", "state", "expires", "last used"]]
    rows += [[one.id, one.person, one.state, one.expires[:16], (one.used or "-")[:16]] for one in found]
    return table(rows, paint=paint()) if found else "no links yet: make one with --add NAME"


def _json(found: tuple[LinkFacts, ...]) -> str:
    rows = [
        {
            "link": one.id,
            "person": one.person,
            "state": one.state,
            "created": one.created,
            "expires": one.expires,
            "used": one.used,
        }
        for one in found
    ]
    return json.dumps(rows, ensure_ascii=False, indent=2)
