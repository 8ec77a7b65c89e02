"""Filling placeholders with the words preferred by a language model.

Every placeholder takes one of the fillers, one of the other fillers, or nothing at a penalty (wmt16-findings
and discomt17-findings, section 4). The best filling of a sentence is found exactly: what a model says about
later words depends only on its state, so among fillings that lead to the same state only the best can win.
The penalty is tuned on development data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from anaphor.core import InputError, OptionError, TaskSegment
from anaphor.core.table import Block, Table, percent, text
from anaphor.recipes.lm.language_model import LanguageModel
from anaphor.recipes.lm.model import END_MARK
from anaphor.task.classes import NONE, TaskClasses
from anaphor.task.scoring import TaskScore, score_labels

#: 0 to -4 by 0.5, as the organizers tried them.
PENALTIES = tuple(-step / 2 for step in range(9))
TUNING_METRICS = ("macro-recall", "accuracy", "macro-f1")
_TAG = re.compile(r"\|[A-Za-z.:]+")


@dataclass(frozen=True, slots=True)
class GapFilling:
    """The words chosen for the placeholders of a sentence, None for nothing, and the sentence score."""

    words: tuple[str | None, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Filler:
    """The baseline: a model, the words it may insert, in order, and the penalty for inserting none.

    With `strip_tags` the target is read without its `|TAG`s, with `lower` in lower case, as the model was
    trained.
    """

    model: LanguageModel
    options: tuple[str | None, ...]
    penalty: float = 0.0
    strip_tags: bool = False
    lower: bool = False

    def __post_init__(self) -> None:
        if not -1000 <= self.penalty <= 0:
            raise OptionError(
                f"the penalty cannot be {self.penalty}",
                where="--penalty",
                fix="use 0 or a negative number, such as -1",
            )

    def fill(self, segment: TaskSegment) -> GapFilling:
        """The best filling of a segment."""
        return best_filling(self.model, self.parts(segment), self.options, self.penalty)

    def parts(self, segment: TaskSegment) -> tuple[tuple[str, ...], ...]:
        """The words before, between and after the placeholders."""
        words = [_TAG.sub("", token) if self.strip_tags else token for token in segment.target]
        return split_at_slots([word.lower() for word in words] if self.lower else words, segment)


def split_at_slots(words: Sequence[str], segment: TaskSegment) -> tuple[tuple[str, ...], ...]:
    """The words before, between and after the placeholders, given one for every target token."""
    places = [slot.target for slot in segment.slots]
    starts, ends = [0, *(place + 1 for place in places)], [*places, len(words)]
    return tuple(tuple(words[start:end]) for start, end in zip(starts, ends, strict=True))


def filler_options(classes: TaskClasses) -> tuple[str | None, ...]:
    """The words that the baseline tries for a sub-task: fillers, other fillers, nothing."""
    return (*classes.fillers, *classes.other_fillers, None)


def class_of_filler(word: str | None, classes: TaskClasses) -> str:
    """The class of a chosen word."""
    return classes.other if word is None else classes.class_of(word)


def filler_text(word: str | None) -> str:
    """The word as written in files: `NONE` for nothing."""
    return NONE if word is None else word


def fill_segments(
    segments: Iterable[TaskSegment],
    classes: TaskClasses,
    choose: Callable[[TaskSegment], Sequence[str | None]],
) -> Iterator[TaskSegment]:
    """The segments with the chosen words and their classes in the slots; `choose` gives one word per slot."""
    for segment in segments:
        slots = (
            replace(slot, label=class_of_filler(word, classes), word=filler_text(word))
            for slot, word in zip(segment.slots, choose(segment), strict=True)
        )
        yield replace(segment, slots=tuple(slots))


class _Path(NamedTuple):
    """A path through the sentence so far; of two paths the lower one is better.

    `cost` is the negative score, and `taken` are the options, last one first. Scores are sums of
    single-precision numbers in double precision, so they are exact and ties are real.
    """

    cost: float
    taken: tuple[int, ...]


def best_filling(
    model: LanguageModel,
    parts: Sequence[Sequence[str]],
    options: Sequence[str | None],
    penalty: float,
) -> GapFilling:
    """The best filling of the gaps between the parts.

    Ties go to the first in the order of the released baseline, in which the first gap varies fastest.
    """
    paths: dict[Any, _Path] = {model.begin(): _Path(0.0, ())}

    def advance(choices: Sequence[str | None], *, gap: bool) -> None:
        """Extend every path by each of the choices; only the best path to a state is kept."""
        nonlocal paths
        after: dict[Any, _Path] = {}
        for state, path in paths.items():
            for number, word in enumerate(choices):
                value, reached = (penalty, state) if word is None else model.step(state, word)
                longer = _Path(path.cost - value, (number, *path.taken) if gap else path.taken)
                # Of equal costs `min` compares what was taken, the last gap first: the order of the baseline.
                after[reached] = min(after.get(reached, longer), longer)
        paths = after

    # The end of the sentence is scored like a word: a filling may be good only until the full stop.
    for place, part in enumerate((*parts[:-1], (*parts[-1], END_MARK))):
        if place:
            advance(options, gap=True)
        for word in part:
            advance([word], gap=False)
    best = min(paths.values())
    return GapFilling(tuple(options[number] for number in reversed(best.taken)), -best.cost)


@dataclass(frozen=True, slots=True)
class PenaltyTrial:
    """One penalty and the score of the resulting predictions."""

    penalty: float
    score: TaskScore


@dataclass(frozen=True, slots=True)
class PenaltyTuning:
    """The trials of all penalties, and the metric that chooses among them."""

    trials: Sequence[PenaltyTrial]
    classes: TaskClasses
    metric: str = TUNING_METRICS[0]
    average: str = "present"

    def to_dict(self) -> dict[str, Any]:
        best = best_trial(self.trials, metric=self.metric)
        return {
            "pair": str(self.classes.pair),
            "year": self.classes.year,
            "metric": self.metric,
            "average": self.average,
            "slots": best.score.slots,
            "best": best.penalty,
            "trials": [
                {"penalty": trial.penalty, **{metric: trial.score.value(metric) for metric in TUNING_METRICS}}
                for trial in self.trials
            ],
        }

    def tables(self) -> list[Block]:
        best = best_trial(self.trials, metric=self.metric)
        columns = (text("penalty"), *(percent(metric, 2) for metric in TUNING_METRICS))
        rows = [
            (f"{trial.penalty:g}", *(trial.score.value(metric) for metric in TUNING_METRICS))
            for trial in self.trials
        ]
        return [
            Table(columns, rows),
            f"best: --penalty {best.penalty:g}, on {best.score.slots} placeholders",
        ]


def try_penalties(
    filler: Filler,
    segments: Sequence[TaskSegment],
    classes: TaskClasses,
    *,
    average: str = "present",
    progress: Callable[[str], None] = lambda _: None,
) -> list[PenaltyTrial]:
    """One trial for each of `PENALTIES`; segments without labels or placeholders are left out."""
    gold = [tuple(slot.label for slot in segment.slots if slot.label is not None) for segment in segments]
    labelled = [segment for segment, labels in zip(segments, gold, strict=True) if labels]
    if not labelled:
        raise InputError(
            "no placeholder has a label",
            where="--dev",
            fix="pass development data with the classes in column 1",
        )
    trials = []
    for penalty in PENALTIES:
        progress(f"penalty {penalty:g}")
        trial = replace(filler, penalty=penalty)
        predicted = [
            tuple(class_of_filler(word, classes) for word in trial.fill(segment).words)
            for segment in labelled
        ]
        score = score_labels(list(filter(None, gold)), predicted, classes=classes, average=average)
        trials.append(PenaltyTrial(penalty, score))
    return trials


def best_trial(trials: Sequence[PenaltyTrial], *, metric: str = TUNING_METRICS[0]) -> PenaltyTrial:
    """The trial with the highest score; among equal ones, the one with the penalty nearest to 0."""
    return max(trials, key=lambda trial: (trial.score.value(metric), trial.penalty))
