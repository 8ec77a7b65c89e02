"""Training recipes: one for a model folder, or several on the same data with a model cache."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from anaphor import __version__
from anaphor.core import InputWarning, MismatchError, OptionError, TaskSegment, UserError, digest
from anaphor.core.progress import ShareProgress
from anaphor.core.table import Block, Paragraph
from anaphor.files.writing import write_atomically
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.data import describe, format_name, has_forms
from anaphor.predict.families import build_predictor, load_model
from anaphor.recipes.recipe import Recipe
from anaphor.task.classes import TaskClasses

# Packages whose releases may learn other weights from the same data.
_LEARNERS = ("numpy", "scipy", "scikit-learn", "python-crfsuite", "vowpalwabbit", "torch")


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """A model that was trained and saved."""

    card: ModelCard
    output: str
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {"output": self.output, "seconds": self.seconds, **asdict(self.card)}

    def tables(self) -> list[Block]:
        card = self.card
        lines = [
            f"{self.output}: {card.recipe} for {card.pair} {card.year}, {format_name(forms=card.forms)}, "
            f"trained in {self.seconds:.1f} s"
        ]
        for part, facts in card.trained_on.items():
            counts = facts.items() if isinstance(facts, dict) else ()
            lines.append(f"{part}: " + (", ".join(f"{key} {value}" for key, value in counts) or str(facts)))
        return [Paragraph(lines)]


def train_recipe(
    recipe: Recipe,
    train: Sequence[TaskSegment],
    output: str | Path,
    *,
    classes: TaskClasses,
    dev: Sequence[TaskSegment] = (),
    seed: int = 1,
    progress: ShareProgress | None = None,
) -> TrainingReport:
    """Train a recipe and save the model in a folder."""
    check_development([recipe], train, dev)
    start = time.perf_counter()
    predictor = build_predictor(recipe.settings)
    model = predictor.fit(train, classes=classes, dev=dev, seed=seed, progress=progress)
    seconds = time.perf_counter() - start
    model.save(Path(output))
    return TrainingReport(model.card, str(output), seconds)


def with_run_options(
    recipe: Recipe,
    *,
    device: str | None = None,
    minutes: float | None = None,
    checkpoint: str | None = None,
    encoder: str | None = None,
    download: bool = False,
) -> Recipe:
    """The recipe with options for one training run; recipes without such an option reject it."""
    given: dict[str, Any] = {"minutes": minutes, "checkpoint": checkpoint}
    if recipe.family == "hub" or encoder is not None or download:
        from anaphor.predict.hub.family import with_encoder

        settings = with_encoder(recipe.settings, encoder=encoder, download=download, device=device)
        recipe = replace(recipe, settings=settings)
    if recipe.family != "hub":  # a pretrained encoder got its device above
        given["device"] = device
    given = {name: value for name, value in given.items() if value is not None}
    if given:
        from anaphor.recipes.neural import families

        settings = families.with_run_options(recipe.settings, **given)
        recipe = replace(recipe, settings=settings)
    return recipe


def check_recipes(recipes: Sequence[Recipe], classes: TaskClasses) -> None:
    """Raise every recipe error that can be found without data, including missing packages."""
    names = [recipe.name for recipe in recipes]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise OptionError(f"duplicate recipe: {repeated[0]}", where="--recipes", fix="give every recipe once")
    for recipe in recipes:
        if str(classes.pair) not in recipe.pairs:
            # Only a note: it was never submitted for this pair, but may be tried.
            warnings.warn(
                f"{recipe.name} was made for {', '.join(recipe.pairs)}, not for {classes.pair}",
                InputWarning,
                stacklevel=2,
            )
        build_predictor(recipe.settings)


def check_development(
    recipes: Sequence[Recipe], train: Sequence[TaskSegment], dev: Sequence[TaskSegment]
) -> None:
    """Raise an error if development data is missing, unlabelled, or in another format than `train`."""
    for recipe in recipes:
        purpose = build_predictor(recipe.settings).dev_purpose
        if purpose and not any(slot.label is not None for segment in dev for slot in segment.slots):
            raise OptionError(
                f"{recipe.name} needs development data with labels: {purpose}",
                where="--dev",
                fix="pass such a file with --dev, not part of the training data, or choose another recipe",
            )
    if any(segment.target for segment in dev) and has_forms(dev) != has_forms(train):
        here, there = (format_name(forms=has_forms(segments)) for segments in (dev, train))
        raise MismatchError(
            f"the development data has {here}, the training data {there}",
            where="--dev",
            fix="prepare both in the same format",
        )


@dataclass(frozen=True, slots=True)
class TrainedRecipe:
    """The origin of a model: its cache key, the training time, and whether it was trained now."""

    recipe: Recipe
    card: ModelCard
    key: str
    seconds: float
    fresh: bool

    @property
    def slots(self) -> int | None:
        """The number of training placeholders, if the card has it."""
        facts = self.card.trained_on.get("train", self.card.trained_on)
        return facts.get("slots") if isinstance(facts, dict) else None


class ModelCache:
    """Trains recipes on the same data, each once: models are stored by a hash of all that determines them."""

    def __init__(
        self,
        folder: Path,
        train: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
    ) -> None:
        self._folder, self._classes = folder, classes
        self.train, self.dev, self._seed = train, dev, seed
        self._warned: set[str] = set()
        data = {"train": describe(train), "dev": describe(dev), "seed": seed}
        task = {"pair": str(classes.pair), "year": classes.year, "classes": classes.classes}
        versions = {"anaphor": __version__, **{name: _version(name) for name in _LEARNERS}}
        self._ingredients = json.dumps([data, task, versions], sort_keys=True).encode()

    def key_of(self, recipe: Recipe) -> str:
        """The hash of recipe, data, task and versions."""
        return digest([recipe.digest.encode(), self._ingredients])

    def model_of(self, recipe: Recipe, progress: ShareProgress) -> tuple[Model, TrainedRecipe]:
        """The model of the recipe, from the cache or trained now.

        A cached model that cannot be used any more is trained again, with a warning.
        """
        key = self.key_of(recipe)
        folder = self._folder / f"{recipe.name}-{key}"
        record = folder.with_name(f"{folder.name}.json")
        if folder.is_dir():
            try:
                seconds = float(json.loads(record.read_text(encoding="utf-8"))["seconds"])
                model = load_model(folder)
                return model, TrainedRecipe(recipe, model.card, key, seconds, fresh=False)
            except (
                UserError,
                OSError,
                ValueError,
                KeyError,
                TypeError,
                OverflowError,
                RecursionError,
            ) as error:
                what = error.what if isinstance(error, UserError) else "its record cannot be read"
                warnings.warn(f"{folder.name} is trained again: {what}", InputWarning, stacklevel=2)
        predictor = build_predictor(recipe.settings)
        start = time.perf_counter()
        with self._warnings_once():
            model = predictor.fit(
                self.train, classes=self._classes, dev=self.dev, seed=self._seed, progress=progress
            )
        seconds = time.perf_counter() - start
        # The record comes last: a model without one was interrupted, and is trained again.
        model.save(folder)
        write_atomically(record, json.dumps({"seconds": seconds}) + "\n")
        return model, TrainedRecipe(recipe, model.card, key, seconds, fresh=True)

    @contextmanager
    def _warnings_once(self) -> Iterator[None]:
        """Passes a warning on once, since every recipe has the same ones for the same data."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        for warning in caught:
            if str(warning.message) not in self._warned:
                self._warned.add(str(warning.message))
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"
