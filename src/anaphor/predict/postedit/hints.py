"""Pronouns of a candidate that a predictor finds unlikely: a hint without any reference."""

from __future__ import annotations

from collections.abc import Iterable

from anaphor.core import OptionError
from anaphor.predict.postedit.nouns import Answer, Hint

#: A pronoun less probable than this is unlikely; docs/predict/hint.md has what other values give.
UNLIKELY = 0.05


def check_limit(below: float) -> None:
    """An error unless this is a probability that others can be below."""
    if not 0 < below < 1:
        raise OptionError(
            f"no probability to be below: {below}", where="--unlikely", fix="give one such as 0.05"
        )


def unlikely(answers: Iterable[Answer], *, below: float = UNLIKELY) -> list[Hint]:
    """The occurrences whose own class is less probable than `below`, in order."""
    check_limit(below)
    return [_hint(answer) for answer in answers if answer.of_candidate < below]


def _hint(answer: Answer) -> Hint:
    label, share = answer.first(but=answer.occurrence.label)
    return Hint(answer.occurrence, answer.of_candidate, label, share)
