"""Pronouns of candidates that a predictor finds unlikely: shown beside the scores, and no part of any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core import OptionError, Result, Signature
from anaphor.core.table import Block, Paragraph, Styled
from anaphor.evaluation.experiment import Experiment
from anaphor.report.cards import CardHint

if TYPE_CHECKING:  # slow to import, and few runs have a predictor
    from anaphor.predict.contract import Model
    from anaphor.predict.postedit import Hint

#: Hints that are listed for each system; JSON has all of them.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class PredictorHints:
    """For every system the number of its pronouns that were predicted, and the unlikely ones."""

    predicted: Mapping[str, int]
    found: Mapping[str, tuple[Hint, ...]]
    below: float
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """Segments and tokens count from 0."""
        return {
            "signature": str(self.signature),
            "unlikely": self.below,
            "asked": dict(self.predicted),
            "found": {
                system: [
                    {
                        "segment": one.pronoun.segment,
                        "token": one.pronoun.position,
                        "pronoun": one.pronoun.form,
                        "candidate_token": one.position,
                        "word": one.word,
                        "probability": round(hint.probability, 6),
                        "likelier": hint.likelier,
                        "likelier_probability": round(hint.likelier_probability, 6),
                    }
                    for hint in found
                    for one in [hint.occurrence]
                ]
                for system, found in self.found.items()
            },
        }

    def tables(self) -> list[Block]:
        """A count for each system, then its first hints, the most unlikely first."""
        title = f"hint, not a score: pronouns less probable than {self.below:g} to the predictor"
        lines: list[str | Sequence[str | Styled]] = [[Styled(title, "bold")]]
        for system, found in self.found.items():
            lines.append(f"{system}: {len(found)} of {self.predicted[system]} pronouns")
            for hint in sorted(found, key=lambda hint: hint.probability)[:_LISTED]:
                one = hint.occurrence
                lines.append(
                    f"  line {one.pronoun.segment + 1} token {one.position + 1}: "
                    f"{one.word} for {one.pronoun.form} {hint.probability:.3f}, "
                    f"likelier {hint.likelier} {hint.likelier_probability:.2f}"
                )
            if len(found) > _LISTED:
                lines.append(f"  ... and {len(found) - _LISTED} more; --json has all of them")
        return [Paragraph([*lines, [Styled(str(self.signature), "dim")]])]

    def for_cards(self) -> dict[tuple[str, int, int], CardHint]:
        """The hints by system, segment and source token."""
        return {
            (system, hint.occurrence.pronoun.segment, hint.occurrence.pronoun.position): CardHint(
                round(hint.probability, 6), hint.likelier, round(hint.likelier_probability, 6)
            )
            for system, found in self.found.items()
            for hint in found
        }


def predictor_hints(
    experiment: Experiment, result: Result, model: Model, *, name: str, below: float
) -> PredictorHints:
    """The pronouns of every system that the predictor called `name` finds less probable than `below`."""
    from anaphor.evaluation.predictions import link_system, model_signature
    from anaphor.predict.postedit import find_occurrences, predict_occurrences, unlikely

    if not result.systems[0].verdicts:
        what = "no metric judges pronouns, so there is nothing to predict"
        raise OptionError(what, where="--predictor", fix="add a metric such as apt, or leave it out")
    packs = None if result.settings.packs is None else Path(result.settings.packs)
    predicted, found = {}, {}
    for system in result.systems:
        text = link_system(experiment, system)
        answers = predict_occurrences(model, text, find_occurrences(text, year=model.card.year, packs=packs))
        predicted[system.name] = len(answers)
        found[system.name] = tuple(unlikely(answers, below=below))
    fields = [("unlikely", f"{below:g}")]
    signature = model_signature("hint", name, model, fields)
    return PredictorHints(predicted, found, below, signature)
