"""`anaphor suite`: test suites for pronouns."""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import UTC, datetime

from anaphor.cli.cluster_options import add_cluster, aligner_from
from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import add_resampling, add_seed, named, packs_of
from anaphor.cli.output import add_output, print_result
from anaphor.cli.selfcheck import print_checks
from anaphor.cli.suite_options import (
    add_aligner,
    add_linking,
    add_suite,
    add_systems,
    aligner_of,
    load,
    options_of,
    read_systems,
)
from anaphor.cli.terminal import TerminalProgress
from anaphor.core.errors import OptionError

EXAMPLES = """examples:
  anaphor suite shipped
  anaphor suite shipped anaphor-en-fr --output my-suite
  anaphor suite show my-suite
  anaphor suite export my-suite --source to-translate.en
  anaphor suite evaluate my-suite --candidate old.fr new.fr --work-list todo.tsv
  anaphor suite approve my-suite --work-list todo.tsv --by "A. Judge" --output my-suite-2
  anaphor suite build --corpus DiscoMT/EN --reference human=DiscoMT/FR --pair en-fr --output my-suite
  anaphor suite check my-suite
  anaphor suite export my-suite --protest my-suite.db
  anaphor suite import my-suite.db --output my-suite-3"""

EVALUATE_EXAMPLES = """examples:
  anaphor suite evaluate my-suite --candidate old.fr new.fr --changes --work-list todo.tsv
  anaphor suite evaluate my-suite --candidate old.fr new.fr --latex > table.tex
  anaphor suite evaluate my-suite --candidate old.fr new.fr --report report.html
  anaphor suite evaluate my-suite --candidate new.fr --fail-under 0.6 event_it=0.5 --junit gates.xml"""


def configure_evaluate(parser: CommandParser) -> None:
    add_suite(parser)
    add_systems(parser.add_argument_group("files"))
    add_linking(parser)
    add_resampling(parser.add_argument_group("intervals and tests"))
    output = add_output(parser, ("json", "latex", "markdown")).add_argument
    output(
        "--work-list",
        metavar="FILE",
        help="write the mismatches for annotators, as TSV or, if FILE ends in .jsonl, as JSON lines",
    )
    output("--changes", action="store_true", help="list items won and lost against the first candidate")
    output("--report", metavar="FILE", help="also write scores and mismatches as an HTML page to FILE")
    gate = parser.add_argument_group("gates for builds").add_argument
    gate(
        "--fail-under",
        nargs="+",
        default=[],
        metavar="[CATEGORY=]SHARE",
        help="exit with 3 when a candidate matches less than this share of all items, or of a category; "
        "0.6 is 60 percent",
    )
    gate("--junit", metavar="FILE", help="also write the gates as JUnit XML to FILE")


def run_evaluate(options: argparse.Namespace) -> None:
    from anaphor.report.gates import junit_for_errors

    if options.junit and not options.fail_under:
        raise OptionError("no gate is defined", where="--junit", fix="add --fail-under")
    with junit_for_errors(options.junit) as systems:
        systems += [name for name, _ in map(named, options.candidate)]
        _evaluate(options)


def _evaluate(options: argparse.Namespace) -> None:
    from anaphor.files.writing import write_atomically
    from anaphor.pages.suite import suite_page
    from anaphor.report.emit import render
    from anaphor.report.gates import FAIL_UNDER, junit_xml, limit_gates, parse_limits, require_passed
    from anaphor.suite import evaluate_suite, format_work_list, work_list
    from anaphor.suite.evaluate import TOTAL

    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        used = {item.category for item in loaded.suite.items}
        names = [category.name for category in loaded.suite.categories if category.name in used]
        limits = parse_limits(
            options.fail_under, [*names, TOTAL], option=FAIL_UNDER, bare=[TOTAL], kind="category"
        )
        candidates, links, cut = read_systems(options, loaded)
        settings = replace(
            options_of(options, loaded.suite.pair),
            level=options.level,
            samples=options.samples,
            seed=options.seed,
        )
        report = evaluate_suite(
            loaded, candidates, settings, links=links, segmentations=cut, progress=progress
        )
    report = replace(report, list_changes=options.changes)
    gates = limit_gates(report.accuracies(), limits)
    rows = list(work_list(loaded, report, candidates)) if options.work_list or options.report else []
    if options.work_list:
        json_lines = options.work_list.endswith(".jsonl")
        write_atomically(options.work_list, format_work_list(rows, json_lines=json_lines))
    if options.report:
        write_atomically(options.report, suite_page(report, rows, gates))
    if options.latex:
        print(render([report.paper_table()], "latex"))
    else:
        print_result(options, report)
    if options.junit:
        write_atomically(options.junit, junit_xml(gates))
    require_passed(gates, examples="--work-list")


