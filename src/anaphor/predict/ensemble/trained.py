"""An ensemble of models that were trained before, each on its own, whatever they are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.core import MismatchError, OptionError, TaskSegment
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.data import described
from anaphor.predict.ensemble.mixing import Mixture, equal_mixture, favoured, mixed, score
from anaphor.predict.ensemble.model import NAME, VERSION, InterpolatedModel
from anaphor.predict.ensemble.weighing import METRICS, Answers, Options, answers_of, labels_of, tuned

RECIPE = "ensemble"
_STYLES = ("lemmas with tags", "word forms")

Scores = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Ensemble:
    """The model, and the scores of every member and of all together on development data, if there is any."""

    model: InterpolatedModel
    members: tuple[Scores, ...]
    together: Scores


def check_members(members: Mapping[str, Model]) -> None:
    """An error where models cannot be one: fewer than two, or other pairs, classes or styles."""
    if len(members) < 2:
        raise OptionError(
            f"an ensemble of {len(members)}", where="MODEL", fix="name two or more different models"
        )
    (first, chief), *others = members.items()
    for name, model in others:
        for what, here, there in _facts(model.card, chief.card):
            if here != there:
                raise MismatchError(
                    f"the model {what} {here}, {first} {what} {there}",
                    where=name,
                    fix="name models of one pair, one year and one style of targets",
                )


def _facts(card: ModelCard, other: ModelCard) -> list[tuple[str, str, str]]:
    return [
        ("is for", card.pair, other.pair),
        ("has the classes", ", ".join(card.classes), ", ".join(other.classes)),
        ("knows", _STYLES[card.forms], _STYLES[other.forms]),
    ]


def ensemble_of(
    members: Mapping[str, Model], *, dev: Sequence[TaskSegment] = (), options: Options, equal: bool = False
) -> Ensemble:
    """Models as one. Weights are tuned on `dev`, unless all shall be equal; errors name members by key."""
    check_members(members)
    models = tuple(members.values())
    if not labels_of(dev):
        if not equal:
            raise OptionError(
                "no development data to tune the weights on",
                where="--dev",
                fix="give a file with labels, or --equal for the same weight each",
            )
        mixture = equal_mixture(len(models), means=options.means)
        return Ensemble(_model(models, mixture, dev, options, equal=equal), (), {})
    answers = answers_of(models, dev)
    mixture = equal_mixture(len(models), means=options.means) if equal else tuned(answers, options)
    if options.metric == "macro-recall":
        mixture = favoured(mixture, answers.tables, answers.gold)
    members_alone = tuple(_scores(chosen, answers) for chosen in answers.chosen)
    together = _scores(mixture.chosen(mixed(answers.tables, mixture)), answers)
    return Ensemble(_model(models, mixture, dev, options, equal=equal), members_alone, together)


def _scores(chosen: NDArray[np.int64], answers: Answers) -> Scores:
    return {metric: score(chosen, answers.gold, metric=metric) for metric in METRICS}


def _model(
    models: tuple[Model, ...],
    mixture: Mixture,
    dev: Sequence[TaskSegment],
    options: Options,
    *,
    equal: bool,
) -> InterpolatedModel:
    """The model with a card that names its members."""
    chief = models[0].card
    card = ModelCard(
        recipe=RECIPE,
        family=NAME,
        version=VERSION,
        pair=chief.pair,
        year=chief.year,
        forms=chief.forms,
        classes=chief.classes,
        options={
            "options": {**asdict(options), "equal": equal},
            "members": [{"recipe": one.card.recipe, "family": one.card.family} for one in models],
        },
        trained_on={"dev": described(dev)},
    )
    return InterpolatedModel(card, models, mixture)
