"""Gates for builds: scores that are too low, or that fell too far below an earlier result."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import Settings, UserError
    from anaphor.evaluation.experiment import Experiment
    from anaphor.report.gates import Gate


class GateOutcomes(NamedTuple):
    """Every system at every gate, and why there was nothing to compare it with."""

    gates: tuple[Gate, ...]
    refused: UserError | None = None

    def require_passed(self) -> None:
        """Raise for gates that did not pass, and for a baseline that does not fit."""
        from anaphor.report.gates import require_passed

        if self.refused is not None:
            raise self.refused
        require_passed(self.gates)


class Gates(ScoreAnalysis):
    """Limits of scores and of losses."""

    name = "gates"
    group = "gates for builds"
    options = (
        AnalysisOption(
            name="fail-under",
            type=str,
            many=True,
            default=[],
            metavar="METRIC=SCORE",
            help="exit with 3 if a candidate scores below this limit (0 to 1)",
        ),
        AnalysisOption(
            name="max-regression",
            type=str,
            many=True,
            default=[],
            metavar="[METRIC=]LOSS",
            help="exit with 3 if a score has dropped significantly by more than LOSS (0.02 is two points); "
            "for every metric unless one is named",
        ),
        AnalysisOption(
            name="baseline",
            type=str,
            default=None,
            metavar="FILE",
            help="earlier result for --max-regression, scored with --cards",
        ),
        AnalysisOption(
            name="skip-new", help=("skip candidates that are missing from the baseline, with a note")
        ),
    )

    def check(self, settings: Settings) -> None:
        from anaphor.report.gates import GateLimits

        values = self.values
        self.limits = GateLimits.parse(
            values["fail_under"],
            values["max_regression"],
            values["baseline"],
            settings=settings,
            skip_new=values["skip_new"],
        )

    def check_texts(self, experiment: Experiment) -> None:
        self.limits.check_systems([*experiment.inputs.candidates])

    def run(self, scored: Scored) -> GateOutcomes:
        from anaphor.core import UserError
        from anaphor.report.gates import Gate
        from anaphor.report.stored import stored_now

        try:
            return GateOutcomes(self.limits.check(stored_now(scored.result, scored.experiment.files)))
        except UserError as error:  # a baseline that does not fit is no reason to withhold the scores
            return GateOutcomes((Gate("--baseline", "", "all systems", "error", error.what),), error)
