"""Predicted labels that were made on another machine become results: matrices, scores, intervals.

Usage: python benchmarks/predict-classic/score.py RAW.json ... --split FOLDER --output RESULTS.json
           [--against RECIPE]

Every run of RAW has `labels`, a string of classes for each segment of its test file in FOLDER. README.md has
the format of results. With --against, every run is also tested against the first run of that recipe on the
same test, documents exchanged.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Settings
from anaphor.predict.data import read_segments
from anaphor.task import task_classes
from anaphor.task.systems import Systems, TaskResult, gold_labels, score_systems

FORMAT = 1
METRICS = ("macro-recall", "accuracy")


def measured(result: TaskResult, name: str) -> dict[str, Any]:
    """Classes, matrix, scores and intervals of one system, as results have them."""
    score = result.scores[name]
    intervals = {
        metric.metric.replace("-", "_"): [found.low, found.high]
        for metric in result.metrics
        if (found := metric.scores[name].interval) is not None
    }
    return {
        "classes": list(score.classes),
        "matrix": [list(row) for row in score.matrix],
        "macro_recall": score.value("macro-recall"),
        "accuracy": score.value("accuracy"),
        "intervals": intervals or None,
    }


def score_run(run: dict[str, Any], folder: Path, rival: dict[str, Any] | None = None) -> dict[str, Any]:
    """The run with scores in place of its labels, and with `paired` where there is a rival."""
    path = str(folder / f"{run['pair']}.{run['style']}.{run['test']}.tsv.gz")
    classes = task_classes(LanguagePair.parse(run["pair"]), year=run["year"])
    gold = gold_labels(path, read_segments(path, classes=classes))
    systems = {entry["recipe"]: entry for entry in (rival, run) if entry is not None}
    predicted = {
        name: tuple(tuple(line.split()) for line in entry["labels"]) for name, entry in systems.items()
    }
    settings = Settings(pair=run["pair"], paired=len(systems) > 1)
    result = score_systems(Systems(classes, gold, predicted, "present"), METRICS, settings)
    kept = {key: value for key, value in run.items() if key != "labels"}
    return kept | measured(result, run["recipe"]) | compared(result)


def compared(result: TaskResult) -> dict[str, Any]:
    """By how much the rival is ahead, and how likely so much is by chance; nothing without a rival."""
    found = {
        metric.metric.replace("-", "_"): [round(-one.difference, 4), one.p_permutation]
        for metric in result.metrics
        for one in metric.comparisons
    }
    rival = next(iter(result.scores))
    return {"paired": {"against": rival, **found}} if found else {}


def rival_of(run: dict[str, Any], runs: list[dict[str, Any]], recipe: str | None) -> dict[str, Any] | None:
    """The first run of a recipe on the same test, unless the run is of that recipe."""
    same = ("pair", "style", "test", "year")
    if run["recipe"] == recipe:
        return None
    return next((r for r in runs if r["recipe"] == recipe and all(r[k] == run[k] for k in same)), None)


def write_results(path: Path, runs: list[dict[str, Any]], made_by: str) -> None:
    """One file of results, a run a line, so that a new run is a small difference."""
    lines = ",\n".join(json.dumps(run, ensure_ascii=False) for run in runs)
    head = f'"format": {FORMAT}, "made_by": {json.dumps(made_by)}'
    path.write_text(f'{{{head}, "runs": [\n{lines}\n]}}\n', encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raw", nargs="+", type=Path)
    parser.add_argument("--split", type=Path, required=True, help="folder of the split files")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--against", metavar="RECIPE", help="test every run against this recipe")
    options = parser.parse_args()
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in options.raw]
    raw = [run for content in contents for run in content["runs"]]
    runs = [score_run(run, options.split, rival_of(run, raw, options.against)) for run in raw]
    write_results(options.output, runs, contents[0]["made_by"])


if __name__ == "__main__":
    main()
