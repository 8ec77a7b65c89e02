"""Running the `judge` metric: what would be sent, at what cost, and within which limits."""

from __future__ import annotations

from collections.abc import Iterator

from anaphor.core import OptionError
from anaphor.core.progress import Progress
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import candidate_input
from anaphor.metrics.judge import JudgeMetric
from anaphor.predict.server.client import Query


def judge_of(experiment: Experiment) -> JudgeMetric:
    """Return the judge among the metrics of an experiment."""
    for metric in experiment.metrics:
        if isinstance(metric, JudgeMetric):
            return metric
    raise OptionError(
        "the metric judge is not among the metrics", where="--metrics", fix="add judge to --metrics"
    )


def judge_queries(
    experiment: Experiment, progress: Progress = lambda _: None, *, limit: int | None = None
) -> Iterator[Query]:
    """Return every question the judge would ask about every candidate, without sending anything.

    Args:
        experiment: Aligned texts, with `judge` among the metrics.
        progress: Called with the name of each step.
        limit: The maximum number of pronouns to ask about.

    Returns:
        The queries in text order, one candidate after the other.
    """
    judge, asked = judge_of(experiment), 0
    for system in experiment.inputs.candidates:
        trial = candidate_input(experiment, system, references=(), progress=progress)
        for inquiry in judge.inquiries(trial):
            if inquiry is None or not inquiry.queries:
                continue
            if asked == limit:
                return
            asked += 1
            yield from inquiry.queries
