"""Linear-chain conditional random fields over the pronouns of a sentence, or of an approximated chain.

CRFsuite learns; its weights are then asked for and kept as a matrix of features and a table of transitions,
so that prediction needs neither CRFsuite nor its file format. The words between the pronouns, which UU-CAP
labelled `0`, are features of the pronouns here and no part of the sequence.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.cards import card_of
from anaphor.predict.classic.chains import CHAIN_NEEDS, Decoded, decode, grouped_places, keys_of
from anaphor.predict.classic.choosing import FILE as CHOICE
from anaphor.predict.classic.choosing import Chooser, plain_chooser, read_chooser
from anaphor.predict.classic.crf_training import CrfOptions, CrfWeights, read_crf, train_crf
from anaphor.predict.classic.names import FILE, Names, read_names, write_names
from anaphor.predict.classic.space import Viewer, learn_rows, rows_of
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.explain.evidence import Evidence, Explanation, explanation
from anaphor.predict.extras import need_package
from anaphor.predict.features.groups import VERSION, Group, build_groups
from anaphor.predict.features.learning import learned, loaded, saved_files, unseen
from anaphor.predict.features.needs import Needs
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.predict.settings import settings_of
from anaphor.predict.training_data import check_training, has_forms
from anaphor.task.classes import TaskClasses

_NAME = "crf"
_WEIGHTS = "crf.npz"
_CONTEXT = 20


@dataclass(frozen=True, slots=True, eq=False)
class CrfModel:
    """Weights of features and transitions; the chooser knows the classes that were seen."""

    card: ModelCard
    viewer: Viewer
    names: Names
    weights: CrfWeights
    chooser: Chooser
    options: CrfOptions

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The best sequences; sequences may run through many segments, so all are read first."""
        found = self._decoded(segments)
        places = [self.card.classes.index(label) for label in self.chooser.labels]
        full = np.zeros((len(found.best), len(self.card.classes)))
        full[:, places] = found.shares
        pairs = zip(found.best.tolist(), full.tolist(), strict=True)
        labels = self.chooser.labels
        for segment in segments:
            slots = (next(pairs) for _ in segment.slots)
            yield tuple(Prediction(labels[best], tuple(shares)) for best, shares in slots)

    def _decoded(self, segments: Sequence[TaskSegment]) -> Decoded:
        scores, keys = [np.zeros((0, len(self.chooser.labels)))], []
        for batch, rows in rows_of(self.viewer, segments, self.names):
            scores.append(rows.times(self.weights.matrix))
            keys += keys_of(batch, self.options.sequence)
        return decode(np.concatenate(scores), self.weights.transitions, grouped_places(keys))

    def save(self, folder: Path) -> None:
        """Write names, weights and classes."""
        files = {
            FILE: lambda path: write_names(path, self.names),
            CHOICE: self.chooser.write,
            _WEIGHTS: self.weights.write,
            **saved_files(self.viewer.groups),
        }
        save_model(folder, self.card, files)

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The features of the slot and the labels beside it in its sequence that decided."""
        around = segments[max(segment - _CONTEXT, 0) : segment + 1]
        scenes = [scene for batch in self.viewer.scenes(around) for scene in batch]
        place = next(at for at, scene in enumerate(scenes) if scene.here.segment is segments[segment]) + slot
        found = self._decoded(around)
        chosen = int(found.best[place])
        ranked = np.argsort(-found.shares[place], kind="stable").tolist()
        other = next(label for label in ranked if label != chosen)
        evidence = [
            Evidence(name, value * float(row[chosen] - row[other]))
            for name, value in self.viewer.names(scenes[place]).items()
            if (number := self.names.get(name)) is not None
            for row in (self.weights.matrix[number],)
        ]
        sequences = grouped_places(keys_of(scenes, self.options.sequence))
        evidence += self._neighbours(
            found, next(one for one in sequences if place in one), place, chosen, other
        )
        return explanation(self.chooser.labels[chosen], self.chooser.labels[other], evidence)

    def _neighbours(
        self, found: Decoded, sequence: Sequence[int], place: int, chosen: int, other: int
    ) -> Iterator[Evidence]:
        at, moves = sequence.index(place), self.weights.transitions
        if at:
            before = int(found.best[sequence[at - 1]])
            amount = float(moves[before, chosen] - moves[before, other])
            yield Evidence(f"before={self.chooser.labels[before]}", amount)
        if at + 1 < len(sequence):
            after = int(found.best[sequence[at + 1]])
            amount = float(moves[chosen, after] - moves[other, after])
            yield Evidence(f"after={self.chooser.labels[after]}", amount)


@dataclass(frozen=True, slots=True)
class _ChainGroup:
    """No features at all, but what chains need to be seen."""

    @property
    def needs(self) -> Needs:
        return CHAIN_NEEDS

    def features(self, scene: object) -> tuple[str, ...]:  # noqa: ARG002 - there are none
        return ()


@dataclass(frozen=True, slots=True)
class CrfPredictor:
    """Groups and options, ready for data."""

    recipe: str
    groups: Mapping[str, Group]
    options: CrfOptions
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> CrfModel:
        """Learn from all sequences; `dev` is not looked at."""
        labels = check_training(segments, classes)
        tell = progress or (lambda share, what: None)  # noqa: ARG005
        forms = has_forms(segments)
        groups = learned(self.groups, segments, classes=classes, forms=forms)
        viewer = Viewer(classes.pair, forms, groups)
        keys: list[Hashable] = []
        data = learn_rows(
            viewer,
            segments,
            labels,
            least=self.options.least,
            progress=lambda share: tell(share / 2, "features"),
            watch=lambda scenes: keys.extend(keys_of(scenes, self.options.sequence)),
        )
        tell(0.5, "learning")
        weights = train_crf(
            data.rows,
            data.labels,
            grouped_places(keys),
            options=self.options,
            width=len(data.names),
            classes=len(labels),
        )
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        names = Names(data.names)
        final = Viewer(classes.pair, forms, unseen(groups))
        return CrfModel(card, final, names, weights, plain_chooser(data.labels, labels), self.options)


class _Family:
    """Builds and loads fields."""

    options = CrfOptions

    def build(self, recipe: Mapping[str, Any]) -> CrfPredictor:
        name = str(recipe.get("name", _NAME))
        groups = build_groups(recipe.get("features", {}))
        options = settings_of(CrfOptions, recipe.get("options", {}), where=f"{name}, options")
        need_package("pycrfsuite", package="python-crfsuite", extra="classic", recipe=name)
        settings = {"features": recipe.get("features", {}), "options": recipe.get("options", {})}
        return CrfPredictor(name, _seeing(groups, options), options, settings)

    def load(self, folder: ModelFolder) -> CrfModel:
        folder.check_version(VERSION)
        card = folder.card
        options = settings_of(CrfOptions, card.options.get("options", {}), where=str(folder.path))
        groups = _seeing(loaded(build_groups(card.options.get("features", {})), folder), options)
        names = read_names(folder.file(FILE))
        chooser = read_chooser(folder.file(CHOICE), classes=card.classes)
        weights = read_crf(folder.file(_WEIGHTS), features=len(names), classes=len(chooser.labels))
        viewer = Viewer(LanguagePair.parse(card.pair), card.forms, groups)
        return CrfModel(card, viewer, names, weights, chooser, options)


def _seeing(groups: Mapping[str, Group], options: CrfOptions) -> dict[str, Group]:
    """The groups, and one that sees enough for chains where there are some."""
    return {**groups, "chain": _ChainGroup()} if options.sequence == "chain" else dict(groups)


FAMILY = _Family()
