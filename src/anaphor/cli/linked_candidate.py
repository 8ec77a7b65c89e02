"""A candidate with its pronouns, linked to the source, for predictors that are asked about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anaphor.core import Counterpart, Pronoun, Settings, Signature, SystemResult
    from anaphor.corpus import AlignmentFile, Inputs, Text
    from anaphor.metrics import ScoringSetup
    from anaphor.predict.contract import Model
    from anaphor.predict.postedit import LinkedText


def link_candidate(
    settings: Settings,
    *,
    source: Text,
    candidate: Text,
    documents: tuple[str, ...] | None,
    links: AlignmentFile | None,
    progress: Callable[[str], None] = lambda _: None,
) -> LinkedText:
    """Find the source pronouns and what the candidate has for them; links that are not given are made."""
    from anaphor.corpus import Inputs, within_range
    from anaphor.metrics import ScoringSetup
    from anaphor.pronouns import AlignedTranslation, find_pronouns

    setup = ScoringSetup.of(settings)
    # An experiment has a reference; here the candidate is the only translation, and stands in its place.
    inputs = Inputs(source, (candidate,), {}, documents)
    if links is None:
        inputs = setup.aligned(inputs, progress)
    else:
        inputs = replace(inputs, reference_alignments=(links,))
    found = find_pronouns(inputs, setup.evaluated, setup.source, setup.pack)
    (made,) = inputs.reference_alignments or ()
    inside = within_range(
        made, source_lengths=found.lengths, target_lengths=setup.target.lengths(candidate.lines)
    )
    counterparts = setup.finder.find(
        found.pronouns, AlignedTranslation(candidate.lines, setup.target.words, inside)
    )
    return _linked(setup, settings, inputs, candidate, found.pronouns, counterparts)


def link_system(settings: Settings, inputs: Inputs, system: SystemResult) -> LinkedText:
    """The same for a system that was scored: with the counterparts that its verdicts judge."""
    from anaphor.metrics import ScoringSetup

    pairs = [verdict.pair for verdict in system.verdicts]
    return _linked(
        ScoringSetup.of(settings),
        settings,
        inputs,
        inputs.candidates[system.name],
        [pair.source for pair in pairs],
        [pair.candidate for pair in pairs],
    )


def _linked(
    setup: ScoringSetup,
    settings: Settings,
    inputs: Inputs,
    candidate: Text,
    pronouns: Sequence[Pronoun],
    counterparts: Sequence[Counterpart | None],
) -> LinkedText:
    from anaphor.predict.postedit import LinkedText

    return LinkedText(
        setup.pack.pair,
        [setup.source.sentence(line) for line in inputs.source.lines],
        [setup.target.sentence(line) for line in candidate.lines],
        pronouns,
        counterparts,
        inputs.documents,
        settings.tokenized,
    )


def model_signature(kind: str, name: str, model: Model, fields: Sequence[tuple[str, str]]) -> Signature:
    """What a predictor was and how it was asked; the hash is that of its files."""
    from anaphor import __version__
    from anaphor.core import Signature
    from anaphor.predict.postedit.signing import model_hash

    card = model.card
    told = [("model", card.recipe), ("hash", model_hash(name)), ("pair", card.pair), ("year", str(card.year))]
    return Signature(kind, (*told, *fields), __version__)
