"""`anaphor score`: the main job."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anaphor.analyses import choose_analyses, known_analyses
from anaphor.analyses.gates import Gates
from anaphor.cli.cluster_options import add_cluster, cutter_from, scoring_from
from anaphor.cli.commands import CommandParser, OptionGroup
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
from anaphor.cli.translate import add_translations
from anaphor.core.errors import OptionError
from anaphor.metrics import METRICS

if TYPE_CHECKING:
    from anaphor.analyses.gates import GateOutcomes

EXAMPLES = """examples:
  anaphor score -p en-fr -s src.en -c a.fr b.fr --report report.html     (no reference: scores `accept`)
  anaphor score -p en-fr -s src.en -r ref.fr -c a.fr b.fr --paired
  translate < src.en | anaphor score -p en-fr -s src.en -r ref.fr -c new=-
  anaphor score -p en-fr -s src.en -r ref.fr -c a.fr --model en-fr.model     (of `anaphor align train`)
  anaphor score --pair en-fr ... --alignment-reference ref.align --alignment-candidate a.align b.align
  anaphor score --pair en-fr --tokenized ... --metrics apt autoprf bleu --documents docs --by pronoun matrix
  anaphor score --pair en-fr ... --output result.json --items items.tsv
  anaphor score --pair en-fr ... --paired --report report.html
  anaphor score --pair en-fr ... --predictor anaphor-2-small     (hints in addition to the scores)
  anaphor score --pair en-de -s src.en -r ref.de -c chat=chat.jsonl --documents docs --whole-documents
  anaphor score -p en-fr -s src.en --documents docs --server URL --server-model NAME \\
      --translate segment document --translations out --paired     (does the model use context?)
  anaphor score --pair en-fr ... --functions     (scores by the function of *it*)
  anaphor score --pair en-fr ... --fail-under apt=0.6     (exit code 3 for a nightly build)
  anaphor score --pair en-fr ... --max-regression 0.02 --baseline old.json --junit gates.xml

