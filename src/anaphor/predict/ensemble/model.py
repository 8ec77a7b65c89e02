"""A model that combines others: interpolated predictions, from a recipe or from trained models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import MismatchError, OptionError, Prediction, TaskSegment
from anaphor.core.array_types import Doubles
from anaphor.core.table import Block, Table, number, percent, text
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData, part_of_progress
from anaphor.predict.contract import JointModel, Model, ModelCard
from anaphor.predict.data import describe, format_name
from anaphor.predict.ensemble import mixture as mixtures
from anaphor.predict.ensemble.mixture import EnsembleOptions, MemberPredictions, Mixture, known_labels
from anaphor.predict.explain import Explanation, WordEvidence, explanation
from anaphor.predict.explain.occlusion import OcclusionRequest, masked_probabilities
from anaphor.predict.families import build_predictor, load_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.shipped import find_model, in_style

VERSION = 1
NAME = "interpolation"
#: The recipe on the card of an ensemble of models trained before.
RECIPE = "ensemble"
_FILE = "mixture.json"
_MOST_MEMBERS = 10
#: Without development data, weights are tuned on the last of this many parts of the training data.
_PARTS = 10

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class InterpolatedModel(BaseModel):
    """The weighted mean of the probabilities of several models."""

    members: tuple[Model, ...]
    mixture: Mixture

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The best class of the mean, by the class factors of the mixture."""
        for predictions in zip(*(member.predict(segments) for member in self.members), strict=True):
            for slots in zip(*predictions, strict=True):
                yield self._mix(slots)

    def _mix(self, predictions: Sequence[Prediction]) -> Prediction:
        probabilities = mixtures.mixed(
            np.array([[prediction.probabilities] for prediction in predictions]), self.mixture
        )
        chosen = int(self.mixture.choose(probabilities)[0])
        return Prediction(self.card.classes[chosen], tuple(probabilities[0].tolist()))

    def save(self, folder: Path) -> None:
        """Write every member to a separate folder, and the weights."""
        members = {f"member-{number}": member.save for number, member in enumerate(self.members)}
        save_model(folder, self.card, {**members, _FILE: self.mixture.write})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """Each member's contribution to the chosen class against the runner-up."""
        up_to_here = segments[: segment + 1]
        predictions = [list(member.predict(up_to_here))[-1][slot] for member in self.members]
        # Ranked as `Mixture.choose` ranks, so that the first one is the prediction.
        merits = np.array(self._mix(predictions).probabilities) * np.array(self.mixture.favour or 1.0)
        chosen, other = np.argsort(-merits, kind="stable")[:2].tolist()
        members = zip(self.members, self.mixture.weights, predictions, strict=True)
        evidence = [
            WordEvidence(
                f"member {number}: {member.card.recipe}",
                # The mean is linear in its members: these parts add up to the difference to be explained.
                weight * (prediction.probabilities[chosen] - prediction.probabilities[other]),
            )
            for number, (member, weight, prediction) in enumerate(members)
        ]
        return explanation(self.card.classes[chosen], self.card.classes[other], evidence)

    def masked_probabilities(self, request: OcclusionRequest) -> Doubles:
        """The mean over the members, each of which hides words in its own way."""
        tables = np.array([masked_probabilities(member, request) for member in self.members])
        return mixtures.mixed(tables, self.mixture)


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpolationPredictor(BasePredictor[InterpolatedModel]):
    """The recipes of the members, and how to mix them."""

    members: tuple[BasePredictor[Any], ...]
    options: EnsembleOptions

    @property
    def dev_purpose(self) -> str:
        return "the weights of the members are tuned on it"

    def train(self, data: TrainingData) -> InterpolatedModel:
        """Train every member, then tune the weights on development data, or on a held-out tenth."""
        train, held_out = data.segments, data.dev
        if not known_labels(held_out):
            cut = len(train) - len(train) // _PARTS
            train, held_out = data.segments[:cut], data.segments[cut:]
            if not known_labels(held_out):
                # Too short to split: better tuned on seen data than not at all.
                train = held_out = data.segments
        share = 1 / len(self.members)
        models = tuple(
            member.fit(
                train,
                classes=data.classes,
                dev=held_out,
                seed=data.seed,
                progress=part_of_progress(data.progress, number * share, share, f"member {number + 1}: "),
            )
            for number, member in enumerate(self.members)
        )
        mixture = MemberPredictions.of(models, held_out).best_mixture(self.options)
        return InterpolatedModel(data.card, models, mixture)


@dataclass(frozen=True, slots=True)
class Ensemble:
    """An ensemble, and the scores of its members and of the whole on development data, if any.

    `output` is its folder, and `tuned_on` names the development data, if weights were tuned.
    """

    model: InterpolatedModel
    names: tuple[str, ...]
    members: tuple[Scores, ...]
    together: Scores
    output: str = ""
    tuned_on: str | None = None

    def to_dict(self) -> dict[str, Any]:
        members = zip(self.names, self.model.mixture.weights, self.members, strict=True)
        return {
            "output": self.output,
            "members": [{"model": name, "weight": weight, "dev": dev} for name, weight, dev in members],
            "dev": self.together,
            **asdict(self.model.card),
        }

    def tables(self) -> Sequence[Block]:
        card, metrics = self.model.card, tuple(self.together)
        rows = zip(
            (*self.names, "together"),
            (*self.model.mixture.weights, 1.0),
            (*self.members, self.together),
            strict=True,
        )
        style = format_name(forms=card.forms)
        blocks: list[Block] = [
            f"{self.output}: {len(self.names)} models for {card.pair} {card.year}, {style}",
            Table(
                (text("model"), number("weight", 2), *map(percent, metrics)),
                [(name, weight, *(scores[metric] for metric in metrics)) for name, weight, scores in rows],
            ),
        ]
        if metrics and self.tuned_on is not None:
            blocks.append(f"Weights were tuned on {self.tuned_on}: score the ensemble on other data.")
        return blocks


