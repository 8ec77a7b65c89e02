"""All recipes on all pairs they were submitted for: trained, scored, kept as results.

Usage: python benchmarks/predict-classic/systems.py FOLDER [--pairs en-fr ...] [--styles 2015 2016]
           [--recipes NAME ...] [--slots N] [--write]

FOLDER is that of data.py; models are kept in FOLDER/cache. English-French is trained on word forms (2015) too
and scored on teddev in both styles. --slots caps the placeholders that are learned from. --write keeps the
results under results/, where pages.py reads them; runs of recipes that are not named stay as they are.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from score import write_results

from anaphor.core import LanguagePair, Settings
from anaphor.core.engine import warn_without_native
from anaphor.core.table import plain
from anaphor.predict.data import read_segments, sample_documents
from anaphor.recipes.comparison import compare_recipes
from anaphor.recipes.recipe import known_recipes, load_recipe
from anaphor.recipes.training import ModelCache
from anaphor.task import task_classes

RESULTS = Path(__file__).parent / "results"
PAIRS = ("en-fr", "fr-en", "en-de", "de-en", "es-en")
YEAR = 2016  # the classes of the tables; es-en began in 2017


def _is_classic(name: str) -> bool:
    return not any(
        family.startswith(("neural", "anaphor", "hub", "server")) for family in load_recipe(name).families
    )


def tests_of(pair: str) -> list[str]:
    if "de" in pair.split("-"):
        return ["test-ted", "test-europarl"]
    return ["test", "teddev"] if pair == "en-fr" else ["test"]


def year_of(pair: str) -> int:
    return 2017 if pair == "es-en" else YEAR


def compare(folder: Path, pair: str, style: int, recipes: list[str], slots: int | None) -> dict[str, Any]:
    """The comparison of these recipes, as `anaphor predict compare --json` prints it."""
    stem = folder / "split" / f"{pair}.{style}"
    classes = task_classes(LanguagePair.parse(pair), year=year_of(pair))
    train, dev = (read_segments(f"{stem}.{part}.tsv.gz", classes=classes) for part in ("train", "dev"))
    if slots is not None:
        train = sample_documents(train, slots=slots, seed=1)
    paths = [f"{stem}.{part}.tsv.gz" for part in tests_of(pair)]
    found = compare_recipes(
        [load_recipe(name) for name in recipes],
        ModelCache(folder / "cache", train, classes=classes, dev=dev),
        {path: read_segments(path, classes=classes) for path in paths},
        classes=classes,
        settings=Settings(pair=pair, paired=len(recipes) > 1),
    )
    content: dict[str, Any] = plain(found.to_dict())
    return content


def runs_of(found: dict[str, Any], pair: str, style: int) -> list[dict[str, Any]]:
    """The runs of a comparison in the format of results."""
    runs = []
    made = {entry["name"]: entry for entry in found["recipes"]}
    for test in found["tests"]:
        part = Path(test["gold"]).name.removesuffix(".tsv.gz").split(".")[2]
        for system in test["systems"]:
            entry = made[system["name"]]
            drawn = {key.replace("-", "_"): value for key, value in system["intervals"].items() if value}
            runs.append(
                {
                    "recipe": system["name"],
                    "variant": "",
                    "pair": pair,
                    "style": style,
                    "year": test["year"],
                    "train_slots": entry["train_slots"],
                    "test": part,
                    "seed": 1,
                    "classes": test["classes"],
                    "matrix": system["matrix"],
                    "macro_recall": system["macro-recall"],
                    "accuracy": system["accuracy"],
                    "intervals": drawn or None,
                    "seconds": {
                        "train": round(entry["train_seconds"], 1),
                        "predict": round(entry["predict_seconds"][test["gold"]], 2),
                    },
                    "note": "",
                }
            )
    return runs


def merge(path: Path, runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """These runs in place of the older ones of the same recipes, sorted."""
    names = {run["recipe"] for run in runs}
    old = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.is_file() else []
    kept = [run for run in old if run["recipe"] not in names]
    return sorted([*kept, *runs], key=lambda run: (run["test"], run["recipe"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", nargs="*", default=PAIRS, choices=PAIRS)
    parser.add_argument("--styles", nargs="*", type=int, default=(2015, 2016))
    parser.add_argument("--recipes", nargs="*")
    parser.add_argument("--slots", type=int)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    warn_without_native()
    names = options.recipes or [name for name in known_recipes() if _is_classic(name)]
    for pair in options.pairs:
        for style in options.styles if pair == "en-fr" else {2016} & set(options.styles):
            chosen = [name for name in names if pair in load_recipe(name).pairs]
            if not chosen:
                continue
            runs = runs_of(compare(options.folder, pair, style, chosen, options.slots), pair, style)
            for run in runs:
                shown = f"{run['macro_recall']:.4f} {run['accuracy']:.4f} {run['seconds']}"
                print(f"{pair} {style} {run['test']:14} {run['recipe']:28} {shown}", flush=True)
            if options.write:
                path = RESULTS / f"systems.{pair}.{style}.json"
                write_results(path, merge(path, runs), "benchmarks/predict-classic/systems.py")


if __name__ == "__main__":
    main()
