"""`anaphor score --predictor` and `--functions`: what a predictor or a classifier says; never a score."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import FunctionScores, Result, Settings, Signature
    from anaphor.corpus import Inputs
    from anaphor.predict.contract import Model
    from anaphor.predict.postedit import Hint
    from anaphor.report.cards import CardHint
    from anaphor.report.table import Paint

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Hints:
    """For every system how many of its pronouns were asked about, and those that are unlikely."""

    asked: Mapping[str, int]
    found: Mapping[str, tuple[Hint, ...]]
    below: float
    signature: Signature


def add_hints(parser: argparse.ArgumentParser) -> None:
    """The options that ask a classifier or a predictor."""
    add = parser.add_argument_group("hints, which change no score").add_argument
    add("--functions", action="store_true", help="also show scores by what English *it* does, as guessed")
    add("--predictor", metavar="MODEL", help="flag pronouns that it finds unlikely, such as anaphor-1-small")
    add("--unlikely", type=float, default=0.05, metavar="P", help="less probable is unlikely (default 0.05)")


def check_asked_functions(options: argparse.Namespace, settings: Settings) -> None:
    """Raise before any long work where functions are asked for and cannot be guessed."""
    if options.functions:
        from anaphor.functions import check_functions

        check_functions(settings)


def functions_of(options: argparse.Namespace, result: Result, inputs: Inputs) -> FunctionScores | None:
    """Scores by the function of *it*, or None where nobody asks for them."""
    if not options.functions:
        return None
    from anaphor.functions import scores_by_function

    return scores_by_function(result, inputs)


def predictor_of(options: argparse.Namespace) -> Model | None:
    """The predictor that is asked, loaded before any long work; None where nobody asks for one."""
    if options.predictor is None:
        return None
    from anaphor.predict.postedit.proposals import check_limit
    from anaphor.predict.shipped import find_model

    check_limit(options.unlikely)
    return find_model(options.predictor, pair=options.pair, forms=True)


def hints_of(
    options: argparse.Namespace, model: Model | None, result: Result, inputs: Inputs
) -> Hints | None:
    """The hints of every system, or None without a predictor."""
    if model is None:
        return None
    from anaphor.postediting import link_system, model_signature
    from anaphor.predict.postedit import find_occurrences, predict_occurrences, unlikely

    if not result.systems[0].verdicts:
        raise OptionError(
            "no metric judges pronouns, so there are none to ask about",
            where="--predictor",
            fix="add a metric such as apt, or leave it out",
        )
    packs = None if options.packs is None else Path(options.packs)
    asked, found = {}, {}
    for system in result.systems:
        text = link_system(result.settings, inputs, system)
        answers = predict_occurrences(model, text, find_occurrences(text, year=model.card.year, packs=packs))
        asked[system.name] = len(answers)
        found[system.name] = tuple(unlikely(answers, below=options.unlikely))
    fields = [("unlikely", f"{options.unlikely:g}")]
    signature = model_signature("hint", options.predictor, model, fields)
    return Hints(asked, found, options.unlikely, signature)


def hints_text(hints: Hints, *, paint: Paint) -> str:
    """A count for each system, then its first hints, the most unlikely first."""
    lines = [paint.bold(f"hint, not a score: pronouns less probable than {hints.below:g} to the predictor")]
    for system, found in hints.found.items():
        lines.append(f"{system}: {len(found)} of {hints.asked[system]} pronouns")
        ordered = sorted(found, key=lambda hint: hint.probability)
        lines += [f"  {_told(hint)}" for hint in ordered[:_SHOWN]]
        if len(found) > _SHOWN:
            lines.append(f"  ... and {len(found) - _SHOWN} more; --json has all of them")
    return "\n".join([*lines, paint.dim(str(hints.signature))])


def _told(hint: Hint) -> str:
    one = hint.occurrence
    place = f"line {one.pronoun.segment + 1} token {one.position + 1}"
    return (
        f"{place}: {one.word} for {one.pronoun.form} {hint.probability:.3f}, "
        f"likelier {hint.likelier} {hint.likelier_probability:.2f}"
    )


def hints_content(hints: Hints) -> dict[str, Any]:
    """The same for the result file; segments and tokens count from 0."""
    return {
        "signature": str(hints.signature),
        "unlikely": hints.below,
        "asked": dict(hints.asked),
        "found": {system: [_content(hint) for hint in found] for system, found in hints.found.items()},
    }


def _content(hint: Hint) -> dict[str, Any]:
    one = hint.occurrence
    return {
        "segment": one.pronoun.segment,
        "token": one.pronoun.position,
        "pronoun": one.pronoun.form,
        "candidate_token": one.position,
        "word": one.word,
        "probability": round(hint.probability, 6),
        "likelier": hint.likelier,
        "likelier_probability": round(hint.likelier_probability, 6),
    }


def card_hints(hints: Hints | None) -> dict[tuple[str, int, int], CardHint]:
    """The hints for the cards, by system, segment and source token."""
    from anaphor.report.cards import CardHint

    return {
        (system, hint.occurrence.pronoun.segment, hint.occurrence.pronoun.position): CardHint(
            round(hint.probability, 6), hint.likelier, round(hint.likelier_probability, 6)
        )
        for system, found in (hints.found if hints else {}).items()
        for hint in found
    }
