"""Plain tables with aligned columns, and colour where it is wanted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Paint:
    """Terminal colours, or none."""

    enabled: bool

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def good(self, text: str) -> str:
        return self._wrap("32", text)

    def bad(self, text: str) -> str:
        return self._wrap("31", text)

    def mark(self, text: str) -> str:
        return self._wrap("1;33", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.enabled and text else text


def table(rows: Sequence[Sequence[str]], *, paint: Paint) -> str:
    """Lines of a table; the first row is the heading, the first column is flush left, others right."""
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = [_line(row, widths) for row in rows]
    return "\n".join([paint.bold(lines[0]), *lines[1:]])


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [row[0] + " " * (widths[0] - _width(row[0]))]
    cells += [" " * (width - _width(cell)) + cell for cell, width in zip(row[1:], widths[1:], strict=True)]
    return "  ".join(cells).rstrip()


def _width(cell: str) -> int:
    return len(_ANSI.sub("", cell))
