"""Between which scores systems stand: the reference itself, references by each other, shuffled output.

A reference need not reach full marks: where it has no listed pronoun, APT cannot tell whether one is right.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from anaphor import __version__
from anaphor.core import Bound, PronounPair, Result, Signature
from anaphor.corpus import AlignmentFile, Inputs, Text
from anaphor.metrics import METRICS, MetricInput, ScoringSetup
from anaphor.metrics.breakdown import MetricCounts, as_candidate, shuffled_counterparts
from anaphor.pipeline import Progress, detector_for, predicted_forms
from anaphor.stats import cluster_ids, evaluate_counts


def bounds(result: Result, inputs: Inputs, progress: Progress = lambda _: None) -> tuple[Bound, ...]:
    """Every reference by all of them, each of several by the others, and the first candidate shuffled.

    `inputs` have alignments where a metric judges pronouns. Shuffling gives the lines of the candidate to
    other segments and its counterparts to other pronouns, so it is left out for metrics that judge a pronoun
    by the text around it.
    """
    settings = replace(result.settings, paired=False)
    setup = ScoringSetup.of(settings)
    metrics = [METRICS.get(name).build(setup.context) for name in dict.fromkeys(settings.metrics)]
    pairs = [verdict.pair for verdict in result.systems[0].verdicts]
    detector = detector_for(metrics, settings)

    def trial(
        name: str,
        text: Text,
        judged: Sequence[PronounPair],
        references: Sequence[int],
        links: AlignmentFile | None = None,
    ) -> MetricInput:
        own = None if links is None else {name: links}
        alone = replace(inputs, candidates={name: text}, candidate_alignments=own)
        return MetricInput(
            name,
            tuple(inputs.references[number].lines for number in references),
            text.lines,
            judged,
            source=inputs.source.lines,
            documents=inputs.documents,
            alignment=links,
            predicted={} if links is None else predicted_forms(metrics, alone, settings, name, judged),
            detector=detector,
        )

    every = range(len(inputs.references))
    trials = {}
    for number, text in enumerate(inputs.references):
        name = "reference" if len(every) == 1 else f"reference {number + 1}"
        own = as_candidate(pairs, number)
        links = None if inputs.reference_alignments is None else inputs.reference_alignments[number]
        trials[name] = trial(name, text, own, every, links)
        if others := [other for other in every if other != number]:
            name += " by the others"
            judged = [replace(p, references=tuple(p.references[other] for other in others)) for p in own]
            trials[name] = trial(name, text, judged, others, links)
    first, text = next(iter(inputs.candidates.items()))
    lines = random.Random(settings.seed).sample(text.lines, len(text))  # noqa: S311 - no secret depends on it
    mixed = shuffled_counterparts(pairs, seed=settings.seed)
    shuffled = trial(f"{first} shuffled", Text.of(lines, path=text.path), mixed, every)

    ids = cluster_ids(inputs.documents, segments=inputs.segments)
    counted = []
    for metric in metrics:
        progress(f"scoring references and shuffled output with {metric.name}")
        # Metrics of other packages may not say; most compare with the reference.
        by_reference = not metric.pronominal or getattr(metric, "reference_is_perfect", True)
        compared = [*trials.values(), *([shuffled] if by_reference else [])]
        counted.append(MetricCounts.of(metric, compared))
    evaluations = evaluate_counts(
        [one.measure(lambda metric, _: Signature(metric.name, (), __version__)) for one in counted],
        ids=ids,
        samples=settings.samples,
        seed=settings.seed,
        level=settings.level,
        paired=False,
    )
    found: dict[str, Bound] = {}
    for one, evaluation in zip(counted, evaluations, strict=True):
        for name, score in evaluation.scores.items():
            bound = found.setdefault(name, Bound(name, {}, {}, {}))
            found[name] = Bound(
                name,
                {**bound.scores, score.metric: score.value},
                {**bound.intervals, score.metric: score.interval},
                {**bound.by_pronoun, score.metric: one.by_pronoun[name]},
            )
    return tuple(found.values())
