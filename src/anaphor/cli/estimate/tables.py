"""What `anaphor estimate` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from anaphor.meta.estimate import Difference, Figure, Finding, Findings
from anaphor.meta.plan import Plan
from anaphor.meta.sample import Sample
from anaphor.meta.stopping import Needed
from anaphor.report.table import Paint, table


def plan_text(plan: Plan, paint: Paint) -> str:
    """The strata with their sizes, and the effort that the plan asks for."""
    rows = [["stratum", "items", "to judge", "%"]]
    for stratum in plan.strata.values():
        share = f"{100 * stratum.planned / stratum.size:.0f}"
        rows.append([stratum.name, str(stratum.size), str(stratum.planned), share])
    rows.append(["total", str(plan.size), str(plan.budget), f"{100 * plan.budget / plan.size:.0f}"])
    return table(rows, paint=paint)


def as_text(
    sample: Sample, found: Findings, more: Sequence[Needed], *, target: float, level: float, paint: Paint
) -> str:
    blocks = [_effort(sample), _findings("system", found.systems, paint)]
    if found.differences:
        blocks.append(_differences(found.differences, paint))
    blocks += [_findings("category", found.categories, paint), _findings("case", found.cases, paint)]
    notes = [
        f"[ ] {100 * level:g} % interval; powered: with what all systems show of the same case and category",
        "as random: so many judgements drawn at random would be as precise",
    ]
    blocks += ["\n".join(map(paint.dim, notes)), _more(more, target)]
    return "\n\n".join(blocks)


def as_json(sample: Sample, found: Findings, more: Sequence[Needed], *, target: float, level: float) -> str:
    content: dict[str, Any] = {
        "result": sample.plan.result,
        "level": level,
        "population": sample.plan.size,
        "planned": sample.plan.budget,
        "judged": sample.judged,
        "systems": [_finding_content(one) for one in found.systems],
        "categories": [_finding_content(one) for one in found.categories],
        "cases": [_finding_content(one) for one in found.cases],
        "differences": [
            {
                "system": one.system,
                "baseline": one.baseline,
                "stratified": _figure_content(one.stratified),
                "powered": _figure_content(one.powered),
            }
            for one in found.differences
        ],
        "target": target,
        "more": [
            {
                "system": one.system,
                "half_width": one.half_width,
                "judgements": one.total,
                "strata": dict(one.more),
            }
            for one in more
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _effort(sample: Sample) -> str:
    share = 100 * sample.judged / sample.plan.size
    return f"{sample.judged} of {sample.plan.size} items judged ({share:.0f} %, {100 - share:.0f} % saved)"


def _findings(title: str, findings: Sequence[Finding], paint: Paint) -> str:
    rows = [[title, "items", "judged", "stratified", "powered", "as random"]]
    for one in findings:
        precise = "n/a" if one.as_random is None else f"{one.as_random:.0f}"
        figures = [_figure(one.stratified), _figure(one.powered)]
        rows.append([one.name, str(one.size), str(one.judged), *figures, precise])
    return table(rows, paint=paint)


def _differences(differences: Sequence[Difference], paint: Paint) -> str:
    rows = [[f"against {differences[0].baseline}", "stratified", "powered"]]
    rows += [
        [one.system, _figure(one.stratified, sign="+"), _figure(one.powered, sign="+")] for one in differences
    ]
    return table(rows, paint=paint)


def _more(more: Sequence[Needed], target: float) -> str:
    total = sum(one.total for one in more)
    points = f"±{100 * target:g} points"
    if not total:
        return f"enough: every system is known to {points}"
    parts = ", ".join(f"{one.system} {one.total}" for one in more)
    return f"judge {total} more for {points} in every system: {parts}"


def _figure(figure: Figure | None, *, sign: str = "") -> str:
    if figure is None:
        return "n/a"
    low, high = 100 * figure.interval.low, 100 * figure.interval.high
    return f"{100 * figure.value:{sign}.1f} [{low:{sign}.1f}, {high:{sign}.1f}]"


def _finding_content(one: Finding) -> dict[str, Any]:
    return {
        "name": one.name,
        "items": one.size,
        "judged": one.judged,
        "stratified": None if one.stratified is None else _figure_content(one.stratified),
        "powered": None if one.powered is None else _figure_content(one.powered),
        "as_random": one.as_random,
    }


def _figure_content(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value, "interval": [figure.interval.low, figure.interval.high]}
