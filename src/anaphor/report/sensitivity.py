"""The spread of a score over several alignments, as text and for JSON."""

from __future__ import annotations

from typing import Any

from anaphor.core import Flip, Sensitivity
from anaphor.report.table import Paint, table
from anaphor.report.text import percent


def sensitivity_text(found: Sensitivity, *, paint: Paint, most: int = 20) -> str:
    """A table of scores by way, then the pronouns whose outcome changes."""
    ways = list(found.scores)
    rows = [["apt by alignment", *ways]]
    rows += [
        [system, *(percent(found.scores[way][system]) for way in ways)] for system in found.scores[ways[0]]
    ]
    heading = f"{len(found.flips)} of {found.pronouns} outcomes depend on the alignment"
    lines = [table(rows, paint=paint), "", paint.bold(heading)]
    lines += [_flip(flip) for flip in found.flips[:most]]
    if len(found.flips) > most:
        lines.append(f"... and {len(found.flips) - most} more; --json has all of them")
    return "\n".join(lines)


def _flip(flip: Flip) -> str:
    place = f"line {flip.pronoun.segment + 1} token {flip.pronoun.position + 1} {flip.pronoun.form}"
    outcomes = ", ".join(f"{way} {outcome.name.lower()}" for way, outcome in flip.outcomes.items())
    return f"{flip.system}, {place}: {outcomes}"


def sensitivity_content(found: Sensitivity) -> dict[str, Any]:
    """The same for a JSON file; segments and tokens count from 0."""
    return {
        "scores": {way: dict(scores) for way, scores in found.scores.items()},
        "pronouns": found.pronouns,
        "flips": [
            {
                "system": flip.system,
                "segment": flip.pronoun.segment,
                "token": flip.pronoun.position,
                "pronoun": flip.pronoun.form,
                "outcomes": {way: outcome.name.lower() for way, outcome in flip.outcomes.items()},
            }
            for flip in found.flips
        ],
    }
