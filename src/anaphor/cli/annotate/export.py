"""`anaphor annotate export`: write a campaign to a file."""

from __future__ import annotations

import argparse
import sys

from anaphor.cli.annotate.options import add_database, opened

EXAMPLES = """examples:
  anaphor annotate export campaign.db --format judgements --output judgements.tsv
  anaphor annotate export campaign.db --format final --output final.tsv
  anaphor annotate export campaign.db --format protest --output campaign.protest.db
  anaphor annotate export campaign.db --format mtme --output ratings.zip
  anaphor annotate export campaign.db --format jsonl --output -

formats: judgements (every annotator, for anaphor meta cases), final (decisions of leads first, for anaphor
estimate), gaps (for anaphor meta gaps), csv, tsv, jsonl, journal, protest, mtme, pearmut, label-studio"""

FORMATS = (
    *("judgements", "final", "gaps", "csv", "tsv", "jsonl", "journal"),
    *("protest", "mtme", "pearmut", "label-studio"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_database(parser)
    parser.add_argument("--format", choices=FORMATS, required=True, help="see below")
    parser.add_argument("--output", required=True, metavar="FILE", help="output file; - is standard output")


def run(options: argparse.Namespace) -> None:
    from anaphor.annotate.exchange import export_file, export_parts

    with opened(options) as store:
        if options.output == "-":
            for part in export_parts(store, options.format):
                sys.stdout.buffer.write(part)
            return
        size = export_file(store, options.format, options.output)
    print(f"{options.output}: {size} bytes")
