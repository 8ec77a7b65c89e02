"""Several models as one: a weighted mean of their probabilities, weights tuned on development data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import OptionError, Prediction, TaskSegment
from anaphor.predict.cards import card_of
from anaphor.predict.classic.explaining import Evidence, Explanation, explanation
from anaphor.predict.classic.mixing import Mixture, best_mixture, mixed
from anaphor.predict.classic.rows import Doubles
from anaphor.predict.contract import Model, ModelCard, Predictor, Progress
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.settings import check_names, check_range, option, settings_of
from anaphor.predict.training_data import check_training
from anaphor.task.classes import TaskClasses

VERSION = 1
_NAME = "interpolation"
_FILE = "mixture.json"
_MOST_MEMBERS = 10
_TENTH = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How weights are found and used."""

    metric: str = option("macro-recall", "what the weights are tuned for: macro-recall or accuracy")
    means: str = option("linear", "linear: mean of probabilities; log: of their logarithms")
    steps: int = option(10, "weights are multiples of 1 / steps")

    def __post_init__(self) -> None:
        where = "options"
        check_names((self.metric,), ("macro-recall", "accuracy"), name="metric", where=where)
        check_names((self.means,), ("linear", "log"), name="mean", where=where)
        check_range(self.steps, least=1, most=100, name="steps", where=where)


@dataclass(frozen=True, slots=True, eq=False)
class InterpolatedModel:
    """Models with a weight each."""

    card: ModelCard
    members: tuple[Model, ...]
    mixture: Mixture

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The best class of the mean."""
        found = zip(*(member.predict(segments) for member in self.members), strict=True)
        for predictions in found:
            yield tuple(self._mixed(slots) for slots in zip(*predictions, strict=True))

    def _mixed(self, predictions: Sequence[Prediction]) -> Prediction:
        tables = np.array([[one.probabilities] for one in predictions])
        shares = mixed(tables, self.mixture)[0]
        return Prediction(self.card.classes[int(shares.argmax())], tuple(shares.tolist()))

    def save(self, folder: Path) -> None:
        """Write every member in a folder of its own, and the weights."""
        members = {f"member-{number}": member.save for number, member in enumerate(self.members)}
        save_model(folder, self.card, {**members, _FILE: self.mixture.write})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """How much each member adds to the chosen class against the next one."""
        before = segments[: segment + 1]
        predictions = [list(member.predict(before))[-1][slot] for member in self.members]
        shares = np.array(self._mixed(predictions).probabilities)
        chosen, other = np.argsort(-shares, kind="stable")[:2].tolist()
        evidence = [
            Evidence(
                f"member {number}: {member.card.recipe}",
                weight * (one.probabilities[chosen] - one.probabilities[other]),
            )
            for number, (member, weight, one) in enumerate(
                zip(self.members, self.mixture.weights, predictions, strict=True)
            )
        ]
        return explanation(self.card.classes[chosen], self.card.classes[other], evidence)


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
        train, tuned_on = (segments, dev) if _labels(dev) else _split(segments)
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
        gold = np.array([classes.classes.index(label) for label in _labels(tuned_on)])
        tables = np.array([_shares(model, tuned_on) for model in models])
        mixture = best_mixture(
            tables, gold, metric=self.options.metric, means=self.options.means, steps=self.options.steps
        )
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        return InterpolatedModel(card, models, mixture)


def _labels(segments: Sequence[TaskSegment]) -> list[str]:
    return [slot.label for segment in segments for slot in segment.slots if slot.label is not None]


def _shares(model: Model, segments: Sequence[TaskSegment]) -> Doubles:
    """The probabilities of the slots that have a label, a row each."""
    rows = [
        one.probabilities
        for segment, found in zip(segments, model.predict(segments), strict=True)
        for slot, one in zip(segment.slots, found, strict=True)
        if slot.label is not None
    ]
    return np.array(rows)


def _split(segments: Sequence[TaskSegment]) -> tuple[Sequence[TaskSegment], Sequence[TaskSegment]]:
    """Nine tenths and the last tenth; whatever is too short is used twice."""
    cut = len(segments) - len(segments) // _TENTH
    held = segments[cut:]
    return (segments[:cut], held) if _labels(held) else (segments, segments)


def _part(progress: Progress | None, number: int, members: int) -> Progress | None:
    if progress is None:
        return None
    return lambda share, what: progress((number + share) / members, f"member {number + 1}: {what}")


class _Family:
    """Builds and loads mixtures."""

    options = Options

    def build(self, recipe: Mapping[str, Any]) -> InterpolationPredictor:
        name = str(recipe.get("name", _NAME))
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
        folder.check_version(VERSION)
        mixture = _read(folder.file(_FILE))
        members = tuple(load_model(folder.folder(f"member-{n}")) for n in range(len(mixture.weights)))
        if any(member.card.classes != folder.card.classes for member in members):
            raise damaged(folder.path, "a member has other classes")
        return InterpolatedModel(folder.card, members, mixture)


def _read(path: Path) -> Mixture:
    try:
        found = json.loads(path.read_bytes())
        mixture = Mixture(tuple(map(float, found["weights"])), str(found["means"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(path, "the weights cannot be read") from None
    if not mixture.sound:
        raise damaged(path, "the weights do not add up to 1")
    return mixture


FAMILY = _Family()
