"""The labels of anaphor-2 for all held-out parts, from what `tools/train_anaphor2.py read` wrote.

    python benchmarks/predict-neural/ours.py ARRAYS OURS.json --read read.1.npz read.2.npz --seconds 545 410

One run for every network and part, with its number as seed, and one for all networks together; the file is
for `benchmarks/predict-classic/score.py`. `--name` is for networks that learned from less, whose training
arrays then lie in ARRAYS: `encode --slots 50000` makes those of the slots that the rebuilt systems saw.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anaphor.core import LanguagePair
from anaphor.predict.anaphor2.joint import class_factors, task_of
from anaphor.task import task_classes
from tools.train_anaphor2 import FAIRNESS, load

YEAR = 2016
Table = np.ndarray[Any, Any]


def main() -> None:
    options = _options()
    files = [dict(np.load(path, allow_pickle=False)) for path in options.read]
    runs = [run for name in sorted(files[0]) for run in _runs(name, files, options)]
    content = {"format": 1, "made_by": "benchmarks/predict-neural/ours.py", "runs": runs}
    options.output.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _runs(name: str, files: list[dict[str, Table]], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    pair, style, part = name.split(".")
    if not part.startswith("te") or not style.isdigit():
        return
    tables = [file[name].astype(np.float64) for file in files]
    seconds = [*options.seconds, *[None] * len(tables), None]
    for seed, table in enumerate([*tables, np.asarray(np.mean(tables, axis=0))], start=1):
        together = seed > len(tables)
        if together and len(tables) == 1:
            return
        labels, slots = _labels(name, table, options.arrays)
        yield {
            "recipe": f"{options.name}, {len(tables)} networks together" if together else options.name,
            "variant": "",
            "pair": pair,
            "style": int(style),
            "year": YEAR,
            "train_slots": slots,
            "test": part,
            "seed": 0 if together else seed,
            "labels": labels,
            "seconds": {"train": None if together else seconds[seed - 1], "predict": None},
            "note": options.note,
        }


def _labels(name: str, table: Table, arrays: Path) -> tuple[list[str], int]:
    """The chosen classes of every segment, and how many slots the sub-task had in training."""
    pair, style, _ = name.split(".")
    task, classes = task_of(pair), task_classes(LanguagePair.parse(pair), year=YEAR)
    train = load(arrays / f"{pair}.{style}.train.npz").encoded.labels - np.int32(task.classes.start)
    weighed = table * np.array(class_factors(train, len(task.names), FAIRNESS[pair]))
    merged = np.zeros((len(table), len(classes.classes)))
    for place, fine in enumerate(task.names):
        merged[:, classes.classes.index(classes.aliases[fine])] += weighed[:, place]
    encoded = load(arrays / f"{name}.npz").encoded
    labels: list[list[str]] = [[] for _ in range(len(encoded))]
    for segment, number in zip(encoded.slot_segments.tolist(), merged.argmax(axis=1).tolist(), strict=True):
        labels[segment].append(classes.classes[number])
    return [" ".join(one) for one in labels], len(train)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Labels of anaphor-2 for all held-out parts.")
    parser.add_argument("arrays", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--read", type=Path, nargs="+", required=True)
    parser.add_argument("--name", default="anaphor-2", help="what the results call it")
    parser.add_argument(
        "--note", default="one network for all pairs and styles; its training time, on one graphics card"
    )
    parser.add_argument("--seconds", type=float, nargs="+", default=[], help="that each training took")
    return parser.parse_args()


if __name__ == "__main__":
    main()
