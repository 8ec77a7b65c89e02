"""`anaphor suite export`: a suite as a PROTEST database, as text to translate, or without its texts."""

from __future__ import annotations

import argparse

from anaphor.cli.options import packs_of
from anaphor.cli.suite.options import add_suite, load
from anaphor.core.errors import OptionError


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    parser.add_argument("--source", metavar="FILE", help="write all source documents, one segment per line")
    parser.add_argument("--reference", metavar="FILE", help="write the first reference in the same way")
    parser.add_argument("--protest", metavar="FILE", help="write a database of PROTEST 1.1 (SQLite)")
    parser.add_argument("--packs", metavar="FOLDER", help="your own language packs, for --protest")
    parser.add_argument("--stand-off", metavar="FOLDER", help="write the suite without its texts")


def run(options: argparse.Namespace) -> None:
    from anaphor.corpus import write_atomically
    from anaphor.corpus.protest_db import write_protest
    from anaphor.suite import to_protest, write_suite

    if not (options.source or options.reference or options.protest or options.stand_off):
        what, where = "no output is given", "--source, --reference, --protest, --stand-off"
        raise OptionError(what, where=where, fix="give one of them")
    loaded = load(options)
    if options.source:
        write_atomically(options.source, "".join(f"{line}\n" for line in loaded.texts.source_lines))
    if options.reference:
        name = next(iter(loaded.texts.references), None)
        if name is None:
            fix = "leave the option out"
            raise OptionError("the suite has no reference", where="--reference", fix=fix)
        lines = loaded.texts.lines(name)
        write_atomically(options.reference, "".join(f"{line or ''}\n" for line in lines))
    if options.protest:
        write_protest(options.protest, to_protest(loaded, packs=packs_of(options)))
    if options.stand_off:
        write_suite(loaded.suite, options.stand_off)
