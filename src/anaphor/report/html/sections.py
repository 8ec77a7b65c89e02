"""The sections of a page, in order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from anaphor.core import Outcome, VerdictCounts
from anaphor.core.table import format_percent as percent
from anaphor.core.table import p_equation
from anaphor.metrics.breakdown import NONE
from anaphor.report.charts import apt_cases, cases_chart, drawing, element, interval_chart
from anaphor.report.escape import escaped
from anaphor.report.gates import Gate
from anaphor.report.html.data import Pieces, ReportView, category_of
from anaphor.report.html.divided import DividedPronoun, divided_pronouns, source_language
from anaphor.report.html.elements import heat_map, link, scrollable, table
from anaphor.report.result_tables import CASE_NAMES
from anaphor.report.stored import StoredComparison, StoredResult, StoredScore, StoredSystem
from anaphor.stats import SIGNIFICANCE


def sections(view: ReportView) -> Iterator[tuple[str, str, str]]:
    """The id, the heading and the HTML of each section that has something to show."""
    yield "summary", "Summary", summary(view)
    for name, heading, content in (
        ("comparisons", "Compared with the baseline", _comparisons(view)),
        ("gates", "Gates", _gates(view)),
        ("pronouns", "By pronoun", _by_pronoun(view)),
        ("verdicts", "By verdict", _verdicts(view)),
        ("cases", "By case", _cases(view)),
        ("categories", "By category", _categories(view)),
        ("functions", "By function of “it”", _functions(view)),
        ("confusion", "Reference form by candidate form", _confusion(view)),
        ("alignment", "Sensitivity to the alignment", _sensitivity(view)),
    ):
        if content:
            yield name, heading, content


def facts(view: ReportView) -> str:
    """What was tested, when, and whether it passed."""
    first = view.results[0]
    documents = "documents not known" if first.documents is None else f"{first.documents} documents"
    forms = Counter(pronoun.form for pronoun in view.cards[0].pronouns) if view.cards else Counter()
    by_form = ", ".join(f"{form} {number}" for form, number in forms.most_common())
    size = f"{first.segments} segments, {documents}, {first.pronouns} pronouns"
    rows = {
        "Languages": first.settings.pair,
        "Test set": "; ".join(filter(None, [_test_set(first), f"{size} ({by_form})" if by_form else size])),
        "Systems": f"{len(view.systems)}, scored with {', '.join(view.metrics)}",
        **({"Gates": gate_status(view.gates)} if view.gates else {}),
        "Date": view.date,
        "Made by": f"anaphor {first.version}",
    }
    lines = (f"<div><dt>{name}</dt><dd>{escaped(value)}</dd></div>" for name, value in rows.items() if value)
    return element("dl", "".join(lines), kind="facts")


def _test_set(stored: StoredResult) -> str:
    """The files by name only, since a shared page should not reveal folders."""
    files = stored.files
    if files is None:
        return ""
    names = [Path(path).name for path in (files.bundle or files.source or "", *files.references) if path]
    fingerprint = stored.systems[0].scores[0].signature.get("test", "")
    return ", ".join(names) + (f" (hash {fingerprint})" if fingerprint else "")


def gate_status(gates: Sequence[Gate] | None) -> str:
    """A sentence with the number of gates passed."""
    if not gates:
        return "none checked"
    counts: Counter[str] = Counter(gate.status for gate in gates)
    return ", ".join(f"{counts[status]} {status}" for status in GATE_COLOURS if counts[status])


def summary(view: ReportView) -> str:
    """Which system is better, by how much and where: in words, as a table, by examples and as charts."""
    ranking = ranking_metric(view)
    heading = ["system", *(["cluster"] if view.clusters else []), *score_headings(view)]
    rows = []
    for system in view.systems:
        cluster = [str(view.clusters[system.name])] if view.clusters else []
        rows.append([name_of(view, system.name), *cluster, *score_cells(view, system)])
    charts = ""
    for metric in sorted(view.metrics, key=lambda name: name != ranking):
        scored = {view.names[system.name]: system.score(metric) for system in view.systems}
        bars = {name: score for name, score in scored.items() if score is not None}
        label = f"{metric} of every system with its interval, in percent"
        chart = scrollable(interval_chart(bars, label=label), f"Chart of {metric}")
        opened = " open" if metric == ranking else ""
        charts += f"<details{opened}><summary>Chart of {escaped(metric)}</summary>{chart}</details>"
    level = f"{100 * view.results[0].settings.level:g}"
    unknown = "apt" in view.metrics and any(stored.cards is None for stored in view.results)
    note = "No clusters: score with --cards to test all systems against each other." if unknown else ""
    if view.clusters is not None:
        note = (
            "Cluster: systems with the same number cannot be told apart in apt; those with different numbers "
            f"differ with p &lt; {SIGNIFICANCE:g} (paired permutation tests of all pairs, corrected by "
            f"Holm’s method for {len(view.p_values)})."
        )
    return (
        answer(view)
        + table(f"Scores in percent with {level} % intervals, best {ranking} first", heading, rows)
        + _ceiling(view)
        + (element("p", note, kind="faint") if note else "")
        + _cut_names(view)
        + dividing_cards(view)
        + charts
    )


def ranking_metric(view: ReportView) -> str:
    """The metric that orders the systems."""
    return "apt" if "apt" in view.metrics else view.metrics[0]


def answer(view: ReportView) -> str:
    """Which system is better, by how much and on which pronoun most: a sentence for each pronoun metric."""
    metrics = [ranking_metric(view), *view.judges]
    lines = [_lead(view, metric) for metric in dict.fromkeys(metrics)]
    return "".join(element("p", line, kind="answer") for line in lines if line)


def _lead(view: ReportView, metric: str) -> str:
    scored = [(score.value, system) for system in view.systems if (score := system.score(metric)) is not None]
    ranked = sorted((pair for pair in scored if not math.isnan(pair[0])), key=lambda pair: -pair[0])
    if len(ranked) < 2:
        return ""
    (value, best), (other_value, second) = ranked[:2]
    names = [element("b", escaped(view.names[system.name])) for system in (best, second)]
    points = f"{100 * (value - other_value):.1f} points"
    tested = next(
        (
            comparison
            for stored in view.results
            for comparison in stored.comparisons
            if comparison.metric == metric
            and {comparison.baseline, comparison.system} == {best.name, second.name}
        ),
        None,
    )
    sentence = f"By {escaped(metric)}, {names[0]} is ahead of {names[1]} by {points}"
    if tested is not None:
        low, high = sorted(abs(100 * end) for end in tested.interval)
        if tested.interval[0] * tested.interval[1] > 0:
            sentence += f" [{low:.1f}, {high:.1f}]"
        sentence += f", corrected {escaped(p_equation(tested.p_adjusted))}"
        if tested.p_adjusted >= SIGNIFICANCE:
            sentence += ", which may be chance"
    else:
        sentence += f", not tested for significance ({element('code', '--paired')})"
    return f"{sentence}{_where_most(view, metric, best, second)}."


def _where_most(view: ReportView, metric: str, best: StoredSystem, second: StoredSystem) -> str:
    """The source pronoun on which the first system is ahead most, with both scores."""
    scores = [system.score(metric) for system in (best, second)]
    by_form = [{} if score is None else score.by_pronoun for score in scores]
    losses = {form: by_form[0].get(form, math.nan) - by_form[1].get(form, math.nan) for form in view.forms}
    known = {form: loss for form, loss in losses.items() if not math.isnan(loss)}
    if len(known) < 2:
        return ""
    form = max(known, key=lambda form: known[form])
    first, other = (percent(own[form]) for own in by_form)
    return f"; most on “{escaped(form)}”: {first} against {other}"


#: The class that colours each verdict, in charts and cards.
_VERDICT_COLOURS = {"accepted": "case1", "rejected": "case3", "open": "case6"}
#: With the colour, for readers who cannot tell colours apart.
_VERDICT_SIGNS = {"accepted": "✓", "rejected": "✗", "open": "?"}


def dividing_cards(view: ReportView, *, number: int = 3) -> str:
    """The pronouns that divide the systems most, each with an accepted translation and a rejected one."""
    cards = divided_pronouns(view)[:number]
    if not cards:
        return ""
    heading = "What divides the systems most" if len(view.systems) > 1 else "Most likely wrong"
    articles = (dividing_card(card, source_language(view)) for card in cards)
    return element("h3", heading) + element("div", "".join(articles), kind="divided")


def dividing_card(card: DividedPronoun, language: str) -> str:
    """One such card: source, translations, verdicts and reasons."""
    lines = "".join(element("p", marked_html(pieces), lang=language) for pieces in card.lines)
    for verdict in card.verdicts:
        text = f"{_VERDICT_SIGNS[verdict.verdict]} {verdict.verdict}"
        label = element("span", text, kind=f"outcome {_VERDICT_COLOURS[verdict.verdict]}")
        heading = f"{element('b', escaped(verdict.system))}: {label}"
        lines += element("p", f"{heading}<br>{marked_html(verdict.line)}")
        lines += element("p", escaped(verdict.reason), kind="reason")
    return element("article", lines)


def marked_html(pieces: Pieces) -> str:
    """A line of a text with its marks."""
    return "".join(
        element("mark", escaped(text), kind=kind) if kind else escaped(text) for text, kind in pieces
    )


def _ceiling(view: ReportView) -> str:
    """The reference's own score, and apparent problems with the texts."""
    ceilings = {name: value for stored in view.results for name, value in stored.ceiling.items()}
    reached = ", ".join(f"{name} {percent(value)}" for name, value in ceilings.items())
    notes = dict.fromkeys(note for stored in view.results for note in stored.notes)
    lines = [f"Ceiling, the reference itself: {reached}."] if reached else []
    lines += [f"Note: {note}." for note in notes]
    return "".join(element("p", escaped(line), kind="faint") for line in lines)


