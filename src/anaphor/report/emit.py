"""The one way from a result to what is printed: text, JSON, Markdown, LaTeX, TSV, or HTML for notebooks."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from anaphor.core.errors import printable
from anaphor.core.table import (
    Block,
    Cell,
    CellValue,
    Column,
    Emittable,
    Paragraph,
    Style,
    Styled,
    Table,
    plain,
)
from anaphor.report.escape import escaped
from anaphor.report.escape import markdown as escape_markdown

Format = Literal["text", "json", "markdown", "latex", "tsv", "html"]

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # A signature is one long word, which may break after each of its fields.
    "|": r"\textbar\allowbreak{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}


@dataclass(frozen=True, slots=True)
class Paint:
    """Terminal colours, or none; and the maximum line length of tables, None for no limit."""

    enabled: bool
    width: int | None = None

    def apply(self, style: Style, text: str) -> str:
        """The text in a style; an empty text stays empty."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.enabled and style and text else text


_CODES: dict[Style, str] = {"bold": "1", "good": "32", "bad": "31", "mark": "1;33", "dim": "2"}


def emit(result: Emittable, format: Format = "text", *, paint: Paint | None = None) -> str:
    """The result as text in the chosen format, without a final line break.

    Args:
        result: Any result with `to_dict()` and `tables()`.
        format: `text`, `json`, `markdown`, `latex`, `tsv` (only the tables) or `html`.
        paint: Colours for a terminal; by default none.

    Returns:
        The text.
    """
    if format == "json":
        return to_json(result.to_dict())
    return render(result.tables(), format, paint=paint)


def render(blocks: Sequence[Block], format: Format = "text", *, paint: Paint | None = None) -> str:
    """Tables and paragraphs with empty lines between them; empty paragraphs are left out."""
    if format == "markdown":
        parts = [_markdown(block) for block in blocks]
    elif format == "latex":
        parts = [_latex(block) for block in blocks]
    elif format == "html":
        parts = [_html(block) for block in blocks]
    elif format == "tsv":
        # Programs read it: tables alone.
        tables = [_cells(block) for block in blocks if isinstance(block, Table)]
        parts = [
            "\n".join("\t".join(re.sub(r"[\t\r\n]", " ", cell) for cell in row) for row in rows)
            for rows in tables
        ]
    else:
        parts = [_text(block, paint or Paint(False)) for block in blocks]
    return "\n\n".join(part for part in parts if part)


def to_json(content: Any, *, indent: int | None = 2) -> str:
    """JSON of a value that may hold dataclasses, enumerations and NaN; `indent=None` gives one line."""
    return json.dumps(plain(content), ensure_ascii=False, indent=indent, allow_nan=False)


def text_table(rows: Sequence[Sequence[str]], *, paint: Paint) -> str:
    """Aligned columns; the first row is the heading, the first column is flush left, others right.

    Columns beyond `paint.width` continue below, with the first column repeated.
    """
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    parts: list[list[int]] = [[]]
    for column in range(1, len(widths)):
        line = widths[0] + sum(2 + widths[cell] for cell in (*parts[-1], column))
        if parts[-1] and paint.width is not None and line > paint.width:
            parts.append([])
        parts[-1].append(column)
    tables = []
    for part in parts:
        lines = [
            "  ".join(
                [
                    row[0] + " " * (widths[0] - _width(row[0])),
                    *(" " * (widths[column] - _width(row[column])) + row[column] for column in part),
                ]
            ).rstrip()
            for row in rows
        ]
        tables.append("\n".join([paint.apply("bold", lines[0]), *lines[1:]]))
    return "\n\n".join(tables)


def _text(block: Block, paint: Paint) -> str:
    if isinstance(block, str):
        return printable(block)
    if isinstance(block, Paragraph):
        style: Style = "bold" if block.heading else block.style
        return "\n".join(paint.apply(style, _line(line, paint)) for line in block.lines)
    rows = [[printable(column.heading) for column in block.columns]]
    rows += [
        [
            paint.apply(
                value.style if isinstance(value, Cell | Styled) else "", printable(column.format(value))
            )
            for column, value in zip(block.columns, row, strict=True)
        ]
        for row in block.rows
    ]
    notes = [
        paint.apply("dim", printable(note)) if isinstance(note, str) else _text(note, paint)
        for note in block.notes
    ]
    title = [paint.apply("bold", printable(block.title))] if block.title else []
    return "\n".join([*title, text_table(rows, paint=paint), *notes])


