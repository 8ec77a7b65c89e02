"""Base classes of predictors, models and families, which leave only the specific parts to subclasses.

A family subclasses three classes:

    class MajorityPredictor(BasePredictor[MajorityModel]):   # a recipe; `train` is its own
    class MajorityModel(BaseModel):                          # a trained model; `predict_slots` and `save`
    class MajorityFamily(BaseFamily):                        # builds the first and loads the second

`contract.py` defines what the rest of the package expects of a model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Generic, TypeVar

from anaphor.core import OptionError, Prediction, TaskSegment
from anaphor.core.progress import ShareProgress, no_progress
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.data import check_training, describe, has_forms
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import Options, Packages, parse_options, require_package
from anaphor.task.classes import TaskClasses

M_co = TypeVar("M_co", bound=Model, covariant=True)


def part_of_progress(progress: ShareProgress, start: float, share: float, prefix: str = "") -> ShareProgress:
    """Progress of one of several tasks, which begins at `start` and makes up `share` of the whole."""
    return lambda what, done: progress(f"{prefix}{what}", start + done * share)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingData:
    """Validated training data, with the card of the resulting model.

    - `labels`: the classes that occur, in sub-task order. No others can be predicted.
    - `dev`: development data as given; `labelled_dev` leaves out segments without labels.
    """

    segments: Sequence[TaskSegment]
    labels: tuple[str, ...]
    classes: TaskClasses
    dev: Sequence[TaskSegment]
    seed: int
    progress: ShareProgress
    card: ModelCard

    @property
    def forms(self) -> bool:
        """Whether targets have word forms (2015) rather than `lemma|TAG` (2016, 2017)."""
        return self.card.forms

    def label_counts(self) -> dict[str, Counter[str]]:
        """How often each source pronoun of the sub-task has each label."""
        counts: dict[str, Counter[str]] = {}
        for segment in self.segments:
            for slot in segment.slots:
                pronoun = segment.source[slot.source].lower()
                if pronoun in self.classes.source_pronouns:
                    counts.setdefault(pronoun, Counter())[str(slot.label)] += 1
        return counts

    @property
    def labelled_dev(self) -> tuple[TaskSegment, ...]:
        """The segments of the development data whose slots all have labels."""
        return tuple(segment for segment in self.dev if all(slot.label is not None for slot in segment.slots))


@dataclass(frozen=True, slots=True, kw_only=True)
class BasePredictor(ABC, Generic[M_co]):
    """A recipe ready for training: `fit` checks and describes the data, subclasses define `train`.

    `settings` is the part of the recipe stored in the model card.
    """

    recipe: str
    family: str
    version: int
    settings: Mapping[str, Any]

    @property
    def dev_purpose(self) -> str:
        """What the recipe needs development data for; empty if it needs none."""
        return ""

    @abstractmethod
    def train(self, data: TrainingData) -> M_co:
        """Train a model on the data."""

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: ShareProgress | None = None,
    ) -> M_co:
        """Train on segments with labels; `dev` is used to choose settings and for early stopping."""
        labels = check_training(segments, classes)
        return self.train(
            TrainingData(
                segments=segments,
                labels=labels,
                classes=classes,
                dev=dev,
                seed=seed,
                progress=progress or no_progress,
                card=self.card(segments, classes, dev),
            )
        )

    def card(
        self, segments: Sequence[TaskSegment], classes: TaskClasses, dev: Sequence[TaskSegment]
    ) -> ModelCard:
        """The model's description: its origin and what it can predict."""
        return ModelCard(
            recipe=self.recipe,
            family=self.family,
            version=self.version,
            pair=str(classes.pair),
            year=classes.year,
            forms=has_forms(segments),
            classes=classes.classes,
            options=dict(self.settings),
            trained_on={"train": describe(segments), "dev": describe(dev)},
        )


# Without slots, so that subclasses need not be dataclasses.
@dataclass(frozen=True, eq=False)
class BaseModel(ABC):
    """A trained model that predicts slot by slot."""

    card: ModelCard

    @abstractmethod
    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """One prediction per slot of all segments, in order; labels are never read."""

    @abstractmethod
    def save(self, folder: Path) -> None:
        """Write the model as plain files."""

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction per slot for each segment; segments without slots have none."""
        # All segments at once, so that a model can batch them; they are dealt out again here.
        predictions = self.predict_slots(segments)
        for segment in segments:
            yield tuple(islice(predictions, len(segment.slots)))


class BaseFamily(ABC):
    """Builds the predictors of a family from recipes, and loads its models.

    - `name` as in recipes and model cards; `version` of the code and its features: models of other versions
      are rejected.
    - `options`: a subclass of `Options`.
    - `predictor_class` takes `options` and the four fields of `BasePredictor`; a family whose predictors need
      more overrides `predictor`.
    - `tables`: the parts of a recipe that the family reads, stored in model cards.
    - `packages`: modules needed for training, each with its package name, installed by `extra`.
    """

    name: str
    version: int
    options: type[Options] = Options
    predictor_class: Callable[..., BasePredictor[Any]]
    tables: tuple[str, ...] = ("options",)
    packages: Packages = ()
    extra: str = "classic"

    @abstractmethod
    def read(self, folder: ModelFolder) -> Model:
        """Read the model in a folder with verified hashes and version."""

    def build(self, recipe: Mapping[str, Any]) -> BasePredictor[Any]:
        """Build the predictor of a recipe; missing packages and invalid options raise errors at once."""
        name = str(recipe.get("name", self.name))
        if recipe.get("features") and "features" not in self.tables:
            raise OptionError(
                "the recipe has features",
                where=name,
                fix=f"remove [features]; the family {self.name} does not use it",
            )
        options = self.parse(recipe.get("options", {}), where=f"{name}, options")
        # Before the predictor is made, where some families import these packages.
        self.require_packages(name, self.packages_for(options))
        return self.predictor(
            options,
            recipe,
            recipe=name,
            family=self.name,
            version=self.version,
            settings=self.settings(options, recipe),
        )

    def parse(self, given: Mapping[str, Any], *, where: str) -> Any:
        """The options of a recipe, validated."""
        return parse_options(self.options, given, where=where)

    def predictor(self, options: Any, given: Mapping[str, Any], **common: Any) -> BasePredictor[Any]:  # noqa: ARG002
        """Build the predictor of the recipe `given`; `common` are the four fields of `BasePredictor`."""
        return self.predictor_class(options=options, **common)

    def settings(self, options: Any, recipe: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """The part of a recipe stored in model cards."""
        return {table: recipe.get(table, {}) for table in self.tables}

    def load(self, folder: ModelFolder) -> Model:
        """Load the model in a folder with verified hashes."""
        folder.check_version(self.version)
        return self.read(folder)

    def options_of(self, folder: ModelFolder) -> Any:
        """The training options of the model in a folder."""
        return self.parse(folder.card.options.get("options", {}), where=str(folder.path))

    def packages_for(self, options: Any) -> Packages:  # noqa: ARG002
        """The modules needed for training with these options."""
        return self.packages

    def require_packages(self, recipe: str, packages: Packages) -> None:
        """Raise an error with the install command if a package is missing."""
        for module, package in packages:
            require_package(module, package=package, extra=self.extra, recipe=recipe)
