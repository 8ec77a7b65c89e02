"""`anaphor score`: the main job."""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING

from anaphor.cli.cluster_options import add_cluster, aligner_from
from anaphor.cli.options import add_files, add_metric_options, add_settings, files_of, named, settings_of
from anaphor.cli.report.gates import add_gates, check_gates, gates_of, require_gates
from anaphor.cli.score.hints import (
    add_hints,
    card_hints,
    check_asked_functions,
    functions_of,
    hints_content,
    hints_of,
    hints_text,
    predictor_of,
)
from anaphor.core.errors import InputWarning, OptionError
from anaphor.metrics import METRICS

if TYPE_CHECKING:
    from anaphor.cli.score.hints import Hints
    from anaphor.cli.terminal import Progress
    from anaphor.core import Result, Settings
    from anaphor.corpus import Inputs
    from anaphor.report.cards import Cards
    from anaphor.report.result_file import StoredResult

EXAMPLES = """examples:
  anaphor score --pair en-fr --source src.en --reference ref.fr --candidate a.fr b.fr --paired
  anaphor score --pair en-fr ... --alignment-reference ref.align --alignment-candidate a.align b.align
  anaphor score --pair en-fr --tokenized ... --metrics apt autoprf bleu --documents docs --by pronoun matrix
  anaphor score --pair en-fr ... --output result.json --items items.tsv
  anaphor score --pair en-fr ... --paired --report report.html
  anaphor score --pair en-fr ... --predictor anaphor-1-small     (hints beside the scores)
  anaphor score --pair en-fr ... --functions     (scores by what *it* does: thing, event, nothing)
  anaphor score --pair en-fr ... --fail-under apt=0.6     (exit code 1 for a nightly build)
  anaphor score --pair en-fr ... --max-regression 0.02 --baseline old.json --junit gates.xml

Candidates are named after their files; NAME=PATH gives another name. `-` is the standard input.
The first candidate is the baseline of --paired. Scores are percent in tables, 0 to 1 in JSON."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_files(parser)
    group = add_settings(parser)
    add = group.add_argument
    add("--metrics", nargs="+", default=["apt", "autoprf"], metavar="NAME", help="`anaphor list` names them")
    add("--paired", action="store_true", help="test every candidate against the first")
    add("--samples", type=int, default=1000, metavar="N", help="resamples, 0 for none (default 1000)")
    add("--level", type=float, default=0.95, metavar="P", help="of the intervals (default 0.95)")
    add_cluster(group)
    output = parser.add_argument_group("output")
    printed = output.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print the result as JSON")
    printed.add_argument("--latex", action="store_true", help="print a LaTeX table")
    printed.add_argument("--markdown", action="store_true", help="print Markdown tables")
    output.add_argument("--output", metavar="FILE", help="also write the result as JSON to FILE")
    output.add_argument(
        "--cards", action="store_true", help="keep the texts and links behind every pronoun in the result"
    )
    output.add_argument("--report", metavar="FILE", help="also write the result as an HTML page to FILE")
    output.add_argument("--items", metavar="FILE", help="also write every judged pronoun to FILE (TSV)")
    output.add_argument(
        "--mtme", metavar="FOLDER", help="also write the scores in the layout of mt-metrics-eval to FOLDER"
    )
    output.add_argument(
        "--by",
        nargs="+",
        choices=("case", "pronoun", "document", "matrix", "clipped"),
        default=["case"],
        help="parts to show below the scores (default: case)",
    )
    output.add_argument(
        "--alignment-sensitivity",
        action="store_true",
        help="also score under several alignments and list the pronouns whose outcome changes",
    )
    add_hints(parser)
    add_gates(parser)


def extend(parser: argparse.ArgumentParser, arguments: Sequence[str]) -> None:
    """Add the options of the metrics of other packages that the arguments name."""
    named_metrics = argparse.ArgumentParser(add_help=False)
    named_metrics.add_argument("--metrics", nargs="+", default=[])
    metrics = named_metrics.parse_known_args([*arguments])[0].metrics
    if others := [name for name in dict.fromkeys(metrics) if not METRICS.is_built_in(name)]:
        add_metric_options(parser.add_argument_group("options of metrics of other packages"), others)


def run(options: argparse.Namespace) -> None:
    from anaphor.cli.terminal import Progress, collected_notes, paint
    from anaphor.core import LanguagePair
    from anaphor.corpus import read_inputs, write_atomically
    from anaphor.pipeline import evaluate
    from anaphor.report.functions import functions_text
    from anaphor.report.items import items_tsv
    from anaphor.report.latex import result_latex
    from anaphor.report.markdown import result_markdown
    from anaphor.report.result_file import result_json
    from anaphor.report.sensitivity import sensitivity_text
    from anaphor.report.table import Paint
    from anaphor.report.text import result_text
    from anaphor.sensitivity import alignment_sensitivity, check_sensitivity

    files = files_of(
        options,
        candidates=tuple(named(text) for text in options.candidate),
        candidate_alignments=tuple(options.alignment_candidate),
    )
    settings = settings_of(
        options,
        metrics=tuple(options.metrics),
        paired=options.paired,
        samples=options.samples,
        level=options.level,
    )
    gates = gates_of(options, settings)
    predictor = predictor_of(options)
    check_asked_functions(options, settings)
    with collected_notes() as notes, Progress() as progress:
        progress("reading")
        given = inputs = read_inputs(files, LanguagePair.parse(settings.pair))
        if options.alignment_sensitivity:
            check_sensitivity(given, settings)
        if options.cards or options.report or options.cluster:
            # Cards show how sure the aligner is of its links, so what it makes is kept.
            inputs = _aligned(options, given, settings, progress)
        result = evaluate(inputs, settings, progress, given)
        spread = alignment_sensitivity(given, settings, progress) if options.alignment_sensitivity else None
        functions = functions_of(options, result, inputs)
        hints = hints_of(options, predictor, result, inputs)
        cards = _cards(options, result, inputs, hints)

    def below(colours: Paint) -> list[str]:
        """What stands below the scores."""
        texts = [] if spread is None else [sensitivity_text(spread, paint=colours)]
        texts += [] if functions is None else [functions_text(functions, paint=colours)]
        return [*texts, *([] if hints is None else [hints_text(hints, paint=colours)])]

    told = None if hints is None else hints_content(hints)
    written = partial(
        result_json, result, files, notes=notes, sensitivity=spread, functions=functions, hints=told
    )
    whole = written(cards=cards)
    as_json = whole if options.cards else written()
    stored = _stored(whole)
    if options.output:
        write_atomically(options.output, as_json)
    if options.items:
        write_atomically(options.items, items_tsv(result))
    if options.report:
        _write_report(options.report, stored)
    if options.json:
        print(as_json, end="")
    elif options.latex:
        print(result_latex(result))
        for text in below(Paint(enabled=False)):
            print(indent(text, "% ", lambda _: True))
    elif options.markdown:
        print(result_markdown(stored))
        for text in below(Paint(enabled=False)):
            print("\n" + indent(text, "    "))
    else:
        print("\n\n".join([result_text(result, paint=paint(), parts=tuple(options.by)), *below(paint())]))
    if options.mtme:
        _write_mtme(options.mtme, result, inputs)
    require_gates(options, check_gates(gates, stored))


def _aligned(options: argparse.Namespace, inputs: Inputs, settings: Settings, progress: Progress) -> Inputs:
    """The texts with an alignment for each, made here or by a cluster."""
    from anaphor.metrics import ScoringSetup

    progress("aligning")
    setup = ScoringSetup.of(settings)
    with aligner_from(options, setup.aligner) as aligner:
        return replace(setup, aligner=aligner).aligned(inputs, progress)


def _cards(options: argparse.Namespace, result: Result, inputs: Inputs, hints: Hints | None) -> Cards | None:
    """The cards where something needs them."""
    from anaphor.report.cards import cards_of

    if not result.systems[0].verdicts:
        if options.cards:
            raise OptionError(
                "no metric judges pronouns, so there are no cards",
                where="--cards",
                fix="add a metric such as apt, or leave it out",
            )
        return None
    if not options.cards and not options.report and options.max_regression is None:
        return None
    return cards_of(result, inputs, card_hints(hints))


def _stored(text: str) -> StoredResult:
    """The result as a report reads it from a file."""
    from anaphor.report.result_file import parse_result, stored_of

    return stored_of(parse_result(text.encode("utf-8"), path="this result"), path="this result")


def _write_report(path: str, stored: StoredResult) -> None:
    from anaphor.corpus import write_atomically
    from anaphor.report.html import ReportView, report_page

    write_atomically(path, report_page(ReportView.of([stored], title="Pronoun translation")))


def _write_mtme(folder: str, result: Result, inputs: Inputs) -> None:
    """Scores of systems and, where documents are known, of documents."""
    from pathlib import Path

    from anaphor.core import LanguagePair
    from anaphor.corpus import write_mtme_scores

    pair = result.settings.pair
    names = (Path(text.path).name.removeprefix(f"{pair}.").partition(".")[0] for text in inputs.references)
    reference = ".".join(names)
    for metric in dict.fromkeys(result.settings.metrics):
        write_mtme_scores(
            folder,
            pair=LanguagePair.parse(pair),
            metric=metric,
            reference=reference,
            systems={
                system.name: score.value
                for system in result.systems
                for score in system.scores
                if score.metric == metric
            },
            documents=_by_document(result, metric),
        )


def _by_document(result: Result, metric: str) -> dict[str, list[float]] | None:
    """The document scores of every system; None where there are none, or the layout cannot hold them."""
    scores = {system.name: list(system.by_document[metric].values()) for system in result.systems}
    undefined = sum(math.isnan(score) for values in scores.values() for score in values)
    if undefined:
        warnings.warn(
            f"--mtme: no document scores of {metric}, for {undefined} documents have nothing to score and "
            "the layout has no word for that",
            InputWarning,
            stacklevel=2,
        )
    return None if undefined or result.documents is None else scores
