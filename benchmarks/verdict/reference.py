"""What the reference adds to the other witnesses: weights of its signals.

Only one judged part has references (WMT24, English-German). The weights of all other witnesses are kept;
those of the reference are fitted on top of their log odds, and are used for every language.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.verdict.fusion import Fusion
from benchmarks.verdict.evidence import Part, Verdicts, examples_of
from benchmarks.verdict.logistic import maximized

_SIGNALS = ("same", "different", "candidate_missing")
_PENALTY = 3.0


def reference_weights() -> tuple[dict[str, float], dict[str, float]]:
    """The weights of the signals of the reference, and their means."""
    part = Part.read("wmt24-en-de").with_references()
    fusion = Fusion.load("de")
    judged = [one for one in examples_of(part, Verdicts.read(), reference=True) if one.wrong is not None]
    signals = np.array(
        [[one.evidence.testimonies["reference"].signals[name] for name in _SIGNALS] for one in judged]
    )
    free = [
        fusion.weigh(
            {name: said for name, said in one.evidence.testimonies.items() if name != "reference"}
        ).log_odds
        for one in judged
    ]
    means = signals.mean(axis=0)
    matrix = np.column_stack([signals - means, np.ones(len(judged))])
    wrong = np.array([bool(one.wrong) for one in judged], float)
    weights = maximized(matrix, wrong, np.array([_PENALTY] * len(_SIGNALS) + [0.01]), np.array(free))
    names = [f"reference.{name}" for name in _SIGNALS]
    return dict(zip(names, weights.tolist(), strict=False)), dict(zip(names, means.tolist(), strict=True))


if __name__ == "__main__":
    for title, table in zip(("weights", "means"), reference_weights(), strict=True):
        print(title, {name: round(value, 3) for name, value in table.items()})
