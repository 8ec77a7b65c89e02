"""`anaphor suite import`: a suite from a PROTEST database."""

from __future__ import annotations

import argparse

from anaphor.cli.options import packs_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("database", metavar="FILE", help="database of PROTEST 1.1 (SQLite)")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="new folder for the suite")
    parser.add_argument("--packs", metavar="FOLDER", help="the language packs that it was exported with")
    group = parser.add_argument_group("for a database that was not exported by anaphor").add_argument
    group("--pair", metavar="SRC-TGT", help="language pair, such as en-fr")
    group(
        "--reference",
        nargs="+",
        default=[],
        metavar="NAME",
        help="names of the translations that are references",
    )
    group("--name", default="protest", help="name of the suite (default protest)")
    group("--licence", default="unknown", help="licence of the suite (default unknown)")


def run(options: argparse.Namespace) -> None:
    from anaphor.core import LanguagePair
    from anaphor.core.table import counted
    from anaphor.corpus.protest_db import read_protest
    from anaphor.suite import ProtestMetadata, from_protest, write_suite

    naming = ProtestMetadata(
        pair=LanguagePair.parse(options.pair) if options.pair else None,
        name=options.name,
        licence=options.licence,
        references=tuple(options.reference),
    )
    suite, texts = from_protest(
        read_protest(options.database), naming, path=options.database, packs=packs_of(options)
    )
    write_suite(suite, options.output, texts=texts)
    print(f"{options.output}: {suite.name} {suite.version}, {counted(len(suite.items), 'item')}")
