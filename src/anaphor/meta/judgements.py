"""Human judgements of pronouns compared with the metric's cases: by case, category and reason.

For the metric, cases 1 and 2 are right and case 3 is wrong (guillou-hardmeier-2018, section 6). Undecided
cases (4 to 6) and unjudgeable items (bad) are not compared. docs/meta/cases.md describes the files and the
tables.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

from anaphor.core import InputWarning, MismatchError, Outcome
from anaphor.core.records import Row, whole_number
from anaphor.core.table import Block, Table, count, format_percent, interval, number, percent, plain, text
from anaphor.meta.scores import ScoreColumn, any_rows, check_columns, read_rows
from anaphor.report.result_tables import CASE_NAMES
from anaphor.stats.agreement import AgreementCoefficient, agreement_coefficients

#: The category of judgements that name none.
NO_CATEGORY = "-"

_COMPARED = (Outcome.IDENTICAL, Outcome.EQUIVALENT, Outcome.DIFFERENT)
_RIGHT = (Outcome.IDENTICAL, Outcome.EQUIVALENT)
_PLACE = ("id", "segment", "token")
_ITEM = (
    *("document", "pronoun", "reference", "reference_words", "candidate_words", "candidate_positions"),
    *("reference_repair", "candidate_repair", "line", "context", "source", "reference_text"),
    "candidate_text",
)
#: What follows the name of a metric in the column of its reasons; the column before it has its scores.
_REASON = "_reason"
_NAMES = {case: f"{case.value} {name}" for case, name in CASE_NAMES.items()}

Key = tuple[str, str]


class Judgement(Enum):
    """An annotator's answer about a pronoun (apt-2017, section 4.3)."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    BAD = "bad"


class Reason(Enum):
    """Why annotator and metric disagree (guillou-hardmeier-2018, Table 4); the paper's letters."""

    VALID_ALTERNATIVE = "V"
    INCORRECT_EQUIVALENCE = "E"
    IMPERSONAL = "I"
    OTHER = "O"


@dataclass(frozen=True, slots=True)
class JudgedPronoun:
    """One judgement of one pronoun of one system; `annotator` may be empty."""

    system: str
    id: str
    judgement: Judgement
    category: str | None
    reason: Reason | None
    annotator: str


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """The metric's outcome for one pronoun; words are None if nothing is linked."""

    outcome: Outcome
    reference_words: str | None
    candidate_words: str | None


