"""How many judgements does a plan save that follows acceptability instead of the cases of APT?

    python benchmarks/estimate/guess.py            the table of docs/semi-automatic.md
    python benchmarks/estimate/guess.py --write    the same, kept in results/guess.json

The MQM talks of benchmarks/verdict, every pronoun judged: a mark by a span of at most three words is
`incorrect`, no mark `correct`. The probability of each pronoun is that of `accept`, which was not fitted on
talks. Samples are drawn with many seeds, by cases and by verdicts. For every share that is judged the
result has the mean half-width of the intervals of systems, the share of intervals that cover the truth, and
how many judgements drawn at random one is worth; then how much each plan has to judge for the same half-
width.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.meta import JudgedPronoun, Judgement, PlannedUnit, estimate, make_plan, take_sample
from anaphor.meta.plan import guessed
from benchmarks.verdict.marks import FREE, WITH_REFERENCE
from benchmarks.verdict.run import talks

HERE = Path(__file__).parent
DATA = Path(os.environ.get("ANAPHOR_DATA", HERE.parents[2] / "shared" / "data"))
SHARES = (0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
SEEDS = range(40)
METRICS = (FREE, WITH_REFERENCE)


def populations() -> tuple[dict[str, Sequence[PlannedUnit]], dict[tuple[str, str], bool]]:
    """The same pronouns as units of a plan by cases and of plans by verdicts, and which are right."""
    examples = talks(longest=3)
    items = [example.item for example in examples]
    units = [
        PlannedUnit(example.item.system, example.scored.id, example.item.outcome, "-", example.item.document)
        for example in examples
    ]
    found: dict[str, Sequence[PlannedUnit]] = {"case of apt": units}
    for metric in METRICS:
        scored = [replace(unit, score=item.scores[metric]) for unit, item in zip(units, items, strict=True)]
        found[metric] = guessed(scored)
    right = {(one.item.system, one.scored.id): not one.item.marked for one in examples}
    return found, right


def simulate(
    units: Sequence[PlannedUnit], right: dict[tuple[str, str], bool], *, guess: str | None
) -> list[Any]:
    """For every share: the half-width, the share of intervals that cover, and the worth of a judgement."""
    truth: dict[str, list[bool]] = {}
    for (system, _), value in right.items():
        truth.setdefault(system, []).append(value)
    rows = []
    for share in SHARES:
        budget = int(share * len(units))
        widths: list[float] = []
        covered: list[bool] = []
        worth: list[float] = []
        for seed in SEEDS:
            plan = make_plan(units, result="", budget=budget, seed=seed, least=30, guess=guess)
            judged = [
                JudgedPronoun(
                    unit.system,
                    unit.id,
                    Judgement.CORRECT if right[unit.system, unit.id] else Judgement.INCORRECT,
                    None,
                    None,
                    "",
                )
                for part in plan.items.values()
                for unit in part
            ]
            for one in estimate(take_sample(plan, judged, path="marks"), level=0.95).systems:
                assert one.powered is not None
                limits = one.powered.interval
                widths.append((limits.high - limits.low) / 2)
                covered.append(bool(limits.low <= np.mean(truth[one.name]) <= limits.high))
                worth.append((one.as_random or 0.0) / one.judged)
        rows.append((share, *(float(np.mean(column)) for column in (widths, covered, worth))))
    return rows


def needed(rows: Sequence[Any], width: float) -> float:
    """The share that has to be judged for a half-width, between the shares that were tried."""
    shares, widths, *_ = (np.array(column) for column in zip(*rows, strict=True))
    return float(np.interp(-width, -widths, shares))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not (DATA / "mqm-ted-en-de").is_dir():
        print(f"no MQM set in {DATA}: set ANAPHOR_DATA")
        return
    found, right = populations()
    curves = {
        name: simulate(units, right, guess=None if name == "case of apt" else name)
        for name, units in found.items()
    }
    targets = [row[1] for row in curves["case of apt"] if row[0] in (0.2, 0.3, 0.4, 0.5)]
    result = {
        "items": len(right),
        "right": round(float(np.mean(list(right.values()))), 4),
        "seeds": len(SEEDS),
        "curves": {
            name: [[round(value, 4) for value in row] for row in rows] for name, rows in curves.items()
        },
        "needed": {
            f"{100 * width:.1f}": {name: round(needed(rows, width), 3) for name, rows in curves.items()}
            for width in targets
        },
    }
    print(json.dumps(result, indent=2))
    if options.write:
        path = HERE / "results" / "guess.json"
        path.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
