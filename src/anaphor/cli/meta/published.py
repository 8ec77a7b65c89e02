"""`anaphor meta published`: the printed tables of the papers."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor meta published
  anaphor meta published --table guillou-hardmeier-2018-table-3
  anaphor meta published --table guillou-hardmeier-2018-table-1 --output table-1.tsv
  anaphor meta published --table guillou-hardmeier-2018-table-1 --beside mine.tsv
  anaphor meta published --table apt-2017-table-5 --json

A table written with --output is a file that `anaphor meta correlate` reads."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--table", metavar="NAME", help="table to show (default: list all)")
    parser.add_argument("--beside", metavar="FILE", help="your own rows to append (TSV, same columns)")
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", help="write the table as TSV")
    add_output(group)


def run(options: argparse.Namespace) -> None:
    from anaphor.core import OptionError
    from anaphor.corpus import write_atomically
    from anaphor.meta.published import published_table, published_tables

    if options.table is None:
        if options.output or options.beside:
            raise OptionError("no table is named", where="--output, --beside", fix="name one with --table")
        print_result(options, published_tables())
        return
    found = published_table(options.table)
    if options.beside:
        found = found.beside(options.beside)
    if options.output:
        write_atomically(options.output, found.tsv())
    print_result(options, found)