@dataclass(frozen=True, slots=True)
class ScoredItem:
    """One pronoun of one system with its metric results.

    `scores` are None if a metric is undecided; `verdicts` are empty without any. `candidate_positions` are
    tokens of the candidate's line. `marked_source` is the source line with the pronoun in brackets, empty if
    the file lacks it.
    """

    system: str
    id: str
    document: str
    pronoun: str
    outcome: Outcome
    reference_words: str | None
    candidate_words: str | None
    candidate_positions: tuple[int, ...]
    scores: Mapping[str, float | None]
    verdicts: Mapping[str, str] = field(default_factory=dict)
    marked_source: str = ""

    @property
    def segment(self) -> int:
        """The line, from 0."""
        return int(self.id.partition(":")[0])


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A judgement with its case."""

    judged: JudgedPronoun
    case: ScoredCase

    @property
    def is_compared(self) -> bool:
        """Whether both annotator and metric could decide."""
        return self.case.outcome in _COMPARED and self.judged.judgement is not Judgement.BAD

    @property
    def disagrees(self) -> bool:
        """Whether the metric says right and the annotator wrong, or vice versa."""
        return (self.case.outcome in _RIGHT) is not (self.judged.judgement is Judgement.CORRECT)


def read_judgements(path: str | Path) -> tuple[JudgedPronoun, ...]:
    """All judgements; an annotator may judge a pronoun of a system only once."""
    optional = (*_PLACE, "category", "reason", "annotator")
    rows = read_rows(path, required=("system", "judgement"), optional=optional)
    judgements: dict[tuple[str, str, str], JudgedPronoun] = {}
    for row in rows:
        reason = row.choice("reason", [reason.value for reason in Reason]) if "reason" in row else None
        judged = JudgedPronoun(
            system=row.text("system"),
            id=item_id(row),
            judgement=Judgement(row.choice("judgement", [judgement.value for judgement in Judgement])),
            category=row.optional_text("category"),
            reason=None if reason is None else Reason(reason),
            annotator=row.optional_text("annotator") or "",
        )
        key = (judged.system, judged.id, judged.annotator)
        if key in judgements:
            row.refuse(
                "id", f"{judged.id} of {judged.system} is judged twice", fix="keep one, or name annotators"
            )
        judgements[key] = judged
    return tuple(judgements.values())


def read_cases(path: str | Path) -> Mapping[Key, ScoredCase]:
    """The items of a result by system and id."""
    return {
        key: ScoredCase(item.outcome, item.reference_words, item.candidate_words)
        for key, item in read_items(path).items()
    }


def read_items(path: str | Path, *, required: Sequence[str] = ()) -> Mapping[Key, ScoredItem]:
    """Every output line of `anaphor score --items`, by system and id; `required` lists additional columns."""
    rows = any_rows(path)
    columns = dict.fromkeys(column for row in rows for column in row)
    metrics = [column.removesuffix(_REASON) for column in columns if column.endswith(_REASON)]
    judged = [f"{metric}{part}" for metric in metrics for part in ("", "_verdict", _REASON)]
    check_columns(rows, required=("system", "outcome", *required), optional=(*_PLACE, *_ITEM, *judged))
    items: dict[Key, ScoredItem] = {}
    for row in rows:
        key = row.text("system"), item_id(row)
        if key in items:
            row.refuse("id", f"{key[1]} of {key[0]} has two rows", fix="keep one row for each pronoun")
        reference, candidate, positions = (
            None if cell == "-" else cell
            for cell in map(row.optional_text, ("reference_words", "candidate_words", "candidate_positions"))
        )
        # None marks what is no number; it is refused below, with the whole cell.
        places = [] if positions is None else [whole_number(part) for part in positions.split(",")]
        if None in places:
            row.refuse("candidate_positions", f"not positions: {positions}", fix="write numbers such as 3,4")
        items[key] = ScoredItem(
            *key,
            document=row.optional_text("document") or "-",
            pronoun=row.optional_text("pronoun") or "",
            outcome=Outcome[row.choice("outcome", [case.label for case in Outcome]).upper()],
            reference_words=reference,
            candidate_words=candidate,
            candidate_positions=tuple(place for place in places if place is not None),
            scores={
                metric: None if row.text(metric, "-") == "-" else row.number(metric, low=0, high=1)
                for metric in metrics
            },
            verdicts={metric: row.optional_text(f"{metric}_verdict") or "" for metric in metrics},
            marked_source=row.optional_text("source") or "",
        )
    return items


def item_id(row: Row) -> str:
    """The pronoun of a row, by its id or by segment and token."""
    if "id" in row:
        return row.text("id")
    return f"{row.integer('segment', low=0)}:{row.integer('token', low=0)}"


def join(judged: Sequence[JudgedPronoun], cases: Mapping[Key, ScoredCase]) -> tuple[JudgedCase, ...]:
    """Every judgement with its case. A judgement without a case is an error; cases without judgements are
    listed in a note."""
    unknown = [pronoun for pronoun in judged if (pronoun.system, pronoun.id) not in cases]
    if unknown:
        what = f"{len(unknown)} judgements have no item, the first is {unknown[0].id} of {unknown[0].system}"
        fix = "pass the items of the same systems and pronouns (anaphor score --items)"
        raise MismatchError(what, where="judgements and items", fix=fix)
    left = len(cases) - len({(pronoun.system, pronoun.id) for pronoun in judged})
    if left:
        warnings.warn(f"{left} of {len(cases)} items have no judgement", InputWarning, stacklevel=2)
    return tuple(JudgedCase(pronoun, cases[pronoun.system, pronoun.id]) for pronoun in judged)


def ratings(judged: Sequence[JudgedPronoun]) -> tuple[tuple[str | None, ...], ...]:
    """A row per judged pronoun with each annotator's judgement, None if missing."""
    annotators = sorted({pronoun.annotator for pronoun in judged})
    given: dict[Key, dict[str, str]] = {}
    for pronoun in judged:
        given.setdefault((pronoun.system, pronoun.id), {})[pronoun.annotator] = pronoun.judgement.value
    return tuple(tuple(labels.get(name) for name in annotators) for labels in given.values())


