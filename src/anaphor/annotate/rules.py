"""What an assignment asks for, which answers it can have, and how far an answer brings it."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.annotate.conflicts import Conflict, conflicts
from anaphor.annotate.nouns import Answer, Highlight, Mark, Mode, Status
from anaphor.core import InputError

#: What says of a gap that nothing can fill it; it stands alone, as `anaphor meta gaps` wants it.
BAD_CHOICE = "bad"
#: The names of translations that are shown beside each other.
SLOTS = ("a", "b", "c")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one assignment asks for. `slots` are those of the translations that are shown."""

    mode: Mode
    asks_antecedent: bool
    highlight: Highlight
    choices: tuple[str, ...]
    slots: tuple[str, ...]


def check_answer(asked: Asked, answer: Answer, *, where: str) -> None:
    """Refuse an answer that the assignment cannot have: another mode's, or about words it does not show."""
    surplus = {
        "antecedent": answer.antecedent is not Mark.UNSET and not asked.asks_antecedent,
        "antecedent or pronoun": asked.mode is not Mode.JUDGE
        and (answer.antecedent, answer.pronoun) != (Mark.UNSET, Mark.UNSET),
        "words": bool(set(answer.words) - set(asked.highlight.words)) or (_wordless(asked) and answer.words),
        "choices": bool(set(answer.choices) - set(asked.choices)),
        "order": bool(answer.order) and _slots(answer) != sorted(asked.slots),
    }
    for field, broken in surplus.items():
        if broken:
            raise InputError(
                f"this example cannot have such an answer: {field}",
                where=where,
                fix="choose among what the example shows",
            )


def warnings_of(asked: Asked, answer: Answer) -> tuple[Conflict, ...]:
    """The rules that an answer breaks; they warn, and forbid nothing."""
    if asked.mode is Mode.JUDGE:
        return conflicts(answer, asked.highlight, asks_antecedent=asked.asks_antecedent)
    if BAD_CHOICE in answer.choices and len(answer.choices) > 1:
        return (
            Conflict("gap_bad_alone", "pronoun", "a bad translation stands alone: nothing else fits its gap"),
        )
    return ()


def status_of(asked: Asked, answer: Answer) -> Status:
    """New for an empty answer; a remark or a tag alone counts as an answer, as in PROTEST."""
    if answer.is_empty:
        return Status.NEW
    return Status.CONFLICT if warnings_of(asked, answer) else Status.DONE


def _wordless(asked: Asked) -> bool:
    return asked.mode is not Mode.JUDGE


def _slots(answer: Answer) -> list[str]:
    return sorted(slot for group in answer.order for slot in group)
