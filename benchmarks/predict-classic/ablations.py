"""Which groups of features help: UU-STYMNE and UEDIN with one group less at a time.

Usage: python benchmarks/predict-classic/ablations.py FOLDER [--pairs en-fr en-de] [--slots 50000] [--write]

FOLDER is that of data.py. The base of UU-STYMNE is its one-step system with all groups that were explored,
the two that hurt among them (wmt16-findings, section 5.11); that of UEDIN is its recipe (section 5.5). The
data is that of 2016, the test the held-out documents: for German the talks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from score import METRICS, measured, write_results

from anaphor.core import LanguagePair, Settings, digest
from anaphor.predict.data import read_segments, sample_documents
from anaphor.predict.prediction import predicted_labels
from anaphor.recipes.recipe import Recipe, load_recipe
from anaphor.recipes.training import ModelCache
from anaphor.task import task_classes
from anaphor.task.systems import Systems, gold_labels, score_systems

RESULTS = Path(__file__).parent / "results"
EXPLORED = {"antecedents": {"side": "target", "nouns": 3, "determiners": 0}, "lm": {}}


def variants() -> Iterator[tuple[str, Recipe]]:
    """Name and recipe of everything that is trained."""
    stymne = load_recipe("uu-stymne-2016-1step")
    for name, features in _reduced({**stymne.settings["features"], **EXPLORED}):
        yield name, _with_features(stymne, name, features)
    uedin = load_recipe("uedin-2016")
    for name, features in _reduced(dict(uedin.settings["features"])):
        yield name, _with_features(uedin, name, features)
    short = {name: _without_ngrams(options) for name, options in uedin.settings["features"].items()}
    yield "without n-grams", _with_features(uedin, "without n-grams", short)


def _reduced(features: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield "all groups", features
    for name in features:
        yield f"without {name}", {key: value for key, value in features.items() if key != name}


def _without_ngrams(options: dict[str, Any]) -> dict[str, Any]:
    return {**options, "longest": 1} if "longest" in options else options


def _with_features(recipe: Recipe, variant: str, features: dict[str, Any]) -> Recipe:
    settings = {**recipe.settings, "features": features}
    return replace(recipe, settings=settings, digest=digest([recipe.digest.encode(), variant.encode()]))


def run_pair(pair: str, folder: Path, slots: int) -> list[dict[str, Any]]:
    classes = task_classes(LanguagePair.parse(pair), year=2016)
    stem = f"{folder / 'split'}/{pair}.2016"
    part = "test-ted" if "de" in pair.split("-") else "test"
    test = read_segments(f"{stem}.{part}.tsv.gz", classes=classes)
    train = sample_documents(read_segments(f"{stem}.train.tsv.gz", classes=classes), slots=slots, seed=1)
    dev = read_segments(f"{stem}.dev.tsv.gz", classes=classes)
    cache = ModelCache(folder / "cache", train, classes=classes, dev=dev)
    gold = gold_labels(part, test)
    runs = []
    for variant, recipe in variants():
        model, training = cache.model_of(recipe, lambda *_: None)
        predicted = {recipe.name: predicted_labels(model, test)}
        systems = Systems(classes, gold, predicted, "present")
        result = score_systems(systems, METRICS, Settings(pair=pair))
        run = {"recipe": recipe.name, "variant": variant, "pair": pair, "style": 2016, "year": 2016}
        run |= {"train_slots": sum(len(s.slots) for s in train), "test": part, "seed": 1}
        run |= measured(result, recipe.name) | {"seconds": {"train": round(training.seconds, 1)}, "note": ""}
        print(pair, recipe.name, variant, f"{run['macro_recall']:.4f} {run['accuracy']:.4f}", flush=True)
        runs.append(run)
    return runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", nargs="*", default=("en-fr", "en-de"), choices=("en-fr", "en-de"))
    parser.add_argument("--slots", type=int, default=50_000, help="placeholders that are learned from")
    parser.add_argument("--write", action="store_true", help="keep the results under results/")
    options = parser.parse_args()
    for pair in options.pairs:
        runs = run_pair(pair, options.folder, options.slots)
        if options.write:
            path = RESULTS / f"ablations.{pair}.json"
            write_results(path, runs, "benchmarks/predict-classic/ablations.py")


if __name__ == "__main__":
    main()
