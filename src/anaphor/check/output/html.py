"""A self-contained HTML page with all findings."""

from __future__ import annotations

from html import escape

from anaphor.check.findings import Finding, Kind
from anaphor.check.report import CheckReport
from anaphor.core import Span
from anaphor.core.errors import printable
from anaphor.core.table import counted

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --mark: #ffd54a; --dim: #777 }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
section { border-top: 1px solid var(--line); padding: .8rem 0 }
h2 { font-size: 1rem; margin: 0 } p { margin: .2rem 0 } .dim { color: var(--dim) }
mark { background: var(--mark); color: #000; padding: 0 .15em; border-radius: .2em }
.kind { display: inline-block; min-width: 6rem }
"""


def write(report: CheckReport) -> str:
    """Counts, every finding with its texts, and what was skipped."""
    counts = ", ".join(f"{number} {kind}" for kind, number in report.counts().items() if number)
    summary = (
        f"{counted(len(report.findings), 'finding')} in {counted(report.units, 'unit')} of "
        f"{counted(len(report.files), 'file')}{f': {counts}' if counts else ''}"
    )
    kinds = "".join(f"<li><b>{kind.value}</b>: {_escaped(kind.description)}</li>" for kind in Kind)
    skipped = "".join(f"<li>{_escaped(line)}</li>" for file in report.files if (line := file.skipped_line()))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Pronoun check</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>Pronoun check</h1>\n"
        f"<p>{_escaped(summary)}; {report.limit}.</p>\n<ul>{kinds}</ul>\n"
        + "\n".join(_section(finding) for finding in report.findings)
        + (f"\n<section><h2>Skipped</h2><ul>{skipped}</ul></section>" if skipped else "")
        + "\n</body>\n</html>"
    )


def _escaped(text: str) -> str:
    return escape(printable(text))


def _section(finding: Finding) -> str:
    also = f'<p class="dim">also: {_escaped(", ".join(finding.places))}</p>' if finding.places else ""
    return (
        f'<section id="{finding.fingerprint}"><h2><span class="kind">{finding.kind.value}</span> '
        f'{finding.confidence:.2f} <span class="dim">{_escaped(finding.path)}:{finding.line} '
        f"{_escaped(finding.unit)}</span></h2>\n"
        f"<p>{_marked(finding.source, finding.source_span)}</p>\n"
        f"<p>{_marked(finding.target, finding.target_span)}</p>\n"
        f"<p>{_escaped(finding.message)}</p>{also}</section>"
    )


def _marked(text: str, span: Span | None) -> str:
    if span is None:
        return _escaped(text)
    word = _escaped(text[span.start : span.end])
    return f"{_escaped(text[: span.start])}<mark>{word}</mark>{_escaped(text[span.end :])}"
