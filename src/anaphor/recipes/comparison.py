"""Several recipes trained on the same data, with their scores side by side."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.core import MismatchError, Settings, TaskSegment
from anaphor.core.progress import ShareProgress, no_progress
from anaphor.core.table import Block, Paragraph, Table, text
from anaphor.predict.base import part_of_progress
from anaphor.predict.data import format_name, has_forms
from anaphor.predict.prediction import METRICS, predicted_labels
from anaphor.recipes.recipe import Recipe
from anaphor.recipes.training import ModelCache, TrainedRecipe, check_development
from anaphor.task.classes import TaskClasses
from anaphor.task.systems import Labels, Systems, TaskResult, gold_labels, score_systems


@dataclass(frozen=True, slots=True)
class RecipeComparison:
    """Trained recipes, their results on every test file, and the seconds that prediction took.

    `parts` are the tables shown per system, of `matrix` and `class`; `notes` are the warnings of the run.
    """

    trained: tuple[TrainedRecipe, ...]
    results: tuple[TaskResult, ...]
    predict_seconds: Mapping[tuple[str, str], float]
    parts: tuple[str, ...] = ("matrix", "class")
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The trained recipes, and for every test file the object of `anaphor task score`."""
        recipes = [
            {
                "name": entry.recipe.name,
                "family": entry.recipe.family,
                "digest": entry.recipe.digest,
                "key": entry.key,
                "train_slots": entry.slots,
                "train_seconds": entry.seconds,
                "cached": not entry.fresh,
                "predict_seconds": {
                    path: seconds
                    for (name, path), seconds in self.predict_seconds.items()
                    if name == entry.recipe.name
                },
            }
            for entry in self.trained
        ]
        tests = [result.to_dict() for result in self.results]
        return {"recipes": recipes, "tests": tests, "notes": list(self.notes)}

    def tables(self) -> list[Block]:
        """For every test file the tables of `anaphor task score`, then how the models were trained."""
        blocks: list[Block] = []
        for result in self.results:
            gold = result.systems.gold
            blocks.append(Paragraph([f"{Path(gold.path).name}: {gold.slots} placeholders"], heading=True))
            summary, scores, *rest = replace(result, parts=self.parts).tables()
            blocks += [scores, summary, *rest]
        columns = tuple(map(text, ("recipe", "family", "learned from", "trained in", "model")))
        rows = [
            (
                entry.recipe.name,
                entry.recipe.family,
                "" if entry.slots is None else f"{entry.slots:,} placeholders",
                f"{entry.seconds:.1f} s",
                f"{'now' if entry.fresh else 'cache'} {entry.key}",
            )
            for entry in self.trained
        ]
        return [*blocks, Paragraph(["Training"], heading=True), Table(columns, rows)]


def compare_recipes(
    recipes: Sequence[Recipe],
    cache: ModelCache,
    tests: Mapping[str, Sequence[TaskSegment]],
    *,
    classes: TaskClasses,
    settings: Settings,
    metrics: Sequence[str] = METRICS,
    average: str = "present",
    progress: ShareProgress = no_progress,
) -> RecipeComparison:
    """Every recipe trained, or loaded from the cache, and scored on all test segments, by path.

    With paired tests in the settings, recipes are tested against the first.
    """
    check_development(recipes, cache.train, cache.dev)
    gold = {path: gold_labels(path, segments) for path, segments in tests.items()}
    trained, seconds = [], {}
    predicted: dict[str, dict[str, Labels]] = {path: {} for path in tests}
    # One model at a time is in memory: some are large.
    for number, recipe in enumerate(recipes):
        name = f"{recipe.name} ({number + 1} of {len(recipes)})"
        step = part_of_progress(progress, number / len(recipes), 1 / len(recipes), f"{name}: ")
        model, entry = cache.model_of(recipe, step)
        trained.append(entry)
        for path, segments in tests.items():
            step(f"predicting {Path(path).name}", 1.0)
            start = time.perf_counter()
            predicted[path][recipe.name] = predicted_labels(model, segments)
            seconds[recipe.name, path] = time.perf_counter() - start
    # Scored after all training, because paired tests need the predictions of every recipe.
    systems = (Systems(classes, gold[path], predicted[path], average) for path in tests)
    results = tuple(score_systems(each, metrics, settings) for each in systems)
    return RecipeComparison(tuple(trained), results, seconds)


def check_formats(files: Mapping[str, Sequence[TaskSegment]]) -> None:
    """Raise an error if some files have word forms and others lemmas."""
    formats = {path: format_name(forms=has_forms(segments)) for path, segments in files.items()}
    first = next(iter(formats))
    for path, form in formats.items():
        if form != formats[first]:
            raise MismatchError(
                f"the file has {form}, {first} has {formats[first]}",
                where=path,
                fix="prepare all files in the same format",
            )
