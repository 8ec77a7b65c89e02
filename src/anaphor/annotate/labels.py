"""Answers as labels: what two people agree on, and what `anaphor meta` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from anaphor.annotate.conflicts import BAD_TRANSLATION, WRONG_ALIGNMENT
from anaphor.annotate.gathered import Gathered
from anaphor.annotate.nouns import Answer, Mark, Mode
from anaphor.core import UnknownNameError
from anaphor.meta.judgements import Answer as Judgement

#: Tags of somebody who cannot judge: the translation is bad, or another word than the highlighted one counts.
_CANNOT_JUDGE = (BAD_TRANSLATION, WRONG_ALIGNMENT)

OVERALL, PRONOUN, ANTECEDENT = "overall", "pronoun", "antecedent"
"""What agreement can be asked of: the judgement as it is exported, or one of the two questions."""


def judgement(answer: Answer) -> Judgement | None:
    """What an answer says of the pronoun, in the words of `anaphor meta`; None where it says nothing.

    The pronoun counts given the translated antecedent, even a wrong one (guidelines of PROTEST).
    """
    if answer.pronoun is Mark.UNSET:
        return Judgement.BAD if any(tag in answer.tags for tag in _CANNOT_JUDGE) else None
    return Judgement.CORRECT if answer.pronoun is Mark.YES else Judgement.INCORRECT


def label(question: str, row: Gathered) -> str | None:
    """The label of an answer for a question; None where there is none."""
    if question not in _LABELS:
        raise UnknownNameError.among(question, _LABELS, kind="question", where="agreement")
    return _LABELS[question](row)


def _overall(row: Gathered) -> str | None:
    if row.asked.mode is Mode.GAPS:
        return ", ".join(row.answer.choices) or None
    if row.asked.mode is Mode.COMPARE:
        return " > ".join(" = ".join(group) for group in row.ranking()) or None
    found = judgement(row.answer)
    return None if found is None else found.value


def _mark(mark: Mark) -> str | None:
    return None if mark is Mark.UNSET else mark.value


_LABELS: Mapping[str, Callable[[Gathered], str | None]] = {
    OVERALL: _overall,
    PRONOUN: lambda row: _mark(row.answer.pronoun),
    ANTECEDENT: lambda row: _mark(row.answer.antecedent),
}
