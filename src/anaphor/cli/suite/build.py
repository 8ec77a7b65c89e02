"""`anaphor suite build`: a suite from annotated or plain parallel documents."""

from __future__ import annotations

import argparse

from anaphor.cli.cluster_options import add_cluster, aligner_from
from anaphor.cli.options import named
from anaphor.cli.output import add_output
from anaphor.cli.suite.options import add_aligner, aligner_of


def configure(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files(
        "--corpus",
        required=True,
        metavar="PATH",
        help="source: a folder with MMAX2 projects, one .mmax file, or plain text, one segment per line",
    )
    files(
        "--reference",
        nargs="+",
        required=True,
        metavar="[NAME=]PATH",
        help="references: MMAX2 projects of the same names, or text with one line per sentence or segment",
    )
    files("--documents", metavar="FILE", help="for plain text: one document id per line, or start lines")
    files(
        "--skip-broken",
        action="store_true",
        help="leave out MMAX2 projects that are invalid, or missing on one side, with a note",
    )
    files("--output", required=True, metavar="FOLDER", help="new folder for the suite")
    files("--without-text", action="store_true", help="write no documents, for a suite that can be shared")
    chosen = parser.add_argument_group("what is chosen").add_argument
    chosen("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    chosen("--categories", default="protest", metavar="PACK", help="built-in pack or .toml (default protest)")
    chosen("--plan", default="protest-250", metavar="NAME", help="plan of the pack (default protest-250)")
    chosen("--annotated-only", action="store_true", help="choose only annotated pronouns")
    chosen("--name", default="suite", help="name of the suite (default suite)")
    chosen("--licence", default="unknown", help="licence of the suite (default unknown)")
    chosen("--seed", type=int, default=12345, metavar="N", help="random seed (default 12345)")
    group = parser.add_argument_group("how")
    add_aligner(group)
    how = group.add_argument
    how(
        "--analyser",
        default="built-in",
        metavar="NAME",
        help="analyser of the source: built-in, spacy, stanza, udpipe or conllu",
    )
    how("--source-model", metavar="NAME", help="model of the analyser, or a CoNLL-U file")
    add_cluster(parser)
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import Progress
    from anaphor.core import LanguagePair
    from anaphor.corpus import paths_by_name
    from anaphor.suite import load_categories, write_suite
    from anaphor.suite.build import BuildConfig, BuildTools, build_suite, read_corpus

    pair = LanguagePair.parse(options.pair)
    categories = load_categories(options.categories)
    config = BuildConfig(
        categories=categories,
        plan=categories.plan(options.plan),
        name=options.name,
        licence=options.licence,
        automatic=not options.annotated_only,
        seed=options.seed,
    )
    with (
        Progress(quiet=options.quiet) as progress,
        aligner_from(options, aligner_of(options, pair)) as aligner,
    ):
        tools = BuildTools(
            pair, aligner, tokenized=options.tokenized, analyser=options.analyser, model=options.source_model
        )
        progress("reading")
        references = paths_by_name(map(named, options.reference), role="reference")
        corpus = read_corpus(
            options.corpus, references, documents=options.documents, skip_broken=options.skip_broken
        )
        (suite, texts), report = build_suite(corpus, config, tools, progress)
        write_suite(suite, options.output, texts=None if options.without_text else texts)
    print_result(options, report)
