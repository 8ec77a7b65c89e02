"""Cards: the texts and links behind every pronoun, for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.report.cards import Cards


class WhyCards(ScoreAnalysis):
    """They are stored in the result file outside its sealed content, with a separate digest."""

    name = "cards"
    needs_alignment = True
    options = (
        AnalysisOption(
            name="cards",
            rare=True,
            help="store the texts, links and counts behind the scores in the result",
        ),
    )

    def run(self, scored: Scored) -> Cards | None:
        if not scored.result.systems[0].verdicts:
            return None
        from anaphor.report.cards import cards_of

        hints = scored.findings.get("predictor_hints")
        return cards_of(scored.experiment, scored.result, {} if hints is None else hints.for_cards())
