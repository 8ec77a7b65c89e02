"""Pronouns of candidates that a predictor finds unlikely, shown next to the scores without affecting them."""

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
    hints: Mapping[str, tuple[Hint, ...]]
    below: float
    signature: Signature

    def to_dict(self) -> dict[str, Any]:
        """Segments and tokens are counted from 0."""
        return {
            "signature": str(self.signature),
            "unlikely": self.below,
            "predicted": dict(self.predicted),
            "hints": {
                system: [
                    {
                        "segment": occurrence.pronoun.segment,
                        "token": occurrence.pronoun.position,
                        "pronoun": occurrence.pronoun.form,
                        "candidate_token": occurrence.position,
                        "word": occurrence.word,
                        "probability": round(hint.probability, 6),
                        "likelier": hint.likelier,
                        "likelier_probability": round(hint.likelier_probability, 6),
                    }
                    for hint in hints
                    for occurrence in [hint.occurrence]
                ]
                for system, hints in self.hints.items()
            },
        }

    def tables(self) -> list[Block]:
        """A count for each system, then its first hints, the most unlikely first."""
        title = f"hint, not a score: pronouns less probable than {self.below:g} to the predictor"
        lines: list[str | Sequence[str | Styled]] = [[Styled(title, "bold")]]
        for system, hints in self.hints.items():
            lines.append(f"{system}: {len(hints)} of {self.predicted[system]} pronouns")
            for hint in sorted(hints, key=lambda hint: hint.probability)[:_LISTED]:
                occurrence = hint.occurrence
                lines.append(
                    f"  line {occurrence.pronoun.segment + 1} token {occurrence.position + 1}: "
                    f"{occurrence.word} for {occurrence.pronoun.form} {hint.probability:.3f}, "
                    f"likelier {hint.likelier} {hint.likelier_probability:.2f}"
                )
            if len(hints) > _LISTED:
                lines.append(f"  ... and {len(hints) - _LISTED} more; --json has all of them")
        return [Paragraph([*lines, [Styled(str(self.signature), "dim")]])]

    def for_cards(self) -> dict[tuple[str, int, int], CardHint]:
        """The hints by system, segment and source token."""
        return {
            (system, hint.occurrence.pronoun.segment, hint.occurrence.pronoun.position): CardHint(
                round(hint.probability, 6), hint.likelier, round(hint.likelier_probability, 6)
            )
            for system, hints in self.hints.items()
            for hint in hints
        }


def predictor_hints(
    experiment: Experiment, result: Result, model: Model, *, name: str, below: float
) -> PredictorHints:
    """The pronouns of every system that the predictor called `name` finds less probable than `below`."""
    from anaphor.evaluation.predictions import link_system, model_signature
    from anaphor.predict.postedit import find_occurrences, predict_occurrences, unlikely

    if not result.systems[0].verdicts:
        what = "no metric judges pronouns, so there is nothing to predict"
        raise OptionError(what, where="--predictor", fix="add a metric such as apt, or omit it")
    packs = None if result.settings.packs is None else Path(result.settings.packs)
    predicted, hints = {}, {}
    for system in result.systems:
        text = link_system(experiment, system)
        answers = predict_occurrences(model, text, find_occurrences(text, year=model.card.year, packs=packs))
        predicted[system.name] = len(answers)
        hints[system.name] = tuple(unlikely(answers, below=below))
    fields = [("unlikely", f"{below:g}")]
    signature = model_signature("hint", name, model, fields)
    return PredictorHints(predicted, hints, below, signature)
