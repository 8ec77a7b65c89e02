"""`anaphor suite evaluate`: candidates judged item by item."""

from __future__ import annotations

import argparse

from anaphor.cli.options import named
from anaphor.cli.output import add_output
from anaphor.cli.suite.options import add_linking, add_suite, add_systems, load, options_of, read_systems
from anaphor.core.errors import OptionError

EXAMPLES = """examples:
  anaphor suite evaluate my-suite --candidate old.fr new.fr --changes --work-list todo.tsv
  anaphor suite evaluate my-suite --candidate old.fr new.fr --latex > table.tex
  anaphor suite evaluate my-suite --candidate old.fr new.fr --report report.html
  anaphor suite evaluate my-suite --candidate new.fr --fail-under 0.6 event_it=0.5 --junit gates.xml"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add_systems(parser.add_argument_group("files"))
    add_linking(parser)
    output = add_output(parser, ("json", "latex", "markdown")).add_argument
    output("--work-list", metavar="FILE", help="write the mismatches for annotators: TSV, or JSON if .jsonl")
    output(
        "--changes", action="store_true", help="list items that improved or broke from the first candidate"
    )
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


def run(options: argparse.Namespace) -> None:
    from anaphor.report.gates import junit_for_errors

    if options.junit and not options.fail_under:
        raise OptionError("there is no gate to write", where="--junit", fix="add --fail-under")
    with junit_for_errors(options.junit) as systems:
        systems += [name for name, _ in map(named, options.candidate)]
        _evaluate(options)


def _evaluate(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import Progress
    from anaphor.corpus import write_atomically
    from anaphor.report.emit import render
    from anaphor.report.gates import FAIL_UNDER, junit_xml, limit_gates, parse_limits, require_passed
    from anaphor.reporting import suite_page
    from anaphor.suite import evaluate_suite, format_work_list, work_list
    from anaphor.suite.evaluate import TOTAL

    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        used = {item.category for item in loaded.suite.items}
        names = [one.name for one in loaded.suite.categories if one.name in used]
        limits = parse_limits(
            options.fail_under, [*names, TOTAL], option=FAIL_UNDER, bare=[TOTAL], kind="category"
        )
        candidates, links, cut = read_systems(options, loaded)
        settings = options_of(options, loaded.suite.pair)
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
