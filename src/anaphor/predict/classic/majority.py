"""The plainest of all: the most frequent class of each source pronoun."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.core import Prediction, TaskSegment
from anaphor.predict.classic.option_family import OptionFamily
from anaphor.predict.contract import ModelCard, Progress
from anaphor.predict.data import card_of, check_training
from anaphor.predict.model_folder import ModelFolder, damaged, save_model
from anaphor.predict.options import option
from anaphor.task.classes import TaskClasses

VERSION = 1
_NAME = "majority"
_FILE = "counts.json"
_ANY = ""

Counts = Mapping[str, Mapping[str, int]]
"""How often each class was seen for a source pronoun, and under `_ANY` for all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the majority is one of."""

    by_pronoun: bool = option(False, "the majority for the source pronoun, not of all slots")


@dataclass(frozen=True, slots=True)
class MajorityModel:
    """Counts of classes."""

    card: ModelCard
    counts: Counts

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        """The most frequent class; probabilities are relative frequencies."""
        found = {name: self._prediction(counts) for name, counts in self.counts.items()}
        for segment in segments:
            words = (segment.source[slot.source].lower() for slot in segment.slots)
            yield tuple(found.get(word, found[_ANY]) for word in words)

    def save(self, folder: Path) -> None:
        """Write the counts."""
        text = json.dumps(self.counts, ensure_ascii=False, sort_keys=True) + "\n"
        save_model(folder, self.card, {_FILE: lambda path: _write(path, text)})

    def _prediction(self, counts: Mapping[str, int]) -> Prediction:
        total = sum(counts.values())
        shares = tuple(counts.get(label, 0) / total for label in self.card.classes)
        return Prediction(self.card.classes[shares.index(max(shares))], shares)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class MajorityPredictor:
    """Counts."""

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
        progress: Progress | None = None,  # noqa: ARG002 - it is done before anybody looks
    ) -> MajorityModel:
        """Count the classes; `dev` is not looked at."""
        check_training(segments, classes)
        counts: dict[str, Counter[str]] = {_ANY: Counter()}
        for segment in segments:
            for slot in segment.slots:
                counts[_ANY][str(slot.label)] += 1
                word = segment.source[slot.source].lower()
                if self.options.by_pronoun and word in classes.source_pronouns:
                    counts.setdefault(word, Counter())[str(slot.label)] += 1
        card = card_of(self, segments, dev, classes, family=_NAME, version=VERSION)
        return MajorityModel(card, {name: dict(found) for name, found in counts.items()})


def _load(folder: ModelFolder) -> MajorityModel:
    return MajorityModel(folder.card, _read(folder.file(_FILE), folder.card.classes))


def _read(path: Path, classes: tuple[str, ...]) -> Counts:
    try:
        found = json.loads(path.read_bytes())
        counts = {str(name): {str(k): int(v) for k, v in one.items()} for name, one in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise damaged(path, "the counts cannot be read") from None
    sound = all(set(one) <= set(classes) and sum(one.values()) > 0 for one in counts.values())
    if _ANY not in counts or not sound:
        raise damaged(path, "a count is of no class")
    return counts


FAMILY = OptionFamily(_NAME, VERSION, Options, MajorityPredictor, _load)
