"""`anaphor score`: the main job."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from anaphor.cli.cluster_options import add_cluster, aligner_from, cutter_from
from anaphor.cli.commands import CommandParser
from anaphor.cli.options import (
    add_files,
    add_metric_options,
    add_resampling,
    add_settings,
    files_of,
    named,
    settings_of,
    whole_documents_of,
)
from anaphor.cli.output import add_output, add_signature, print_result
from anaphor.core.errors import OptionError, UserError
from anaphor.metrics import METRICS

if TYPE_CHECKING:
    from anaphor.core import Settings
    from anaphor.report.gates import Gate, GateLimits

EXAMPLES = """examples:
  anaphor score -p en-fr -s src.en -r ref.fr -c a.fr b.fr --paired
  translate < src.en | anaphor score -p en-fr -s src.en -r ref.fr -c new=-
  anaphor score -p en-fr -s src.en -r ref.fr -c a.fr --model en-fr.model     (of `anaphor align train`)
  anaphor score --pair en-fr ... --alignment-reference ref.align --alignment-candidate a.align b.align
  anaphor score --pair en-fr --tokenized ... --metrics apt autoprf bleu --documents docs --by pronoun matrix
  anaphor score --pair en-fr ... --output result.json --items items.tsv
  anaphor score --pair en-fr ... --paired --report report.html
  anaphor score --pair en-fr ... --predictor anaphor-2-small     (hints beside the scores)
  anaphor score --pair en-de -s src.en -r ref.de -c chat=chat.jsonl --documents docs --whole-documents
  anaphor score --pair en-fr ... --functions     (scores by the function of *it*)
  anaphor score --pair en-fr ... --fail-under apt=0.6     (exit code 3 for a nightly build)
  anaphor score --pair en-fr ... --max-regression 0.02 --baseline old.json --junit gates.xml

