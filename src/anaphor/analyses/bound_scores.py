"""Bounds for the scores of systems: the reference itself, references scored against each other, shuffled
output.

A reference need not reach full marks: if it has no listed pronoun, APT cannot tell whether one is right.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

from anaphor import __version__
from anaphor.core import Bound, Progress, Result, Signature
from anaphor.corpus import Text
from anaphor.evaluation.experiment import Experiment, drops_subjects
from anaphor.evaluation.pipeline import metric_input
from anaphor.metrics.breakdown import MetricCounts, as_candidate, shuffled_counterparts
from anaphor.report.rows import COUNTERPART_KINDS, counterpart_kind
from anaphor.stats import cluster_ids, evaluate_counts


def bounds(experiment: Experiment, result: Result, progress: Progress = lambda _: None) -> tuple[Bound, ...]:
    """Every reference against all, each of several against the others, and the first candidate shuffled.

    The experiment is aligned if a metric judges pronouns. Shuffling gives the lines of the candidate to
    other segments and its counterparts to other pronouns, so it is left out for metrics that judge a pronoun
    by the text around it.
    """
    inputs, settings, metrics = experiment.inputs, experiment.settings, experiment.metrics
    pairs = [verdict.pair for verdict in result.systems[0].verdicts]
    every = range(len(inputs.references))
    trials = {}
    for number, text in enumerate(inputs.references):
        name = "reference" if len(every) == 1 else f"reference {number + 1}"
        own = as_candidate(pairs, number)
        links = None if inputs.reference_alignments is None else inputs.reference_alignments[number]
        trials[name] = metric_input(experiment, name, text, own, alignment=links)
        if others := [other for other in every if other != number]:
            name += " by the others"
            judged = [replace(p, references=tuple(p.references[other] for other in others)) for p in own]
            trials[name] = metric_input(experiment, name, text, judged, references=others, alignment=links)
    kinds: dict[str, dict[str, int]] = {}
    if experiment.judges_pronouns and drops_subjects(experiment.pack):
        with_verbs = next(iter(experiment.pairs_with_verbs.values()))
        for number in every:
            name = "reference" if len(every) == 1 else f"reference {number + 1}"
            counted_kinds = Counter(counterpart_kind(pair.references[number]) for pair in with_verbs)
            kinds[name] = {kind or "nothing": counted_kinds[kind] for kind in (*COUNTERPART_KINDS, None)}
    first, text = next(iter(inputs.candidates.items()))
    lines = random.Random(settings.seed).sample(text.lines, len(text))  # noqa: S311 - no secret depends on it
    mixed = shuffled_counterparts(pairs, seed=settings.seed)
    text = Text.of(lines, path=text.path)
    shuffled = metric_input(experiment, f"{first} shuffled", text, mixed, alignment=None)

    ids = cluster_ids(inputs.documents, segments=inputs.segments)
    counted = []
    for metric in metrics:
        progress(f"scoring references and shuffled output with {metric.name}")
        by_reference = not metric.pronominal or metric.reference_is_perfect
        compared = [*trials.values(), *([shuffled] if by_reference else [])]
        counted.append(MetricCounts.of(metric, compared))
    evaluations = evaluate_counts(
        [
            metric_counts.measure(lambda metric, _: Signature(metric.name, (), __version__))
            for metric_counts in counted
        ],
        ids=ids,
        samples=settings.samples,
        seed=settings.seed,
        level=settings.level,
        paired=False,
    )
    bounds_of: dict[str, Bound] = {}
    for metric_counts, evaluation in zip(counted, evaluations, strict=True):
        for name, score in evaluation.scores.items():
            bound = bounds_of.setdefault(name, Bound(name, {}, {}, {}, kinds.get(name, {})))
            bounds_of[name] = Bound(
                name,
                {**bound.scores, score.metric: score.value},
                {**bound.intervals, score.metric: score.interval},
                {**bound.by_pronoun, score.metric: metric_counts.by_pronoun[name]},
                bound.counterparts,
            )
    return tuple(bounds_of.values())
