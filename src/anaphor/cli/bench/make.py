"""`anaphor bench make`: a bench from the original files of a public test set."""

from __future__ import annotations

import argparse

from anaphor.cli.bench.options import add_originals

EXAMPLES = """examples:
  anaphor bench make disceval-anaphora anaphora.json --output anaphora.jsonl
  anaphor bench make winomt en.txt --pair en-de --output winomt.jsonl"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_originals(parser)
    parser.add_argument("--output", required=True, metavar="FILE", help="write the bench to FILE")


def run(options: argparse.Namespace) -> None:
    from anaphor.bench import make_from_files, write_bench
    from anaphor.core.table import counted

    bench = make_from_files(options.name, options.files, pair=options.pair)
    write_bench(options.output, bench)
    print(
        f"{options.output}: {bench.name} {bench.pair}, {counted(len(bench.items), 'item')}, hash {bench.hash}"
    )