def build_ensemble(
    members: Mapping[str, Model],
    *,
    dev: Sequence[TaskSegment] = (),
    options: EnsembleOptions,
    equal: bool = False,
) -> Ensemble:
    """Combine trained models. Weights are tuned on `dev` unless `equal`; errors name members by key."""
    check_members(members)
    models = tuple(members.values())
    mixture = mixtures.equal_mixture(len(models), means=options.means)
    scores: list[Scores] = [{} for _ in (*models, "together")]
    if known_labels(dev):
        predicted = MemberPredictions.of(models, dev)
        if not equal:
            mixture = predicted.best_mixture(options)
        # Mean recall rewards rare classes; other measures are best served by the probabilities themselves.
        if options.metric == "macro-recall":
            mixture = mixtures.with_class_factors(mixture, predicted.tables, predicted.gold)
        together = mixture.choose(mixtures.mixed(predicted.tables, mixture))
        scores = [
            {metric: mixtures.score(chosen, predicted.gold, metric=metric) for metric in mixtures.METRICS}
            for chosen in (*predicted.chosen, together)
        ]
    elif not equal:
        raise OptionError(
            "no development data to tune the weights on",
            where="--dev",
            fix="pass a file with labels, or --equal for equal weights",
        )
    first = models[0].card
    card = ModelCard(
        recipe=RECIPE,
        family=NAME,
        version=VERSION,
        pair=first.pair,
        year=first.year,
        forms=first.forms,
        classes=first.classes,
        options={
            "options": {**asdict(options), "equal": equal},
            "members": [{"recipe": model.card.recipe, "family": model.card.family} for model in models],
        },
        trained_on={"dev": describe(dev)},
    )
    return Ensemble(InterpolatedModel(card, models, mixture), tuple(members), tuple(scores[:-1]), scores[-1])


def find_members(
    names: Sequence[str], *, pair: str | None = None, year: int | None = None
) -> dict[str, Model]:
    """Models by name or folder; a model for both target formats takes that of the others."""
    models = {name: find_model(name, pair=pair, year=year) for name in names}
    # Only models for one format decide: a joint model is set to it below.
    styles = {model.card.forms for model in models.values() if not isinstance(model, JointModel)}
    if len(styles) != 1:
        return models
    (forms,) = styles
    return {name: in_style(model, forms=forms) for name, model in models.items()}


def check_members(members: Mapping[str, Model]) -> None:
    """Raise an error if models cannot be combined: fewer than two, or for different tasks."""
    if len(members) < 2:
        raise OptionError(
            f"an ensemble needs at least two models, got {len(members)}",
            where="the models of the ensemble",
            fix="use at least two different models",
        )
    (first, chief), *others = members.items()
    for name, model in others:
        for what, here, there in (
            ("is for", model.card.pair, chief.card.pair),
            ("has the classes", ", ".join(model.card.classes), ", ".join(chief.card.classes)),
            ("reads", format_name(forms=model.card.forms), format_name(forms=chief.card.forms)),
        ):
            if here != there:
                raise MismatchError(
                    f"the model {what} {here}, {first} {what} {there}",
                    where=name,
                    fix="choose models for one pair, one year and one target format",
                )


class InterpolationFamily(BaseFamily):
    """Builds and loads interpolated models."""

    name = NAME
    version = VERSION
    options = EnsembleOptions
    tables = ("options", "members")

    def predictor(
        self, options: EnsembleOptions, given: Mapping[str, Any], **common: Any
    ) -> InterpolationPredictor:
        name, recipes = common["recipe"], given.get("members", [])
        if not isinstance(recipes, list | tuple) or not 2 <= len(recipes) <= _MOST_MEMBERS:
            raise OptionError(
                "an interpolation needs two to ten members",
                where=name,
                fix="add [[members]], each of them a recipe",
            )
        members = tuple(
            build_predictor({"name": f"{name}, member {n}", **member}) for n, member in enumerate(recipes)
        )
        return InterpolationPredictor(members=members, options=options, **common)

    def read(self, folder: ModelFolder) -> InterpolatedModel:
        mixture = Mixture.read(folder.file(_FILE))
        members = tuple(load_model(folder.folder(f"member-{n}")) for n in range(len(mixture.weights)))
        if any(member.card.classes != folder.card.classes for member in members):
            raise damaged(folder.path, "a member has other classes")
        if mixture.favour and len(mixture.favour) != len(folder.card.classes):
            raise damaged(folder.path, "the number of class factors differs from the number of classes")
        return InterpolatedModel(folder.card, members, mixture)


FAMILY = InterpolationFamily()
