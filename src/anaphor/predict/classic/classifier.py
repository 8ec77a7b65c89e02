"""Feature families: groups of features and a learner, and the model that both make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.classic.extractor import Learned, Viewer, learn_rows, rows_of
from anaphor.predict.classic.forest import ForestLearner, read_forest
from anaphor.predict.classic.linear import LinearScorer, LogisticLearner, SvmLearner, WeightedLearner
from anaphor.predict.classic.scores import (
    CHOICE,
    Chooser,
    Learner,
    Scorer,
    for_recall,
    plain_chooser,
    read_chooser,
    read_weights,
    scaled,
)
from anaphor.predict.classic.sparse import FILE, Ints, Names, Rows, read_names, stacked, write_names
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training, has_forms
from anaphor.predict.explain import Evidence, Explanation, explanation
from anaphor.predict.features.groups import VERSION, Group, build_groups, learned, loaded, saved_files, unseen
from anaphor.predict.model_folder import ModelFolder, save_model
from anaphor.predict.options import need_package, settings_of
from anaphor.task.classes import TaskClasses

#: Rows that a stand-in learns from, and that it is tried on, where there is no development data.
_STAND_IN, _TRIED = 20_000, 5_000
_CONTEXT = 20  # no group looks further back


def nobody(share: float, what: str) -> None:
    """Progress that nobody wants to see."""


@dataclass(frozen=True, slots=True, eq=False)
class FeatureModel:
    """A trained classifier."""

    card: ModelCard
    viewer: Viewer
    names: Names
    scorer: Scorer
    chooser: Chooser

    @property
    def reach(self) -> int:
        """How many segments before a placeholder are looked at."""
        return self.viewer.needs.sentences

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """One prediction a slot; segments without slots have none."""
        found = self._predictions(segments)
        for segment in segments:
            yield tuple(islice(found, len(segment.slots))) if segment.slots else ()

    def save(self, folder: Path) -> None:
        """Write names, weights and how to choose."""
        files = {
            FILE: lambda path: write_names(path, self.names),
            CHOICE: self.chooser.write,
            **self.scorer.files(),
            **saved_files(self.viewer.groups),
        }
        save_model(folder, self.card, files)

    def explain(self, segments: Sequence[TaskSegment], *, segment: int, slot: int) -> Explanation:
        """The features that decided about one slot."""
        around = segments[max(segment - _CONTEXT, 0) : segment + 1]
        scenes = (scene for batch in self.viewer.scenes(around) for scene in batch)
        here = [scene for scene in scenes if scene.here.segment is segments[segment]]
        found = self.viewer.names(here[slot])
        known = {name: value for name, value in found.items() if name in self.names}
        row = Rows(
            np.array([0, len(known)]),
            np.array([self.names[name] for name in known], np.int32),
            np.array(list(known.values()), np.float32),
        )
        shares = self.chooser.shares(self.scorer.scores(row))
        chosen = int(self.chooser.chosen(shares)[0])
        other = int(np.argsort(-np.delete(shares[0], chosen), kind="stable")[0])
        other += other >= chosen
        amounts = self.scorer.amounts(row, chosen=chosen, other=other)
        evidence = [Evidence(name, float(amount)) for name, amount in zip(known, amounts, strict=True)]
        labels = self.chooser.labels
        return explanation(labels[chosen], labels[other], evidence)

    def _predictions(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        for _, rows in rows_of(self.viewer, segments, self.names):
            yield from self.answers(rows)

    def answers(self, rows: Rows) -> Iterator[Prediction]:
        """One prediction a row."""
        places = [self.card.classes.index(label) for label in self.chooser.labels]
        shares = self.chooser.shares(self.scorer.scores(rows))
        full = np.zeros((len(rows), len(self.card.classes)))
        full[:, places] = shares
        chosen = self.chooser.chosen(shares).tolist()
        for label, probabilities in zip(chosen, full.tolist(), strict=True):
            yield Prediction(self.chooser.labels[label], tuple(probabilities))


@dataclass(frozen=True, slots=True)
class FeaturePredictor:
    """Groups and a learner, ready for data."""

    recipe: str
    family: str
    groups: Mapping[str, Group]
    learner: Learner
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,
        progress: Progress | None = None,
    ) -> FeatureModel:
        """Learn from all slots; `dev` is for scaling scores and for how to choose."""
        labels = check_training(segments, classes)
        return self.learn(segments, labels=labels, classes=classes, dev=dev, seed=seed, progress=progress)

    def learn(
        self,
        segments: Sequence[TaskSegment],
        *,
        labels: tuple[str, ...],
        classes: TaskClasses,
        dev: Sequence[TaskSegment],
        seed: int,
        progress: Progress | None,
    ) -> FeatureModel:
        """The same without checks, for `labels` only; slots without a label are looked at, never learned."""
        tell = progress or nobody
        forms = has_forms(segments)
        groups = learned(self.groups, segments, classes=classes, forms=forms)
        viewer = Viewer(classes.pair, forms, groups)
        data = learn_rows(
            viewer,
            segments,
            labels,
            least=self.learner.least,
            progress=lambda share: tell(0.5 * share, "features"),
        )
        tell(0.5, "learning")
        scorer = self._scorer(data, labels, seed)
        names = Names(data.names)
        final = Viewer(classes.pair, forms, unseen(groups))
        tell(0.9, "choosing")
        chooser = self._chooser(scorer, data, _labelled(final, dev, names, labels), labels, seed)
        tell(1.0, "done")
        card = card_of(self, segments, dev, classes, family=self.family, version=VERSION)
        return FeatureModel(card, final, names, scorer, chooser)

    def _scorer(self, data: Learned, labels: tuple[str, ...], seed: int) -> Scorer:
        return self.learner.learn(
            data.rows, data.labels, width=len(data.names), classes=len(labels), seed=seed
        )

    def _chooser(
        self,
        scorer: Scorer,
        data: Learned,
        dev: tuple[Rows, Ints] | None,
        labels: tuple[str, ...],
        seed: int,
    ) -> Chooser:
        chooser = plain_chooser(data.labels, labels)
        if self.learner.calibrated and self.learner.choose == "probability":
            return chooser
        tried = dev
        if tried is None:
            scorer, tried = self._stand_in(data, labels, seed)
        scores = scorer.scores(tried[0])
        if not self.learner.calibrated:
            chooser = scaled(chooser, scores, tried[1])
        return for_recall(chooser, scores, tried[1]) if self.learner.choose == "recall" else chooser

    def _stand_in(
        self, data: Learned, labels: tuple[str, ...], seed: int
    ) -> tuple[Scorer, tuple[Rows, Ints]]:
        """A classifier from some of the rows, and other rows to try it on; all of them where rows are few."""
        order = np.random.default_rng(seed).permutation(len(data.rows))
        tried = order[: min(_TRIED, len(order) // 10)]
        rest = order[len(tried) :][:_STAND_IN]
        if len(np.unique(data.labels[rest])) < len(labels) or not len(tried):
            rest = tried = order
        some = Learned(data.rows.take(rest), data.labels[rest], data.names)
        return self._scorer(some, labels, seed), (data.rows.take(tried), data.labels[tried])


def _labelled(
    viewer: Viewer, dev: Sequence[TaskSegment], names: Names, labels: tuple[str, ...]
) -> tuple[Rows, Ints] | None:
    """The rows of development data whose label is one of those, with the labels; None without any."""
    parts: list[Rows] = []
    found: list[int] = []
    for batch, rows in rows_of(viewer, dev, names):
        kept = [at for at, scene in enumerate(batch) if scene.slot.label in labels]
        parts.append(rows.take(np.array(kept, np.int64)))
        found += [labels.index(str(batch[at].slot.label)) for at in kept]
    return (stacked(parts), np.array(found, np.int32)) if found else None


class ReadScorer(Protocol):
    """Reads what a scorer has written."""

    def __call__(self, path: Path, *, features: int, classes: int) -> Scorer: ...


@dataclass(frozen=True, slots=True)
class FeatureFamily:
    """A family of one learner; `file` is what its scorers are saved in."""

    name: str
    options: type[Any]
    file: str
    read: ReadScorer
    packages: Callable[[Any], tuple[str, str]]

    def build(self, recipe: Mapping[str, Any]) -> FeaturePredictor:
        """The predictor of a recipe with `features` and `options`."""
        name = str(recipe.get("name", self.name))
        groups = build_groups(recipe.get("features", {}))
        learner: Learner = settings_of(self.options, recipe.get("options", {}), where=f"{name}, options")
        module, package = self.packages(learner)
        need_package(module, package=package, extra="classic", recipe=name)
        settings = {"features": recipe.get("features", {}), "options": recipe.get("options", {})}
        return FeaturePredictor(name, self.name, groups, learner, settings)

    def load(self, folder: ModelFolder) -> FeatureModel:
        """The model of a folder."""
        folder.check_version(VERSION)
        card = folder.card
        groups = loaded(build_groups(card.options.get("features", {})), folder)
        names = read_names(folder.file(FILE))
        chooser = read_chooser(folder.file(CHOICE), classes=card.classes)
        scorer = self.read(folder.file(self.file), features=len(names), classes=len(chooser.labels))
        viewer = Viewer(LanguagePair.parse(card.pair), card.forms, groups)
        return FeatureModel(card, viewer, names, scorer, chooser)


def _margins(path: Path, *, features: int, classes: int) -> LinearScorer:
    return LinearScorer(read_weights(path, features=features, classes=classes), odds=False)


def _odds(path: Path, *, features: int, classes: int) -> LinearScorer:
    return LinearScorer(read_weights(path, features=features, classes=classes), odds=True)


def _scikit_learn(_: object) -> tuple[str, str]:
    return "sklearn", "scikit-learn"


def _engine(learner: WeightedLearner) -> tuple[str, str]:
    vowpal = learner.chosen_engine == "vowpalwabbit"
    return ("vowpalwabbit", "vowpalwabbit") if vowpal else ("sklearn", "scikit-learn")


SVM = FeatureFamily("linear-svm", SvmLearner, "weights.npz", _margins, _scikit_learn)
LOGISTIC = FeatureFamily("logistic", LogisticLearner, "weights.npz", _margins, _scikit_learn)
WEIGHTED = FeatureFamily("weighted-logistic", WeightedLearner, "weights.npz", _odds, _engine)
FOREST = FeatureFamily("random-forest", ForestLearner, "forest.npz", read_forest, _scikit_learn)