def _cut_names(view: ReportView) -> str:
    """A sentence with the removed parts of system names."""
    system = view.systems[0].name
    before, name, after = system.partition(view.names[system])
    if system == name:
        return ""
    parts = [f"“{escaped(part)}” {where}" for part, where in ((before, "before"), (after, "after")) if part]
    return element("p", f"System names are shown without {' and '.join(parts)} them.", kind="faint")


def name_of(view: ReportView, system: str) -> str:
    """The short name of a system as HTML, with the full name as a tooltip."""
    return element("span", escaped(view.names.get(system, system)), title=system)


def _comparisons(view: ReportView) -> str:
    """All metrics of every system compared with the baseline of its result, one table per baseline."""
    comparisons = {
        (comparison.baseline, comparison.system, comparison.metric): comparison
        for stored in view.results
        for comparison in stored.comparisons
    }
    level = f"{100 * view.results[0].settings.level:g}"
    tables = ""
    for baseline in dict.fromkeys(name for name, _, _ in comparisons):
        rows = []
        for system in view.systems:
            cells = [comparisons.get((baseline, system.name, metric)) for metric in view.metrics]
            if any(cells):
                rows.append([name_of(view, system.name), *map(_difference_cell, cells)])
        caption = (
            f"Difference from {view.names[baseline]} in percentage points, with {level} % intervals and "
            f"p corrected by Holm’s method over {len(rows)} systems"
        )
        tables += table(caption, ["system", *view.metrics], rows)
    note = f"▲ better and ▼ worse than the baseline, p &lt; {SIGNIFICANCE:g} after the correction."
    return tables + element("p", note, kind="faint") if tables else ""


