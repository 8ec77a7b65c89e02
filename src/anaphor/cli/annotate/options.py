"""What the jobs of `anaphor annotate` share: the database, opened and closed again."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.annotate.store import Store


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "database", metavar="DATABASE", help="file of the campaign, or postgresql://USER@HOST/DATABASE"
    )


@contextmanager
def opened(options: argparse.Namespace) -> Iterator[Store]:
    """The campaign that the options name."""
    from anaphor.annotate.store import open_store

    store = open_store(options.database)
    try:
        yield store
    finally:
        store.close()