def configure_check(parser: CommandParser) -> None:
    add_suite(parser)
    add_linking(parser)
    add_output(parser)


def run_check(options: argparse.Namespace) -> None:
    from anaphor.scoring.selfcheck import SelfCheckReport, check_suite

    with TerminalProgress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        findings = tuple(check_suite(loaded, options_of(options, loaded.suite.pair), progress))
    print_checks(options, SelfCheckReport(findings, options.suite))


def configure_show(parser: CommandParser) -> None:
    add_suite(parser)
    parser.add_argument("--item", nargs="+", default=[], metavar="ID", help="show these items")
    add_output(parser)


def run_show(options: argparse.Namespace) -> None:
    from anaphor.suite import read_suite
    from anaphor.suite.overview import item_overview, suite_overview

    if options.item:
        print_result(options, item_overview(load(options), options.item))
    else:
        print_result(options, suite_overview(read_suite(options.suite)))


def configure_shipped(parser: CommandParser) -> None:
    parser.add_argument("name", nargs="?", metavar="NAME", help="suite to copy (default: list all)")
    parser.add_argument("--output", metavar="FOLDER", help="new folder for the copy")
    add_output(parser)


def run_shipped(options: argparse.Namespace) -> None:
    from anaphor.suite import copy_shipped
    from anaphor.suite.overview import shipped_overview

    if bool(options.name) != bool(options.output):
        what = "a copy needs a name and a folder"
        raise OptionError(what, where="NAME, --output", fix="use both, or neither for the list")
    if options.name:
        copy_shipped(options.name, options.output)
        print(f"{options.output}: {options.name}")
    else:
        print_result(options, shipped_overview())


def configure_approve(parser: CommandParser) -> None:
    add_suite(parser)
    add = parser.add_argument
    add(
        "--work-list",
        required=True,
        metavar="FILE",
        help="work list of `evaluate`, with ok or bad in its first column",
    )
    add("--by", required=True, metavar="NAME", help="name of the annotator")
    add("--when", metavar="DATE", help="date such as 2016-05-23 (default: today)")
    add("--output", required=True, metavar="FOLDER", help="new folder for the suite")


def run_approve(options: argparse.Namespace) -> None:
    from anaphor.core.table import counted
    from anaphor.corpus import read_text
    from anaphor.suite import with_approved, write_suite

    loaded = load(options)
    when = options.when or datetime.now(tz=UTC).date().isoformat()
    suite = with_approved(loaded.suite, read_text(options.work_list), by=options.by, when=when)
    write_suite(suite, options.output, texts=loaded.texts)
    before, after = (
        sum(len(item.alternatives) for item in version.items) for version in (loaded.suite, suite)
    )
    print(f"{options.output}: {counted(after, 'approved alternative')}, {after - before} of them new")


def configure_build(parser: CommandParser) -> None:
    files = parser.add_argument_group("files").add_argument
    files(
        "--corpus",
        "--source",
        required=True,
        metavar="PATH",
        help="source: a folder of MMAX2 projects, an .mmax file, or plain text with one segment per line",
    )
    files(
        "--reference",
        nargs="+",
        required=True,
        metavar="[NAME=]PATH",
        help="references: MMAX2 projects with the same names, or text with one line per sentence or segment",
    )
    files("--documents", metavar="FILE", help="for plain text: one document id per line, or start lines")
    files(
        "--skip-broken",
        action="store_true",
        help="leave out, with a note, MMAX2 projects that are invalid or missing on one side",
    )
    files("--output", required=True, metavar="FOLDER", help="new folder for the suite")
    files("--without-text", action="store_true", help="omit the documents, for a suite that can be shared")
    group = parser.add_argument_group("what is chosen")
    chosen = group.add_argument
    chosen("--pair", required=True, metavar="SRC-TGT", help="language pair, such as en-fr")
    chosen("--categories", default="protest", metavar="PACK", help="built-in pack or .toml (default protest)")
    chosen("--plan", default="protest-250", metavar="NAME", help="plan of the pack (default protest-250)")
    chosen("--annotated-only", action="store_true", help="choose only annotated pronouns")
    chosen("--name", default="suite", help="name of the suite (default suite)")
    chosen("--licence", default="unknown", help="licence of the suite (default unknown)")
    add_seed(group)
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


