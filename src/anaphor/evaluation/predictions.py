"""Predictions for the pronouns of a candidate: its source pronouns and their counterparts, ready for
predictors.

The predictors are in `anaphor.predict`; this module connects them to the scoring pipeline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anaphor import __version__
from anaphor.core import (
    Alignment,
    Counterpart,
    InputError,
    Progress,
    Pronoun,
    PronounPair,
    Settings,
    Signature,
    SystemResult,
)
from anaphor.core.learned import signed_models
from anaphor.core.table import counted
from anaphor.corpus import AlignmentFile, Inputs, Text, within_range
from anaphor.evaluation.experiment import Experiment
from anaphor.predict.contract import Model
from anaphor.predict.postedit import LinkedText, null_subjects
from anaphor.predict.shipped import model_digest
from anaphor.pronouns import AlignedTranslation, CounterpartFinder, find_pronouns


def link_candidate(
    settings: Settings,
    *,
    source: Text,
    candidate: Text,
    documents: tuple[str, ...] | None,
    links: AlignmentFile | None,
    progress: Progress = lambda _: None,
) -> LinkedText:
    """Find the source pronouns and their counterparts in the candidate, aligning the texts unless `links` are
    given.
    """
    # An experiment has a reference; here the candidate is the only translation and takes its place.
    inputs = Inputs(source, (candidate,), {}, documents)
    if links is not None:
        inputs = replace(inputs, reference_alignments=(links,), candidate_alignments={})
    experiment = Experiment.of(inputs, settings).aligned(progress)
    inputs = experiment.inputs
    (alignment,) = inputs.reference_alignments or ()
    inside = within_range(
        alignment,
        source_lengths=experiment.source.lengths(source.lines),
        target_lengths=experiment.target.lengths(candidate.lines),
    )
    task = experiment.pack.prediction
    if task is not None and task.null_subjects:
        words, target = (
            [list(side.words(line)) for line in text.lines]
            for side, text in ((experiment.source, source), (experiment.target, candidate))
        )
        pronouns, counterparts = null_subjects(experiment.pack.pair, words, target, inside)
        if not pronouns:
            raise InputError(
                f"no verb without a subject found in {counted(len(source), 'segment')}",
                where=source.path,
                fix="check that this is the source text and that --pair is right",
            )
        return _linked(experiment, candidate, pronouns, counterparts, list(inside))
    evaluated = find_pronouns(inputs, experiment.evaluated, experiment.source, experiment.pack).pronouns
    finder = experiment.finder
    if experiment.pack.pair.target == "en":
        # A wrong pronoun is no usual translation: elle as he.
        likely = {
            form: tuple(dict.fromkeys((*forms, "he", "she", "it", "they")))
            for form, forms in experiment.pack.likely.items()
        }
        pack = replace(experiment.pack, likely=likely)
        finder = CounterpartFinder(pack, experiment.evaluated.forms, repair=settings.repair)
    translation = AlignedTranslation(candidate.lines, experiment.target.words, inside)
    counterparts = finder.find(evaluated, translation)
    return _linked(experiment, candidate, evaluated, counterparts, list(inside))


def link_system(experiment: Experiment, system: SystemResult) -> LinkedText:
    """Link the candidate of a scored system to the counterparts that its verdicts judge."""
    pairs = [verdict.pair for verdict in system.verdicts]
    return _linked_pairs(experiment, experiment.inputs.candidates[system.name], pairs)


def _linked_pairs(experiment: Experiment, candidate: Text, pairs: Sequence[PronounPair]) -> LinkedText:
    return _linked(experiment, candidate, [pair.source for pair in pairs], [pair.candidate for pair in pairs])


def _linked(
    experiment: Experiment,
    candidate: Text,
    pronouns: Sequence[Pronoun],
    counterparts: Sequence[Counterpart | None],
    alignments: Sequence[Alignment] = (),
) -> LinkedText:
    inputs = experiment.inputs
    return LinkedText(
        experiment.pack.pair,
        [experiment.source.sentence(line) for line in inputs.source.lines],
        [experiment.target.sentence(line) for line in candidate.lines],
        pronouns,
        counterparts,
        inputs.documents,
        experiment.settings.tokenized,
        alignments,
    )


def model_signature(kind: str, name: str, model: Model, fields: Sequence[tuple[str, str]]) -> Signature:
    """Return the signature of a model's predictions; `name` is a shipped model or a folder."""
    card = model.card
    own = [
        ("model", card.recipe),
        ("hash", model_digest(name)),
        ("pair", card.pair),
        ("year", str(card.year)),
    ]
    return Signature(kind, (*own, *signed_models().items(), *fields), __version__)
