"""What `anaphor annotate status` prints."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from anaphor.report.table import Paint, table

if TYPE_CHECKING:
    from anaphor.annotate.agreement import AgreementRow
    from anaphor.annotate.status import CampaignStatus
    from anaphor.stats import AgreementCoefficient

_COEFFICIENTS = ("observed", "cohen", "fleiss", "alpha", "ac1")


def as_text(status: CampaignStatus, paint: Paint) -> str:
    overall = status.overall
    head = (
        f"{status.campaign.name} ({status.campaign.mode.value}): {overall.answered} of "
        f"{overall.assignments} answers, {overall.units_answered} of {overall.units} examples"
    )
    blocks = [head, _people(status, paint), _agreement(status, paint)]
    blocks.append(f"{status.open_disagreements} disagreements without a decision")
    blocks.append(status.remaining.note)
    return "\n\n".join(blocks)


def as_json(status: CampaignStatus) -> str:
    content: dict[str, Any] = {
        "campaign": status.campaign.name,
        "mode": status.campaign.mode.value,
        "assignments": status.overall.assignments,
        "answered": status.overall.answered,
        "units": status.overall.units,
        "units_answered": status.overall.units_answered,
        "progress": [
            {
                "annotator": one.person,
                "category": one.category,
                "total": one.total,
                "done": one.done,
                "conflicts": one.conflicts,
            }
            for one in status.progress
        ],
        "speed": [
            {"annotator": one.person, "answers": one.answers, "median_seconds": one.median_seconds}
            for one in status.speeds
        ],
        "attention": [
            {"annotator": one.person, "asked": one.asked, "right": one.right, "wrong": one.wrong}
            for one in status.attention
        ],
        "question": status.question,
        "agreement": [_agreement_content(one) for one in status.agreement],
        "open_disagreements": status.open_disagreements,
        "target": status.remaining.target,
        "more": status.remaining.more,
        "note": status.remaining.note,
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _people(status: CampaignStatus, paint: Paint) -> str:
    speeds = {one.person: one for one in status.speeds}
    attention = {one.person: one for one in status.attention}
    rows = [["annotator", "done", "conflicts", "of", "median s", "attention"]]
    for name in dict.fromkeys(one.person for one in status.progress):
        own = [one for one in status.progress if one.person == name]
        speed, seen = speeds.get(name), attention.get(name)
        rows.append(
            [
                name,
                str(sum(one.done for one in own)),
                str(sum(one.conflicts for one in own)),
                str(sum(one.total for one in own)),
                "-" if speed is None or speed.median_seconds is None else f"{speed.median_seconds:.1f}",
                "-" if seen is None else f"{seen.right} right, {seen.wrong} wrong of {seen.asked}",
            ]
        )
    return table(rows, paint=paint)


def _agreement(status: CampaignStatus, paint: Paint) -> str:
    rows = [[f"agreement ({status.question})", "items", *_COEFFICIENTS]]
    rows += [
        [one.category, str(one.items), *(_value(getattr(one, name)) for name in _COEFFICIENTS)]
        for one in status.agreement
    ]
    return table(rows, paint=paint)


def _value(found: AgreementCoefficient | None) -> str:
    return "-" if found is None or math.isnan(found.value) else f"{found.value:.3f}"


def _agreement_content(row: AgreementRow) -> dict[str, Any]:
    return {
        "category": row.category,
        "items": row.items,
        "raters": row.raters,
        **{name: _coefficient(getattr(row, name)) for name in _COEFFICIENTS},
    }


def _coefficient(found: AgreementCoefficient | None) -> dict[str, Any] | None:
    if found is None:
        return None
    interval = found.interval
    return {
        "value": None if math.isnan(found.value) else found.value,
        "interval": None if interval is None else [interval.low, interval.high],
    }
