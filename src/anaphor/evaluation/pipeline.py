"""The scoring pipeline, in order: texts, pronouns, counterparts, counts, scores, comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, overload

from anaphor.core import (
    Counts,
    InputWarning,
    OptionError,
    Progress,
    PronounContext,
    PronounPair,
    PronounScore,
    Result,
    Span,
    SystemResult,
    Verdict,
    VerdictCounts,
    first_context_line,
)
from anaphor.corpus import AlignmentFile, Inputs, Text, check_candidates
from anaphor.corpus.plausibility import link_warnings, text_warnings
from anaphor.evaluation.experiment import Experiment, drops_subjects
from anaphor.languages import token_span
from anaphor.metrics import MetricInput
from anaphor.metrics.apt import Apt
from anaphor.metrics.breakdown import MetricCounts, by_document, ceiling, confusion, identical
from anaphor.metrics.contract import Metric, linked_pairs
from anaphor.metrics.options import option_value
from anaphor.pronouns import Splitter
from anaphor.stats import cluster_ids, cluster_totals, evaluate_counts

if TYPE_CHECKING:
    from anaphor.verdict import Weighed

#: Characters of a line in which one token is found faster than all of them.
_SHORT = 1000
#: A metric that gives the reference itself less says little about a candidate.
_LOW_CEILING = 0.5
#: Of fewer pronouns no share of verdicts is worth a note: the table shows them.
_LEAST_PRONOUNS = 10


class Weigher(Protocol):
    """Weighs the evidence about every pronoun of a candidate for `accept` in place of this process."""

    def __call__(
        self, experiment: Experiment, system: str, pairs: Sequence[PronounPair], progress: Progress, /
    ) -> Sequence[Weighed]: ...


def evaluate_experiment(
    experiment: Experiment, progress: Progress = lambda _: None, *, weigher: Weigher | None = None
) -> Result:
    """Score every candidate by every metric; texts are aligned if a metric needs it."""
    settings, metrics, inputs = experiment.settings, experiment.metrics, experiment.inputs
    check_candidates(inputs, paired=settings.paired)
    _check_references(inputs, metrics)
    segmentations = {
        name: inputs.segmentations[name] for name in inputs.candidates if name in inputs.segmentations
    }
    notes = [
        *text_warnings(
            inputs, experiment.pack, tokenized=settings.tokenized, any_language=settings.any_language
        ),
        *(
            f"candidate {name}: {line}"
            for name, segmentation in segmentations.items()
            for line in segmentation.summary()
        ),
    ]
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    pairs: dict[str, Sequence[PronounPair]] = dict.fromkeys(inputs.candidates, ())
    if experiment.judges_pronouns:
        experiment = experiment.aligned(progress)
        inputs = experiment.inputs
        for note in link_warnings(inputs, source=experiment.source.words, target=experiment.target.words):
            warnings.warn(note, InputWarning, stacklevel=2)
            notes.append(note)
        progress("finding pronouns and their counterparts")
        pairs |= experiment.pairs

    trials = [
        candidate_input(experiment, name, pairs[name], weigher=weigher, progress=progress)
        for name in inputs.candidates
    ]
    judge = Apt.build(experiment.context)
    verdicts = {trial.system: judge.verdicts(trial.pairs) for trial in trials}

    signer = experiment.signer
    ids = cluster_ids(inputs.documents, segments=inputs.segments)
    counted = []
    for metric in metrics:
        progress(f"scoring with {metric.name}")
        counted.append(MetricCounts.of(metric, trials))
    right = {judge.name: {name: identical(own) for name, own in verdicts.items()}}
    evaluations = evaluate_counts(
        [
            metric_counts.measure(signer.sign, right.get(metric_counts.metric.name))
            for metric_counts in counted
        ],
        ids=ids,
        samples=settings.samples,
        seed=settings.seed,
        level=settings.level,
        paired=settings.paired,
    )

    systems = tuple(
        SystemResult(
            trial.system,
            tuple(evaluation.scores[trial.system] for evaluation in evaluations),
            {
                metric_counts.metric.name: metric_counts.by_pronoun[trial.system]
                for metric_counts in counted
                if metric_counts.metric.pronominal
            },
            {
                metric_counts.metric.name: by_document(
                    metric_counts.metric, metric_counts.counts[trial.system], inputs.documents
                )
                for metric_counts in counted
            },
            tuple(verdicts[trial.system]),
            confusion(verdicts[trial.system], judge.comparer),
            {
                metric_counts.metric.name: metric_counts.pronoun_scores[trial.system]
                for metric_counts in counted
                if metric_counts.pronoun_scores
            },
            {
                metric_counts.metric.name: Counts(counts.names, cluster_totals(counts.rows, ids))
                for metric_counts in counted
                for counts in [metric_counts.counts[trial.system]]
            },
        )
        for trial in trials
    )
    for note in _open_verdicts(systems):
        warnings.warn(note, InputWarning, stacklevel=2)
        notes.append(note)
    ceilings = ceiling(metrics, trials[0])
    ignored = option_value(experiment.settings, "dropped") == "ignore"
    drops = ignored and drops_subjects(experiment.context.pack)
    low = _low_ceilings(ceilings, objects=experiment.settings.objects, drops=drops)
    for note in low if len(trials[0].pairs) >= _LEAST_PRONOUNS else ():
        warnings.warn(note, InputWarning, stacklevel=2)
        notes.append(note)
    comparisons = tuple(comparison for evaluation in evaluations for comparison in evaluation.comparisons)
    return Result(
        settings,
        inputs.segments,
        inputs.documents,
        systems,
        comparisons,
        signer.digests(),
        _Contexts(
            inputs.source.lines,
            inputs.documents,
            experiment.source,
            systems[0].verdicts,
            [scores for system in systems for scores in system.pronoun_scores.values()],
        ),
        tuple(notes),
        ceilings,
        segmentations,
    )


def _low_ceilings(ceilings: Mapping[str, float], *, objects: bool, drops: bool) -> Iterator[str]:
    """Note each metric on which the reference itself scores low, such as apt with dropped subjects.

    `objects` says whether object forms are compared already, `drops` whether the language drops subjects and
    its verbs could be compared, too.
    """
    verbs = "--dropped different compares verbs that carry the subject"
    for name, value in ceilings.items():
        if value < _LOW_CEILING:
            advice = [
                *([] if objects else ["--objects adds object forms"]),
                *([verbs] if drops and name == "apt" else []),
                "--discard 5,6 leaves out pronouns without a counterpart in the reference",
            ]
            yield (
                f"{name} gives the reference itself only {100 * value:.1f}: most of its counterparts are "
                f"dropped, or no words of the target list. {', '.join(advice)}"
            )


def _open_verdicts(systems: Sequence[SystemResult]) -> Iterator[str]:
    """Note each score that is based on verdicts for fewer than half of the pronouns."""
    for system in systems:
        for score in system.scores:
            counts = VerdictCounts.of(score.details)
            if counts is not None and 2 * counts.judged < counts.total >= _LEAST_PRONOUNS:
                yield (
                    f"candidate {system.name}: {score.metric} judged only {counts.judged} of {counts.total} "
                    f"pronouns, fewer than half; {counts.open} are open, and the score is uncertain"
                )


@dataclass(frozen=True, slots=True, eq=False)
class _Contexts(Sequence[PronounContext]):
    """Every evaluated pronoun with its preceding lines, as far back as the antecedent that a metric found.

    Contexts are built on access, since a table of scores shows none of them.
    """

    source: Sequence[str]
    documents: tuple[str, ...] | None
    splitter: Splitter
    verdicts: Sequence[Verdict]
    scores: Sequence[Sequence[PronounScore]]

    def __len__(self) -> int:
        return len(self.verdicts)

    @overload
    def __getitem__(self, index: int) -> PronounContext: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[PronounContext, ...]: ...
    def __getitem__(self, index: int | slice) -> PronounContext | tuple[PronounContext, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        return next(self._made(range(len(self))[index : index + 1 or None]))

    def __iter__(self) -> Iterator[PronounContext]:
        return self._made(range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def _made(self, numbers: Iterable[int]) -> Iterator[PronounContext]:
        # Pronouns of one sentence follow each other: a long one is split once for all of them.
        sentence = lru_cache(maxsize=1)(self.splitter.sentence)
        lines = lru_cache(maxsize=1)(lambda first, last: tuple(self.source[first:last]))

        def span(line: str, position: int) -> Span:
            quick = self.splitter.given and len(line) < _SHORT
            return token_span(line, position) if quick else sentence(line).span(position)

        for number in numbers:
            pronoun = self.verdicts[number].pair.source
            # The antecedent is sought in the source: those systems that have one, have the same.
            places = [place for scores in self.scores if (place := scores[number].antecedent)]
            # A resolver may be wrong: what it found can add lines and takes none away.
            first = first_context_line(pronoun.segment, self.documents, [place[0] for place in places[:1]])
            antecedent = None
            if places:
                segment, position = places[0]
                antecedent = segment, span(self.source[segment], position)
            line = self.source[pronoun.segment]
            before = lines(first, pronoun.segment)
            yield PronounContext(before, line, span(line, pronoun.position), antecedent)


def candidate_input(
    experiment: Experiment,
    name: str,
    pairs: Sequence[PronounPair] | None = None,
    *,
    references: Sequence[int] | None = None,
    weigher: Weigher | None = None,
    progress: Progress = lambda _: None,
) -> MetricInput:
    """`metric_input` of a candidate of the experiment, with `pairs` or else all its pronoun pairs."""
    inputs = experiment.inputs
    return metric_input(
        experiment,
        name,
        inputs.candidates[name],
        experiment.pairs[name] if pairs is None else pairs,
        alignment=(inputs.candidate_alignments or {}).get(name),
        references=references,
        weigher=weigher,
        progress=progress,
    )


def metric_input(
    experiment: Experiment,
    name: str,
    text: Text,
    pairs: Sequence[PronounPair],
    *,
    alignment: AlignmentFile | None,
    references: Sequence[int] | None = None,
    weigher: Weigher | None = None,
    progress: Progress = lambda _: None,
) -> MetricInput:
    """Return one text as metric input, with the networks that the metrics use.

    `references` are the numbers of the references to compare it with (default: all). The
    evidence for `accept` is left to the `weigher`, if there is one.
    """
    inputs = experiment.inputs
    compared = (
        inputs.references if references is None else [inputs.references[number] for number in references]
    )
    weighed = None
    if weigher is not None and any(metric.weighable for metric in experiment.metrics):
        weighed = weigher(experiment, name, linked_pairs(pairs), progress)
    return MetricInput(
        name,
        tuple(reference.lines for reference in compared),
        text.lines,
        pairs,
        source=inputs.source.lines,
        documents=inputs.documents,
        alignment=alignment,
        detector=experiment.networks.detector(progress) if weighed is None else None,
        pointer=experiment.networks.pointer if weighed is None else None,
        weighed=weighed,
    )


def _check_references(inputs: Inputs, metrics: Sequence[Metric]) -> None:
    if inputs.references:
        return
    if needing := [metric.name for metric in metrics if metric.needs_reference]:
        raise OptionError(
            f"no reference is given, and {', '.join(needing)} cannot score without one",
            where="--reference",
            fix="add --reference FILE, or use --metrics accept alone",
        )
