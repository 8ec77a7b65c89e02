"""Functions of *it*: scores over anaphoric, event and pleonastic pronouns."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import FunctionScores, Settings
    from anaphor.core.table import Block

HINTS = "hints (scores do not change)"


class FunctionsOfIt(ScoreAnalysis):
    """Scores by the predicted function of English *it*."""

    name = "functions"
    group = HINTS
    needs_alignment = True
    options = (
        AnalysisOption(name="functions", help="also show scores by the predicted function of English *it*"),
    )

    def check(self, settings: Settings) -> None:
        from anaphor.analyses.function_scores import check_functions

        check_functions(settings)

    def run(self, scored: Scored) -> FunctionScores:
        from anaphor.analyses.function_scores import scores_by_function

        return scores_by_function(scored.experiment, scored.result)

    def tables(self, finding: FunctionScores) -> list[Block]:
        return function_blocks(finding)

    def to_dict(self, finding: FunctionScores) -> dict[str, Any]:
        return {"classifier": finding.classifier, **asdict(finding)}


def function_blocks(functions: FunctionScores) -> list[Block]:
    """One table per metric: systems, functions of *it*, and how many *it* have each."""
    from anaphor.core.table import Paragraph, Styled, Table, percent, text

    heading = "hint, not a score: predicted function of *it* (unreliable for events)"
    if not functions.counts:
        return [Paragraph([[Styled(heading, "bold")], "there is no *it*"])]
    columns = [percent(f"{function} ({number})") for function, number in functions.counts.items()]
    tables = [
        Table([text(metric), *columns], [[system, *values.values()] for system, values in systems.items()])
        for metric, systems in functions.scores.items()
    ]
    tables[0] = replace(tables[0], title=heading)
    tables[-1] = replace(tables[-1], notes=[f"function-of-it|model:{functions.classifier}"])
    return [*tables]
