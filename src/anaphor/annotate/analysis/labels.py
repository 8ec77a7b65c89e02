"""Answers as labels, on which annotators agree or not, and as the judgements that `anaphor meta` reads."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection

from anaphor.annotate.campaign.facts import read_campaign
from anaphor.annotate.judging.adjudication import last_decisions
from anaphor.annotate.judging.answer_rows import AnswerRow, answer_rows
from anaphor.annotate.rules import BAD_TRANSLATION, WRONG_ALIGNMENT
from anaphor.annotate.types import AnnotatorAnswer, Mark, Mode
from anaphor.core import OptionError, UnknownNameError
from anaphor.meta.judgements import JudgedPronoun, Judgement

OVERALL, PRONOUN, ANTECEDENT = QUESTIONS = ("overall", "pronoun", "antecedent")
"""What agreement is measured on: the judgement as it is exported, or one of the two questions."""

ADJUDICATED = "adjudicated"
"""The annotator's name of a lead's decision in exported judgements."""

_TASKS = {Mode.JUDGE: "judge", Mode.GAPS: "fill gaps", Mode.COMPARE: "compare"}


def judgement(answer: AnnotatorAnswer) -> Judgement | None:
    """What an answer says about the pronoun, in the terms of `anaphor meta`; None where it says nothing.

    The pronoun is judged given the translated antecedent, even a wrong one (guidelines of PROTEST).
    """
    if answer.pronoun in (Mark.UNSET, Mark.UNCLEAR):
        # The tags say the same as the mark: that the annotator cannot judge it.
        tagged = BAD_TRANSLATION in answer.tags or WRONG_ALIGNMENT in answer.tags
        unclear = answer.pronoun is Mark.UNCLEAR or tagged
        return Judgement.BAD if unclear else None
    return Judgement.CORRECT if answer.pronoun is Mark.YES else Judgement.INCORRECT


def label(question: str, row: AnswerRow) -> str | None:
    """The label of an answer for a question; None where there is none."""
    if question not in QUESTIONS:
        raise UnknownNameError.among(question, QUESTIONS, kind="question", where="agreement")
    if question != OVERALL:
        mark = row.answer.pronoun if question == PRONOUN else row.answer.antecedent
        return None if mark is Mark.UNSET else mark.value
    if row.task.mode is Mode.GAPS:
        return ", ".join(row.answer.choices) or None
    if row.task.mode is Mode.COMPARE:
        return " > ".join(" = ".join(group) for group in row.ranking) or None
    found = judgement(row.answer)
    return None if found is None else found.value


def judged_rows(connection: Connection, *, final: bool = False) -> tuple[JudgedPronoun, ...]:
    """Every judgement of every annotator; with `final`, decisions of leads in place of what they decide."""
    require_mode(connection, Mode.JUDGE)
    decided = last_decisions(connection) if final else {}
    rows = answer_rows(connection)
    found = [one for row in rows if row.unit not in decided for one in _judged(row, row.answer, row.person)]
    for unit, row in {row.unit: row for row in rows if row.unit in decided}.items():
        found += _judged(row, decided[unit].answer, ADJUDICATED)
    return tuple(found)


def _judged(row: AnswerRow, answer: AnnotatorAnswer, by: str) -> Iterator[JudgedPronoun]:
    found = judgement(answer)
    if found is not None:
        yield JudgedPronoun(row.systems[0], row.key, found, row.category, None, by)


def require_mode(connection: Connection, mode: Mode) -> None:
    """Refuse a campaign of another mode."""
    found = read_campaign(connection).mode
    if found is not mode:
        what = f"the campaign asks annotators to {_TASKS[found]}, not to {_TASKS[mode]}"
        raise OptionError(what, where="the campaign", fix="choose a format that fits, such as jsonl")
