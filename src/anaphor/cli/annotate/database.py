"""The database that a command works on."""

from __future__ import annotations

import argparse
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anaphor.cli.commands import CommandParser
from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anaphor.annotate.store import Store


def database(address: str) -> str:
    """The address of a database as it was given, without a password: every user of the machine sees those."""
    server, _, rest = address.partition("://")[2].partition("/")
    if ":" in server.rpartition("@")[0] or "password=" in rest.partition("?")[2]:
        raise OptionError(
            "the address of the database has a password, which other users of the machine could see",
            where="DATABASE",
            fix="leave it out: set the environment variable PGPASSWORD, or write it to ~/.pgpass",
        )
    return address


def add_database(parser: CommandParser) -> None:
    text = "file of the campaign, or postgresql://USER@HOST/DATABASE"
    parser.add_argument("database", type=database, metavar="DATABASE", help=text)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Store]:
    """The campaign that the options name; a row that cannot be read is an error that names it."""
    from anaphor.annotate.store import open_store
    from anaphor.annotate.store.damage import naming_damage

    with open_store(options.database) as store, naming_damage(store):
        yield store
