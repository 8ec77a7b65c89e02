"""Practice: examples with a known answer, which everyone answers first and gets feedback on.

They come from a file provided by the lead, or are generated from the reference like attention items. Their
answers are not counted.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from anaphor.annotate.answer_json import parse_answer
from anaphor.annotate.campaign.attention import GENDER, RIGHT, WRONG
from anaphor.annotate.campaign.pool import ItemPool, PoolSystem, PoolUnit
from anaphor.annotate.types import AnnotatorAnswer, Mark
from anaphor.core import InputError, OptionError, UnknownNameError, Where
from anaphor.corpus import read_text

MAX_EXPLANATION = 2000
_WHY = {
    RIGHT: "This is the reference translation: pronoun and antecedent are right.",
    GENDER: "The pronoun does not have the gender of its noun.",
    WRONG: "The pronoun was left in the source language, which is wrong in any case.",
}


@dataclass(frozen=True, slots=True)
class PracticeExample:
    """An item in a system, the correct answer, and why; `where` is its place in a file."""

    item: str
    system: str
    answer: AnnotatorAnswer
    explanation: str = ""
    where: Where | str = "practice"


def read_practice(path: str | Path) -> tuple[PracticeExample, ...]:
    """Read practice from JSON lines: `item`, `system`, `explanation`, and the fields of an answer."""
    examples = []
    for number, line in enumerate(read_text(path).lines, start=1):
        where = Where(str(path), number)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"not JSON: {error}", where=where, fix="write one object per line") from error
        if not isinstance(record, dict):
            raise InputError("not an object", where=where, fix="write one object per line")
        texts = {name: record.pop(name, "") for name in ("item", "system", "explanation")}
        for name, text in texts.items():
            valid = isinstance(text, str) and len(text) <= MAX_EXPLANATION and "\0" not in text
            if not valid or (not text and name != "explanation"):
                fix = f"use {name} as text of up to {MAX_EXPLANATION} characters"
                raise InputError(f"{name} is missing or not a string", where=where, fix=fix)
        answer = parse_answer(record, where=str(where))
        if answer.pronoun is Mark.UNSET and not answer.choices:
            fix = 'write "pronoun": "yes" or "no", or "choices" for gap filling'
            raise InputError("the correct answer is missing", where=where, fix=fix)
        examples.append(PracticeExample(**texts, answer=answer, where=where))
    if not examples:
        raise InputError(
            ("the file has no practice examples"), where=str(path), fix="write one object per line"
        )
    return tuple(examples)


def practice_units(pool: ItemPool, examples: Sequence[PracticeExample]) -> tuple[PoolUnit, ...]:
    """The units of practice examples, in order."""
    items = {item.suite_item: item for item in pool.items}
    units_of: dict[str, PoolUnit] = {}
    for example in examples:
        if example.item not in items:
            raise UnknownNameError.among(example.item, items, kind="item", where=example.where)
        if example.system not in pool.systems:
            raise UnknownNameError.among(example.system, pool.systems, kind="system", where=example.where)
        unit = pool.unit([example.system], items[example.item])
        if unit.id in units_of:
            raise InputError("the example occurs twice", where=example.where, fix="remove one of the two")
        expected = replace_unasked(example.answer, antecedent=unit.item.antecedent)
        units_of[unit.id] = replace(unit, expected=expected, feedback=example.explanation)
    return tuple(units_of.values())


def replace_unasked(answer: AnnotatorAnswer, *, antecedent: bool) -> AnnotatorAnswer:
    """The answer without the antecedent if it is not part of the question."""
    mark = answer.antecedent if antecedent else Mark.UNSET
    return AnnotatorAnswer(antecedent=mark, pronoun=answer.pronoun, choices=answer.choices)


def explained(
    units: Sequence[PoolUnit], practice: int, *, systems: Sequence[PoolSystem]
) -> tuple[tuple[PoolUnit, ...], tuple[PoolUnit, ...]]:
    """This many units for practice, right and wrong ones in turn, and the rest; `systems` are their texts."""
    if not practice:
        return (), tuple(units)
    names = {system.id: system.name for system in systems}
    shown_in = {unit.id: names[unit.targets[0].system] for unit in units}
    right = [unit for unit in units if shown_in[unit.id] == RIGHT]
    wrong = [unit for unit in units if shown_in[unit.id] != RIGHT]
    turns = [unit for pair in zip_longest(right, wrong) for unit in pair if unit is not None]
    first = tuple(replace(unit, feedback=_WHY[shown_in[unit.id]]) for unit in turns[:practice])
    return first, tuple(turns[practice:])


def require_apart(practice: Sequence[PoolUnit], units: Sequence[PoolUnit]) -> None:
    """Reject practice that contains examples drawn by the plan."""
    drawn = {unit.id for unit in units}
    for unit in practice:
        if unit.id in drawn:
            what = f"{unit.item.suite_item} is drawn by the plan, so it cannot be practised"
            raise OptionError(what, where="--practice", fix="choose an example that is not in the plan")


def is_right(expected: AnnotatorAnswer, given: AnnotatorAnswer) -> bool:
    """Whether an answer is the expected one, as far as one is defined."""
    return (
        (expected.antecedent is Mark.UNSET or given.antecedent is expected.antecedent)
        and (expected.pronoun is Mark.UNSET or given.pronoun is expected.pronoun)
        and (not expected.choices or given.choices == expected.choices)
    )
