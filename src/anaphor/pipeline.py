"""The main path, in order: texts, pronouns, counterparts, counts, scores, comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from anaphor.core import (
    Counts,
    Files,
    InputWarning,
    LanguagePair,
    OptionError,
    PredictedForm,
    PronounContext,
    PronounPair,
    PronounScore,
    Result,
    Settings,
    Span,
    SystemResult,
    Verdict,
    VerdictCounts,
    collector_paused,
    first_context_line,
)
from anaphor.corpus import Inputs, check_candidates, read_inputs
from anaphor.corpus.plausibility import doubts, link_doubts
from anaphor.languages import token_span
from anaphor.metrics import METRICS, MetricInput, ScoringSetup, Signer
from anaphor.metrics.apt import Apt
from anaphor.metrics.breakdown import MetricCounts, by_document, ceiling, confusion, identical
from anaphor.metrics.contract import Metric, PronounJudge
from anaphor.pronouns import Splitter
from anaphor.stats import cluster_ids, cluster_totals, evaluate_counts

if TYPE_CHECKING:  # few candidates are whole documents, and what cuts them is slow to import
    from anaphor.segment.candidate import Cutter
    from anaphor.verdict.contract import Detector

Progress = Callable[[str], None]
#: Characters of a line in which one token is found faster than all of them.
_SHORT = 1000
#: Of fewer pronouns no share of verdicts is worth a note: the table shows them.
_LEAST_PRONOUNS = 10


def run(files: Files, settings: Settings, progress: Progress = lambda _: None) -> Result:
    """Read the files of an experiment and score them; `anaphor.evaluate` takes texts as well, and does more.

    Args:
        files: The paths of the experiment.
        settings: Everything else that affects a number.
        progress: Called with the name of every step.

    Returns:
        The scores of every system, comparisons and signatures. Equal experiments give equal results.

    Raises:
        UserError: A file or a setting is wrong; the message says where, and how to fix it.

    Example:
        >>> from anaphor import Files, Settings, run
        >>> files = Files(
        ...     source="source.en",
        ...     references=("reference.fr",),
        ...     candidates=(("baldur", "baldur.fr"),),
        ...     reference_alignments=("reference.align",),
        ...     candidate_alignments=("baldur.align",),
        ... )
        >>> (system,) = run(files, Settings(pair="en-fr", metrics=("apt",), samples=0)).systems
        >>> print(system.name, round(system.scores[0].value, 3))
        baldur 0.69
    """
    progress("reading")
    return evaluate(read_texts(files, settings, progress), settings, progress)


def read_texts(
    files: Files, settings: Settings, progress: Progress = lambda _: None, cut: Cutter | None = None
) -> Inputs:
    """All texts of an experiment; `cut` cuts whole documents where this process does not."""
    pair = LanguagePair.parse(settings.pair)
    if not files.whole_documents:
        return read_inputs(files, pair)
    from anaphor.segment.candidate import DocumentCutter
    from anaphor.segment.inputs import read_segmented_inputs

    return read_segmented_inputs(files, pair, cut=cut or DocumentCutter.of(settings), progress=progress)


def align(inputs: Inputs, settings: Settings, progress: Progress = lambda _: None) -> Inputs:
    """The texts with an alignment for each; given ones stay as they are."""
    progress("aligning")
    return ScoringSetup.of(settings).aligned(inputs, progress)


def align_by_symmetrization(
    inputs: Inputs, settings: Settings, symmetrizations: Sequence[str], progress: Progress = lambda _: None
) -> dict[str, Inputs]:
    """The texts with alignments for each symmetrization of one trained aligner."""
    return ScoringSetup.of(settings).aligned_by_symmetrization(inputs, symmetrizations, progress)


@collector_paused()
def evaluate(
    inputs: Inputs, settings: Settings, progress: Progress = lambda _: None, given: Inputs | None = None
) -> Result:
    """Score texts that are already in memory; `given` is what they were before `align`, where that ran."""
    check_candidates(inputs, paired=settings.paired)
    setup, given = ScoringSetup.of(settings), given or inputs
    metrics = [METRICS.get(name).build(setup.context) for name in dict.fromkeys(settings.metrics)]
    _check_references(inputs, metrics)
    segmentations = {
        name: inputs.segmentations[name] for name in inputs.candidates if name in inputs.segmentations
    }
    notes = [
        *doubts(inputs, setup.pack, tokenized=settings.tokenized),
        *(f"candidate {name}: {line}" for name, one in segmentations.items() for line in one.summary()),
    ]
    for note in notes:
        warnings.warn(note, InputWarning, stacklevel=2)
    pairs: dict[str, Sequence[PronounPair]] = dict.fromkeys(inputs.candidates, ())
    if any(metric.pronominal for metric in metrics):
        if not inputs.is_aligned:
            inputs = align(inputs, settings, progress)
        for note in link_doubts(inputs, source=setup.source.words, target=setup.target.words):
            warnings.warn(note, InputWarning, stacklevel=2)
            notes.append(note)
        progress("finding pronouns and their counterparts")
        pairs |= setup.pairs(inputs)

    references = tuple(text.lines for text in inputs.references)
    detector = detector_for(metrics, settings)
    trials = [
        MetricInput(
            name,
            references,
            text.lines,
            pairs[name],
            source=inputs.source.lines,
            documents=inputs.documents,
            alignment=(inputs.candidate_alignments or {}).get(name),
            predicted=predicted_forms(metrics, inputs, settings, name, pairs[name], progress),
            detector=detector,
        )
        for name, text in inputs.candidates.items()
    ]
    judge = Apt.build(setup.context)
    verdicts = {trial.system: judge.verdicts(trial.pairs) for trial in trials}

    signer = Signer(inputs, settings, setup, given=given)
    ids = cluster_ids(inputs.documents, segments=inputs.segments)
    counted = []
    for metric in metrics:
        progress(f"scoring with {metric.name}")
        counted.append(MetricCounts.of(metric, trials))
    right = {judge.name: {name: identical(one) for name, one in verdicts.items()}}
    evaluations = evaluate_counts(
        [one.measure(signer.sign, right.get(one.metric.name)) for one in counted],
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
            {one.metric.name: one.by_pronoun[trial.system] for one in counted if one.metric.pronominal},
            {
                one.metric.name: by_document(one.metric, one.counts[trial.system], inputs.documents)
                for one in counted
            },
            tuple(verdicts[trial.system]),
            confusion(verdicts[trial.system], judge.comparer),
            {
                metric.name: tuple(metric.pronoun_scores(trial))
                for metric in metrics
                if isinstance(metric, PronounJudge)
            },
            {
                one.metric.name: Counts(counts.names, cluster_totals(counts.rows, ids))
                for one in counted
                for counts in [one.counts[trial.system]]
            },
        )
        for trial in trials
    )
    for note in _open_verdicts(systems):
        warnings.warn(note, InputWarning, stacklevel=2)
        notes.append(note)
    comparisons = tuple(comparison for one in evaluations for comparison in one.comparisons)
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
            setup.source,
            systems[0].verdicts,
            [scores for system in systems for scores in system.pronoun_scores.values()],
        ),
        tuple(notes),
        ceiling(metrics, trials[0]),
        segmentations,
    )


def _open_verdicts(systems: Sequence[SystemResult]) -> Iterator[str]:
    """A note for every score that rests on verdicts for fewer than half of the pronouns."""
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
    """Every evaluated pronoun with the lines before it, as far back as an antecedent that a metric found.

    Each is made when it is asked for: a table of scores shows none of them.
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
            places = [place for one in self.scores if (place := one[number].antecedent)]
            # A resolver may be wrong: what it found can add lines and takes none away.
            first = first_context_line(pronoun.segment, self.documents, [place[0] for place in places[:1]])
            antecedent = None
            if places:
                segment, position = places[0]
                antecedent = segment, span(self.source[segment], position)
            line = self.source[pronoun.segment]
            before = lines(first, pronoun.segment)
            yield PronounContext(before, line, span(line, pronoun.position), antecedent)


