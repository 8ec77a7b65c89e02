"""How far a score hangs on the alignment: the same texts under several ways to join the two directions."""

from __future__ import annotations

from dataclasses import replace

from anaphor.align.choice import POSTERIOR
from anaphor.core import Flip, OptionError, Sensitivity, Settings
from anaphor.corpus import Inputs
from anaphor.pipeline import Progress, evaluate

#: From few and sure links to many: what an aligner can reasonably say.
WAYS = ("intersection", POSTERIOR, "grow-diag-final-and", "union")


def check_sensitivity(inputs: Inputs) -> None:
    """Raise where there is only one way to read the links: they were given."""
    if inputs.reference_alignments is not None or inputs.candidate_alignments is not None:
        raise OptionError(
            "the alignments are given, so there is only one way to read them",
            where="--alignment-sensitivity",
            fix="leave out --alignment-reference and --alignment-candidate",
        )


def alignment_sensitivity(
    inputs: Inputs, settings: Settings, progress: Progress = lambda _: None
) -> Sensitivity:
    """Score the texts once for each way; they must come without alignments."""
    check_sensitivity(inputs)
    ways = [way for way in WAYS if way != POSTERIOR or settings.aligner == "anaphor"]
    results = {}
    for way in ways:
        progress(f"scoring with {way}")
        chosen = replace(settings, metrics=("apt",), symmetrization=way, samples=0, paired=False)
        results[way] = evaluate(inputs, chosen).systems
    scores = {
        way: {system.name: system.scores[0].value for system in found} for way, found in results.items()
    }
    flips = tuple(
        flip
        for versions in zip(*results.values(), strict=True)
        for verdicts in zip(*(version.verdicts for version in versions), strict=True)
        if len({verdict.outcome for verdict in verdicts}) > 1
        for flip in [
            Flip(
                versions[0].name,
                verdicts[0].pair.source,
                {way: verdict.outcome for way, verdict in zip(ways, verdicts, strict=True)},
            )
        ]
    )
    pronouns = sum(len(system.verdicts) for system in results[ways[0]])
    return Sensitivity(scores, pronouns, flips)
