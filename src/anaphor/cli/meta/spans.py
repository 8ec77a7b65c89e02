"""`anaphor meta spans`: metrics beside the pronouns that people marked as errors."""

from __future__ import annotations

import argparse

from anaphor.cli.meta.options import add_level
from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --texts talks
  anaphor score --pair en-de --source talks/source.txt --documents talks/documents.txt \\
    --reference talks/ref.txt --candidate talks/A.txt talks/B.txt --metrics apt accept --items items.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv
  anaphor meta spans --pair en-de --mqm mqm.tsv.gz --items items.tsv --longest 1 --severities major
  anaphor meta spans --pair en-fr --diabla dialogues --items items.tsv --over documents --json
  anaphor meta spans --pair en-fr --judgements judgements.tsv --items with.tsv without.tsv

A pronoun is marked when a span of at most three words contains its word and no other pronoun.
docs/meta/spans.md describes the files and the measures."""


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument(
        "--items",
        nargs="+",
        metavar="FILE",
        help="what `anaphor score --items` wrote; several runs of the same candidates are compared",
    )
    files.add_argument("--mqm", metavar="FILE", help="MQM annotation (TSV)")
    files.add_argument("--esa", metavar="FILE", help="ESA annotation of WMT24 (JSON lines)")
    files.add_argument("--diabla", metavar="PATH", help="dialogues of DiaBLa: a folder or a tar archive")
    files.add_argument("--judgements", metavar="FILE", help="judgements of pronouns: TSV or JSON lines")
    files.add_argument("--texts", metavar="FOLDER", help="write the texts of the annotation, to be scored")
    group = parser.add_argument_group("what is compared, and how")
    group.add_argument("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-de")
    group.add_argument("--longest", type=int, default=3, metavar="N", help="most words in a span (default 3)")
    group.add_argument("--categories", nargs="+", default=[], metavar="NAME", help="only these categories")
    group.add_argument("--severities", nargs="+", default=[], metavar="NAME", help="only these severities")
    group.add_argument("--metrics", nargs="+", default=[], metavar="NAME", help="only these metrics")
    group.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="reject pronouns with a lower score (default: as many as are marked)",
    )
    group.add_argument(
        "--over",
        choices=("systems", "documents"),
        default="systems",
        help="what the correlation is over (default systems)",
    )
    group.add_argument("--samples", type=int, default=1000, metavar="N", help="resamples (default 1000)")
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    add_level(group)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.core import OptionError
    from anaphor.meta.spans import evaluate_spans, read_annotation, write_texts

    named = {name: getattr(options, name) for name in ("mqm", "esa", "diabla")}
    if options.texts:
        annotation = read_annotation(pair=options.pair, **named)
        if annotation is None:
            raise OptionError("no annotation is named", where="--texts", fix="name it with --mqm or --esa")
        write_texts(annotation, options.texts)
    if not options.items:
        if not options.texts:
            raise OptionError("nothing to evaluate", where="--items", fix="name a file of items, or --texts")
        return
    found = evaluate_spans(
        options.items,
        pair=options.pair,
        **named,
        judgements=options.judgements,
        longest=options.longest,
        categories=options.categories,
        severities=options.severities,
        metrics=options.metrics,
        threshold=options.threshold,
        over=options.over,
        samples=options.samples,
        seed=options.seed,
        level=options.level,
    )
    print_result(options, found)
