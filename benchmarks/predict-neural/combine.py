"""Interpolate networks that `train_all.py` trained with n-gram models, which are trained here.

    python benchmarks/predict-neural/combine.py SPLIT OUT COMBINED.json [--slots 50000] [--dev 2000]

SPLIT has the split files, OUT is what `train_all.py` wrote. The caps must be those of `pack.py`.
COMBINED.json has runs with labels, for `benchmarks/predict-classic/score.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.contract import Model
from anaphor.predict.data import sample_documents
from anaphor.predict.ensemble.mixture import best_mixture, mixed
from anaphor.predict.families import build_predictor
from anaphor.recipes.recipe import Recipe, load_recipe
from anaphor.task import TaskClasses, read_task, task_classes

RECIPES = ("uu-hardmeier-2016", "uu-hardmeier-2017")
YEAR = 2016


def main() -> None:
    options = _options()
    runs = [run for name in RECIPES for run in _runs(load_recipe(name), options)]
    content = {"format": 1, "made_by": "benchmarks/predict-neural/combine.py", "runs": runs}
    options.combined.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _runs(recipe: Recipe, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for data in [f"{pair}.2016" for pair in recipe.pairs] + ["en-fr.2015"]:
        numbers = [
            i for i, one in enumerate(recipe.settings["members"]) if one["family"].startswith("neural/")
        ]
        files = {
            seed: [options.out / f"{recipe.name}.{number}.{data}.{seed}.npz" for number in numbers]
            for seed in options.seeds
        }
        whole = {seed: paths for seed, paths in files.items() if all(path.is_file() for path in paths)}
        if whole:
            yield from _data_runs(recipe, data, whole, options)


def _data_runs(
    recipe: Recipe, data: str, files: dict[int, list[Path]], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    pair, style = data.split(".")
    classes = task_classes(LanguagePair.parse(pair), year=YEAR)
    begun = time.monotonic()
    train = _read(options.split, data, "train", classes, options.slots)
    dev = _read(options.split, data, "dev", classes, options.dev)
    settings = next(one for one in recipe.settings["members"] if one["family"] == "source-aware-lm")
    model = build_predictor({**settings, "name": recipe.name}).fit(train, classes=classes, dev=dev)
    print(f"{recipe.name} {data}: n-gram model in {time.monotonic() - begun:.0f} s", flush=True)
    tests = sorted(path.name.split(".")[2] for path in options.split.glob(f"{data}.te*.tsv.gz"))
    parts = {part: _read(options.split, data, part, classes, None) for part in tests}
    tables = {part: _table(model, segments) for part, segments in {"dev": dev, **parts}.items()}
    gold = np.array([classes.classes.index(str(slot.label)) for segment in dev for slot in segment.slots])
    for seed, paths in files.items():
        networks = [np.load(path) for path in paths]
        stacked = {p: np.stack([tables[p], *(one[p] for one in networks)]) for p in tables}
        found = recipe.settings.get("options", {})
        mixture = best_mixture(
            stacked["dev"], gold, metric=found.get("metric", "macro-recall"), means="linear", steps=10
        )
        for part, segments in parts.items():
            chosen = iter(mixed(stacked[part], mixture).argmax(axis=1).tolist())
            labels = [" ".join(classes.classes[next(chosen)] for _ in one.slots) for one in segments]
            yield {
                "recipe": recipe.name,
                "variant": "",
                "pair": pair,
                "style": int(style),
                "year": YEAR,
                "train_slots": sum(len(segment.slots) for segment in train),
                "test": part,
                "seed": seed,
                "labels": labels,
                "seconds": {"train": None, "predict": None},
                "note": "weights of n-gram model and networks: "
                + ", ".join(f"{weight:.1f}" for weight in mixture.weights),
            }


def _read(
    folder: Path, data: str, part: str, classes: TaskClasses, most: int | None
) -> Sequence[TaskSegment]:
    path = folder / f"{data}.{part}.tsv.gz"
    documents = folder / f"{data}.{part}.doc-ids.gz"
    segments = list(read_task(path, classes=classes, documents=documents))
    return segments if most is None else sample_documents(segments, slots=most, seed=1)


def _table(model: Model, segments: Sequence[TaskSegment]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array([one.probabilities for slots in model.predict(segments) for one in slots])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Interpolate trained networks with n-gram models.")
    parser.add_argument("split", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("combined", type=Path)
    parser.add_argument("--slots", type=int, default=50000)
    parser.add_argument("--dev", type=int, default=2000)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    return parser.parse_args()


if __name__ == "__main__":
    main()
