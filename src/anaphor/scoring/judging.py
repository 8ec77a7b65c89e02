"""Runs of the metric `judge` beyond a score: what would be sent, at which cost, within which limits."""

from __future__ import annotations

from collections.abc import Iterator

from anaphor.core import OptionError
from anaphor.core.progress import Progress
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import metric_input
from anaphor.metrics.judge import JudgeMetric
from anaphor.predict.server.client import Query


def judge_of(experiment: Experiment) -> JudgeMetric:
    """The judge among the metrics of an experiment."""
    for metric in experiment.metrics:
        if isinstance(metric, JudgeMetric):
            return metric
    raise OptionError(
        "the metric judge is not among the metrics", where="--metrics", fix="add judge to --metrics"
    )


def judge_queries(experiment: Experiment, progress: Progress = lambda _: None) -> Iterator[Query]:
    """Every question of the judge about every candidate; nothing is sent.

    Args:
        experiment: Texts, aligned, with `judge` among the metrics.
        progress: Called with the name of every step.

    Returns:
        The queries in the order of the text, of one candidate after the other.
    """
    judge, inputs = judge_of(experiment), experiment.inputs
    for system, pairs in experiment.pairs.items():
        trial = metric_input(
            experiment,
            system,
            inputs.candidates[system],
            pairs,
            alignment=(inputs.candidate_alignments or {})[system],
            references=(),
            progress=progress,
        )
        yield from judge.queries(trial)
