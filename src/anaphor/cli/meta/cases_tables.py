"""What `anaphor meta cases` prints."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from anaphor.core import Outcome
from anaphor.meta.cases import CategoryRow, Confrontation
from anaphor.meta.judgements import Answer, Reason
from anaphor.report.table import Paint, table
from anaphor.stats import AgreementCoefficient

_NAMES = {
    Outcome.IDENTICAL: "1 identical",
    Outcome.EQUIVALENT: "2 equivalent",
    Outcome.DIFFERENT: "3 different",
    Outcome.CANDIDATE_MISSING: "4 no candidate",
    Outcome.REFERENCE_MISSING: "5 no reference",
    Outcome.BOTH_MISSING: "6 neither",
}


def as_text(found: Confrontation, agreements: Sequence[AgreementCoefficient], paint: Paint) -> str:
    blocks = [_by_case(found, paint), _by_category(found, paint), _case_line(found)]
    if any(found.total.reasons.values()):
        blocks.append(_reasons(found, paint))
    if agreements:
        blocks.append(_agreements(agreements, paint))
    return "\n\n".join(blocks)


def as_json(found: Confrontation, agreements: Sequence[AgreementCoefficient]) -> str:
    content: dict[str, Any] = {
        "by_case": [
            {
                "case": row.outcome.value,
                **{answer.value: row.answers[answer] for answer in Answer},
                "total": row.total,
            }
            for row in found.by_case
        ],
        "by_category": [_category_content(row) for row in found.categories],
        "disagreement_by_case": [
            {"case": outcome.value, "disagreements": apart, "examples": total}
            for outcome, (apart, total) in found.case_disagreements.items()
        ],
        "not_compared": found.skipped,
        "agreement": [_agreement_content(one) for one in agreements],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _by_case(found: Confrontation, paint: Paint) -> str:
    rows = [["case", *(answer.value for answer in Answer), "total"]]
    for row in found.by_case:
        shares = [_percent(row.share(answer)) for answer in Answer]
        rows.append([_NAMES[row.outcome], *shares, str(row.total)])
    total = sum(row.total for row in found.by_case)
    sums = [sum(row.answers[answer] for row in found.by_case) for answer in Answer]
    rows.append(["total", *(_percent(one / total) for one in sums), str(total)])
    return table(rows, paint=paint)


def _by_category(found: Confrontation, paint: Paint) -> str:
    cases = [Outcome.IDENTICAL, Outcome.EQUIVALENT, Outcome.DIFFERENT]
    rows = [["category", "case 1", "case 2", "case 3", "correct", "incorrect", "disagree", "of", "%"]]
    for row in found.categories:
        counts = [*(row.cases[case] for case in cases), row.correct, row.incorrect]
        rows.append(
            [
                row.category,
                *map(str, counts),
                str(row.disagreements),
                str(row.examples),
                _percent(row.rate).removesuffix(" %"),
            ]
        )
    note = f"not compared: {found.skipped} judgements of cases 4 to 6 or bad"
    return table(rows, paint=paint) + "\n" + paint.dim(note)


def _case_line(found: Confrontation) -> str:
    parts = [
        f"{_NAMES[outcome]} {apart} of {total} ({_percent(apart / total if total else None)})"
        for outcome, (apart, total) in found.case_disagreements.items()
    ]
    return "disagreement by case: " + ", ".join(parts)


def _reasons(found: Confrontation, paint: Paint) -> str:
    rows = [["disagreements", *(reason.value for reason in Reason), "no reason"]]
    for row in found.categories:
        without = row.disagreements - sum(row.reasons.values())
        rows.append([row.category, *(str(row.reasons[reason]) for reason in Reason), str(without)])
    note = "V valid alternative, E incorrect equivalence, I impersonal, O other"
    return table(rows, paint=paint) + "\n" + paint.dim(note)


def _agreements(agreements: Sequence[AgreementCoefficient], paint: Paint) -> str:
    rows = [["agreement of annotators", "value", "interval", "items"]]
    for one in agreements:
        limits = "" if one.interval is None else f"[{one.interval.low:.3f}, {one.interval.high:.3f}]"
        value = "n/a" if math.isnan(one.value) else f"{one.value:.3f}"
        rows.append([one.coefficient, value, limits, str(one.items)])
    return table(rows, paint=paint)


def _category_content(row: CategoryRow) -> dict[str, Any]:
    return {
        "category": row.category,
        **{f"case_{outcome.value}": count for outcome, count in row.cases.items()},
        "correct": row.correct,
        "incorrect": row.incorrect,
        "disagreements": row.disagreements,
        "examples": row.examples,
        "reasons": {reason.value: count for reason, count in row.reasons.items()},
    }


def _agreement_content(one: AgreementCoefficient) -> dict[str, Any]:
    return {
        "coefficient": one.coefficient,
        "value": None if math.isnan(one.value) else one.value,
        "observed": one.observed,
        "expected": one.expected,
        "items": one.items,
        "interval": None if one.interval is None else [one.interval.low, one.interval.high],
    }


def _percent(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.1f} %"