Candidates are named after their files; NAME=PATH gives another name. `-` is standard input, called stdin.
The first candidate is the baseline of --paired. Scores are percentages in tables and between 0 and 1 in
JSON."""


def configure(parser: CommandParser) -> None:
    add_files(parser)
    group = add_settings(parser)
    add = group.add_argument
    add(
        "--metrics",
        nargs="+",
        metavar="NAME",
        help="metrics to compute; see `anaphor list` (default: apt autoprf; without a reference, accept)",
    )
    add("--paired", action="store_true", help="test every candidate against the first")
    add_resampling(group, seed=False)  # the seed is among the settings
    add_cluster(group)
    add_translations(parser.add_argument_group("translations by a language model"))
    output_group = add_output(parser, ("json", "latex", "markdown"))
    output = output_group.add_argument
    output("--output", metavar="FILE", help="also write the result as JSON to FILE")
    add_signature(parser)
    output("--report", metavar="FILE", help="also write the result as an HTML page to FILE")
    output("--items", metavar="FILE", help="also write every evaluated pronoun to FILE (TSV)")
    output(
        "--mtme",
        rare=True,
        metavar="FOLDER",
        help="also write the scores to FOLDER, in the layout of mt-metrics-eval",
    )
    output(
        "--by",
        nargs="+",
        choices=("case", "pronoun", "document", "matrix", "clipped"),
        default=["case"],
        help="breakdowns to show below the scores (default: case)",
    )
    groups = _add_analyses(parser, output_group)
    groups[Gates.group].add_argument(
        "--junit", metavar="FILE", help="also write the gates as JUnit XML to FILE"
    )


def _add_analyses(parser: CommandParser, output: OptionGroup) -> dict[str, OptionGroup]:
    """Add the options of every analysis; returns the groups that they are in, by heading."""
    groups = {"output": output}
    for analysis in known_analyses():
        group = groups.get(analysis.group)
        if group is None:
            group = groups[analysis.group] = parser.add_argument_group(analysis.group)
        for option in analysis.options:
            kind: dict[str, Any] = {"action": "store_true"}
            if option.many:
                kind = {"nargs": "+", "default": [], "metavar": option.metavar}
            elif option.type is not bool:
                kind = {"type": option.type, "default": option.default, "metavar": option.metavar}
            group.add_argument(f"--{option.name}", rare=option.rare, help=option.help, **kind)
    return groups


def extend(parser: CommandParser, arguments: Sequence[str]) -> None:
    """Add the options of the metrics of other packages that the arguments name."""
    named_metrics = argparse.ArgumentParser(add_help=False)
    named_metrics.add_argument("-m", "--metrics", nargs="+", action="extend", default=[])
    metrics = named_metrics.parse_known_args([*arguments])[0].metrics
    if not all(map(METRICS.is_built_in, metrics)):
        from anaphor.metrics import third_party_options

        group = parser.add_argument_group("options of third-party metrics")
        add_metric_options(group, third_party_options(metrics))


def run(options: argparse.Namespace) -> None:
    # NumPy has small products to make here: other threads of OpenBLAS would only wait for work, which keeps
    # a processor busy.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if options.junit and not (options.fail_under or options.max_regression):
        raise OptionError("no gate is defined", where="--junit", fix="add --fail-under or --max-regression")
    if not options.server and (options.prices or options.budget is not None):
        raise OptionError("nothing is sent, so there is no cost", where="--prices", fix="add --server URL")
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

    from anaphor.cli.terminal import TerminalProgress, collected_notes
    from anaphor.core import default_metrics
    from anaphor.evaluation.experiment import Experiment
    from anaphor.files.writing import write_atomically
    from anaphor.scoring.score_report import ScoreReport, write_mtme

    if options.metrics is None:
        # A test set may have references.
        options.metrics = default_metrics(has_reference=bool(options.reference or options.set))
    settings = settings_of(
        options,
        metrics=tuple(options.metrics),
        paired=options.paired,
        samples=options.samples,
        level=options.level,
    )
    if server := settings.options.get("judge_server"):
        from anaphor.judge import name_server

        name_server(server)  # it was named on the command line, not in a file
    values = {
        option.keyword: getattr(options, option.dest)
        for analysis in known_analyses()
        for option in analysis.options
    }
    values["cards"] = options.cards or bool(options.report)  # a page shows the examples behind the numbers
    analyses = choose_analyses(values, settings)
    whole = whole_documents_of(options)
    if options.server:
        from anaphor.cli.translate import translated_candidates

        made = translated_candidates(options)
        candidates += made
        whole += tuple(name for name, _ in made if name == "document")
    files = files_of(
        options,
        candidates=candidates,
        candidate_alignments=tuple(options.alignment_candidate),
        whole_documents=whole,
    )
    with (
        collected_notes(once=True) as notes,
        TerminalProgress(quiet=options.quiet) as progress,
        cutter_from(options) if whole else nullcontext() as cut,
    ):
        experiment = Experiment.read(files, settings, progress, cut)
        with scoring_from(options) as (aligner, weigher):
            report = ScoreReport.of(experiment, analyses, progress, aligner=aligner, weigher=weigher)
    report = replace(
        report,
        notes=tuple(notes),
        parts=tuple(options.by),
        full_signature=options.signature == "full",
    )
    outcomes: GateOutcomes | None = report.findings.get("gates")
    if options.output:
        report.save(options.output, cards=options.cards)
    if options.items:
        from anaphor.report.rows import items_tsv

        write_atomically(options.items, items_tsv(report.result, report.inputs))
    if options.report:
        from anaphor.report.html import ReportView, page_date, report_page

        gates = () if outcomes is None else outcomes.gates
        view = ReportView.of([report.stored()], title="Pronoun translation", gates=gates, date=page_date())
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
        if hints := render(report.analysis_tables()):
            print(indent(hints, "% ", lambda _: True) if options.latex else "\n" + indent(hints, "    "))
    else:
        print_result(options, report)
    if options.mtme:
        write_mtme(options.mtme, report.result, report.inputs)
    if outcomes is not None:
        if options.junit and outcomes.refused is None:
            from anaphor.report.gates import junit_xml

            write_atomically(options.junit, junit_xml(outcomes.gates))
        outcomes.require_passed()
