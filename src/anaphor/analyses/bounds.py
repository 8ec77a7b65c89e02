"""Bounds: the scores of the references themselves, and of the first candidate shuffled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import Bound


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

    def to_dict(self, finding: tuple[Bound, ...]) -> dict[str, Any]:
        return {
            bound.name: {
                metric: {
                    "score": score,
                    "interval": bound.intervals[metric],
                    "by_pronoun": bound.by_pronoun[metric],
                }
                for metric, score in bound.scores.items()
            }
            for bound in finding
        }
