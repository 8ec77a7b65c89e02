"""What the sections of a page are made of: links to examples, tables, a heat map, the legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from anaphor.core.table import Table
from anaphor.report.charts import element
from anaphor.report.escape import escaped, shown
from anaphor.report.html.data import RULES, ReportView
from anaphor.report.result_tables import CASE_NAMES
from anaphor.report.stored import StoredSystem


def link(text: str, **wanted: str) -> str:
    """A link to the examples found by a filter, expressed as in the form."""
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


def block_table(block: Table, caption: str) -> str:
    """A table of a result, without its notes."""
    columns = block.columns
    rows = [
        [escaped(column.format(value)) for column, value in zip(columns, row, strict=True)]
        for row in block.rows
    ]
    return table(caption, [column.heading for column in columns], rows)


def scrollable(content: str, label: str) -> str:
    """A named, focusable region for wide content, so that it can be scrolled by keyboard."""
    return element("div", content, kind="wide", tabindex="0", role="region", aria_label=label)


def heat_map(view: ReportView, system: StoredSystem) -> str:
    """Reference forms down, candidate forms across, the most frequent first; darker is more frequent."""
    confusion = system.confusion
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
            if view.has_cards:
                content = link(str(count), system=system.name, reference=row, candidate=column)
            cells.append(f'<td class="heat{level}">{content}</td>')
        rows.append(cells)
    caption = f"{view.names[system.name]}: reference forms down, candidate forms across"
    return table(caption, ["reference", *labels], rows, kind="heat")


def legend(view: ReportView) -> str:
    """The meaning of the words, marks and colours of the page."""
    level = f"{100 * view.results[0].settings.level:g}"
    terms = {
        "12.3 [4.5, 20.6]": f"a score in percent with its {level} % interval; n/a: nothing to score",
        "cluster": "systems with the same number cannot be told apart in apt by this test set; "
        "they need not be equal",
        "judged, open": "pronouns that the metric accepts or rejects, and those whose verdict is open",
        "corrected p": "p of the paired permutation test after Holm’s correction for several comparisons",
    }
    for case, rule in RULES.items():
        terms[element("span", escaped(CASE_NAMES[case]), kind=f"outcome case{case.value}")] = escaped(rule)
    terms |= {"OTHER, NONE": "as forms: a linked word that is not a listed pronoun; no linked word"}
    terms |= MARKS | {"line, token": "counted from 1 in the source file"}
    lines = (f"<dt>{term}</dt><dd>{told}</dd>" for term, told in terms.items())
    return element("dl", "".join(lines), kind="legend")


#: The marks in examples, and what they mean.
MARKS = {
    '<mark class="pronoun">it</mark>': "the evaluated pronoun of the source",
    '<mark class="antecedent">lamp</mark>': "its antecedent, from annotators or as guessed by accept",
    '<mark class="linked">elle</mark>': "the words of a translation that count as its counterpart",
}
