"""`anaphor segment`: translations of whole documents cut at the segments of the source."""

from __future__ import annotations

import argparse

from anaphor.cli.cluster_options import add_cluster, cutter_from
from anaphor.cli.commands import CommandParser
from anaphor.cli.options import named
from anaphor.cli.output import add_output

EXAMPLES = """examples:
  anaphor segment -p en-de -s src.en --documents docs -c chat.jsonl > chat.de
  anaphor segment -p en-de -s src.en --documents docs -c chat.jsonl -o chat.de --details chat.json
  anaphor segment -p en-de -s src.en --documents docs -c chat/ --tsv     (offsets and confidences)
  anaphor segment -p en-de -s chapter.en -c chapter.de     (one document, however its lines are broken)

A candidate is JSON lines ({"document": "...", "text": "..."}), plain text with one document per line or with
blank lines between documents, or a folder with a file DOCUMENT.txt per document. Text that is not part of
the translation (chatter, refusals, Markdown, endless repetition) is removed and listed on standard error.
`anaphor score --whole-documents` cuts and scores in one step."""


def configure(parser: CommandParser) -> None:
    group = parser.add_argument_group("files")
    add = group.add_argument
    add("--source", metavar="FILE", help="source text, one segment per line")
    add("--set", metavar="PATH", help="test set instead of separate files: TSV, WMT XML, SGM or MTME folder")
    add("--documents", metavar="FILE", help="document name of each source line, or start lines")
    add("--candidate", required=True, metavar="PATH", help="the translation of each document")
    add(
        "--reference",
        metavar="FILE",
        help="reference translation, one segment per line, to improve the segmentation",
    )
    add("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-de")
    add(
        "--priors",
        rare=True,
        default="built-in",
        metavar="FILE",
        help="word pairs: built-in, none or a prior file",
    )
    add("--packs", rare=True, metavar="FOLDER", help="folder with your own language packs")
    add(
        "--threads",
        rare=True,
        type=int,
        default=1,
        metavar="N",
        help="worker threads (output is identical for any number)",
    )
    add_cluster(group)
    output = add_output(parser, ("json", "tsv")).add_argument
    output("--output", metavar="FILE", help="write the lines to FILE and print the findings")
    output(
        "--details", metavar="FILE", help="also write lines, offsets, confidences and findings to FILE (JSON)"
    )


def run(options: argparse.Namespace) -> None:
    import warnings

    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import TerminalProgress
    from anaphor.core import Files, InputWarning, LanguagePair
    from anaphor.files.writing import write_atomically
    from anaphor.report.emit import emit
    from anaphor.segment.inputs import segment_files

    files = Files(
        source=options.source,
        bundle=options.set,
        documents=options.documents,
        references=(options.reference,) if options.reference else (),
        candidates=(named(options.candidate),),
    )
    with (
        TerminalProgress(quiet=options.quiet) as progress,
        cutter_from(options, threads=options.threads) as cut,
    ):
        progress("segmenting")
        segmented = segment_files(files, LanguagePair.parse(options.pair), cut=cut)
    for line in segmented.summary():
        warnings.warn(f"{segmented.path}: {line}", InputWarning, stacklevel=2)
    lines = "".join(f"{line}\n" for line in segmented.text().lines)
    if options.output:
        write_atomically(options.output, lines)
    if options.details:
        write_atomically(options.details, emit(segmented, "json") + "\n")
    if options.tsv:
        print(segmented.tsv(), end="")
    elif options.json or options.output:
        print_result(options, segmented)
    else:
        print(lines, end="")