Candidates are named after their files; NAME=PATH gives another name. `-` is the standard input, called stdin.
The first candidate is the baseline of --paired. Scores are percent in tables, 0 to 1 in JSON."""


def configure(parser: CommandParser) -> None:
    add_files(parser)
    group = add_settings(parser)
    add = group.add_argument
    add("--metrics", nargs="+", default=["apt", "autoprf"], metavar="NAME", help="see `anaphor list`")
    add("--paired", action="store_true", help="test every candidate against the first")
    add_resampling(group, seed=False)  # the seed is among the settings
    add_cluster(group)
    output = add_output(parser, ("json", "latex", "markdown")).add_argument
    output("--output", metavar="FILE", help="also write the result as JSON to FILE")
    output(
        "--cards",
        rare=True,
        action="store_true",
        help="keep in the result what is behind the scores: texts and links of every pronoun, and counts",
    )
    add_signature(parser)
    output("--report", metavar="FILE", help="also write the result as an HTML page to FILE")
    output("--items", metavar="FILE", help="also write every evaluated pronoun to FILE (TSV)")
    output(
        "--mtme",
        rare=True,
        metavar="FOLDER",
        help="also write the scores in the layout of mt-metrics-eval to FOLDER",
    )
    output(
        "--by",
        nargs="+",
        choices=("case", "pronoun", "document", "matrix", "clipped"),
        default=["case"],
        help="parts to show below the scores (default: case)",
    )
    output(
        "--bounds",
        action="store_true",
        help="also show what the references themselves get, and the first candidate shuffled",
    )
    output(
        "--alignment-sensitivity",
        rare=True,
        action="store_true",
        help="also score under several symmetrizations and list the pronouns whose outcome changes",
    )
    output(
        "--segmentation-sensitivity",
        rare=True,
        action="store_true",
        help="also score the second best segmentation of whole documents and list outcomes that change",
    )
    hint = parser.add_argument_group("hints, which change no score").add_argument
    hint(
        "--functions", action="store_true", help="also show scores by the predicted function of English *it*"
    )
    hint("--predictor", metavar="MODEL", help="flag pronouns that it finds unlikely, such as anaphor-2-small")
    hint(
        "--unlikely",
        rare=True,
        type=float,
        default=0.05,
        metavar="P",
        help="less probable is unlikely (default 0.05)",
    )
    gate = parser.add_argument_group("gates for builds").add_argument
    gate(
        "--fail-under",
        nargs="+",
        default=[],
        metavar="METRIC=SCORE",
        help="exit with 3 when a candidate is below a score between 0 and 1",
    )
    gate(
        "--max-regression",
        nargs="+",
        default=[],
        metavar="[METRIC=]LOSS",
        help="exit with 3 when a score fell by more than LOSS (0.02 is two points), and not by chance; "
        "for every metric unless one is named",
    )
    gate("--baseline", metavar="FILE", help="the earlier result, scored with --cards, of --max-regression")
    gate("--skip-new", action="store_true", help="skip candidates that the baseline lacks, with a note")
    gate("--junit", metavar="FILE", help="also write the gates as JUnit XML to FILE")


def extend(parser: CommandParser, arguments: Sequence[str]) -> None:
    """Add the options of the metrics of other packages that the arguments name."""
    named_metrics = argparse.ArgumentParser(add_help=False)
    named_metrics.add_argument("-m", "--metrics", nargs="+", action="extend", default=[])
    metrics = named_metrics.parse_known_args([*arguments])[0].metrics
    if others := [name for name in dict.fromkeys(metrics) if not METRICS.is_built_in(name)]:
        add_metric_options(parser.add_argument_group("options of metrics of other packages"), others)


def run(options: argparse.Namespace) -> None:
    # NumPy has small products to make here: other threads of OpenBLAS would only wait for work, which keeps
    # a processor busy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if options.junit and not (options.fail_under or options.max_regression):
        raise OptionError(
            "there is no gate to write", where="--junit", fix="add --fail-under or --max-regression"
        )
    if not options.junit:
        _score(options, tuple(named(text) for text in options.candidate))
        return
    from anaphor.report.gates import junit_for_errors

    with junit_for_errors(options.junit) as systems:
        candidates = tuple(named(text) for text in options.candidate)
        systems += [name for name, _ in candidates]
        _score(options, candidates)


def _score(options: argparse.Namespace, candidates: tuple[tuple[str, str], ...]) -> None:
    from contextlib import nullcontext
    from dataclasses import replace
    from functools import partial

    from anaphor.cli.terminal import Progress, collected_notes
    from anaphor.corpus import write_atomically
    from anaphor.scoring import ScoringRequest, score, write_mtme

    settings = settings_of(
        options,
        metrics=tuple(options.metrics),
        paired=options.paired,
        samples=options.samples,
        level=options.level,
    )
    limits = _gate_limits(options, settings)
    if limits is not None and not options.set:
        limits.check_systems([name for name, _ in candidates])
    request = ScoringRequest(
        files_of(
            options,
            candidates=candidates,
            candidate_alignments=tuple(options.alignment_candidate),
            whole_documents=whole_documents_of(options),
        ),
        settings,
        parts=tuple(options.by),
        cards=options.cards or bool(options.report),
        keep_alignments=options.cards or bool(options.report) or bool(options.cluster),
        functions=options.functions,
        sensitivity=options.alignment_sensitivity,
        segmentation_sensitivity=options.segmentation_sensitivity,
        bounds=options.bounds,
        predictor=options.predictor,
        unlikely=options.unlikely,
        full_signature=options.signature == "full",
    )
    with (
        collected_notes(once=True) as notes,
        Progress(quiet=options.quiet) as progress,
        nullcontext() if options.whole_documents is None else cutter_from(options) as cut,
    ):
        report = score(request, progress, aligner=partial(aligner_from, options), cut=cut)
    report = replace(report, notes=tuple(notes))
    gates: tuple[Gate, ...] = ()
    refused = None
    try:
        gates = () if limits is None else limits.check(report.stored())
    except UserError as error:  # a baseline that does not fit is no reason to withhold the scores
        from anaphor.report.gates import Gate

        refused = error
        gates = (Gate("--baseline", "", "all systems", "error", error.what),)
    if options.output:
        report.save(options.output, cards=options.cards)
    if options.items:
        from anaphor.report.rows import items_tsv

        write_atomically(options.items, items_tsv(report.result))
    if options.report:
        from anaphor.report.html import ReportView, page_date, report_page

        view = ReportView.of([report.stored()], title="Pronoun translation", gates=gates, made=page_date())
        write_atomically(options.report, report_page(view))
    if options.json:
        print(report.to_json(cards=options.cards), end="")
    elif options.latex or options.markdown:
        from textwrap import indent

        from anaphor.report.emit import render
        from anaphor.report.result_tables import result_latex, result_markdown

        stored = report.stored()
        print(result_latex(stored) if options.latex else result_markdown(stored))
        # Hints are no part of the table: a comment in LaTeX, a code block in Markdown.
        if hints := render(report.hint_tables()):
            print(indent(hints, "% ", lambda _: True) if options.latex else "\n" + indent(hints, "    "))
    else:
        print_result(options, report)
    if options.mtme:
        write_mtme(options.mtme, report.result, report.inputs)
    if refused is not None:
        raise refused
    if limits is not None:
        from anaphor.report.gates import junit_xml, require_passed

        if options.junit:
            write_atomically(options.junit, junit_xml(gates))
        require_passed(gates)


def _gate_limits(options: argparse.Namespace, settings: Settings) -> GateLimits | None:
    """The gates that the options name; None, and nothing of them loaded, where there are none."""
    if not (options.fail_under or options.max_regression or options.baseline or options.skip_new):
        return None
    from anaphor.report.gates import GateLimits

    return GateLimits.parse(
        options.fail_under,
        options.max_regression,
        options.baseline,
        settings=settings,
        skip_new=options.skip_new,
    )