def run_build(options: argparse.Namespace) -> None:
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
    config.check(pair)  # before the lack of an analyser for another source language
    with (
        TerminalProgress(quiet=options.quiet) as progress,
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


def configure_import(parser: CommandParser) -> None:
    parser.add_argument("database", metavar="FILE", help="PROTEST 1.1 database (SQLite)")
    parser.add_argument("--output", required=True, metavar="FOLDER", help="new folder for the suite")
    parser.add_argument(
        "--packs", rare=True, metavar="FOLDER", help="folder of the language packs used for the export"
    )
    group = parser.add_argument_group("for a database that was not exported by anaphor").add_argument
    group("--pair", metavar="SRC-TGT", help="language pair, such as en-fr")
    group(
        "--reference",
        nargs="+",
        default=[],
        metavar="NAME",
        help="names of the reference translations",
    )
    group("--name", default="protest", help="name of the suite (default protest)")
    group("--licence", default="unknown", help="licence of the suite (default unknown)")


def run_import(options: argparse.Namespace) -> None:
    from anaphor.core import LanguagePair
    from anaphor.core.table import counted
    from anaphor.suite import ProtestMetadata, from_protest, write_suite
    from anaphor.suite.protest.database import read_protest

    naming = ProtestMetadata(
        pair=LanguagePair.parse(options.pair) if options.pair else None,
        name=options.name,
        licence=options.licence,
        references=tuple(options.reference),
    )
    suite, texts = from_protest(
        read_protest(options.database), naming, path=options.database, packs=packs_of(options)
    )
    write_suite(suite, options.output, texts=texts)
    print(f"{options.output}: {suite.name} {suite.version}, {counted(len(suite.items), 'item')}")


def configure_export(parser: CommandParser) -> None:
    add_suite(parser)
    parser.add_argument("--source", metavar="FILE", help="write all source documents, one segment per line")
    parser.add_argument("--reference", metavar="FILE", help="also write the first reference")
    parser.add_argument("--protest", metavar="FILE", help="write a PROTEST 1.1 database (SQLite)")
    parser.add_argument(
        "--packs", rare=True, metavar="FOLDER", help="folder with your own language packs, for --protest"
    )
    parser.add_argument("--stand-off", metavar="FOLDER", help="write the suite without its texts")


def run_export(options: argparse.Namespace) -> None:
    from anaphor.files.writing import write_atomically
    from anaphor.suite import to_protest, write_suite
    from anaphor.suite.protest.database import write_protest

    if not (options.source or options.reference or options.protest or options.stand_off):
        what, where = "no output is given", "--source, --reference, --protest, --stand-off"
        raise OptionError(what, where=where, fix="use one of them")
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


COMMANDS = {
    "evaluate": Command(
        "judge candidates item by item and count matches per category",
        configure_evaluate,
        run_evaluate,
        EVALUATE_EXAMPLES,
    ),
    "check": Command("check that the references of a suite get full marks", configure_check, run_check),
    "show": Command("show the contents of a suite, or single items in context", configure_show, run_show),
    "shipped": Command("list the suites that come with anaphor, or copy one", configure_shipped, run_shipped),
    "approve": Command(
        "accept the translations that annotators approved in a work list", configure_approve, run_approve
    ),
    "build": Command(
        "choose items from parallel documents, annotated or not, according to a plan",
        configure_build,
        run_build,
    ),
    "import": Command("import a suite from a PROTEST database", configure_import, run_import),
    "export": Command(
        "write the source to translate, a PROTEST database, or the suite without its texts",
        configure_export,
        run_export,
    ),
}