def _difference_cell(comparison: StoredComparison | None) -> str:
    if comparison is None or math.isnan(comparison.difference):
        return "n/a"
    sign = ("▲" if comparison.difference > 0 else "▼") if comparison.p_adjusted < SIGNIFICANCE else ""
    low, high = (f"{100 * end:+.1f}" for end in comparison.interval)
    p = element("span", f"corrected {p_equation(comparison.p_adjusted)}", kind="faint")
    return f"{f'<b>{sign}</b> ' if sign else ''}{100 * comparison.difference:+.1f} [{low}, {high}]<br>{p}"


def _gates(view: ReportView) -> str:
    """Every system at every gate, failures first."""
    if not view.gates:
        return ""
    rows = [
        [
            name_of(view, gate.system),
            escaped(f"{gate.option} {gate.metric}"),
            element("span", gate.status, kind=f"outcome {GATE_COLOURS[gate.status]}"),
            escaped(gate.message),
        ]
        for gate in sorted(view.gates, key=lambda gate: [*GATE_COLOURS].index(gate.status))
    ]
    return table(
        f"Gates of this build: {gate_status(view.gates)}",
        ["system", "gate", "status", "measured"],
        rows,
        kind="text",
    )


#: The class that colours each status of a gate; what a reader should see first stands first.
GATE_COLOURS = {"failed": "case3", "error": "case3", "skipped": "case6", "passed": "case1"}


