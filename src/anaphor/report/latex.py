"""A result as a LaTeX table (package booktabs)."""

from __future__ import annotations

import re

from anaphor.core import Result
from anaphor.report.text import percent, shared_signatures

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def result_latex(result: Result) -> str:
    """Rows are systems, columns metrics; a star marks p < 0.05 against the first system after Holm."""
    significant = {(c.system, c.metric) for c in result.comparisons if c.p_adjusted < 0.05}
    metrics = [score.metric for score in result.systems[0].scores]
    lines = [rf"\begin{{tabular}}{{l{'r' * len(metrics)}}}", r"\toprule"]
    lines += [" & ".join(["System", *map(_escape, metrics)]) + r" \\", r"\midrule"]
    for system in result.systems:
        cells = [
            percent(score.value) + (r"$^{*}$" if (system.name, score.metric) in significant else "")
            for score in system.scores
        ]
        lines.append(" & ".join([_escape(system.name), *cells]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [f"% {signature}" for signature in shared_signatures(result)]
    return "\n".join(lines)


def _escape(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda match: _SPECIAL.get(match[0], "\\" + match[0]), text)
