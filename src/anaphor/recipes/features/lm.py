"""The word that a target language model would put into the gap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, repeat
from typing import NamedTuple
from zlib import crc32

import numpy as np

from anaphor.core import TaskSegment
from anaphor.predict.model_folder import ModelFolder, Writer, subtask_files, subtask_of
from anaphor.predict.options import option
from anaphor.predict.parallel import processes_for, run_parallel
from anaphor.recipes.features.context import SlotContext
from anaphor.recipes.features.groups import Feature, FeatureGroup
from anaphor.recipes.features.target_text import model_writer, parts_of, restored_line, trained_model
from anaphor.recipes.lm.fill import class_of_filler, filler_options
from anaphor.recipes.lm.gaps import FilledGaps, GapFiller, GappedSentence
from anaphor.recipes.lm.model import NgramModel, read_lm
from anaphor.task.classes import TaskClasses

_FILE = "features.lm"


@dataclass(frozen=True, slots=True, kw_only=True)
class LmGroup(FeatureGroup):
    """The classes that an n-gram model of the target finds likely, as in the baseline of the tasks.

    The model is trained on the training text itself. To avoid seeing the answers there, two models are each
    trained on half of its documents and applied to the other half. Other texts are read with the first model.

    - `lm=il`: the class that fits the gap best, alone and combined with the source pronoun.
    - `lm.share=il`: the probability of a class, from 0 to 1.
    """

    order: int = option(5, "length of the longest n-grams", least=2, most=6)
    penalty: float = option(-1.0, "log10 penalty for leaving a gap empty, 0 or less", least=-1000, most=0)
    scores: bool = option(True, "use the probabilities of all classes, not only the best class")

    def features(self, context: SlotContext) -> list[Feature]:  # noqa: ARG002 - the same for all
        """None before training."""
        return []

    def learn(self, segments: Sequence[TaskSegment], *, classes: TaskClasses, forms: bool) -> TrainedLmGroup:
        def line(segment: TaskSegment) -> str:
            return restored_line(segment, classes, forms=forms)

        def trained(half: list[TaskSegment], _: object) -> NgramModel:
            return trained_model(map(line, half), order=self.order)

        halves: tuple[list[TaskSegment], list[TaskSegment]] = ([], [])
        for segment in segments:
            halves[_half(segment)].append(segment)
        # An n-gram model needs at least one word, and a small text may have all of them in one half.
        if not all(any(map(line, half)) for half in halves):
            halves = ([*halves[0], *halves[1]],) * 2
        models = run_parallel(trained, halves, processes=processes_for(len(segments)))
        return TrainedLmGroup(self, classes, forms, tuple(models), on_training_data=True)

    def load(self, folder: ModelFolder) -> TrainedLmGroup:
        card = folder.card
        models = (read_lm(folder.file(_FILE)),)
        return TrainedLmGroup(self, subtask_of(folder), card.forms, models, on_training_data=False)


def _half(segment: TaskSegment) -> int:
    """Documents go to one half or the other by a hash of their name."""
    return crc32((segment.document or " ".join(segment.source)).encode()) & 1


class _GapGuess(NamedTuple):
    """The class of the best filling of a gap, and the probabilities of classes as features."""

    best: str
    shares: Sequence[tuple[str, float]]


@dataclass(frozen=True, slots=True, eq=False)
class TrainedLmGroup(FeatureGroup):
    """The models of both halves for the training data, or the first one for other text."""

    options: LmGroup
    classes: TaskClasses
    forms: bool
    models: tuple[NgramModel, ...]
    on_training_data: bool
    guesses: dict[int, list[_GapGuess]] = field(default_factory=dict)

    def unseen(self) -> TrainedLmGroup:
        return replace(self, models=self.models[:1], on_training_data=False, guesses={})

    def files(self) -> Mapping[str, Writer]:
        return {_FILE: model_writer(self.models[0]), **subtask_files(self.classes)}

    def precompute(self, contexts: Sequence[SlotContext]) -> None:
        """Fill the gaps of all segments of the contexts; the results of earlier contexts are dropped."""
        self.guesses.clear()
        words = filler_options(self.classes)
        segments = {context.here.position: context.here.segment for context in contexts}
        for number, model in enumerate(self.models):
            chosen = {
                index: segment
                for index, segment in segments.items()
                if not self.on_training_data or 1 - _half(segment) == number
            }
            filled = GapFiller(model, self.options.penalty).fill(
                [
                    GappedSentence(parts_of(segment, forms=self.forms), (words,) * len(segment.slots))
                    for segment in chosen.values()
                ]
            )
            guesses = iter(self._guesses(filled))
            for index, segment in chosen.items():
                self.guesses[index] = [*islice(guesses, len(segment.slots))]

    def features(self, context: SlotContext) -> list[Feature]:
        best, shares = self.guesses[context.here.position][context.number]
        return [f"lm={best}", f"lm={best}&{context.pronoun}", *shares]

    def _guesses(self, filled: Sequence[FilledGaps]) -> list[_GapGuess]:
        """The guesses for all gaps, one after the other."""
        labels = [class_of_filler(word, self.classes) for word in filler_options(self.classes)]
        best = [labels[number] for gaps in filled for number in gaps.best]
        if not self.options.scores:
            return [_GapGuess(label, ()) for label in best]
        shares = np.array([share for gaps in filled for share in gaps.shares]).reshape(-1, len(labels))
        totals = dict.fromkeys(labels, np.zeros(len(shares)))
        for label, column in zip(labels, shares.T, strict=True):
            totals[label] = totals[label] + column
        columns = (zip(repeat(f"lm.share={label}"), total.tolist()) for label, total in totals.items())
        return [*map(_GapGuess, best, zip(*columns, strict=True))]
