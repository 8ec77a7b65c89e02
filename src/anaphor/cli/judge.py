"""`anaphor judge`: a language model judges pronouns, and its verdicts are compared with human judgements."""

from __future__ import annotations

import argparse

from anaphor.cli.commands import Command, CommandParser
from anaphor.cli.options import (
    add_files,
    add_level,
    add_resampling,
    add_settings,
    files_of,
    named,
    settings_of,
    whole_documents_of,
)
from anaphor.cli.output import add_output, print_result, whole_number
from anaphor.cli.server_options import add_money, meter_of, print_cost, print_plan

EXAMPLES = """examples:
  anaphor judge run -p en-fr -s src.en -c a.fr --judge-server URL --judge-model NAME --dry-run
  anaphor judge run -p en-fr -s src.en -c a.fr --judge-server URL --judge-model NAME --items items.tsv
  anaphor judge calibrate items.tsv --judgements judged.tsv"""

RUN_EXAMPLES = """examples:
  anaphor judge run -p en-fr -s src.en -c a.fr --judge-server URL --judge-model NAME --dry-run
  anaphor judge run ... --prices prices.toml --budget 2 --limit 200 --items items.tsv --output result.json
  anaphor judge run ... --judge-cascade accept      (only if accept cannot decide with confidence)
  anaphor judge run ... --write-batch batch.jsonl   (for a batch service; --read-batch reads its output)

The text around every pronoun is sent to the server you name; answers are cached."""


def configure_run(parser: CommandParser) -> None:
    add_files(parser)
    group = add_settings(parser)
    add_resampling(group, seed=False)
    pace = parser.add_argument_group("requests")
    add = pace.add_argument
    add(
        "--key-variable",
        metavar="NAME",
        help="environment variable with the API key (default ANAPHOR_API_KEY)",
    )
    add("--cache", metavar="FOLDER", help="folder for cached answers (default ~/.cache/anaphor/answers)")
    add("--timeout", type=float, metavar="S", help="seconds to wait for an answer (default 60)")
    add("--rate", type=float, metavar="N", help="maximum requests per minute (default: no limit)")
    add("--workers", type=int, metavar="N", help="simultaneous requests (default 4)")
    add("--limit", type=whole_number, metavar="N", help="ask only about the first N pronouns")
    add_money(pace)
    add(
        "--dry-run",
        action="store_true",
        help="print the first prompt, the number of requests and the cost; send nothing",
    )
    add("--write-batch", metavar="FILE", help="write the requests for a batch service; send nothing")
    add("--read-batch", metavar="FILE", help="read the output of a batch service first")
    add("--keep-going", action="store_true", help="continue even if most of the first answers are unreadable")
    output = add_output(parser, ("json", "markdown")).add_argument
    output("--output", metavar="FILE", help="also write the result as JSON to FILE")
    output("--items", metavar="FILE", help="also write every pronoun with its verdicts to FILE (TSV)")


def run_run(options: argparse.Namespace) -> None:

    from anaphor.cli.terminal import TerminalProgress
    from anaphor.evaluation.experiment import Experiment
    from anaphor.files.writing import write_atomically
    from anaphor.judge import Interview, confirmed_server, name_server
    from anaphor.predict.server.asking import RequestPlan, read_batch, write_batch
    from anaphor.report.rows import items_tsv
    from anaphor.scoring.judging import judge_of, judge_queries
    from anaphor.scoring.score_report import ScoreReport

    settings = settings_of(options, metrics=("accept", "judge"), samples=options.samples, level=options.level)
    files = files_of(
        options,
        candidates=tuple(map(named, options.candidate)),
        candidate_alignments=tuple(options.alignment_candidate),
        whole_documents=whole_documents_of(options),
    )
    with TerminalProgress(quiet=options.quiet) as progress:
        experiment = Experiment.read(files, settings, progress).aligned(progress)
        metric = judge_of(experiment)
        own = ("key_variable", "cache")
        name_server(
            metric.server["server"], **{name: value for name in own if (value := getattr(options, name))}
        )
        pace = {name: getattr(options, name) for name in ("timeout", "rate", "workers")}
        pace = {name: value for name, value in pace.items() if value is not None}
        server = confirmed_server(**metric.server, **pace)
        meter = meter_of(options, server.model)
        interview = Interview(server, meter, options.limit, options.keep_going)
        if options.read_batch or options.write_batch or options.dry_run or options.prices:
            queries = list(judge_queries(experiment, progress, limit=options.limit))
    if options.read_batch:
        stored, failed = read_batch(options.read_batch, server, queries)
        print(f"{options.read_batch}: {stored} answers stored, {failed} failed")
    if options.dry_run:
        print_result(options, RequestPlan.of(server, queries, price=meter.price))
    elif options.write_batch:
        print(f"{options.write_batch}: {write_batch(options.write_batch, server, queries)} requests")
    else:
        if options.prices:
            print_plan(options, server, queries, meter)
        metric.connect(interview)
        with TerminalProgress(quiet=options.quiet) as progress:
            report = ScoreReport.of(experiment, {}, progress)
        print_cost(options, meter)
        if options.output:
            report.save(options.output)
        if options.items:
            write_atomically(options.items, items_tsv(report.result, report.inputs))
        print_result(options, report)


CALIBRATE_EXAMPLES = """examples:
  anaphor judge calibrate items.tsv --judgements judged.tsv
  anaphor judge calibrate items.tsv --judgements judged.tsv --least 200 --json

Every metric with verdicts in the items has its own rows, so one table shows `accept` and a judge.
Judgements have the same columns as for `anaphor meta cases`."""


def configure_calibrate(parser: CommandParser) -> None:
    parser.add_argument(
        "items", metavar="ITEMS", help="items written by `anaphor judge run --items` or `score --items`"
    )
    parser.add_argument(
        "--judgements", required=True, metavar="FILE", help="human judgements: TSV or JSON lines"
    )
    parser.add_argument(
        "--least",
        type=whole_number,
        default=100,
        metavar="N",
        help="minimum number of labels for a corrected rate (default 100)",
    )
    add_level(parser.add_argument_group("statistics"))
    add_output(parser, ("json", "markdown", "latex"))


def run_calibrate(options: argparse.Namespace) -> None:
    from anaphor.meta.calibration import calibrate

    print_result(
        options,
        calibrate(options.items, options.judgements, least=options.least, level=options.level),
    )


COMMANDS = {
    "run": Command(
        "let a language model judge every pronoun, and show the cost",
        configure_run,
        run_run,
        RUN_EXAMPLES,
    ),
    "calibrate": Command(
        "compare a metric's verdicts with human judgements, and correct its rates for its errors",
        configure_calibrate,
        run_calibrate,
        CALIBRATE_EXAMPLES,
    ),
}
