"""Bounds: the scores of the references themselves, and of the first candidate shuffled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import Bound
    from anaphor.core.table import Block


class Bounds(ScoreAnalysis):
    """Rows with bounds for the systems, in the table of scores."""

    name = "bounds"
    needs_alignment = True
    options = (
        AnalysisOption(
            name="bounds",
            help="also score the references themselves and a shuffled copy of the first candidate",
        ),
    )

    def run(self, scored: Scored) -> tuple[Bound, ...]:
        from anaphor.analyses.bound_scores import bounds

        return bounds(scored.experiment, scored.result, scored.progress)

    def bounds(self, finding: tuple[Bound, ...]) -> tuple[Bound, ...]:
        return finding

    def tables(self, finding: tuple[Bound, ...]) -> list[Block]:
        """What the pronouns of the source are in references that drop subjects."""
        from anaphor.core.table import Table, count, text

        rows = [(bound.name, *bound.counterparts.values()) for bound in finding if bound.counterparts]
        if not rows:
            return []
        kinds = next(bound.counterparts for bound in finding if bound.counterparts)
        names = {"verb": "verb with the subject", "other": "other word"}
        columns = [text("counterparts"), *(count(names.get(kind, kind)) for kind in kinds)]
        return [Table(columns, rows, notes=["only pronouns are compared, unless --dropped adds these verbs"])]

    def to_dict(self, finding: tuple[Bound, ...]) -> dict[str, Any]:
        return {
            bound.name: {
                metric: {
                    "score": score,
                    "interval": bound.intervals[metric],
                    "by_pronoun": bound.by_pronoun[metric],
                    **({"counterparts": dict(bound.counterparts)} if bound.counterparts else {}),
                }
                for metric, score in bound.scores.items()
            }
            for bound in finding
        }