def agreement_table(agreement: Sequence[AgreementCoefficient], *, of: str) -> Table:
    """The coefficients in rows; `of` names the raters."""
    columns = [text(f"agreement of {of}"), number("value"), interval("interval"), count("items")]
    return Table(
        columns,
        [
            (coefficient.coefficient, coefficient.value, coefficient.interval, coefficient.items)
            for coefficient in agreement
        ],
    )


@dataclass(frozen=True, slots=True)
class CaseJudgements:
    """One case of the metric, with the frequency of each judgement."""

    outcome: Outcome
    counts: Mapping[Judgement, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def share(self, judgement: Judgement) -> float | None:
        """The share of a judgement; None if the case does not occur."""
        return self.counts[judgement] / self.total if self.total else None


@dataclass(frozen=True, slots=True)
class CategoryDisagreement:
    """The compared pronouns of one category: by case, by judgement, and where the two disagree.

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
class CaseComparison:
    """Cases compared with judgements; the last row of `categories` is the total.

    `case_disagreements` has, for cases 1 to 3, the disagreements and the compared pronouns. `skipped` counts
    judgements that cannot be compared; `agreement` is that between annotators, if there are several.
    """

    by_case: tuple[CaseJudgements, ...]
    categories: tuple[CategoryDisagreement, ...]
    case_disagreements: Mapping[Outcome, tuple[int, int]]
    skipped: int
    agreement: tuple[AgreementCoefficient, ...] = ()

    @property
    def total(self) -> CategoryDisagreement:
        return self.categories[-1]

    def to_dict(self) -> dict[str, Any]:
        return {
            "by_case": [
                {
                    "case": row.outcome,
                    **{judgement.value: number for judgement, number in row.counts.items()},
                    "total": row.total,
                }
                for row in self.by_case
            ],
            "by_category": [
                {
                    "category": row.category,
                    **{f"case_{outcome.value}": number for outcome, number in row.cases.items()},
                    "correct": row.correct,
                    "incorrect": row.incorrect,
                    "disagreements": row.disagreements,
                    "examples": row.examples,
                    "reasons": row.reasons,
                }
                for row in self.categories
            ],
            "disagreement_by_case": [
                {"case": outcome, "disagreements": apart, "examples": total}
                for outcome, (apart, total) in self.case_disagreements.items()
            ],
            "not_compared": self.skipped,
            "agreement": plain(self.agreement),
        }

    def tables(self) -> list[Block]:
        total = sum(row.total for row in self.by_case)
        sums = [sum(row.counts[judgement] for row in self.by_case) for judgement in Judgement]
        rows = [
            (_NAMES[row.outcome], *(_percent(row.share(judgement)) for judgement in Judgement), row.total)
            for row in self.by_case
        ]
        by_case = Table(
            [text("case"), *(text(judgement.value) for judgement in Judgement), count("total")],
            [*rows, ("total", *(_percent(column / total) for column in sums), total)],
        )
        by_category = Table(
            [
                text("category"),
                *(count(f"case {case.value}") for case in _COMPARED),
                *map(count, ("correct", "incorrect", "disagree", "of")),
                percent("%"),
            ],
            [
                [c.category, *c.cases.values(), c.correct, c.incorrect, c.disagreements, c.examples, c.rate]
                for c in self.categories
            ],
            notes=[f"not compared: {self.skipped} judgements of cases 4 to 6 or bad"],
        )
        parts = [
            f"{_NAMES[outcome]} {apart} of {total} ({_percent(apart / total if total else None)})"
            for outcome, (apart, total) in self.case_disagreements.items()
        ]
        blocks: list[Block] = [by_case, by_category, "disagreement by case: " + ", ".join(parts)]
        if any(self.total.reasons.values()):
            blocks.append(
                Table(
                    [text("disagreements"), *(count(reason.value) for reason in Reason), count("no reason")],
                    [
                        (row.category, *row.reasons.values(), row.disagreements - sum(row.reasons.values()))
                        for row in self.categories
                    ],
                    notes=["V valid alternative, E incorrect equivalence, I impersonal, O other"],
                )
            )
        if self.agreement:
            blocks.append(agreement_table(self.agreement, of="annotators"))
        return blocks


def compare_cases(joined: Sequence[JudgedCase]) -> CaseComparison:
    """Judgements compared with their cases; each judgement counts once."""
    compared = [judged for judged in joined if judged.is_compared]
    # A reason explains a disagreement; elsewhere it is likely to be in the wrong row.
    idle = sum(
        judged.judged.reason is not None and not (judged.is_compared and judged.disagrees)
        for judged in joined
    )
    if idle:
        message = f"{idle} judgements have a reason but no disagreement; the reason is not counted"
        warnings.warn(message, InputWarning, stacklevel=2)
    by_case = []
    for outcome in Outcome:
        counts = Counter(judged.judged.judgement for judged in joined if judged.case.outcome is outcome)
        by_case.append(CaseJudgements(outcome, {judgement: counts[judgement] for judgement in Judgement}))
    # Categories whose judgements cannot be compared are listed too, with zeros.
    categories: dict[str, list[JudgedCase]] = {judged.judged.category or NO_CATEGORY: [] for judged in joined}
    for judged in compared:
        categories[judged.judged.category or NO_CATEGORY].append(judged)
    by_outcome = {case: [judged for judged in compared if judged.case.outcome is case] for case in _COMPARED}
    return CaseComparison(
        by_case=tuple(by_case),
        categories=(
            *(_disagreement(name, part) for name, part in categories.items()),
            _disagreement("total", compared),
        ),
        case_disagreements={
            case: (sum(judged.disagrees for judged in part), len(part)) for case, part in by_outcome.items()
        },
        skipped=len(joined) - len(compared),
        agreement=agreement_coefficients(ratings([case.judged for case in joined])),
    )


def correct_share(joined: Sequence[JudgedCase]) -> ScoreColumn:
    """For each system the share of its judgements that are correct (guillou-hardmeier-2018, Table 1).

    Items that could not be judged are not correct: the whole sample counts.
    """
    right: dict[str, list[bool]] = {}
    for case in joined:
        right.setdefault(case.judged.system, []).append(case.judged.judgement is Judgement.CORRECT)
    shares = {system: sum(judgements) / len(judgements) for system, judgements in right.items()}
    return ScoreColumn("judged-correct", "judgements", shares)


def _disagreement(name: str, part: Sequence[JudgedCase]) -> CategoryDisagreement:
    cases = Counter(judged.case.outcome for judged in part)
    apart = [judged for judged in part if judged.disagrees]
    reasons = Counter(judged.judged.reason for judged in apart)
    correct = sum(judged.judged.judgement is Judgement.CORRECT for judged in part)
    return CategoryDisagreement(
        category=name,
        cases={outcome: cases[outcome] for outcome in _COMPARED},
        correct=correct,
        incorrect=len(part) - correct,
        disagreements=len(apart),
        reasons={reason: reasons[reason] for reason in Reason},
    )


def _percent(share: float | None) -> str:
    return format_percent(share) + ("" if share is None else " %")
