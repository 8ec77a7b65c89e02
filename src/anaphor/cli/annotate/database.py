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
    """The database address as given, without a password, which every user of the machine could see."""
    server, _, rest = address.partition("://")[2].partition("/")
    if ":" in server.rpartition("@")[0] or "password=" in rest.partition("?")[2]:
        raise OptionError(
            "the address of the database has a password, which other users of the machine could see",
            where="DATABASE",
            fix="omit it; set the environment variable PGPASSWORD instead, or write it to ~/.pgpass",
        )
    return address


def add_database(parser: CommandParser) -> None:
    text = "campaign file, or postgresql://USER@HOST/DATABASE"
    parser.add_argument("database", type=database, metavar="DATABASE", help=text)


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Store]:
    """Open the campaign given by the options; an unreadable row is an error that names it."""
    from anaphor.annotate.store import open_store
    from anaphor.annotate.store.damage import naming_damage

    with open_store(options.database) as store, naming_damage(store):
        yield store
