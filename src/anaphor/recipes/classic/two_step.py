"""Two steps: whether the slot is one of the pronoun classes at all, then which (UU-STYMNE's primary)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from anaphor.core import OptionError, Prediction, TaskSegment
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData, part_of_progress
from anaphor.predict.explain import Explanation
from anaphor.predict.families import FAMILIES, load_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.recipes.classic.classifier import FeatureModel, FeaturePredictor
from anaphor.recipes.classic.extractor import rows_of_each

PRONOUN = "PRONOUN"
_FIRST, _SECOND = "first", "second"


@dataclass(frozen=True, slots=True, eq=False)
class TwoStepModel(BaseModel):
    """A model of two classes (pronoun or OTHER), and one for the slots that are a pronoun."""

    first: FeatureModel
    second: FeatureModel

    @property
    def reach(self) -> int:
        """The number of segments before a placeholder that the steps look at."""
        return max(self.first.reach, self.second.reach)

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The first step decides about OTHER; probabilities are products of both steps."""
        if self.first.reach != self.second.reach:
            pairs = zip(self.first.predict_slots(segments), self.second.predict_slots(segments), strict=True)
            yield from (self._joined(first, second) for first, second in pairs)
            return
        # Both steps see the same contexts, so a feature group that both have is computed once.
        steps = (self.first, self.second)
        groups = {
            f"{number} {name}": group
            for number, step in enumerate(steps)
            for name, group in step.extractor.groups.items()
        }
        extractors = [(step.extractor, step.vocabulary) for step in steps]
        for batch in replace(self.first.extractor, groups=groups).contexts(segments):
            first, second = rows_of_each(batch, extractors)
            yield from map(self._joined, self.first.predictions_of(first), self.second.predictions_of(second))

    def _joined(self, first: Prediction, second: Prediction) -> Prediction:
        pronoun, other = first.probabilities
        label = second.label if first.label == PRONOUN else self.card.classes[-1]
        # p(class) = p(pronoun) * p(class | pronoun). The label may differ from the likeliest class, because
        # each step decides by its own rule.
        return Prediction(label, (*(pronoun * share for share in second.probabilities), other))

    def save(self, folder: Path) -> None:
        """Write both models, each in a separate folder."""
        save_model(folder, self.card, {_FIRST: self.first.save, _SECOND: self.second.save})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The explanation of the deciding step."""
        first = self.first.explain(segments, segment=segment, slot=slot)
        if first.label != PRONOUN:
            return first
        return self.second.explain(segments, segment=segment, slot=slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoStepPredictor(BasePredictor[TwoStepModel]):
    """The recipes of both steps; the second is trained on slots that are pronouns."""

    first: FeaturePredictor
    second: FeaturePredictor

    def train(self, data: TrainingData) -> TwoStepModel:
        other = data.classes.other
        pronouns = tuple(label for label in data.labels if label != other)
        if other not in data.labels or len(pronouns) < 2:
            raise OptionError(
                "two steps need the class OTHER and at least two other classes",
                where=self.recipe,
                fix="pass training data with more classes, or use a recipe of one step",
            )
        first = _train_step(
            self.first,
            replace(data, labels=(PRONOUN, other), classes=replace(data.classes, classes=(PRONOUN, other))),
            lambda label: other if label == other else PRONOUN,
            start=0.0,
        )
        second = _train_step(
            self.second,
            # OTHER is the last class of every sub-task.
            replace(data, labels=pronouns, classes=replace(data.classes, classes=data.classes.classes[:-1])),
            lambda label: None if label == other else label,
            start=0.5,
        )
        return TwoStepModel(data.card, first, second)


def _train_step(
    step: FeaturePredictor, data: TrainingData, relabel: Callable[[str], str | None], *, start: float
) -> FeatureModel:
    """Half of the training, on the same text with other labels."""
    segments, dev = _relabelled(data.segments, relabel), _relabelled(data.dev, relabel)
    card = step.card(segments, data.classes, dev)
    progress = part_of_progress(data.progress, start, 0.5)
    return step.train(replace(data, segments=segments, dev=dev, card=card, progress=progress))


def _relabelled(segments: Sequence[TaskSegment], relabel: Callable[[str], str | None]) -> list[TaskSegment]:
    """The segments with other labels; None withholds a label, so the slot is not used for training."""
    return [
        replace(
            segment,
            slots=tuple(
                slot if slot.label is None else replace(slot, label=relabel(slot.label))
                for slot in segment.slots
            ),
        )
        if segment.slots
        else segment
        for segment in segments
    ]


class TwoStepFamily(BaseFamily):
    """Two nested recipes: `[first]` separates OTHER from pronouns, and `[second]` chooses the pronoun."""

    name = "two-step"
    version = 1
    tables = (_FIRST, _SECOND)

    def predictor(self, options: Any, given: Mapping[str, Any], **common: Any) -> TwoStepPredictor:  # noqa: ARG002
        steps = []
        for step in (_FIRST, _SECOND):
            where = f"{common['recipe']}, {step}"
            recipe = given.get(step)
            if not isinstance(recipe, Mapping):
                raise OptionError(
                    f"no [{step}] step",
                    where=common["recipe"],
                    fix=f"add a table [{step}] with a family and features",
                )
            built = FAMILIES.get(str(recipe.get("family"))).build({"name": where, **recipe})
            if not isinstance(built, FeaturePredictor):
                raise OptionError(
                    f"the family {recipe.get('family')} cannot be a step",
                    where=where,
                    fix="choose linear-svm, logistic, weighted-logistic or random-forest",
                )
            steps.append(built)
        return TwoStepPredictor(first=steps[0], second=steps[1], **common)

    def read(self, folder: ModelFolder) -> TwoStepModel:
        first, second = (load_model(folder.folder(step)) for step in (_FIRST, _SECOND))
        if not isinstance(first, FeatureModel) or not isinstance(second, FeatureModel):
            raise damaged(folder.path, "a step is not a classifier")
        if (
            first.card.classes[:1] != (PRONOUN,)
            or len(first.card.classes) != 2
            or second.card.classes != folder.card.classes[:-1]
        ):
            raise damaged(folder.path, "the steps do not fit each other")
        return TwoStepModel(folder.card, first, second)


FAMILY = TwoStepFamily()
