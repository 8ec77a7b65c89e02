"""`anaphor meta cases`: the cases of the metric beside human judgements."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_judgements, add_score_output
from anaphor.cli.output import print_result

EXAMPLES = """examples:
  anaphor score ... --items items.tsv
  anaphor meta cases --items items.tsv --judgements judgements.tsv
  anaphor meta cases --items items.tsv --judgements judgements.jsonl --json
  anaphor meta cases --items items.tsv --judgements judgements.tsv --output human.tsv

Judgements have the columns system, segment, token (or id), judgement (correct, incorrect, bad) and,
optionally, category, reason (V, E, I, O) and annotator. Where several annotators judged the same pronouns,
their agreement is shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_judgements(parser.add_argument_group("files"), required=True)
    add_score_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.corpus import write_atomically
    from anaphor.meta.judgements import compare_cases, correct_share, join, read_cases, read_judgements
    from anaphor.meta.scores import format_score_table

    joined = join(read_judgements(options.judgements), read_cases(options.items))
    found = compare_cases(joined)
    if options.output:
        write_atomically(options.output, format_score_table([correct_share(joined)]))
    print_result(options, found)
