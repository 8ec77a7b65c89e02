"""`anaphor meta equivalents`: equivalent pronouns from judgements, as a piece of a language pack."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from anaphor.cli.meta.options import add_judgements

if TYPE_CHECKING:
    from anaphor.meta.equivalents import JudgedPair, Proposal
    from anaphor.report.table import Paint

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
    output.add_argument("--output", metavar="FILE", help="write a piece of a pack (TOML)")
    output.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace) -> None:
    from pathlib import Path

    from anaphor.cli.terminal import paint
    from anaphor.core import LanguagePair
    from anaphor.corpus import write_atomically
    from anaphor.languages import load_pair
    from anaphor.meta.equivalents import pack_fragment, propose

    folder = None if options.packs is None else Path(options.packs)
    pack = load_pair(LanguagePair.parse(options.pair), folder=folder)
    found = propose(_pairs(options), pack, share=options.share, threshold=options.threshold)
    if options.output:
        write_atomically(options.output, pack_fragment(found))
    print(_as_json(found) if options.json else _as_text(found, paint()))


def _pairs(options: argparse.Namespace) -> tuple[JudgedPair, ...]:
    from anaphor.core import OptionError
    from anaphor.meta.equivalents import pairs_of, read_pairs
    from anaphor.meta.judgements import join, read_cases, read_judgements

    both = options.items and options.judgements
    if bool(options.pairs) == bool(options.items or options.judgements) or (not options.pairs and not both):
        raise OptionError(
            "judged pairs come from one place",
            where="--pairs, --items, --judgements",
            fix="give --pairs, or --items and --judgements",
        )
    if options.pairs:
        return read_pairs(options.pairs)
    return pairs_of(join(read_judgements(options.judgements), read_cases(options.items)))


def _as_text(found: Proposal, paint: Paint) -> str:
    from anaphor.report.table import table

    rows = [["forms", "judged", "% of sample", "correct", "p", ""]]
    for count in found.counts:
        mark = paint.good("proposed") if count in found.proposed else ""
        figures = [f"{100 * count.share:.1f}", str(count.correct), f"{count.probability:.2f}"]
        rows.append([" / ".join(count.forms), str(count.judged), *figures, mark])
    return f"{found.sample} judged pronouns\n\n{table(rows, paint=paint)}"


def _as_json(found: Proposal) -> str:
    import json

    pairs = [
        {
            "forms": list(count.forms),
            "judged": count.judged,
            "correct": count.correct,
            "share": count.share,
            "probability": count.probability,
            "proposed": count in found.proposed,
        }
        for count in found.counts
    ]
    return json.dumps({"sample": found.sample, "pairs": pairs}, ensure_ascii=False, indent=2)
