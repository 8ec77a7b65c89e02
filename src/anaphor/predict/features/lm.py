"""What a language model of the target would put into the gap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from typing import NamedTuple
from zlib import crc32

import numpy as np

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.features.context import Needs, Scene
from anaphor.predict.features.groups import Feature
from anaphor.predict.lm.file import read_lm
from anaphor.predict.lm.fill import class_of_filler, filler_options
from anaphor.predict.lm.gaps import Filled, Gapped, GapReader
from anaphor.predict.lm.model import NgramModel
from anaphor.predict.lm.target_text import model_writer, parts_of, restored_line, trained_model
from anaphor.predict.model_folder import ModelFolder, Writer
from anaphor.predict.options import check_range, option
from anaphor.predict.parallel import processes_for, shared_out
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
        def line(segment: TaskSegment) -> str:
            return restored_line(segment, classes, forms=forms)

        def trained(half: list[TaskSegment], _: object) -> NgramModel:
            return trained_model(map(line, half), order=self.order)

        halves: tuple[list[TaskSegment], list[TaskSegment]] = ([], [])
        for segment in segments:
            halves[_half(segment)].append(segment)
        if not all(any(map(line, half)) for half in halves):  # too little text for two
            halves = ([*halves[0], *halves[1]],) * 2
        models = shared_out(trained, halves, processes=processes_for(len(segments)))
        return LearnedLm(self, classes, forms, tuple(models), own=True)

    def load(self, folder: ModelFolder) -> LearnedLm:
        card = folder.card
        classes = task_classes(LanguagePair.parse(card.pair), year=card.year)
        return LearnedLm(self, classes, card.forms, (read_lm(folder.file(_FILE)),), own=False)


def _half(segment: TaskSegment) -> int:
    """Documents go to one half or the other by their name."""
    return crc32((segment.document or " ".join(segment.source)).encode()) & 1


class _Guess(NamedTuple):
    """What a model says of a gap: the class of the best filling, and the shares of classes as features."""

    best: str
    shares: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class LearnedLm:
    """Models of both halves, or the first alone; `own` text is what they learned from."""

    options: LmGroup
    classes: TaskClasses
    forms: bool
    models: tuple[NgramModel, ...]
    own: bool
    guesses: dict[int, list[_Guess]] = field(default_factory=dict)

    @property
    def needs(self) -> Needs:
        return Needs()

    def unseen(self) -> LearnedLm:
        return replace(self, models=self.models[:1], own=False, guesses={})

    def files(self) -> Mapping[str, Writer]:
        return {_FILE: model_writer(self.models[0])}

    def look_ahead(self, scenes: Sequence[Scene]) -> None:
        """Fill the gaps of all segments of the scenes; what was said of others is forgotten."""
        self.guesses.clear()
        segments = {id(scene.here.segment): scene.here.segment for scene in scenes}
        for number, model in enumerate(self.models):
            chosen = {key: one for key, one in segments.items() if not self.own or 1 - _half(one) == number}
            filled = GapReader(model, self.options.penalty).read([*self._gapped(chosen.values())])
            guesses = self._guesses(filled)
            self.guesses.update((key, [*islice(guesses, len(one.slots))]) for key, one in chosen.items())

    def features(self, scene: Scene) -> list[Feature]:
        best, shares = self.guesses[id(scene.here.segment)][scene.number]
        return [f"lm={best}", f"lm={best}&{scene.pronoun}", *shares]

    def _gapped(self, segments: Iterable[TaskSegment]) -> Iterator[Gapped]:
        fillers = filler_options(self.classes)
        for segment in segments:
            yield Gapped(parts_of(segment, forms=self.forms), (fillers,) * len(segment.slots))

    def _guesses(self, filled: Sequence[Filled]) -> Iterator[_Guess]:
        """What is said of all gaps, one after the other."""
        labels = [class_of_filler(word, self.classes) for word in filler_options(self.classes)]
        best = (labels[number] for one in filled for number in one.best)
        if not self.options.scores:
            return (_Guess(label, ()) for label in best)
        shares = np.array([share for one in filled for share in one.shares]).reshape(-1, len(labels))
        totals = dict.fromkeys(labels, np.zeros(len(shares)))
        for label, column in zip(labels, shares.T, strict=True):
            totals[label] = totals[label] + column
        columns = (zip(repeat(f"lm.share={label}"), total.tolist()) for label, total in totals.items())
        return map(_Guess, best, zip(*columns, strict=True))
