"""What `anaphor meta correlate` prints."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from anaphor.meta.correlate import Difference, Pairing, Study
from anaphor.meta.grid import Setting
from anaphor.report.table import Paint, table
from anaphor.stats import COEFFICIENTS, Correlation


def as_text(study: Study | None, grid: Sequence[Setting], paint: Paint) -> str:
    blocks = [] if study is None else list(_study(study, paint))
    if grid:
        blocks.append(_grid(grid, paint))
    return "\n\n".join(blocks)


def as_json(study: Study | None, grid: Sequence[Setting]) -> str:
    content: dict[str, Any] = {"systems": None, "outliers": [], "correlations": [], "williams": []}
    if study is not None:
        content = {
            "systems": study.systems,
            "outliers": study.outliers,
            "correlations": [asdict(pairing) for pairing in study.pairings],
            "williams": [_difference_content(difference) for difference in study.differences],
        }
    return json.dumps({**content, "grid": [asdict(one) for one in grid]}, ensure_ascii=False, indent=2)


def _difference_content(difference: Difference) -> dict[str, Any]:
    """JSON has no word for an infinite t; its p of 0 says the same."""
    content = asdict(difference)
    if math.isinf(difference.test.t):
        content["test"]["t"] = None
    return content


def _study(study: Study, paint: Paint) -> Iterator[str]:
    yield f"{len(study.systems)} systems: {', '.join(study.systems)}"
    rounds = [(), study.outliers] if study.outliers else [()]
    for without in rounds:
        if without:
            yield paint.bold(f"without {', '.join(without)}")
        yield _pairings([one for one in study.pairings if one.without == without], paint)
        if differences := [one for one in study.differences if one.without == without]:
            yield _differences(differences, paint)


def _pairings(pairings: Sequence[Pairing], paint: Paint) -> str:
    rows = [["metric", "human score", *(cell for name in COEFFICIENTS for cell in (name, "p"))]]
    for one in pairings:
        cells = [cell for found in one.correlations for cell in (_value(found), _p(found.p))]
        rows.append([one.metric, one.human, *cells])
    level = next((c.interval.level for one in pairings for c in one.correlations if c.interval), None)
    note = "" if level is None else "\n" + paint.dim(f"[ ] {100 * level:g} % interval")
    return table(rows, paint=paint) + note


def _differences(differences: Sequence[Difference], paint: Paint) -> str:
    rows = [["Williams' test", "against", "human score", "t", "p", "p Holm"]]
    for one in differences:
        test = one.test
        rows.append(
            [
                one.first,
                one.second,
                one.human,
                f"{test.t:+.2f} ({test.freedom})",
                _p(test.p),
                _p(one.p_adjusted),
            ]
        )
    return table(rows, paint=paint) + "\n" + paint.dim("t (degrees of freedom); above 0 speaks for the first")


def _grid(grid: Sequence[Setting], paint: Paint) -> str:
    rows = [["repair", "w2", "w6", "human score", *COEFFICIENTS]]
    for one in grid:
        values = [f"{found.value:.3f}" for found in (one.pearson, one.spearman, one.kendall)]
        rows.append([one.repair, f"{one.w2:g}", f"{one.w6:g}", one.human, *values])
    return table(rows, paint=paint)


def _value(found: Correlation) -> str:
    if found.interval is None:
        return f"{found.value:.3f}"
    return f"{found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