def score_headings(view: ReportView) -> list[str]:
    """The metrics; those that judge individual pronouns are followed by the numbers judged and open."""
    headings = []
    for metric in view.metrics:
        headings.append(metric)
        headings += ["judged", "open"] if _has_verdicts(view, metric) else []
    return headings


def score_cells(view: ReportView, system: StoredSystem) -> list[str]:
    """The cells with a system's scores, below these headings."""
    cells = []
    for metric in view.metrics:
        score = system.score(metric)
        cells.append(score_cell(score))
        if _has_verdicts(view, metric):
            verdicts = None if score is None else score.verdicts
            cells += ["n/a", "n/a"] if verdicts is None else [str(verdicts.judged), str(verdicts.open)]
    return cells


def _has_verdicts(view: ReportView, metric: str) -> bool:
    return any(
        score.metric == metric and score.verdicts is not None
        for system in view.systems
        for score in system.scores
    )


def score_cell(score: StoredScore | None) -> str:
    """A score in percent with its interval."""
    if score is None:
        return "n/a"
    if score.interval is None:
        return percent(score.value)
    return f"{percent(score.value)} [{percent(score.interval[0])}, {percent(score.interval[1])}]"


def _by_pronoun(view: ReportView) -> str:
    tables = []
    for metric in view.metrics:
        scores = [(system.name, system.score(metric)) for system in view.systems]
        known = {form for _, score in scores if score is not None for form in score.by_pronoun}
        forms = [form for form in view.forms if form in known]
        if not forms:
            continue
        rows = []
        for system, score in scores:
            cells = [name_of(view, system)]
            for form in forms:
                value = math.nan if score is None else score.by_pronoun.get(form, math.nan)
                cell = score_text = percent(value)
                # An undefined score has neither a bar nor examples to link to.
                if not math.isnan(value):
                    bar = element("rect", width=80 * value, height=10, kind="bar")
                    cell = link(score_text, system=system, pronoun=form) if view.has_cards else score_text
                    cell += drawing([bar], width=80, height=10, label=f"{score_text} percent")
                cells.append(cell)
            rows.append(cells)
        tables.append(table(f"{metric} in percent, by source pronoun", ["system", *forms], rows))
    return element("div", "".join(tables), kind="tables") if tables else ""


