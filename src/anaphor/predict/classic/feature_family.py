"""The families whose predictors are features and a learner, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from anaphor.core import LanguagePair
from anaphor.predict.classic.choosing import FILE as CHOICE
from anaphor.predict.classic.choosing import read_chooser
from anaphor.predict.classic.classifier import FeatureModel, FeaturePredictor
from anaphor.predict.classic.forest import ForestLearner, read_forest
from anaphor.predict.classic.linear import LinearScorer, LogisticLearner, SvmLearner
from anaphor.predict.classic.names import FILE, read_names
from anaphor.predict.classic.scorer import Learner, Scorer
from anaphor.predict.classic.space import Viewer
from anaphor.predict.classic.vowpal import WeightedLearner
from anaphor.predict.classic.weights import read_weights
from anaphor.predict.extras import need_package
from anaphor.predict.features.groups import VERSION, build_groups
from anaphor.predict.features.learning import loaded
from anaphor.predict.model_folder import ModelFolder
from anaphor.predict.settings import settings_of


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
