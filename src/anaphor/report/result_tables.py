"""A result as tables and paragraphs, which `emit.py` renders: scores, parts, comparisons, hints, examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from anaphor.core import (
    Bound,
    Outcome,
    Result,
    Settings,
    Signature,
    VerdictCounts,
)
from anaphor.core.table import (
    Block,
    Cell,
    Column,
    Paragraph,
    Table,
    count,
    counted,
    format_percent,
    percent,
    text,
)
from anaphor.metrics.autoprf import matched_words
from anaphor.metrics.options import BUILT_IN_OPTIONS, option_value
from anaphor.report.emit import render
from anaphor.report.escape import shown
from anaphor.stats import SIGNIFICANCE, comparison_table

if TYPE_CHECKING:
    from anaphor.report.stored import StoredResult

#: What tables and pages call the cases.
CASE_NAMES = {case: case.label.replace("_", " ") for case in Outcome}


def result_blocks(
    result: Result,
    parts: Sequence[str] = ("case",),
    bounds: Sequence[Bound] = (),
    *,
    full_signature: bool = False,
) -> list[Block]:
    """Scores of all systems and of the bounds, the requested breakdowns, comparisons and signatures."""
    metrics = [score.metric for score in result.systems[0].scores]
    heading = [result.settings.pair, counted(result.segments, "segment")]
    if result.documents is not None:
        heading.append(counted(len(set(result.documents)), "document"))
    verdicts = result.systems[0].verdicts
    if verdicts:
        forms = Counter(verdict.pair.source.form for verdict in verdicts)
        by_form = ", ".join(f"{form} {number}" for form, number in forms.most_common(8))
        heading.append(f"{counted(len(verdicts), 'pronoun')} ({by_form})")
    reached = [f"{name} {format_percent(value)}" for name, value in result.ceiling.items()]
    several = bool(verdicts) and len(verdicts[0].pair.references) > 1
    themselves = "the references themselves" if several else "the reference itself"
    limits = [
        [bound.name, *(Cell(bound.scores.get(m), bound.intervals.get(m)) for m in metrics)]
        for bound in bounds
    ]
    scores = Table(
        [text("system"), *map(percent, metrics)],
        [
            *(
                [system.name, *(Cell(s.value, s.interval) for s in system.scores)]
                for system in result.systems
            ),
            *limits,
        ],
        notes=[
            *(
                [f"[ ] {100 * result.settings.level:g} % interval"]
                if any(score.interval for system in result.systems for score in system.scores)
                else []
            ),
            *([f"ceiling, {themselves}: {', '.join(reached)}"] if reached else []),
        ],
    )
    blocks: list[Block] = [", ".join(heading), scores]
    blocks += verdict_tables(
        {
            metric: {system.name: VerdictCounts.of(system.scores[at].details) for system in result.systems}
            for at, metric in enumerate(metrics)
        }
    )
    if verdicts:
        if not verdicts[0].pair.references:
            # Every outcome of APT would be that the reference is missing.
            parts = [part for part in parts if part in ("pronoun", "document")]
        blocks += [block for part in parts for block in _part_blocks(result, part)]
    if result.comparisons:
        blocks.append(comparison_table(result.comparisons))
    blocks.append(Paragraph(shared_signatures(result, full=full_signature), style="dim"))
    return blocks


def verdict_tables(counts: Mapping[str, Mapping[str, VerdictCounts | None]]) -> list[Table]:
    """One table per metric that judges individual pronouns, with the verdicts on every system.

    `counts` are by metric and system; metrics that judge no single pronoun have no table.
    """
    return [
        Table(
            [text(metric), *map(count, ("judged", *VerdictCounts._fields))],
            [[name, counts.judged, *counts] for name, counts in systems.items() if counts is not None],
        )
        for metric, systems in counts.items()
        if any(counts is not None for counts in systems.values())
    ]


def _part_blocks(result: Result, part: str) -> list[Block]:
    names = [system.name for system in result.systems]
    if part == "case":
        columns = [text("case"), *(count(f"{case.value} {name}") for case, name in CASE_NAMES.items())]
        rows = []
        for system in result.systems:
            cases = Counter(verdict.outcome for verdict in system.verdicts)
            rows.append([system.name, *(cases[case] for case in CASE_NAMES)])
        blocks: list[Block] = [Table(columns, rows)]
        if option_value(result.settings, "dropped") != "ignore":
            blocks.append(_verb_table(result))
        return blocks
    if part == "pronoun":
        return _tables_by(part, names, [system.by_pronoun for system in result.systems])
    if part == "document":
        if result.documents is None:
            return [Paragraph(["no documents are known: give them with --documents"], style="dim")]
        return _tables_by(part, names, [system.by_document for system in result.systems])
    if part == "matrix":
        tables = []
        for system in result.systems:
            sizes: Counter[str] = Counter()
            for (reference, candidate), number in system.confusion.items():
                sizes.update({reference: number, candidate: number})
            # The most frequent first, so that what a reader looks for stands in the upper left corner.
            labels = [label for label, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))]
            rows = [[row, *(system.confusion.get((row, column), 0) for column in labels)] for row in labels]
            tables.append(Table([text(f"{system.name}: reference down"), *map(count, labels)], rows))
        return [*tables]
    # The words that candidate and reference share where several are linked to one pronoun, by frequency.
    clipped_words = [
        Counter(words for verdict in system.verdicts if len(words := matched_words(verdict.pair)) > 1)
        for system in result.systems
    ]
    total: Counter[tuple[str, ...]] = sum(clipped_words, Counter())
    if not total:
        return [Paragraph(["no pronoun has a clipped count above one"], style="dim")]
    clipped = [
        [" ".join(words), *(counts[words] for counts in clipped_words)]
        for words, _ in sorted(total.items(), key=lambda item: (-item[1], item[0]))
    ]
    clipped.append(["all", *(counts.total() for counts in clipped_words)])
    return [Table([text("clipped counts above one"), *map(count, names)], clipped)]


def _verb_table(result: Result) -> Table:
    """How often a verb with a dropped subject is the counterpart, and what the other side has."""
    columns = [text("verbs with the subject"), *map(count, ("both", "reference only", "candidate only"))]
    rows = []
    for system in result.systems:
        sides = Counter(
            tuple(side is not None and side.dropped is not None for side in (v.expected, v.pair.candidate))
            for v in system.verdicts
        )
        rows.append([system.name, sides[True, True], sides[True, False], sides[False, True]])
    return Table(columns, rows)


def _tables_by(
    part: str, names: Sequence[str], values: Sequence[Mapping[str, Mapping[str, float]]]
) -> list[Block]:
    """One table per metric: a row for every pronoun or document, a column for every system."""
    return [
        Table(
            [text(f"{metric} by {part}"), *map(percent, names)],
            [[row, *(value[metric][row] for value in values)] for row in values[0][metric]],
        )
        for metric in values[0]
    ]


def shared_signatures(result: Result, *, full: bool = False) -> list[str]:
    """One signature per metric for all systems: the first one's without the hash of its own text.

    Unless `full`, it leaves out the defaults of the metric and the settings.
    """
    cut = {system.name: dict(system.scores[0].signature.fields) for system in result.systems}
    signatures = [score.signature for score in result.systems[0].scores]
    return _shared(signatures, result.settings, cut, full=full)


def _shared(
    signatures: Sequence[Signature],
    settings: Settings,
    systems: Mapping[str, Mapping[str, str]],
    *,
    full: bool,
) -> list[str]:
    """As `shared_signatures`; `systems` has the fields of one signature per system."""
    cut = {name: fields["segmentation"] for name, fields in systems.items() if "segmentation" in fields}
    segmentation = ",".join(dict.fromkeys(cut.values())) + (
        f" for {','.join(cut)}" if len(cut) < len(systems) else ""
    )
    usual = {"forms": "pair", "repair": "paper", "samples": "1000", "level": "0.95", "seed": "12345"}
    usual |= {"cluster": "segment", "documents": "none"}
    printed = []
    for signature in signatures:
        fields = {key: value for key, value in signature.fields if key != "cand"}
        if cut:
            fields["segmentation"] = segmentation
        shared = replace(signature, fields=tuple(fields.items()))
        options = BUILT_IN_OPTIONS.get(signature.name, ())
        evaluated = dict(signature.fields).get("pronouns", "")
        # The pair's own, which are there without its pack too: a stored result may come from elsewhere.
        if not settings.pronouns and not evaluated.startswith("positions-"):
            usual["pronouns"] = evaluated
        declared = {option.name: option.signed(option.default) for option in options}
        if "reference" in fields:  # the option is the same once more
            declared["accept-reference"] = fields.get("accept-reference", "")
        printed.append(str(shared) if full else shared.short(usual | declared))
    return printed


def result_latex(result: StoredResult) -> str:
    """A LaTeX `table` (package booktabs) of the scores, with a caption that explains it."""
    table = _paper_table(result)
    return render([replace(table, notes=[Paragraph(_signatures(result, full=True))])], "latex")


def result_markdown(result: StoredResult) -> str:
    """The same table, the verdicts, the six cases, and the scores by pronoun of further metrics."""
    blocks: list[Block] = [_paper_table(result)]
    blocks += verdict_tables(
        {
            metric_title(first.metric): {
                system.name: None if (score := system.score(first.metric)) is None else score.verdicts
                for system in result.systems
            }
            for first in result.systems[0].scores
        }
    )
    apt = [(system.name, system.score("apt")) for system in result.systems]
    if cases := [[name, *score.cases] for name, score in apt if score is not None and score.cases]:
        named = [*map(count, CASE_NAMES.values())]
        blocks.append(Table([text("cases"), *named], cases))
    for score in [score for score in result.systems[0].scores if score.by_pronoun][1:]:
        forms = list(score.by_pronoun)
        by_system = [(system.name, system.score(score.metric)) for system in result.systems]
        columns: list[Column] = [text(f"{metric_title(score.metric)} by pronoun"), *map(percent, forms)]
        rows = [
            [name, *(None if score is None else score.by_pronoun.get(form) for form in forms)]
            for name, score in by_system
        ]
        blocks.append(Table(columns, rows))
    # As code, so not escaped.
    lines = (f"- `{signature.replace('`', chr(39))}`" for signature in _signatures(result, full=True))
    return "\n\n".join([render(blocks, "markdown"), "\n".join(lines)])


#: How papers write the names of metrics; those of other packages stay as they are.
_TITLES = {
    "accept": "Acceptability",
    "apt": "APT",
    "autoprf": "AutoPRF",
    "bleu": "BLEU",
    "chrf": "chrF",
    "comet": "COMET",
    "meteor": "METEOR",
    "meteor-pronouns": "METEOR (pronouns)",
}
#: Significantly better, significantly worse.
_GAIN, _LOSS = "↑", "↓"


def metric_title(name: str) -> str:
    """The name of a metric as used in papers."""
    return _TITLES.get(name, name)


def _paper_table(result: StoredResult) -> Table:
    """Systems and metrics, then the pronouns of the first metric that judges them, then the bounds.

    A metric that judges single pronouns has two more columns: how many are judged, and how many are open.
    """
    scores = result.systems[0].scores
    metrics = [score.metric for score in scores]
    judging = next((score for score in scores if score.by_pronoun), None)
    forms = [] if judging is None else list(judging.by_pronoun)
    marks = {
        (comparison.system, comparison.metric): _GAIN if comparison.difference > 0 else _LOSS
        for comparison in result.comparisons
        if comparison.p_adjusted < SIGNIFICANCE
    }
    with_verdicts = {score.metric for score in scores if score.verdicts is not None}
    rows: list[list[Cell | str | int | None]] = []
    for system in result.systems:
        own = {score.metric: score for score in system.scores}
        row: list[Cell | str | int | None] = []
        for metric in metrics:
            row.append(
                Cell(own[metric].value, own[metric].interval, mark=marks.get((system.name, metric), ""))
            )
            if metric in with_verdicts:
                verdicts = own[metric].verdicts
                row += [None, None] if verdicts is None else [verdicts.judged, verdicts.open]
        row += [] if judging is None else [Cell(own[judging.metric].by_pronoun.get(form)) for form in forms]
        rows.append([system.name, *row])
    if len(rows) > 1:
        embolden_best(rows)
    for bound in result.bounds:
        row = []
        for metric in metrics:
            row.append(Cell(bound.scores.get(metric), bound.intervals.get(metric)))
            row += [None, None] if metric in with_verdicts else []
        parts = {} if judging is None else bound.by_pronoun.get(judging.metric, {})
        rows.append([bound.name, *row, *(Cell(parts.get(form)) for form in forms)])
    title = "" if judging is None else metric_title(judging.metric)
    columns = [text("System")]
    for metric in metrics:
        columns.append(percent(metric_title(metric)))
        columns += [count("judged"), count("open")] if metric in with_verdicts else []
    columns += [percent(f"{title}, {form}") for form in forms]
    return Table(
        columns, rows, rule_before=len(result.systems), caption=_caption(result, set(marks.values()))
    )


def embolden_best(rows: list[list[Cell | str | int | None]]) -> None:
    """Every value that is printed identically to the maximum of its column."""
    for column in range(1, len(rows[0])):
        printed = [
            round(1000 * cell.value)
            if isinstance(cell, Cell) and isinstance(cell.value, float) and math.isfinite(1000 * cell.value)
            else None
            for cell in (row[column] for row in rows)
        ]
        best = max((value for value in printed if value is not None), default=None)
        for row, value in zip(rows, printed, strict=True):
            cell = row[column]
            if value is not None and value == best and isinstance(cell, Cell):
                row[column] = replace(cell, style="bold")


def _caption(result: StoredResult, marks: Collection[str]) -> str:
    texts = [f"{result.segments} segments"]
    if result.documents is not None:
        texts.append(f"{result.documents} documents")
    if result.pronouns:
        texts.append(f"{result.pronouns} pronouns")
    sentences = [f"Pronoun translation, {result.settings.pair} ({', '.join(texts)}), in percent"]
    if any(score.interval for system in result.systems for score in system.scores):
        sentences[0] += f", with {100 * result.settings.level:g} % confidence intervals"
    if len(result.systems) > 1:
        sentences.append("Bold: the best system")
    if with_verdicts := [metric_title(score.metric) for score in result.systems[0].scores if score.verdicts]:
        sentences.append(
            f"Judged and open: pronouns with and without a verdict of {', '.join(with_verdicts)}"
        )
    words = {_GAIN: "better", _LOSS: "worse"}
    if marks:
        told = " and ".join(f"{mark} {word}" for mark, word in words.items() if mark in marks)
        baseline = result.comparisons[0].baseline
        test = f"paired permutation test, Holm-corrected, p < {SIGNIFICANCE:g}"
        sentences.append(f"{told} than {baseline}, significantly ({test})")
    if result.ceiling:
        reached = ", ".join(
            f"{format_percent(value)} {metric_title(name)}" for name, value in result.ceiling.items()
        )
        several = result.systems[0].scores[0].signature.get("refs", "1") != "1"
        own = (
            "The references scored against themselves reach"
            if several
            else "The reference scored against itself reaches"
        )
        sentences.append(f"{own} {reached}")
    sentences.append(f"Signatures: {', '.join(_signatures(result, full=False))}")
    return ". ".join(sentences).replace("\n", " ")


def _signatures(result: StoredResult, *, full: bool) -> list[str]:
    """How the numbers were computed, one line per metric."""
    signatures = []
    for score in result.systems[0].scores:
        fields = tuple(field for field in score.signature.items() if field[0] not in ("name", "version"))
        signatures.append(Signature(score.metric, fields, score.signature.get("version", "unknown")))
    cut = {system.name: system.scores[0].signature for system in result.systems}
    return [shown(line).replace("\n", " ") for line in _shared(signatures, result.settings, cut, full=full)]
