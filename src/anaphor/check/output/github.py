"""Workflow commands of GitHub, which shows them as annotations in a review."""

from __future__ import annotations

from anaphor.check.report import CheckReport
from anaphor.core.errors import printable


def write(report: CheckReport) -> str:
    """One line per finding."""
    return "\n".join(
        f"::warning file={_property(finding.path)},line={finding.line},col={finding.column},"
        f"title={_property(f'{finding.kind.value} {finding.confidence:.2f}')}::"
        f"{_data(f'{finding.target} — {finding.message}')}"
        for finding in report.findings
    )


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
