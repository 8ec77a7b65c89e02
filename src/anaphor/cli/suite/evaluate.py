"""`anaphor suite evaluate`: candidates judged item by item."""

from __future__ import annotations

import argparse

from anaphor.cli.output import add_width
from anaphor.cli.suite.options import add_linking, add_suite, add_systems, load, options_of, read_systems


def configure(parser: argparse.ArgumentParser) -> None:
    add_suite(parser)
    add_systems(parser.add_argument_group("files"))
    add_linking(parser)
    output = parser.add_argument_group("output").add_argument
    output("--work-list", metavar="FILE", help="write the mismatches for annotators: TSV, or JSON if .jsonl")
    output(
        "--changes", action="store_true", help="list items that improved or broke from the first candidate"
    )
    output("--json", action="store_true", help="print the scores and all outcomes as JSON")
    add_width(parser)


def run(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from anaphor.cli.output import print_result
    from anaphor.cli.terminal import Progress
    from anaphor.corpus import write_atomically
    from anaphor.suite import evaluate_suite, format_work_list, work_list

    with Progress(quiet=options.quiet) as progress:
        progress("reading")
        loaded = load(options)
        candidates, links = read_systems(options, loaded)
        settings = options_of(options, loaded.suite.pair)
        report = evaluate_suite(loaded, candidates, settings, links=links, progress=progress)
    if options.work_list:
        rows = work_list(loaded, report, candidates)
        json_lines = options.work_list.endswith(".jsonl")
        write_atomically(options.work_list, format_work_list(rows, json_lines=json_lines))
    print_result(options, replace(report, list_changes=options.changes))