def _markdown(block: Block) -> str:
    if isinstance(block, str | Paragraph):
        lines = "\n".join(escape_markdown(line) for line in _lines(block))
        return f"## {lines}" if isinstance(block, Paragraph) and block.heading else lines
    title = [f"**{escape_markdown(block.title)}**"] if block.title else []
    notes = [_markdown(note) for note in block.notes]
    if block.caption:
        notes.append(escape_markdown(block.caption))
    rows = [[escape_markdown(column.heading) for column in block.columns]]
    rows.append(["---", *["---:"] * (len(block.columns) - 1)])
    for values in block.rows:
        rows.append([])
        for column, value in zip(block.columns, values, strict=True):
            strong = isinstance(value, Cell) and value.style == "bold"
            number, rest = _parts(column, value)
            number = escape_markdown(number)
            rows[-1].append((f"**{number}**" if strong else number) + escape_markdown("".join(rest)))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return "\n\n".join([*title, table, *(["\n".join(notes)] if notes else [])])


def _parts(column: Column, value: CellValue) -> tuple[str, tuple[str, str]]:
    """The content of a cell: the value, then its mark, and its interval after a space."""
    if not isinstance(value, Cell):
        return column.format(value), ("", "")
    number = column.format(value.value)
    around = column.format(replace(value, value="", mark="")) if value.interval is not None else ""
    return number, (value.mark, around)


def _latex(block: Block) -> str:
    """A table as `tabular` (package booktabs); surrounding text becomes comments.

    A table with a caption is a `table`: best values in bold, marks raised, intervals small.
    """
    if isinstance(block, str | Paragraph):
        return "\n".join(f"% {printable(_one_line(line))}" for line in _lines(block) if line)
    heading, *rows = block.columns, *block.rows
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(heading) - 1)}}}", r"\toprule"]
    lines += [" & ".join(escape_latex(column.heading) for column in heading) + r" \\", r"\midrule"]
    for number, row in enumerate(rows):
        cells = []
        for column, value in zip(heading, row, strict=True):
            text, (mark, around) = _parts(column, value)
            text = escape_latex(text)
            if isinstance(value, Cell) and value.style == "bold":
                text = rf"\textbf{{{text}}}"
            text += f"$^{{{escape_latex(mark).strip('$')}}}$" if mark else ""
            cells.append(text + (rf" {{\scriptsize {around.strip()}}}" if around else ""))
        # LaTeX takes a bracket or a star after the end of a row for an argument of it.
        cells[0] = "{}" * cells[0].startswith(("[", "*")) + cells[0]
        rule = [r"\midrule"] if number and number == block.rule_before else []
        lines += [*rule, " & ".join(cells) + r" \\"]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if block.caption:
        caption = rf"\caption{{{escape_latex(block.caption)}}}"
        lines = [r"\begin{table*}[t]", r"\centering", *lines, caption, r"\end{table*}"]
    title = [f"% {printable(_one_line(block.title))}"] if block.title else []
    return "\n".join([*title, *lines, *(_latex(note) for note in block.notes)])


def _html(block: Block) -> str:
    """A table or a paragraph for a notebook, which supplies the style."""
    if isinstance(block, str | Paragraph):
        lines = "<br>".join(map(escaped, _lines(block)))
        tag = "h4" if isinstance(block, Paragraph) and block.heading else "p"
        return f"<{tag}>{lines}</{tag}>" if lines else ""
    heading, *rows = _cells(block)
    title = f"<caption>{escaped(block.title)}</caption>" if block.title else ""
    head = "".join(f"<th>{escaped(cell)}</th>" for cell in heading)
    # The first cell of a row names it.
    body = "".join(
        f"<tr><th>{escaped(name)}</th>{''.join(f'<td>{escaped(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    table = f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return "\n".join([table, *map(_html, block.notes)])


def escape_latex(text: str) -> str:
    """The text in one line, with LaTeX's special characters and whatever a terminal would obey escaped."""
    text = printable(_one_line(text))
    return re.sub(r"[\\~^&%$#_{}<>|↑↓]", lambda match: _LATEX_SPECIAL.get(match[0], "\\" + match[0]), text)


def _one_line(text: str) -> str:
    """The text without line breaks, which would end a comment of LaTeX."""
    return " ".join(text.splitlines())


def _cells(table: Table) -> list[list[str]]:
    heading = [column.heading for column in table.columns]
    rows = [[c.format(value) for c, value in zip(table.columns, row, strict=True)] for row in table.rows]
    return [heading, *rows]


def _lines(block: str | Paragraph) -> list[str]:
    if isinstance(block, str):
        return block.split("\n")
    return [_line(line, Paint(False)) for line in block.lines]


def _line(line: str | Sequence[str | Styled], paint: Paint) -> str:
    # Files that cannot be trusted must not reach a terminal as commands; our colours come after.
    if isinstance(line, str):
        return printable(line)
    return "".join(
        paint.apply(part.style, printable(part.text)) if isinstance(part, Styled) else printable(part)
        for part in line
    )


def _width(cell: str) -> int:
    """The columns of a terminal that a cell takes: a Chinese character takes two."""
    text = _ANSI.sub("", cell)
    if text.isascii():
        return len(text)
    return sum(1 + (unicodedata.east_asian_width(character) in ("W", "F")) for character in text)
