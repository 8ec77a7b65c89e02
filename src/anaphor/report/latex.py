"""A result as a LaTeX table (package booktabs)."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from anaphor.core import Result, Signature
from anaphor.report.result_file import StoredResult, StoredScore
from anaphor.report.text import percent, shared_signatures

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}

Scores = Sequence[tuple[str, float]]


def result_latex(result: Result) -> str:
    """Rows are systems, columns metrics; a star marks p < 0.05 against the first system after Holm."""
    starred = {(c.system, c.metric) for c in result.comparisons if c.p_adjusted < 0.05}
    rows = [(one.name, [(score.metric, score.value) for score in one.scores]) for one in result.systems]
    return _table(rows, starred, shared_signatures(result))


def stored_latex(result: StoredResult) -> str:
    """The same from a result file."""
    starred = {(c.system, c.metric) for c in result.comparisons if c.p_adjusted < 0.05}
    rows = [(one.name, [(score.metric, score.value) for score in one.scores]) for one in result.systems]
    return _table(rows, starred, [_signature(score) for score in result.systems[0].scores])


def _table(
    rows: Sequence[tuple[str, Scores]], starred: Collection[tuple[str, str]], signatures: Sequence[str]
) -> str:
    metrics = [metric for metric, _ in rows[0][1]]
    lines = [rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}", r"\toprule"]
    lines += [" & ".join(["System", *map(_escape, metrics)]) + r" \\", r"\midrule"]
    for system, scores in rows:
        cells = [
            percent(value) + (r"$^{*}$" if (system, metric) in starred else "") for metric, value in scores
        ]
        lines.append(" & ".join([_escape(system), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *(f"% {signature}" for signature in signatures)])


def _signature(score: StoredScore) -> str:
    """That of the first system without the hash of its own text, as for a result in memory."""
    own = ("name", "cand", "version")
    fields = tuple((key, value) for key, value in score.signature.items() if key not in own)
    return str(Signature(score.metric, fields, score.signature.get("version", "unknown"))).replace("\n", " ")


def _escape(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda match: _SPECIAL.get(match[0], "\\" + match[0]), text)
