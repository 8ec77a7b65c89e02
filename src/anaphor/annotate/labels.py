"""Answers as labels, on which agreement is computed.

Assignments store the labels of their answers in columns, so agreement and lists need not read any answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from anaphor.annotate.rules import BAD_TRANSLATION, SLOTS, WRONG_ALIGNMENT
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.meta.judgements import Judgement

OVERALL = "overall"
QUESTIONS = (OVERALL, "pronoun", "antecedent")
"""What agreement is measured on: the judgement as it is exported, or one of the two questions."""


class Labels(NamedTuple):
    """The label of an answer to every question, in the order of `QUESTIONS`; None if there is none."""

    overall: str | None = None
    pronoun: str | None = None
    antecedent: str | None = None

    def columns(self) -> dict[str, str | None]:
        """The labels as columns of an assignment."""
        return {f"{question}_label": label for question, label in zip(QUESTIONS, self, strict=True)}


def judgement(answer: AnnotatorAnswer) -> Judgement | None:
    """The answer about the pronoun in the terms of `anaphor meta`; None if there is none.

    The pronoun is judged given the translated antecedent, even a wrong one (guidelines of PROTEST).
    """
    if answer.pronoun in (Mark.UNSET, Mark.UNCLEAR):
        # The tags say the same as the mark: that the annotator cannot judge it.
        tagged = BAD_TRANSLATION in answer.tags or WRONG_ALIGNMENT in answer.tags
        return Judgement.BAD if answer.pronoun is Mark.UNCLEAR or tagged else None
    return Judgement.CORRECT if answer.pronoun is Mark.YES else Judgement.INCORRECT


def labels_of(mode: Mode, answer: AnnotatorAnswer, systems: Sequence[str] = ()) -> Labels:
    """The labels of an answer; a comparison is labelled by system names, given in slot order."""
    if mode is Mode.GAPS:
        return Labels(", ".join(answer.choices) or None)
    if mode is Mode.COMPARE:
        return Labels(" > ".join(" = ".join(group) for group in ranking(answer, systems)) or None)
    judged = judgement(answer)
    pronoun, antecedent = (
        None if mark is Mark.UNSET else mark.value for mark in (answer.pronoun, answer.antecedent)
    )
    return Labels(None if judged is None else judged.value, pronoun, antecedent)


def ranking(answer: AnnotatorAnswer, systems: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """A comparison by system names, from best to worst; ties in alphabetical order."""
    named = dict(zip(SLOTS, systems, strict=False))
    return tuple(tuple(sorted(named[slot] for slot in group)) for group in answer.order)


def ranks(label: str, systems: Iterable[str]) -> dict[str, int]:
    """The rank of every system in a comparison label, best first; ties share a rank."""
    name = "|".join(map(re.escape, sorted(systems, key=len, reverse=True)))  # "a = b" may be one name
    ranked, rank = dict[str, int](), 0
    for worse, system in re.findall(rf"( > | = )?({name})", label):
        rank += worse == " > "
        ranked[system] = rank
    return ranked
