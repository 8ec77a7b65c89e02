"""Hints: pronouns that a predictor finds unlikely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored
from anaphor.analyses.functions import HINTS

if TYPE_CHECKING:
    from anaphor.analyses.predictor_hints import PredictorHints
    from anaphor.core import Settings
    from anaphor.core.table import Block


class Hints(ScoreAnalysis):
    """Pronouns of every candidate that a model finds less probable than a limit."""

    name = "predictor_hints"
    group = HINTS
    options = (
        AnalysisOption(
            name="predictor",
            type=str,
            default=None,
            metavar="MODEL",
            help="flag pronouns that this predictor, such as anaphor-2-small, finds unlikely",
        ),
        AnalysisOption(
            name="unlikely",
            rare=True,
            type=float,
            default=0.05,
            metavar="P",
            help="flag pronouns below this probability (default 0.05)",
            asks=False,
        ),
    )

    def check(self, settings: Settings) -> None:
        from anaphor.predict.postedit.proposals import check_limit
        from anaphor.predict.shipped import find_model

        check_limit(self.values["unlikely"])
        self.model = find_model(self.values["predictor"], pair=settings.pair, forms=True)

    def run(self, scored: Scored) -> PredictorHints:
        from anaphor.analyses.predictor_hints import predictor_hints

        name, below = self.values["predictor"], self.values["unlikely"]
        return predictor_hints(scored.experiment, scored.result, self.model, name=name, below=below)

    def tables(self, finding: PredictorHints) -> list[Block]:
        return finding.tables()

    def to_dict(self, finding: PredictorHints) -> dict[str, Any]:
        return finding.to_dict()
