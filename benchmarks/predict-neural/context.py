"""What does the predictor that ships lose without context, pair by pair?

    python benchmarks/predict-neural/context.py SPLIT [--write]

All slots of the held-out files with word forms in SPLIT (`benchmarks/predict-classic/data.py` makes them),
once with their documents and once with every segment as a document of its own. Tests exchange documents.
`contrastive.py` has the same by distance of the antecedent, for items in which only an antecedent decides.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Settings, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.data import read_segments
from anaphor.predict.shipped import find_model
from anaphor.task import task_classes
from anaphor.task.systems import Systems, gold_labels, score_systems

RESULT = Path(__file__).parent / "results" / "context.json"
MODEL = "anaphor-2-small"
YEAR = 2016
METRICS = ("macro-recall", "accuracy")
WITH, WITHOUT = "with context", "without context"


def measure(path: Path) -> dict[str, Any]:
    """Scores of one file with and without context, and how likely the differences are by chance."""
    pair = path.name.split(".")[0]
    classes = task_classes(LanguagePair.parse(pair), year=YEAR)
    segments = read_segments(str(path), classes=classes)
    gold = gold_labels(str(path), segments)
    model = find_model(MODEL, pair=pair, forms=True)
    alone = [replace(one, document=str(number)) for number, one in enumerate(segments)]
    predicted = {WITH: _labels(model, segments), WITHOUT: _labels(model, alone)}
    settings = Settings(pair=pair, paired=True)
    result = score_systems(Systems(classes, gold, predicted, "present"), METRICS, settings)
    found: dict[str, Any] = {"slots": sum(len(one.slots) for one in segments)}
    for metric in result.metrics:
        found[metric.metric] = {
            **{name: round(100 * result.scores[name].value(metric.metric), 1) for name in predicted},
            "p": metric.comparisons[0].p_permutation,
        }
    return found


def _labels(model: Model, segments: Sequence[TaskSegment]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(one.label for one in found) for found in model.predict(segments))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("split", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    parts = [
        path for style in ("2015", "forms") for path in sorted(options.split.glob(f"*.{style}.te*.tsv.gz"))
    ]
    found = {}
    for path in parts:
        found[name := path.name.removesuffix(".tsv.gz")] = measure(path)
        print(name, json.dumps(found[name]), flush=True)
    if options.write:
        text = json.dumps({"model": MODEL, "year": YEAR, "files": found}, indent=1)
        RESULT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
