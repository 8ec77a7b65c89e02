"""Scores by what an English *it* does, as text and for JSON."""

from __future__ import annotations

from typing import Any

from anaphor.core import FunctionScores
from anaphor.report.table import Paint, table
from anaphor.report.text import percent


def functions_text(found: FunctionScores, *, paint: Paint) -> str:
    """A table for each metric: systems, functions, and how many *it* have each."""
    heading = paint.bold("hint, not a score: what *it* does, as a classifier guesses that is poor at events")
    if not found.counts:
        return f"{heading}\nthere is no *it*"
    columns = [f"{function} ({count})" for function, count in found.counts.items()]
    tables = [
        table(
            [[metric, *columns]]
            + [[system, *map(percent, values.values())] for system, values in systems.items()],
            paint=paint,
        )
        for metric, systems in found.scores.items()
    ]
    return "\n".join([heading, *tables, paint.dim(f"function-of-it|model:{found.classifier}")])


def functions_content(found: FunctionScores) -> dict[str, Any]:
    """The same for a JSON file."""
    return {
        "classifier": found.classifier,
        "counts": dict(found.counts),
        "scores": {
            metric: {system: dict(values) for system, values in systems.items()}
            for metric, systems in found.scores.items()
        },
    }
