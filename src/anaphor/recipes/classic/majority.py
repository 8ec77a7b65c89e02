"""The simplest predictor: the most frequent class, overall or for each source pronoun."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.base import BaseFamily, BaseModel, BasePredictor, TrainingData
from anaphor.predict.model_folder import ModelFolder, damaged, json_writer, parsing, read_json, save_model
from anaphor.predict.options import Options, option

_FILE = "counts.json"
_ANY = ""

#: How often each class was seen for a source pronoun, and under `_ANY` for all pronouns together.
ClassCounts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityOptions(Options):
    """The most frequent class, overall or for each source pronoun."""

    by_pronoun: bool = option(False, "predict the majority class of each source pronoun, not of all slots")


@dataclass(frozen=True, slots=True)
class MajorityModel(BaseModel):
    """Counts of classes; probabilities are relative frequencies."""

    counts: ClassCounts

    def predict_slots(self, segments: Sequence[TaskSegment]) -> Iterator[Prediction]:
        predictions = {}
        for pronoun, counts in self.counts.items():
            total = sum(counts.values())
            shares = tuple(counts.get(label, 0) / total for label in self.card.classes)
            # Of equally frequent classes the first in the order of the sub-task.
            predictions[pronoun] = Prediction(self.card.classes[shares.index(max(shares))], shares)
        for segment in segments:
            for slot in segment.slots:
                yield predictions.get(segment.source[slot.source].lower(), predictions[_ANY])

    def save(self, folder: Path) -> None:
        save_model(folder, self.card, {_FILE: json_writer(self.counts, sort_keys=True)})


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityPredictor(BasePredictor[MajorityModel]):
    """Counts classes; development data, seed and progress are not used."""

    options: MajorityOptions

    def train(self, data: TrainingData) -> MajorityModel:
        labels = Counter(str(slot.label) for segment in data.segments for slot in segment.slots)
        by_pronoun = data.label_counts() if self.options.by_pronoun else {}
        counts = {_ANY: labels, **by_pronoun}
        return MajorityModel(data.card, {pronoun: dict(of_pronoun) for pronoun, of_pronoun in counts.items()})


class MajorityFamily(BaseFamily):
    name = "majority"
    version = 1
    options = MajorityOptions
    predictor_class = MajorityPredictor

    def read(self, folder: ModelFolder) -> MajorityModel:
        path = folder.file(_FILE)
        content = read_json(path)
        with parsing(path, "the counts cannot be read"):
            counts = {
                str(name): {str(k): int(v) for k, v in of_pronoun.items()}
                for name, of_pronoun in content.items()
            }
        # A total of 0 would be divided by.
        valid = all(
            set(of_pronoun) <= set(folder.card.classes)
            and min(of_pronoun.values(), default=-1) >= 0
            and sum(of_pronoun.values())
            for of_pronoun in counts.values()
        )
        if _ANY not in counts or not valid:
            raise damaged(path, "the counts do not fit the classes")
        return MajorityModel(folder.card, counts)


FAMILY = MajorityFamily()
