"""What people said of pronouns, and what the metric said of the same ones.

Judgements are TSV or JSON lines with the columns

    system      the system that was judged, as in the result
    id          the pronoun; or `segment` and `token`, both counted from 0 as in the items of a result
    judgement   correct, incorrect, or bad where it cannot be judged (a bad translation, a wrong link)
    category    optional: the function of the pronoun, such as pleonastic
    reason      optional: why person and metric disagree: V, E, I or O (guillou-hardmeier-2018, Table 4)
    annotator   optional: who judged

Items are what `anaphor score --items` writes. The id of an item is `SEGMENT:TOKEN`.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from anaphor.core import InputWarning, MismatchError, Outcome
from anaphor.core.records import Row
from anaphor.meta.rows import read_rows


class Answer(Enum):
    """What a person can say of a pronoun (apt-2017, section 4.3)."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    BAD = "bad"


class Reason(Enum):
    """Why person and metric disagree (guillou-hardmeier-2018, Table 4). Values are the paper's letters."""

    VALID_ALTERNATIVE = "V"
    INCORRECT_EQUIVALENCE = "E"
    IMPERSONAL = "I"
    OTHER = "O"


@dataclass(frozen=True, slots=True)
class Judged:
    """One judgement of one pronoun of one system; `annotator` is empty where nobody is named."""

    system: str
    id: str
    answer: Answer
    category: str | None
    reason: Reason | None
    annotator: str


@dataclass(frozen=True, slots=True)
class Case:
    """What the metric said of one pronoun; words are None where nothing is linked."""

    outcome: Outcome
    reference_words: str | None
    candidate_words: str | None


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A judgement beside the case it belongs to."""

    judged: Judged
    case: Case


Key = tuple[str, str]

_PLACE = ("id", "segment", "token")
_ITEM = ("document", "pronoun", "reference", "reference_repair", "candidate_repair")


def read_judgements(path: str | Path) -> tuple[Judged, ...]:
    """All judgements; the same person may judge a pronoun of a system once."""
    rows = read_rows(
        path,
        required=("system", "judgement"),
        optional=(*_PLACE, "category", "reason", "annotator"),
    )
    seen: set[tuple[str, str, str]] = set()
    judged = []
    for row in rows:
        one = _judged(row)
        key = (one.system, one.id, one.annotator)
        if key in seen:
            row.refuse("id", f"{one.id} of {one.system} is judged twice", fix="keep one, or name annotators")
        seen.add(key)
        judged.append(one)
    return tuple(judged)


def read_cases(path: str | Path) -> Mapping[Key, Case]:
    """The items of a result by system and id."""
    words = ("reference_words", "candidate_words")
    rows = read_rows(path, required=("system", "outcome"), optional=(*_PLACE, *words, *_ITEM))
    cases: dict[Key, Case] = {}
    for row in rows:
        key = row.text("system"), item_id(row)
        if key in cases:
            row.refuse("id", f"{key[1]} of {key[0]} has two rows", fix="keep one row for each pronoun")
        outcome = row.choice("outcome", [outcome.name.lower() for outcome in Outcome])
        cases[key] = Case(Outcome[outcome.upper()], *(_words(row, column) for column in words))
    return cases


def join(judged: Sequence[Judged], cases: Mapping[Key, Case]) -> tuple[JudgedCase, ...]:
    """Every judgement with its case. A judgement without one is an error; the rest is named in a note."""
    unknown = [one for one in judged if (one.system, one.id) not in cases]
    if unknown:
        raise MismatchError(
            f"{len(unknown)} judgements have no item, the first is {unknown[0].id} of {unknown[0].system}",
            where="judgements and items",
            fix="give the items of the same systems and pronouns (anaphor score --items)",
        )
    left = len(cases) - len({(one.system, one.id) for one in judged})
    if left:
        warnings.warn(f"{left} of {len(cases)} items have no judgement", InputWarning, stacklevel=2)
    return tuple(JudgedCase(one, cases[one.system, one.id]) for one in judged)


def ratings(judged: Sequence[Judged]) -> tuple[tuple[str | None, ...], ...]:
    """A row for each judged pronoun with the answer of each annotator, None where one gave none."""
    people = sorted({one.annotator for one in judged})
    answers: dict[Key, dict[str, str]] = {}
    for one in judged:
        answers.setdefault((one.system, one.id), {})[one.annotator] = one.answer.value
    return tuple(tuple(given.get(person) for person in people) for given in answers.values())


def _judged(row: Row) -> Judged:
    reason = row.choice("reason", [one.value for one in Reason]) if "reason" in row else None
    return Judged(
        system=row.text("system"),
        id=item_id(row),
        answer=Answer(row.choice("judgement", [one.value for one in Answer])),
        category=row.optional_text("category"),
        reason=None if reason is None else Reason(reason),
        annotator=row.optional_text("annotator") or "",
    )


def item_id(row: Row) -> str:
    """The pronoun of a row, by its id or by segment and token."""
    return row.text("id") if "id" in row else f"{row.integer('segment', low=0)}:{row.integer('token', low=0)}"


def _words(row: Row, column: str) -> str | None:
    words = row.optional_text(column)
    return None if words == "-" else words
