"""How sensitive a score is to the alignment: the same texts under several symmetrizations."""

from __future__ import annotations

from dataclasses import replace

from anaphor.align.aligners import POSTERIOR, capabilities_of
from anaphor.core import Flip, OptionError, Sensitivity, Settings
from anaphor.corpus import Inputs
from anaphor.pipeline import Progress, align_by_symmetrization, evaluate

#: From few and sure links to many: what an aligner can reasonably say.
SYMMETRIZATIONS = ("intersection", POSTERIOR, "grow-diag-final-and", "union")


def check_sensitivity(inputs: Inputs, settings: Settings) -> None:
    """Raise where there is nothing to symmetrize: given alignments, and aligners without two directions."""
    if inputs.reference_alignments is not None or inputs.candidate_alignments is not None:
        what = "the alignments are given, so there is nothing to symmetrize"
        fix = "leave out --alignment-reference and --alignment-candidate"
        raise OptionError(what, where="--alignment-sensitivity", fix=fix)
    if not capabilities_of(settings.aligner).symmetrizations:
        what = f"{settings.aligner} aligns both directions at once, so there is nothing to symmetrize"
        raise OptionError(what, where="--alignment-sensitivity, --aligner", fix="leave one of the two out")


def alignment_sensitivity(
    inputs: Inputs, settings: Settings, progress: Progress = lambda _: None
) -> Sensitivity:
    """Score the texts under each symmetrization of one trained aligner; they must come without alignments."""
    check_sensitivity(inputs, settings)
    known = capabilities_of(settings.aligner).symmetrizations
    symmetrizations = [name for name in SYMMETRIZATIONS if name in known]
    chosen = replace(settings, metrics=("apt",), symmetrization="", samples=0, paired=False)
    progress("aligning")
    aligned = align_by_symmetrization(inputs, chosen, symmetrizations, progress)
    results = {}
    for name in symmetrizations:
        progress(f"scoring with {name}")
        results[name] = evaluate(aligned[name], chosen).systems
    scores = {
        name: {system.name: system.scores[0].value for system in found} for name, found in results.items()
    }
    flips = []
    for versions in zip(*results.values(), strict=True):
        for verdicts in zip(*(version.verdicts for version in versions), strict=True):
            outcomes = [verdict.outcome for verdict in verdicts]
            if len(set(outcomes)) > 1:
                by_symmetrization = dict(zip(symmetrizations, outcomes, strict=True))
                flips.append(Flip(versions[0].name, verdicts[0].pair.source, by_symmetrization))
    pronouns = sum(len(system.verdicts) for system in results[symmetrizations[0]])
    return Sensitivity(scores, pronouns, tuple(flips))
