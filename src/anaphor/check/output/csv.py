"""CSV: a row per finding, for spreadsheets."""

from __future__ import annotations

import csv
import io

from anaphor.check.report import CheckReport
from anaphor.core.errors import printable

_COLUMNS = (
    *("kind", "confidence", "file", "line", "column", "unit", "source_word", "word", "suggestion"),
    *("refers_to", "reason", "source", "target", "fingerprint"),
)
#: A spreadsheet would run a cell that begins with one of these.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write(report: CheckReport) -> str:
    """A header and the rows; cells that a spreadsheet would treat as formulas get an apostrophe."""
    table = io.StringIO()
    writer = csv.DictWriter(table, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for finding in report.findings:
        writer.writerow({name: _cell(value) for name, value in finding.to_dict().items()})
    return table.getvalue().removesuffix("\n")


def _cell(value: object) -> object:
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(_FORMULA) else value)
