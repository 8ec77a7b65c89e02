"""Scores of the demo systems, as shown by the command and the documentation."""

from __future__ import annotations

from anaphor.analyses import choose_analyses
from anaphor.core import Progress, Settings
from anaphor.demo import WITHOUT_REFERENCE, files
from anaphor.evaluation.experiment import Experiment
from anaphor.scoring.score_report import ScoreReport


def score_demo(settings: Settings, progress: Progress = lambda _: None) -> ScoreReport:
    """Score the demo systems, with examples for every number; the reference is used if a metric needs it."""
    reference = settings.metrics != WITHOUT_REFERENCE.metrics
    experiment = Experiment.read(files(reference=reference), settings, progress)
    return ScoreReport.of(experiment, choose_analyses({"cards": True}, settings), progress)
