"""`anaphor meta equivalents`: equivalent pronouns from judgements, as a fragment of a language pack."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_judgements
from anaphor.cli.options import packs_of
from anaphor.cli.output import add_output, print_result

EXAMPLES = """examples:
  anaphor meta equivalents --pair en-fr --pairs judged.tsv
  anaphor meta equivalents --pair en-fr --items items.tsv --judgements judgements.tsv --output equivalent.toml

Pairs have the columns candidate, reference and judgement (correct, incorrect, bad), and times where rows are
counts. The file that --output writes replaces `equivalent` in a copy of the pair's pack; docs/packs.md
describes packs."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--pairs", metavar="FILE", help="judged pairs of words: TSV or JSON lines")
    add_judgements(files, required=False)
    files.add_argument("--packs", metavar="FOLDER", help="language packs of your own")
    group = parser.add_argument_group("what is proposed")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    group.add_argument(
        "--share", type=float, default=0.05, metavar="S", help="drop rarer pairs (default 0.05)"
    )
    group.add_argument(
        "--threshold", type=float, default=0.5, metavar="P", help="propose what is above (default 0.5)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--output", metavar="FILE", help="write a fragment of a pack (TOML)")
    add_output(output)


def run(options: argparse.Namespace) -> None:

    from anaphor.core import LanguagePair
    from anaphor.corpus import write_atomically
    from anaphor.languages import load_pair
    from anaphor.meta.equivalents import judged_pairs, pack_fragment, propose

    folder = packs_of(options)
    pack = load_pair(LanguagePair.parse(options.pair), folder=folder)
    pairs = judged_pairs(pairs=options.pairs, items=options.items, judgements=options.judgements)
    found = propose(pairs, pack, share=options.share, threshold=options.threshold)
    if options.output:
        write_atomically(options.output, pack_fragment(found))
    print_result(options, found)
