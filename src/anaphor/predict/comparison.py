"""Training many recipes on the same data, each once: models are kept by the hash of all that makes them."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from anaphor import __version__
from anaphor.core import InputWarning, MismatchError, OptionError, TaskSegment, UserError, digest
from anaphor.corpus import write_atomically
from anaphor.predict.contract import Model, ModelCard, Progress
from anaphor.predict.data import describe
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.recipe import Recipe
from anaphor.task.classes import TaskClasses

# Packages whose releases may learn other weights from the same data.
_LEARNERS = ("numpy", "scipy", "scikit-learn", "python-crfsuite", "vowpalwabbit", "torch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What all recipes of a comparison learn from."""

    classes: TaskClasses
    train: Sequence[TaskSegment]
    dev: Sequence[TaskSegment] = ()
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Training:
    """How a model came about: its key in the cache, how long its training took, and whether that was now."""

    recipe: Recipe
    card: ModelCard
    key: str
    seconds: float
    fresh: bool


class Course:
    """Recipes trained on one lesson, with a folder that remembers."""

    def __init__(self, lesson: Lesson, cache: Path) -> None:
        self._lesson = lesson
        self._told: set[str] = set()
        self._cache = cache
        classes = lesson.classes
        data = {"train": describe(lesson.train), "dev": describe(lesson.dev), "seed": lesson.seed}
        task = {"pair": str(classes.pair), "year": classes.year, "classes": classes.classes}
        self._made_of = json.dumps([data, task, _versions()], sort_keys=True).encode()

    def key_of(self, recipe: Recipe) -> str:
        """The hash of recipe, data, task and versions."""
        return digest([recipe.digest.encode(), self._made_of])

    def model_of(self, recipe: Recipe, progress: Progress) -> tuple[Model, Training]:
        """The model of the recipe, from the cache or trained now."""
        key = self.key_of(recipe)
        folder = self._cache / f"{recipe.name}-{key}"
        kept = _kept(recipe, key, folder) if folder.is_dir() else None
        return kept or self._trained(recipe, key, folder, progress)

    def _trained(self, recipe: Recipe, key: str, folder: Path, progress: Progress) -> tuple[Model, Training]:
        lesson = self._lesson
        predictor = build_predictor(recipe.settings)
        start = time.perf_counter()
        with self._once():
            model = predictor.fit(
                lesson.train, classes=lesson.classes, dev=lesson.dev, seed=lesson.seed, progress=progress
            )
        seconds = time.perf_counter() - start
        model.save(folder)
        write_atomically(_record(folder), json.dumps({"seconds": seconds}) + "\n")
        return model, Training(recipe, model.card, key, seconds, fresh=True)

    @contextmanager
    def _once(self) -> Iterator[None]:
        """What every recipe has to say of the same data is told once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            if str(warning.message) not in self._told:
                self._told.add(str(warning.message))
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def check_recipes(recipes: Sequence[Recipe], classes: TaskClasses) -> None:
    """Everything that can be wrong with recipes without data, packages that are missing included."""
    names = [recipe.name for recipe in recipes]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(
            f"a recipe is named twice: {repeated[0]}", where="--recipes", fix="name every recipe once"
        )
    for recipe in recipes:
        check_pair(recipe, classes)
        build_predictor(recipe.settings)


def check_pair(recipe: Recipe, classes: TaskClasses) -> None:
    """A pair that the recipe is not for is a note: it was never submitted, but it may be tried."""
    if str(classes.pair) not in recipe.pairs:
        warnings.warn(
            f"{recipe.name} was made for {', '.join(recipe.pairs)}, not for {classes.pair}",
            InputWarning,
            stacklevel=2,
        )


def _kept(recipe: Recipe, key: str, folder: Path) -> tuple[Model, Training] | None:
    """The model of an earlier run; None, with a note, where it cannot be used any more."""
    try:
        seconds = float(json.loads(_record(folder).read_text(encoding="utf-8"))["seconds"])
        model = load_model(folder)
        return model, Training(recipe, model.card, key, seconds, fresh=False)
    except (UserError, OSError, ValueError, KeyError, TypeError) as error:
        what = error.what if isinstance(error, UserError) else "its record cannot be read"
        warnings.warn(f"{folder.name} is trained again: {what}", InputWarning, stacklevel=2)
        return None


def _record(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


def _versions() -> dict[str, str]:
    return {"anaphor": __version__, **{name: _version(name) for name in _LEARNERS}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


def predicted_labels(model: Model, segments: Sequence[TaskSegment]) -> tuple[tuple[str, ...], ...]:
    """The chosen classes of every segment, as the scorer takes them."""
    found = tuple(
        tuple(prediction.label for prediction in predictions) for predictions in model.predict(segments)
    )
    if [len(labels) for labels in found] != [len(segment.slots) for segment in segments]:
        raise MismatchError(
            "the model did not predict every placeholder once",
            where=model.card.recipe,
            fix="report this family of predictors; its contract is in predict/contract.py",
        )
    return found
