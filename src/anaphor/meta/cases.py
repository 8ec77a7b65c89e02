"""The metric's verdict beside that of people: by case, by category, by reason.

`by_case` is Table 5 of apt-2017. The rest follows guillou-hardmeier-2018, section 6: the metric says right
for cases 1 and 2 and wrong for case 3. Where it cannot say (cases 4 to 6) or people could not (bad), nothing
is compared.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import InputWarning, Outcome
from anaphor.meta.judgements import Answer, JudgedCase, Reason
from anaphor.meta.scores import ScoreColumn

_COMPARED = (Outcome.IDENTICAL, Outcome.EQUIVALENT, Outcome.DIFFERENT)
_RIGHT = (Outcome.IDENTICAL, Outcome.EQUIVALENT)
#: The category of judgements that name none.
NO_CATEGORY = "-"


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One case of the metric: how often people said each answer."""

    outcome: Outcome
    answers: Mapping[Answer, int]

    @property
    def total(self) -> int:
        return sum(self.answers.values())

    def share(self, answer: Answer) -> float | None:
        """The share of an answer; None where the case does not occur."""
        return self.answers[answer] / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class CategoryRow:
    """The compared pronouns of one category: by case, by answer, and where the two disagree.

    `reasons` counts the disagreements that carry a reason; `disagreements` minus their sum carry none.
    """

    category: str
    cases: Mapping[Outcome, int]
    correct: int
    incorrect: int
    disagreements: int
    reasons: Mapping[Reason, int]

    @property
    def examples(self) -> int:
        return self.correct + self.incorrect

    @property
    def rate(self) -> float | None:
        """The share of disagreements; None for a category without a comparable pronoun."""
        return self.disagreements / self.examples if self.examples else None


@dataclass(frozen=True, slots=True)
class Confrontation:
    """All tables of one set of judgements; the last row of `categories` is the total."""

    by_case: tuple[CaseRow, ...]
    categories: tuple[CategoryRow, ...]
    case_disagreements: Mapping[Outcome, tuple[int, int]]
    skipped: int

    @property
    def total(self) -> CategoryRow:
        return self.categories[-1]


def confront(joined: Sequence[JudgedCase]) -> Confrontation:
    """The tables of judgements that were joined with their cases; each judgement counts once.

    `case_disagreements` has, for cases 1 to 3, the disagreements and the compared pronouns. `skipped`
    counts judgements that cannot be compared.
    """
    compared = [one for one in joined if _is_compared(one)]
    _note_idle_reasons(joined)
    names = list(dict.fromkeys(one.judged.category or NO_CATEGORY for one in joined))
    parts = {
        name: [one for one in compared if (one.judged.category or NO_CATEGORY) == name] for name in names
    }
    return Confrontation(
        by_case=tuple(_case_row(outcome, joined) for outcome in Outcome),
        categories=(
            *(_category_row(name, part) for name, part in parts.items()),
            _category_row("total", compared),
        ),
        case_disagreements={outcome: _disagreements(outcome, compared) for outcome in _COMPARED},
        skipped=len(joined) - len(compared),
    )


def correct_share(joined: Sequence[JudgedCase]) -> ScoreColumn:
    """For each system the share of its judgements that are correct (guillou-hardmeier-2018, Table 1).

    What could not be judged is not correct: the whole sample counts.
    """
    right: dict[str, list[bool]] = {}
    for one in joined:
        right.setdefault(one.judged.system, []).append(one.judged.answer is Answer.CORRECT)
    shares = {system: sum(answers) / len(answers) for system, answers in right.items()}
    return ScoreColumn.of("judged-correct", shares, path="judgements")


def disagrees(one: JudgedCase) -> bool:
    """Whether the metric says right and the person wrong, or the other way round."""
    return (one.case.outcome in _RIGHT) is not (one.judged.answer is Answer.CORRECT)


def _note_idle_reasons(joined: Sequence[JudgedCase]) -> None:
    idle = sum(one.judged.reason is not None and not (_is_compared(one) and disagrees(one)) for one in joined)
    if idle:
        warnings.warn(
            f"{idle} judgements have a reason although nothing disagrees; it is not counted",
            InputWarning,
            stacklevel=3,
        )


def _is_compared(one: JudgedCase) -> bool:
    return one.case.outcome in _COMPARED and one.judged.answer is not Answer.BAD


def _case_row(outcome: Outcome, joined: Sequence[JudgedCase]) -> CaseRow:
    counts = Counter(one.judged.answer for one in joined if one.case.outcome is outcome)
    return CaseRow(outcome, {answer: counts[answer] for answer in Answer})


def _category_row(name: str, part: Sequence[JudgedCase]) -> CategoryRow:
    cases = Counter(one.case.outcome for one in part)
    apart = [one for one in part if disagrees(one)]
    reasons = Counter(one.judged.reason for one in apart)
    correct = sum(one.judged.answer is Answer.CORRECT for one in part)
    return CategoryRow(
        category=name,
        cases={outcome: cases[outcome] for outcome in _COMPARED},
        correct=correct,
        incorrect=len(part) - correct,
        disagreements=len(apart),
        reasons={reason: reasons[reason] for reason in Reason},
    )


def _disagreements(outcome: Outcome, compared: Sequence[JudgedCase]) -> tuple[int, int]:
    part = [one for one in compared if one.case.outcome is outcome]
    return sum(map(disagrees, part)), len(part)
