"""The baseline of the tasks as a predictor: a language model of the target fills the gaps, as in `fill`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from anaphor.core import LanguagePair, Prediction, TaskSegment
from anaphor.predict.classic.option_family import OptionFamily
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training, has_forms
from anaphor.predict.lm.file import read_lm
from anaphor.predict.lm.fill import GRID, class_of_filler, filler_options
from anaphor.predict.lm.gaps import Filled, Gapped, GapReader
from anaphor.predict.lm.target_text import model_writer, parts_of, restored_line, trained_model
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.options import check_names, check_range, option
from anaphor.task.classes import TaskClasses, task_classes
from anaphor.task.scoring import METRICS, score_labels

VERSION = 1
_NAME = "lm-fill"
_MODEL, _CHOICE = "target.lm", "penalty.json"
_BATCH = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How the model is trained and how it fills."""

    order: int = option(5, "length of the longest n-grams")
    penalty: float = option(0.0, "log10 price of filling nothing, 0 or less")
    tuned: bool = option(False, "take the penalty that is best on development data")
    metric: str = option("macro-recall", "what the penalty is tuned for")

    def __post_init__(self) -> None:
        check_range(self.order, least=2, most=6, name="order", where="options.order")
        check_range(self.penalty, least=-1000, most=0, name="penalty", where="options.penalty")
        check_names((self.metric,), METRICS, name="metric", where="options.metric")


@dataclass(frozen=True, slots=True, eq=False)
class FillModel:
    """A model of the target and the words it tries; a class that training never had cannot be chosen."""

    card: ModelCard
    classes: TaskClasses
    gaps: GapReader
    labels: tuple[str, ...]

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The classes of the best filling; the probability of a class is that of its words."""
        options = self._options()
        left = iter(segments)
        while batch := list(islice(left, _BATCH)):
            for filled in self.gaps.read([self._gapped(segment, options) for segment in batch]):
                yield self._predictions(filled, options)

    def save(self, folder: Path) -> None:
        """Write the model, the penalty, and the classes seen."""
        save_model(folder, self.card, {_MODEL: model_writer(self.gaps.model), _CHOICE: self._write})

    def with_penalty(self, penalty: float) -> FillModel:
        return replace(self, gaps=GapReader(self.gaps.model, penalty))

    def _options(self) -> tuple[str | None, ...]:
        tried = filler_options(self.classes)
        return tuple(word for word in tried if class_of_filler(word, self.classes) in self.labels)

    def _gapped(self, segment: TaskSegment, options: tuple[str | None, ...]) -> Gapped:
        return Gapped(parts_of(segment, forms=self.card.forms), (options,) * len(segment.slots))

    def _predictions(self, filled: Filled, options: tuple[str | None, ...]) -> tuple[Prediction, ...]:
        classes = [class_of_filler(word, self.classes) for word in options]
        found = []
        for best, shares in zip(filled.best, filled.shares, strict=True):
            totals = dict.fromkeys(self.card.classes, 0.0)
            for label, share in zip(classes, shares.tolist(), strict=True):
                totals[label] += share
            found.append(Prediction(classes[best], tuple(totals.values())))
        return tuple(found)

    def _write(self, path: Path) -> None:
        content = {"penalty": self.gaps.penalty, "labels": self.labels}
        path.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class FillPredictor:
    """The recipe of the baseline."""

    recipe: str
    options: Options
    settings: Mapping[str, Any]

    def fit(
        self,
        segments: Sequence[TaskSegment],
        *,
        classes: TaskClasses,
        dev: Sequence[TaskSegment] = (),
        seed: int = 1,  # noqa: ARG002 - nothing is drawn
        progress: Progress | None = None,
    ) -> FillModel:
        """Train on the target text with the hidden words back in place; tune the penalty where asked to."""
        labels = check_training(segments, classes)
        forms = has_forms(segments)
        if progress:
            progress(0.1, "counting n-grams")
        lines = (restored_line(segment, classes, forms=forms) for segment in segments)
        model = trained_model(lines, order=self.options.order)
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        found = FillModel(card, classes, GapReader(model, self.options.penalty), labels)
        labelled = [one for one in dev if one.slots and all(slot.label is not None for slot in one.slots)]
        return self._tuned(found, labelled) if self.options.tuned and labelled else found

    def _tuned(self, model: FillModel, dev: Sequence[TaskSegment]) -> FillModel:
        """With the best penalty of the grid, of equal ones the one nearest to 0."""
        gold = [tuple(str(slot.label) for slot in segment.slots) for segment in dev]

        def merit(trial: FillModel) -> float:
            predicted = [tuple(one.label for one in found) for found in trial.predict(dev)]
            return score_labels(gold, predicted, classes=model.classes).value(self.options.metric)

        return max((model.with_penalty(penalty) for penalty in GRID), key=merit)


def _load(folder: ModelFolder) -> FillModel:
    card = folder.card
    classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
    penalty, labels = _read(folder.file(_CHOICE), card.classes)
    gaps = GapReader(read_lm(folder.file(_MODEL)), penalty)
    return FillModel(card, classes, gaps, labels)


def _read(path: Path, classes: tuple[str, ...]) -> tuple[float, tuple[str, ...]]:
    try:
        found = json.loads(path.read_bytes())
        penalty, labels = float(found["penalty"]), tuple(map(str, found["labels"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damaged(path, "the penalty cannot be read") from None
    if not -1000 <= penalty <= 0 or not labels or not set(labels) <= set(classes):
        raise damaged(path, "the penalty or the classes cannot be")
    return penalty, labels


FAMILY = OptionFamily(_NAME, VERSION, Options, FillPredictor, _load)
