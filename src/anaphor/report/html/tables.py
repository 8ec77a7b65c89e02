"""Tables of a page: numbers as cells, each a link to the examples behind it where there are some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from anaphor.report.escape import escaped, shown
from anaphor.report.svg import element


def link(text: str, **wanted: str) -> str:
    """A link to the examples that a filter finds; the words of the filter are those of the form."""
    fragment = urlencode({key: shown(value) for key, value in wanted.items()})
    told = escaped(f"{text}: examples, {', '.join(f'{key} {value}' for key, value in wanted.items())}")
    return f'<a class="examples" href="#{escaped(fragment)}" aria-label="{told}">{escaped(text)}</a>'


def table(caption: str, heading: Sequence[str], rows: Sequence[Sequence[str]], *, kind: str = "") -> str:
    """A table with a caption; the first cell of a row names it. Cells are HTML, headings are text."""
    head = "".join(element("th", escaped(name), scope="col") for name in heading)
    body = "".join(_row(row) for row in rows)
    inside = f"{element('caption', escaped(caption))}<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    found = element("table", inside, kind=kind) if kind else element("table", inside)
    # What scrolls must be reachable by keyboard, and what can be reached must have a name.
    return element("div", found, kind="wide", tabindex="0", role="region", aria_label=caption)


def _row(cells: Sequence[str]) -> str:
    first, *rest = cells
    return f"<tr>{element('th', first, scope='row')}{''.join(map(_cell, rest))}</tr>"


def _cell(content: str) -> str:
    """A cell; one that is an element of a table already stays as it is."""
    return content if content.startswith("<td") else f"<td>{content}</td>"


def heat_map(name: str, confusion: Mapping[tuple[str, str], int], *, linked: bool) -> str:
    """Reference forms down, candidate forms across, the most frequent first; darker is more frequent."""
    sizes: dict[str, int] = {}
    for pair, count in confusion.items():
        for label in pair:
            sizes[label] = sizes.get(label, 0) + count
    labels = sorted(sizes, key=lambda label: (-sizes[label], label))
    most = max(confusion.values(), default=1)
    rows = []
    for row in labels:
        counts = [(column, confusion.get((row, column), 0)) for column in labels]
        cells = [_heat(name, (row, column), count, most=most, linked=linked) for column, count in counts]
        rows.append([escaped(row), *cells])
    return table(
        f"{name}: reference forms down, candidate forms across", ["reference", *labels], rows, kind="heat"
    )


def _heat(name: str, pair: tuple[str, str], count: int, *, most: int, linked: bool) -> str:
    if not count:
        return "<td><span>0</span></td>"
    level = 1 + min(3, 4 * count // (most + 1))
    shown_count = f"<span>{count}</span>"
    if linked:
        shown_count = link(str(count), system=name, reference=pair[0], candidate=pair[1])
    return f'<td class="heat{level}">{shown_count}</td>'
