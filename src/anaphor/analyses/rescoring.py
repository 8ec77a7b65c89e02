"""How sensitive a score is to alignment and segmentation: the same texts aligned or cut in several ways."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

from anaphor.align.choice import POSTERIOR, capabilities_of
from anaphor.core import Flip, InputWarning, OptionError, Progress, Sensitivity, Settings, SystemResult
from anaphor.corpus import Inputs, Text
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment

#: From few and sure links to many: what an aligner can reasonably say.
SYMMETRIZATIONS = ("intersection", POSTERIOR, "grow-diag-final-and", "union")


def check_sensitivity(inputs: Inputs, settings: Settings) -> None:
    """Raise if there is nothing to symmetrize: given alignments, and aligners without two directions."""
    if inputs.reference_alignments is not None or inputs.candidate_alignments is not None:
        what = "the alignments are given, so there is nothing to symmetrize"
        fix = "leave out --alignment-reference and --alignment-candidate"
        raise OptionError(what, where="--alignment-sensitivity", fix=fix)
    if not capabilities_of(settings.aligner).symmetrizations:
        what = f"{settings.aligner} aligns both directions at once, so there is nothing to symmetrize"
        raise OptionError(what, where="--alignment-sensitivity, --aligner", fix="omit one of the two")


def alignment_sensitivity(
    inputs: Inputs, settings: Settings, progress: Progress = lambda _: None
) -> Sensitivity:
    """Score the texts under each symmetrization of one trained aligner; they must come without alignments."""
    check_sensitivity(inputs, settings)
    known = capabilities_of(settings.aligner).symmetrizations
    symmetrizations = [name for name in SYMMETRIZATIONS if name in known]
    chosen = replace(settings, metrics=("apt",), symmetrization="", samples=0, paired=False)
    aligned = Experiment.of(inputs, chosen).aligned_by_symmetrization(symmetrizations, progress)
    results = {}
    for name, experiment in aligned.items():
        progress(f"scoring with {name}")
        results[name] = evaluate_experiment(experiment).systems
    return _compared(results)


#: What the segmentations of whole documents are called that are compared.
SEGMENTATIONS = ("best", "second best")


def segmentation_sensitivity(
    inputs: Inputs, settings: Settings, progress: Progress = lambda _: None
) -> Sensitivity:
    """Score candidates that were cut from whole documents under the best and the second best segmentation.

    Both are aligned together, so only the segmentation differs.
    """
    check_segmentation_sensitivity(inputs)
    best = {name: inputs.candidates[name] for name in inputs.segmentations}
    second = {
        f"{name} ({SEGMENTATIONS[1]})": Text.of(segmentation.second, path=inputs.candidates[name].path)
        for name, segmentation in inputs.segmentations.items()
    }
    chosen = replace(settings, metrics=("apt",), samples=0, paired=False)
    progress("scoring the second best segmentation")
    texts = replace(inputs, candidates={**best, **second}, candidate_alignments=None, segmentations={})
    with warnings.catch_warnings():
        # What looks wrong with a candidate was said of it already.
        warnings.simplefilter("ignore", InputWarning)
        systems = evaluate_experiment(Experiment.of(texts, chosen), progress).systems
    others = [replace(system, name=name) for system, name in zip(systems[len(best) :], best, strict=True)]
    return _compared(dict(zip(SEGMENTATIONS, (systems[: len(best)], others), strict=True)))


def check_segmentation_sensitivity(inputs: Inputs) -> None:
    """Raise if no candidate was cut, or if there is no reference to compare with."""
    where = "--segmentation-sensitivity"
    if not inputs.segmentations:
        fix = "name candidates that are whole documents with --whole-documents, or omit it"
        raise OptionError("no candidate was cut from whole documents", where=where, fix=fix)
    if not inputs.references:
        raise OptionError("outcomes need a reference", where=where, fix="add one, or omit the option")


def _compared(results: Mapping[str, Sequence[SystemResult]]) -> Sensitivity:
    """Scores and outcomes of the same systems under several conditions."""
    scores = {
        name: {system.name: system.scores[0].value for system in systems} for name, systems in results.items()
    }
    flips = []
    for versions in zip(*results.values(), strict=True):
        for verdicts in zip(*(version.verdicts for version in versions), strict=True):
            outcomes = [verdict.outcome for verdict in verdicts]
            if len(set(outcomes)) > 1:
                flips.append(
                    Flip(versions[0].name, verdicts[0].pair.source, dict(zip(results, outcomes, strict=True)))
                )
    pronouns = sum(len(system.verdicts) for system in next(iter(results.values())))
    return Sensitivity(scores, pronouns, tuple(flips))
