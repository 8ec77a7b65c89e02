"""The sections of a page, in order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import urlencode

from anaphor.core import Outcome
from anaphor.core.table import format_percent as percent
from anaphor.report.charts import CASE_NAMES, apt_cases, cases_chart, drawing, element, interval_chart
from anaphor.report.escape import escaped, shown
from anaphor.report.html.data import ReportView, category_of
from anaphor.report.ranking import LEVEL
from anaphor.report.result_file import StoredScore


def sections(view: ReportView) -> Iterator[tuple[str, str, str]]:
    """The id, the heading and the HTML of each section that has something to show."""
    yield "summary", "Summary", summary(view)
    for name, heading, content in (
        ("pronouns", "By pronoun", _by_pronoun(view)),
        ("cases", "By case", _cases(view)),
        ("categories", "By category", _categories(view)),
        ("functions", "By function of *it*", _functions(view)),
        ("confusion", "Reference form by candidate form", _confusion(view)),
        ("alignment", "Sensitivity to the alignment", _sensitivity(view)),
    ):
        if content:
            yield name, heading, content


def summary(view: ReportView) -> str:
    """Scores with intervals and clusters, as a table and a chart."""
    metric = "apt" if "apt" in view.metrics else view.metrics[0]
    compared = [comparison for stored in view.results for comparison in stored.comparisons]
    baselines = {comparison.baseline for comparison in compared}
    differences: dict[str, str] = {}
    for one in compared:
        if one.metric == view.metrics[0]:
            differences.setdefault(one.system, f"{100 * one.difference:+.1f} (p = {one.p_adjusted:.4f})")
    heading = ["system", *(["cluster"] if view.clusters else []), *view.metrics]
    # Differences from several baselines would not be comparable within one column.
    if len(baselines) == 1:
        heading += [f"{view.metrics[0]} against {name}" for name in baselines]
    rows = []
    for system in view.systems:
        cluster = [str(view.clusters[system.name])] if view.clusters else []
        scores = [score_cell(system.score(name)) for name in view.metrics]
        against = [differences.get(system.name, "baseline")] if len(baselines) == 1 else []
        rows.append([escaped(system.name), *cluster, *scores, *against])
    scored = {system.name: system.score(metric) for system in view.systems}
    bars = {name: score for name, score in scored.items() if score is not None}
    chart = interval_chart(bars, label=f"{metric} of every system with its interval, in percent")
    level = f"{100 * view.results[0].settings.level:g}"
    note = "No clusters: score with --cards to test all systems against each other."
    if view.clusters is not None:
        note = (
            f"Systems of different clusters differ in apt with p &lt; {LEVEL:g} in paired permutation tests "
            f"of all {len(view.p_values)} pairs, after Holm’s correction."
        )
    return (
        table(f"Scores in percent with {level} % intervals, best {metric} first", heading, rows)
        + element("p", note, kind="faint")
        + scrollable(chart, f"Chart of {metric}")
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
            cells = [escaped(system)]
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
    return "".join(tables)


def _cases(view: ReportView) -> str:
    counts = apt_cases(view.systems)
    if not counts:
        return ""
    rows = [
        [
            escaped(name),
            *(
                link(str(count), system=name, outcome=str(case.value))
                if count and view.has_cards
                else str(count)
                for case, count in zip(Outcome, cases, strict=True)
            ),
        ]
        for name, cases in counts.items()
    ]
    chart = cases_chart(counts, label="The share of each case by system")
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
    return table("All systems together", ["category", *CASE_NAMES.values()], rows) + chart


def _confusion(view: ReportView) -> str:
    found = []
    for number, system in enumerate(view.systems):
        if system.confusion:
            opened = " open" if number == 0 else ""
            inside = heat_map(system.name, system.confusion, linked=view.has_cards)
            found.append(f"<details{opened}><summary>{escaped(system.name)}</summary>{inside}</details>")
    return "".join(found)


def _functions(view: ReportView) -> str:
    """What a classifier guesses, and says that it does."""
    tables = []
    for found in (stored.functions for stored in view.results if stored.functions is not None):
        heading = ["system", *(f"{function} ({count})" for function, count in found.counts.items())]
        for metric, systems in found.scores.items():
            rows = [[escaped(name), *map(percent, values.values())] for name, values in systems.items()]
            tables.append(table(f"{metric} in percent, by the function of *it*", heading, rows))
    note = "A hint, not a score: a classifier guesses what each *it* does, and is poor at events."
    return element("p", note) + "".join(tables) if tables else ""


def _sensitivity(view: ReportView) -> str:
    tables = []
    for stored in view.results:
        symmetrizations = list(stored.sensitivity)
        rows = [
            [
                escaped(system.name),
                *(percent(scores.get(system.name, math.nan)) for scores in stored.sensitivity.values()),
            ]
            for system in stored.systems
        ]
        if symmetrizations:
            note = f"{stored.flips} outcomes of all systems together depend on the alignment."
            found = table(
                "apt in percent by symmetrization of the alignment", ["system", *symmetrizations], rows
            )
            tables.append(element("p", note) + found)
    return "".join(tables)


def link(text: str, **wanted: str) -> str:
    """A link to the examples that a filter finds; the words of the filter are those of the form."""
    fragment = urlencode({key: shown(value) for key, value in wanted.items()})
    label = escaped(f"{text}: examples, {', '.join(f'{key} {value}' for key, value in wanted.items())}")
    return f'<a class="examples" href="#{escaped(fragment)}" aria-label="{label}">{escaped(text)}</a>'


def table(caption: str, heading: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "") -> str:
    """A table with a caption; the first cell of a row names it. Cells are HTML, headings are text."""
    head = "".join(element("th", escaped(name), scope="col") for name in heading)
    lines = []
    for first, *rest in rows:
        # The cells of a heat map are `td` elements already, because they have a class.
        cells = "".join(cell if cell.startswith("<td") else f"<td>{cell}</td>" for cell in rest)
        lines.append(f"<tr>{element('th', first, scope='row')}{cells}</tr>")
    body = "".join(lines)
    inside = f"{element('caption', escaped(caption))}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return scrollable(element("table", inside, **({"kind": kind} if kind else {})), caption)


def scrollable(content: str, label: str) -> str:
    """Wide content in a region of its own: what scrolls must be reachable by keyboard and have a name."""
    return element("div", content, kind="wide", tabindex="0", role="region", aria_label=label)


def heat_map(name: str, confusion: Mapping[tuple[str, str], int], *, linked: bool) -> str:
    """Reference forms down, candidate forms across, the most frequent first; darker is more frequent."""
    sizes: Counter[str] = Counter()
    for pair, count in confusion.items():
        for label in pair:
            sizes[label] += count
    labels = sorted(sizes, key=lambda label: (-sizes[label], label))
    most = max(confusion.values(), default=1)
    rows = []
    for row in labels:
        cells = [escaped(row)]
        for column in labels:
            count = confusion.get((row, column), 0)
            if not count:
                cells.append("<td><span>0</span></td>")
                continue
            level = 1 + min(3, 4 * count // (most + 1))  # the style sheet has four shades
            content = f"<span>{count}</span>"
            if linked:
                content = link(str(count), system=name, reference=row, candidate=column)
            cells.append(f'<td class="heat{level}">{content}</td>')
        rows.append(cells)
    return table(
        f"{name}: reference forms down, candidate forms across", ["reference", *labels], rows, kind="heat"
    )