def predicted_forms(
    metrics: Sequence[Metric],
    inputs: Inputs,
    settings: Settings,
    system: str,
    pairs: Sequence[PronounPair],
    progress: Progress = lambda _: None,
) -> Mapping[tuple[int, int], Mapping[str, PredictedForm]]:
    """What the predictor of the metrics gives the forms of one candidate; empty where none asks for one."""
    models = {name for metric in metrics if (name := getattr(metric, "predictor", ""))}
    if not models:
        return {}
    # Few runs need a predictor, and it is slow to import.
    from anaphor.postediting import form_probabilities

    progress(f"predicting the pronouns of {system}")
    (model,) = models
    return form_probabilities(settings, inputs, system, pairs, model=model)


def detector_for(metrics: Sequence[Metric], settings: Settings) -> Detector | None:
    """The detector of wrong pronouns, where one of the metrics wants it."""
    if not any(getattr(metric, "wants_detector", False) for metric in metrics):
        return None
    # As slow to import as the predictor, and as rarely needed.
    from anaphor.predict.detector import PronounDetector

    return PronounDetector(LanguagePair.parse(settings.pair))


def _check_references(inputs: Inputs, metrics: Sequence[Metric]) -> None:
    if inputs.references:
        return
    if needing := [metric.name for metric in metrics if getattr(metric, "needs_reference", True)]:
        raise OptionError(
            f"no reference is given, and {', '.join(needing)} cannot score without one",
            where="--reference",
            fix="name a reference, or use --metrics accept alone",
        )
