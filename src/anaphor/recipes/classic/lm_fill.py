"""The baseline of the shared tasks as a predictor: an n-gram model of the target fills the gaps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.model_folder import (
    ModelFolder,
    damaged,
    json_writer,
    parsing,
    read_json,
    save_model,
    subtask_files,
    subtask_of,
)
from anaphor.predict.options import Options, option
from anaphor.recipes.features.target_text import model_writer, parts_of, restored_line, trained_model
from anaphor.recipes.lm.fill import PENALTIES, class_of_filler, filler_options
from anaphor.recipes.lm.gaps import GapFiller, GappedSentence
from anaphor.recipes.lm.model import read_lm
from anaphor.task.classes import TaskClasses
from anaphor.task.scoring import METRICS, score_labels

_MODEL, _CHOICE = "target.lm", "penalty.json"
_BATCH = 1000  # segments whose gaps are filled together


@dataclass(frozen=True, slots=True, kw_only=True)
class LmFillOptions(Options):
    """The baseline of the shared tasks: an n-gram model of the target fills the gaps."""

    order: int = option(5, "length of the longest n-grams", least=2, most=6)
    penalty: float = option(0.0, "log10 penalty for leaving a gap empty, 0 or less", least=-1000, most=0)
    tuned: bool = option(False, "tune the penalty on development data")
    metric: str = option("macro-recall", "metric to tune the penalty for", choices=METRICS)


#: The classes that a slot may have, and for each of them a word that stands for it, None for no word.
Candidates = tuple[Sequence[str], tuple[str | None, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class GapFillingModel(BaseModel):
    """An n-gram model of the target that fills all gaps of a sentence jointly."""

    gaps: GapFiller

    @abstractmethod
    def candidates(self, segments: Sequence[TaskSegment]) -> Iterator[Sequence[Candidates]]:
        """For every segment the candidates of each slot."""

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        """The classes of the best filling; the probability of a class is the sum over its words."""
        remaining = zip(segments, self.candidates(segments), strict=True)
        while batch := list(islice(remaining, _BATCH)):
            filled = self.gaps.fill([self.gapped(*entry) for entry in batch])
            for (_, slots), gaps in zip(batch, filled, strict=True):
                for (labels, _), best, shares in zip(slots, gaps.best, gaps.shares, strict=True):
                    totals = dict.fromkeys(self.card.classes, 0.0)
                    for label, share in zip(labels, shares.tolist(), strict=True):
                        totals[label] += share
                    yield Prediction(labels[best], tuple(totals.values()))

    def gapped(self, segment: TaskSegment, slots: Sequence[Candidates]) -> GappedSentence:
        """A segment with the words that may fill its gaps."""
        return GappedSentence(parts_of(segment, forms=self.card.forms), tuple(words for _, words in slots))


@dataclass(frozen=True, slots=True, eq=False)
class LmFillModel(GapFillingModel):
    """An n-gram model of the target; classes that training never had cannot be chosen."""

    classes: TaskClasses
    labels: tuple[str, ...]

    def candidates(self, segments: Sequence[TaskSegment]) -> Iterator[Sequence[Candidates]]:
        every = ((class_of_filler(word, self.classes), word) for word in filler_options(self.classes))
        labels, words = zip(*((label, word) for label, word in every if label in self.labels), strict=True)
        for segment in segments:
            yield [(labels, words)] * len(segment.slots)

    def save(self, folder: Path) -> None:
        choice = json_writer({"penalty": self.gaps.penalty, "labels": self.labels})
        files = {_MODEL: model_writer(self.gaps.model), _CHOICE: choice}
        save_model(folder, self.card, files | subtask_files(self.classes))


@dataclass(frozen=True, slots=True, kw_only=True)
class LmFillPredictor(BasePredictor[LmFillModel]):
    """Trains on the target text with the hidden words restored; tunes the penalty on request."""

    options: LmFillOptions

    @property
    def dev_purpose(self) -> str:
        return "the penalty is tuned on it" if self.options.tuned else ""

    def train(self, data: TrainingData) -> LmFillModel:
        data.progress("counting n-grams", 0.1)
        lines = (restored_line(segment, data.classes, forms=data.forms) for segment in data.segments)
        gaps = GapFiller(trained_model(lines, order=self.options.order), self.options.penalty)
        model = LmFillModel(data.card, gaps, data.classes, data.labels)
        dev = [segment for segment in data.labelled_dev if segment.slots]
        if not self.options.tuned or not dev:
            return model
        gold = [tuple(str(slot.label) for slot in segment.slots) for segment in dev]

        def score(trial: LmFillModel) -> float:
            predicted = [
                tuple(prediction.label for prediction in predictions) for predictions in trial.predict(dev)
            ]
            return score_labels(gold, predicted, classes=data.classes).value(self.options.metric)

        # The penalties go from 0 down, and `max` takes the first of equal ones: the one nearest to 0.
        trials = (replace(model, gaps=replace(gaps, penalty=penalty)) for penalty in PENALTIES)
        return max(trials, key=score)


class LmFillFamily(BaseFamily):
    name = "lm-fill"
    version = 1
    options = LmFillOptions
    predictor_class = LmFillPredictor

    def read(self, folder: ModelFolder) -> LmFillModel:
        card, path = folder.card, folder.file(_CHOICE)
        choice = read_json(path)
        with parsing(path, "the penalty cannot be read"):
            penalty, labels = float(choice["penalty"]), tuple(map(str, choice["labels"]))
        if not -1000 <= penalty <= 0 or not labels or not set(labels) <= set(card.classes):
            raise damaged(path, "the penalty or the classes are invalid")
        gaps, classes = GapFiller(read_lm(folder.file(_MODEL)), penalty), subtask_of(folder)
        if not any(class_of_filler(word, classes) in labels for word in filler_options(classes)):
            raise damaged(path, "no word of the task represents one of its classes")
        return LmFillModel(card, gaps, classes, labels)


FAMILY = LmFillFamily()