def _verdicts(view: ReportView) -> str:
    tables = []
    for metric in (metric for metric in view.metrics if _has_verdicts(view, metric)):
        rows = []
        for system in view.systems:
            score = system.score(metric)
            if score is None or score.verdicts is None:
                continue
            cells = [
                link(str(number), **{"system": system.name, f"verdict-{metric}": verdict})
                if number and view.has_cards
                else str(number)
                for verdict, number in score.verdicts._asdict().items()
            ]
            rows.append([name_of(view, system.name), str(score.verdicts.judged), *cells])
        heading = ["system", "judged", *VerdictCounts._fields]
        tables.append(table(f"Verdicts of {metric} on pronouns", heading, rows))
    return "".join(tables)


def _cases(view: ReportView) -> str:
    counts = apt_cases(view.systems)
    if not counts:
        return ""
    rows = [
        [
            name_of(view, name),
            *(
                link(str(count), system=name, outcome=str(case.value))
                if count and view.has_cards
                else str(count)
                for case, count in zip(Outcome, cases, strict=True)
            ),
        ]
        for name, cases in counts.items()
    ]
    shares = {view.names[name]: cases for name, cases in counts.items()}
    chart = cases_chart(shares, label="The share of each case, by system")
    counted = table("Pronouns in each case", ["system", *CASE_NAMES.values()], rows)
    return counted + scrollable(chart, "Chart of cases")


def _categories(view: ReportView) -> str:
    """The six cases of all systems together, by the categories of the annotators."""
    counts: dict[str, Counter[Outcome]] = {}
    for stored in view.results:
        if stored.cards is None:
            continue
        for judged in stored.cards.judged.values():
            for pronoun, card in zip(stored.cards.pronouns, judged, strict=True):
                category = category_of(view, pronoun)
                if category:
                    counts.setdefault(category, Counter())[card.outcome] += 1
    if not counts:
        return ""
    rows = [
        [link(name, category=name), *(str(cases[case]) for case in Outcome)]
        for name, cases in sorted(counts.items())
    ]
    shares = {name: tuple(cases[case] for case in Outcome) for name, cases in sorted(counts.items())}
    chart = cases_chart(shares, label="The share of each case by category, all systems together")
    return table("All systems together", ["category", *CASE_NAMES.values()], rows) + scrollable(
        chart, "Chart of categories"
    )


def _confusion(view: ReportView) -> str:
    parts = []
    for number, system in enumerate(view.systems):
        if any(reference != NONE for reference, _ in system.confusion):
            opened = " open" if number == 0 else ""
            inside = heat_map(view, system)
            summary = escaped(view.names[system.name])
            parts.append(f"<details{opened}><summary>{summary}</summary>{inside}</details>")
    return "".join(parts)


def _functions(view: ReportView) -> str:
    """The predictions of a classifier, labelled as such."""
    tables = []
    for by_function in (stored.functions for stored in view.results if stored.functions is not None):
        heading = ["system", *(f"{function} ({count})" for function, count in by_function.counts.items())]
        for metric, systems in by_function.scores.items():
            rows = [[name_of(view, name), *map(percent, values.values())] for name, values in systems.items()]
            tables.append(table(f"{metric} in percent, by the function of “it”", heading, rows))
    note = (
        "A hint, not a score: a classifier predicts the function of each “it” and is unreliable for events."
    )
    return element("p", note) + element("div", "".join(tables), kind="tables") if tables else ""


def _sensitivity(view: ReportView) -> str:
    tables = []
    for stored in view.results:
        symmetrizations = list(stored.sensitivity)
        rows = [
            [
                name_of(view, system.name),
                *(percent(scores.get(system.name, math.nan)) for scores in stored.sensitivity.values()),
            ]
            for system in stored.systems
        ]
        if symmetrizations:
            note = f"{stored.flips} outcomes of all systems together depend on the alignment."
            shown = table(
                "apt in percent by symmetrization of the alignment", ["system", *symmetrizations], rows
            )
            tables.append(element("p", note) + shown)
    return "".join(tables)
