"""A model that is made of models: the weighted mean of their probabilities."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.contract import Model, ModelCard
from anaphor.predict.ensemble.mixing import Doubles, Mixture, mixed
from anaphor.predict.explain.evidence import Evidence, Explanation, explanation
from anaphor.predict.explain.hiding import Asked, hidden_table
from anaphor.predict.families import load_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model

VERSION = 1
NAME = "interpolation"
_FILE = "mixture.json"


@dataclass(frozen=True, slots=True, eq=False)
class InterpolatedModel:
    """Models with a weight each."""

    card: ModelCard
    members: tuple[Model, ...]
    mixture: Mixture

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The best class of the mean, by the factors of the mixture."""
        found = zip(*(member.predict(segments) for member in self.members), strict=True)
        for predictions in found:
            yield tuple(self._mixed(slots) for slots in zip(*predictions, strict=True))

    def _mixed(self, predictions: Sequence[Prediction]) -> Prediction:
        tables = np.array([[one.probabilities] for one in predictions])
        shares = mixed(tables, self.mixture)
        chosen = int(self.mixture.chosen(shares)[0])
        return Prediction(self.card.classes[chosen], tuple(shares[0].tolist()))

    def save(self, folder: Path) -> None:
        """Write every member in a folder of its own, and the weights."""
        members = {f"member-{number}": member.save for number, member in enumerate(self.members)}
        save_model(folder, self.card, {**members, _FILE: self.mixture.write})

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """How much each member adds to the chosen class against the next one."""
        before = segments[: segment + 1]
        predictions = [list(member.predict(before))[-1][slot] for member in self.members]
        shares = np.array(self._mixed(predictions).probabilities) * np.array(self.mixture.favour or 1.0)
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

    def probabilities_without(self, asked: Asked) -> Doubles:
        """The mean of what the members say, each with words hidden in the way that suits it."""
        return mixed(np.array([hidden_table(member, asked) for member in self.members]), self.mixture)


def load_interpolated(folder: ModelFolder) -> InterpolatedModel:
    """The model of a folder, and every member in a folder below it."""
    folder.check_version(VERSION)
    mixture = _read(folder.file(_FILE))
    members = tuple(load_model(folder.folder(f"member-{n}")) for n in range(len(mixture.weights)))
    if any(member.card.classes != folder.card.classes for member in members):
        raise damaged(folder.path, "a member has other classes")
    if mixture.favour and len(mixture.favour) != len(folder.card.classes):
        raise damaged(folder.path, "there are not as many factors as classes")
    return InterpolatedModel(folder.card, members, mixture)


def _read(path: Path) -> Mixture:
    try:
        found = json.loads(path.read_bytes())
        weights, favour = (tuple(map(float, found.get(name, ()))) for name in ("weights", "favour"))
        mixture = Mixture(weights, str(found["means"]), favour)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged(path, "the weights cannot be read") from None
    if not mixture.sound:
        raise damaged(path, "the weights do not add up to 1")
    return mixture
