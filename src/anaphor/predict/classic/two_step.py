"""Two steps: first whether a pronoun of the classes stands there at all, then which (UU-STYMNE's primary)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.core import OptionError, Prediction, TaskSegment
from anaphor.predict.classic.classifier import FeatureModel, FeaturePredictor
from anaphor.predict.classic.extractor import rows_of_each
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training
from anaphor.predict.explain import Explanation
from anaphor.predict.families import FAMILIES, load_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.task.classes import TaskClasses

VERSION = 1
PRONOUN = "PRONOUN"
_NAME = "two-step"
_FIRST, _SECOND = "first", "second"


@dataclass(frozen=True, slots=True, eq=False)
class TwoStepModel:
    """A model of two classes, and one for the slots that are a pronoun."""

    card: ModelCard
    first: FeatureModel
    second: FeatureModel

    @property
    def reach(self) -> int:
        """How many segments before a placeholder either step looks at."""
        return max(self.first.reach, self.second.reach)

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """Whatever the first step says decides; probabilities are products of both."""
        if self.first.reach == self.second.reach:
            found = self._together(segments)
            for segment in segments:
                yield tuple(islice(found, len(segment.slots)))
            return
        for whether, which in zip(self.first.predict(segments), self.second.predict(segments), strict=True):
            yield tuple(map(self._joined, whether, which))

    def _together(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The same where both steps look equally far: a group that both have is asked once."""
        steps = (self.first, self.second)
        groups = {
            f"{number} {name}": group
            for number, step in enumerate(steps)
            for name, group in step.viewer.groups.items()
        }
        viewers = [(step.viewer, step.names) for step in steps]
        for batch in replace(self.first.viewer, groups=groups).scenes(segments):
            first, second = rows_of_each(batch, viewers)
            yield from map(self._joined, self.first.answers(first), self.second.answers(second))

    def _joined(self, whether: Prediction, which: Prediction) -> Prediction:
        pronoun, other = whether.probabilities
        label = which.label if whether.label == PRONOUN else self.card.classes[-1]
        return Prediction(label, (*(pronoun * share for share in which.probabilities), other))

    def save(self, folder: Path) -> None:
        """Write both models, each in a folder of its own."""
        save_model(folder, self.card, {_FIRST: self.first.save, _SECOND: self.second.save})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """Why the step that decided did so."""
        found = self.first.explain(segments, segment=segment, slot=slot)
        if found.label != PRONOUN:
            return found
        return self.second.explain(segments, segment=segment, slot=slot)


@dataclass(frozen=True, slots=True)
class TwoStepPredictor:
    """The recipes of both steps."""

    recipe: str
    first: FeaturePredictor
    second: FeaturePredictor
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> TwoStepModel:
        """Learn both steps; the second from the slots that are a pronoun of the classes."""
        present = check_training(segments, classes)
        pronouns = tuple(label for label in present if label != classes.other)
        if classes.other not in present or len(pronouns) < 2:
            raise OptionError(
                "two steps need the class OTHER and two classes beside it",
                where=self.recipe,
                fix="give training data with more classes, or a recipe of one step",
            )

        def learned(
            step: FeaturePredictor, labels: tuple[str, ...], rename: Rename, half: float
        ) -> FeatureModel:
            return step.learn(
                _renamed(segments, rename),
                labels=labels,
                classes=replace(classes, classes=classes_of(labels)),
                dev=_renamed(dev, rename),
                seed=seed,
                progress=_half(progress, half),
            )

        def classes_of(labels: tuple[str, ...]) -> tuple[str, ...]:
            return labels if PRONOUN in labels else classes.classes[:-1]

        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        whether = learned(
            self.first,
            (PRONOUN, classes.other),
            lambda label: classes.other if label == classes.other else PRONOUN,
            0.0,
        )
        which = learned(self.second, pronouns, lambda label: None if label == classes.other else label, 0.5)
        return TwoStepModel(card, whether, which)


Rename = Callable[[str], str | None]


def _renamed(segments: Sequence[TaskSegment], rename: Rename) -> list[TaskSegment]:
    """The segments with other labels; None withholds one."""
    return [
        replace(
            segment,
            slots=tuple(
                slot if slot.label is None else replace(slot, label=rename(slot.label))
                for slot in segment.slots
            ),
        )
        if segment.slots
        else segment
        for segment in segments
    ]


def _half(progress: Progress | None, start: float) -> Progress | None:
    """Progress of one step of two."""
    if progress is None:
        return None
    return lambda share, what: progress(start + share / 2, what)


class _Family:
    """Builds and loads two steps."""

    def build(self, recipe: Mapping[str, Any]) -> TwoStepPredictor:
        name = str(recipe.get("name", _NAME))
        first, second = (_step(recipe, step, name) for step in (_FIRST, _SECOND))
        settings = {step: recipe[step] for step in (_FIRST, _SECOND)}
        return TwoStepPredictor(name, first, second, settings)

    def load(self, folder: ModelFolder) -> TwoStepModel:
        folder.check_version(VERSION)
        first, second = (load_model(folder.folder(step)) for step in (_FIRST, _SECOND))
        if not isinstance(first, FeatureModel) or not isinstance(second, FeatureModel):
            raise damaged(folder.path, "a step is no classifier")
        if first.card.classes[:1] != (PRONOUN,) or second.card.classes != folder.card.classes[:-1]:
            raise damaged(folder.path, "the steps do not fit each other")
        return TwoStepModel(folder.card, first, second)


def _step(recipe: Mapping[str, Any], step: str, name: str) -> FeaturePredictor:
    """The predictor of one step, which must be one of features."""
    given = recipe.get(step)
    if not isinstance(given, Mapping):
        raise OptionError(
            f"no [{step}] step", where=name, fix=f"add a table [{step}] with a family and features"
        )
    built = FAMILIES.get(str(given.get("family"))).build({"name": f"{name}, {step}", **given})
    if not isinstance(built, FeaturePredictor):
        raise OptionError(
            f"the family {given.get('family')} cannot be a step",
            where=f"{name}, {step}",
            fix="choose linear-svm, logistic, weighted-logistic or random-forest",
        )
    return built


FAMILY = _Family()
