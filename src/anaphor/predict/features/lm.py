"""What a language model of the target would put into the gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.classic.gaps import Filled, Gapped, GapReader
from anaphor.predict.classic.target_text import model_writer, parts_of, restored_line, trained_model
from anaphor.predict.features.groups import Feature
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene
from anaphor.predict.fill import class_of_filler, filler_options
from anaphor.predict.lm_file import read_lm
from anaphor.predict.model_folder import ModelFolder, Writer
from anaphor.predict.ngram_model import NgramModel
from anaphor.predict.settings import check_range, option
from anaphor.task.classes import TaskClasses, task_classes

_FILE = "features.lm"


@dataclass(frozen=True, slots=True, kw_only=True)
class LmGroup:
    """The classes that an n-gram model of the target finds likely, as the baseline of the tasks does.

    The model learns from the training text itself. So that it does not know the answers there, two models
    learn from half of the documents each, and each half is looked at through the model of the other; other
    text is looked at through the first.

    - `lm=il`: the class of the best filling, alone and joined with the source pronoun.
    - `lm.share=il`: how likely the model finds a class, a number from 0 to 1.
    """

    order: int = option(5, "length of the longest n-grams")
    penalty: float = option(-1.0, "log10 price of filling nothing, 0 or less")
    scores: bool = option(True, "numbers for all classes, not only the best one")

    def __post_init__(self) -> None:
        check_range(self.order, least=2, most=6, name="order", where="features.lm")
        check_range(self.penalty, least=-1000, most=0, name="penalty", where="features.lm")

    @property
    def needs(self) -> Needs:
        return Needs()

    def features(self, scene: Scene) -> list[Feature]:  # noqa: ARG002 - whatever it is
        """A group that has not learned says nothing."""
        return []

    def learn(self, segments: Sequence[TaskSegment], *, classes: TaskClasses, forms: bool) -> LearnedLm:
        halves: tuple[list[str], list[str]] = ([], [])
        for segment in segments:
            halves[_half(segment)].append(restored_line(segment, classes, forms=forms))
        if not all(map(any, halves)):  # too little text for two
            halves = ([*halves[0], *halves[1]],) * 2
        models = tuple(trained_model(lines, order=self.order) for lines in halves)
        return LearnedLm(self, classes, forms, models, own=True)

    def load(self, folder: ModelFolder) -> LearnedLm:
        card = folder.card
        classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
        return LearnedLm(self, classes, card.forms, (read_lm(folder.file(_FILE)),), own=False)


def _half(segment: TaskSegment) -> int:
    """Documents go to one half or the other by their name."""
    return crc32((segment.document or " ".join(segment.source)).encode()) & 1


@dataclass(frozen=True, slots=True, eq=False)
class LearnedLm:
    """Models of both halves, or the first alone; `own` text is what they learned from."""

    options: LmGroup
    classes: TaskClasses
    forms: bool
    models: tuple[NgramModel, ...]
    own: bool
    said: dict[int, Filled] = field(default_factory=dict)

    @property
    def needs(self) -> Needs:
        return Needs()

    def unseen(self) -> LearnedLm:
        return replace(self, models=self.models[:1], own=False, said={})

    def files(self) -> Mapping[str, Writer]:
        return {_FILE: model_writer(self.models[0])}

    def look_ahead(self, scenes: Sequence[Scene]) -> None:
        """Fill the gaps of all segments of the scenes; what was said of others is forgotten."""
        self.said.clear()
        segments = {id(scene.here.segment): scene.here.segment for scene in scenes}
        for number, model in enumerate(self.models):
            chosen = {key: one for key, one in segments.items() if not self.own or 1 - _half(one) == number}
            reader = GapReader(model, self.options.penalty)
            self.said.update(zip(chosen, reader.read(list(map(self._gapped, chosen.values()))), strict=True))

    def features(self, scene: Scene) -> list[Feature]:
        filled = self.said[id(scene.here.segment)]
        labels = [class_of_filler(word, self.classes) for word in filler_options(self.classes)]
        best = labels[filled.best[scene.number]]
        found: list[Feature] = [f"lm={best}", f"lm={best}&{scene.pronoun}"]
        if self.options.scores:
            totals: dict[str, float] = {}
            for label, share in zip(labels, filled.shares[scene.number].tolist(), strict=True):
                totals[label] = totals.get(label, 0.0) + share
            found += [(f"lm.share={label}", share) for label, share in totals.items()]
        return found

    def _gapped(self, segment: TaskSegment) -> Gapped:
        options = filler_options(self.classes)
        return Gapped(parts_of(segment, forms=self.forms), (options,) * len(segment.slots))
