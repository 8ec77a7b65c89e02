"""Interpolation as a family of recipes: all members are trained together, then their weights are tuned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anaphor.core import OptionError, TaskSegment
from anaphor.predict.contract import Predictor, Progress
from anaphor.predict.data import card_of, check_training
from anaphor.predict.ensemble.model import NAME, VERSION, InterpolatedModel, load_interpolated
from anaphor.predict.ensemble.weighing import Options, answers_of, labels_of, tuned
from anaphor.predict.families import build_predictor
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.options import settings_of
from anaphor.task.classes import TaskClasses

_MOST_MEMBERS = 10
_TENTH = 10


@dataclass(frozen=True, slots=True)
class InterpolationPredictor:
    """The members' recipes, and how to mix them."""

    recipe: str
    members: tuple[Predictor, ...]
    options: Options
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> InterpolatedModel:
        """Train every member, then tune weights on `dev`; without it, on a tenth that nobody learns from."""
        check_training(segments, classes)
        train, tuned_on = (segments, dev) if labels_of(dev) else _split(segments)
        models = tuple(
            member.fit(
                train,
                classes=classes,
                dev=tuned_on,
                seed=seed,
                progress=_part(progress, number, len(self.members)),
            )
            for number, member in enumerate(self.members)
        )
        mixture = tuned(answers_of(models, tuned_on), self.options)
        card = card_of(self, segments, dev, classes, family=NAME, version=VERSION)
        return InterpolatedModel(card, models, mixture)


def _split(segments: Sequence[TaskSegment]) -> tuple[Sequence[TaskSegment], Sequence[TaskSegment]]:
    """Nine tenths and the last tenth; whatever is too short is used twice."""
    cut = len(segments) - len(segments) // _TENTH
    held = segments[cut:]
    return (segments[:cut], held) if labels_of(held) else (segments, segments)


def _part(progress: Progress | None, number: int, members: int) -> Progress | None:
    if progress is None:
        return None
    return lambda share, what: progress((number + share) / members, f"member {number + 1}: {what}")


class _Family:
    """Builds and loads mixtures."""

    options = Options

    def build(self, recipe: Mapping[str, Any]) -> InterpolationPredictor:
        name = str(recipe.get("name", NAME))
        given = recipe.get("members", [])
        if not isinstance(given, list | tuple) or not 2 <= len(given) <= _MOST_MEMBERS:
            raise OptionError(
                "an interpolation has two to ten members", where=name, fix="add [[members]], each a recipe"
            )
        settings = recipe.get("options", {})
        options = settings_of(Options, settings, where=f"{name}, options")
        members = tuple(
            build_predictor({"name": f"{name}, member {n}", **one}) for n, one in enumerate(given)
        )
        return InterpolationPredictor(name, members, options, {"options": settings, "members": list(given)})

    def load(self, folder: ModelFolder) -> InterpolatedModel:
        return load_interpolated(folder)


FAMILY = _Family()
