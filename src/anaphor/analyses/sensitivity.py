"""Sensitivity: the same texts aligned or cut in several ways, and the outcomes that change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from anaphor.analyses.contract import AnalysisOption, ScoreAnalysis, Scored

if TYPE_CHECKING:
    from anaphor.core import Sensitivity
    from anaphor.core.table import Block, Styled
    from anaphor.evaluation.experiment import Experiment

#: Changed outcomes that are listed; JSON has all of them.
_LISTED = 20


class SensitivityAnalysis(ScoreAnalysis):
    """APT under several conditions; a subclass says which."""

    #: What the outcomes depend on.
    to: ClassVar[str]

    def tables(self, finding: Sensitivity) -> list[Block]:
        return sensitivity_blocks(finding, to=self.to)

    def to_dict(self, finding: Sensitivity) -> dict[str, Any]:
        return {
            "scores": finding.scores,
            "pronouns": finding.pronouns,
            "flips": [
                {
                    "system": flip.system,
                    "segment": flip.pronoun.segment,
                    "token": flip.pronoun.position,
                    "pronoun": flip.pronoun.form,
                    "outcomes": {name: outcome.label for name, outcome in flip.outcomes.items()},
                }
                for flip in finding.flips
            ],
        }


class AlignmentSensitivity(SensitivityAnalysis):
    """How much depends on the symmetrization of the alignment."""

    name = "alignment_sensitivity"
    to = "alignment"
    options = (
        AnalysisOption(
            name="alignment-sensitivity",
            rare=True,
            help="also score under several symmetrizations and list the pronouns whose outcome changes",
            python="sensitivity",
        ),
    )

    def check_texts(self, experiment: Experiment) -> None:
        from anaphor.analyses.rescoring import check_sensitivity

        check_sensitivity(experiment.given, experiment.settings)

    def run(self, scored: Scored) -> Sensitivity:
        from anaphor.analyses.rescoring import alignment_sensitivity

        return alignment_sensitivity(scored.experiment.given, scored.experiment.settings, scored.progress)


class SegmentationSensitivity(SensitivityAnalysis):
    """How much depends on where whole documents were cut."""

    name = "segmentation_sensitivity"
    to = "segmentation"
    options = (
        AnalysisOption(
            name="segmentation-sensitivity",
            rare=True,
            help="also score the second-best segmentation of whole documents and list the outcomes that "
            "change",
        ),
    )

    def check_texts(self, experiment: Experiment) -> None:
        from anaphor.analyses.rescoring import check_segmentation_sensitivity

        check_segmentation_sensitivity(experiment.given)

    def run(self, scored: Scored) -> Sensitivity:
        from anaphor.analyses.rescoring import segmentation_sensitivity

        return segmentation_sensitivity(scored.experiment.given, scored.experiment.settings, scored.progress)


def sensitivity_blocks(
    sensitivity: Sensitivity, *, to: str = "alignment", most: int = _LISTED
) -> list[Block]:
    """A table of APT by symmetrization or segmentation, then the pronouns whose outcome changes."""
    from anaphor.core.table import Paragraph, Styled, Table, percent, text

    conditions = sensitivity.scores.values()
    systems = next(iter(conditions))
    rows = [[system, *(scores[system] for scores in conditions)] for system in systems]
    lines: list[Sequence[str | Styled]] = [
        [Styled(f"{len(sensitivity.flips)} of {sensitivity.pronouns} outcomes depend on the {to}", "bold")]
    ]
    for flip in sensitivity.flips[:most]:
        place = f"line {flip.pronoun.segment + 1} token {flip.pronoun.position + 1} {flip.pronoun.form}"
        outcomes = ", ".join(f"{name} {outcome.label}" for name, outcome in flip.outcomes.items())
        lines.append([f"{flip.system}, {place}: {outcomes}"])
    if len(sensitivity.flips) > most:
        lines.append([f"... and {len(sensitivity.flips) - most} more; --json has all of them"])
    return [Table([text(f"apt by {to}"), *map(percent, sensitivity.scores)], rows), Paragraph(lines)]
