"""GapFilling placeholders with the words that a language model finds best.

Every placeholder takes one of the fillers, one of the other fillers, or nothing at a penalty (wmt16-findings
and discomt17-findings, section 4). The best filling of a sentence is found exactly: what a model says of the
words to come depends on its state alone, so of all fillings that lead to the same state only the best can
win.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anaphor.core import InputError, OptionError, TaskSegment
from anaphor.predict.lm.language_model import LanguageModel
from anaphor.predict.lm.model import END_MARK
from anaphor.task.classes import NONE, TaskClasses
from anaphor.task.scoring import TaskScore, score_labels

_TAG = re.compile(r"\|[A-Za-z.:]+")


@dataclass(frozen=True, slots=True)
class GapFilling:
    """The words chosen for the placeholders of a sentence, None for nothing, and the score of the whole."""

    words: tuple[str | None, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Filler:
    """The baseline: a model, the words it may insert in their order, and the penalty for inserting none.

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
                f"no penalty: {self.penalty}",
                where="--penalty",
                fix="give 0 or a negative number, such as -1",
            )

    def fill(self, segment: TaskSegment) -> GapFilling:
        """The best filling of a segment, of equal ones the first in the order of `all_fillings`."""
        return best_filling(self.model, self.parts(segment), self.options, self.penalty)

    def parts(self, segment: TaskSegment) -> tuple[tuple[str, ...], ...]:
        """The words before, between and behind the placeholders."""
        places = [slot.target for slot in segment.slots]
        starts, ends = [0, *(place + 1 for place in places)], [*places, len(segment.target)]
        bounds = zip(starts, ends, strict=True)
        return tuple(tuple(map(self._word, segment.target[start:end])) for start, end in bounds)

    def _word(self, token: str) -> str:
        word = _TAG.sub("", token) if self.strip_tags else token
        return word.lower() if self.lower else word


def filler_options(classes: TaskClasses) -> tuple[str | None, ...]:
    """The words that the baseline tries for a sub-task: fillers, other fillers, nothing."""
    return (*classes.fillers, *classes.other_fillers, None)


def class_of_filler(word: str | None, classes: TaskClasses) -> str:
    """The class that a chosen word stands for."""
    return classes.other if word is None else classes.class_of(word)


def filler_text(word: str | None) -> str:
    """The word as files have it: `NONE` for nothing."""
    return NONE if word is None else word


def all_fillings(slots: int, options: Sequence[str | None]) -> Iterator[tuple[str | None, ...]]:
    """Every way to fill, in the order of the released baseline: the first placeholder changes fastest."""
    if not slots:
        yield ()
        return
    for last in options:
        for first in all_fillings(slots - 1, options):
            yield (*first, last)


@dataclass(frozen=True, slots=True)
class _Path:
    """A way through the sentence so far: its score, and the options taken, the last one first.

    Scores are sums of single-precision numbers in double precision, so they are exact and ties are true.
    """

    score: float
    taken: tuple[int, ...]

    def beats(self, other: _Path) -> bool:
        return (-self.score, self.taken) < (-other.score, other.taken)


def best_filling(
    model: LanguageModel,
    parts: Sequence[Sequence[str]],
    options: Sequence[str | None],
    penalty: float,
) -> GapFilling:
    """The best of `all_fillings` of the gaps between the parts, the first of equal ones."""
    paths = _read(model, {model.begin(): _Path(0.0, ())}, parts[0])
    for part in parts[1:]:
        paths = _read(model, _choose(model, paths, options, penalty), part)
    paths = _read(model, paths, [END_MARK])
    best = _best(paths.values())
    return GapFilling(tuple(options[number] for number in reversed(best.taken)), best.score)


def _read(model: LanguageModel, paths: dict[Any, _Path], words: Iterable[str]) -> dict[Any, _Path]:
    """The paths after the same words for all."""
    for word in words:
        after: dict[Any, _Path] = {}
        for state, path in paths.items():
            value, reached = model.step(state, word)
            _keep_better(after, reached, _Path(path.score + value, path.taken))
        paths = after
    return paths


def _choose(
    model: LanguageModel, paths: dict[Any, _Path], options: Sequence[str | None], penalty: float
) -> dict[Any, _Path]:
    """The paths after a placeholder."""
    after: dict[Any, _Path] = {}
    for state, path in paths.items():
        for number, word in enumerate(options):
            value, reached = (penalty, state) if word is None else model.step(state, word)
            _keep_better(after, reached, _Path(path.score + value, (number, *path.taken)))
    return after


def _keep_better(paths: dict[Any, _Path], state: Any, path: _Path) -> None:
    other = paths.get(state)
    if other is None or path.beats(other):
        paths[state] = path


def _best(paths: Iterable[_Path]) -> _Path:
    return min(paths, key=lambda path: (-path.score, path.taken))


#: 0 to -4 by 0.5, as the organisers tried them.
PENALTIES = tuple(-step / 2 for step in range(9))


@dataclass(frozen=True, slots=True)
class PenaltyTrial:
    """One penalty and the score of the predictions it leads to."""

    penalty: float
    score: TaskScore


def predict(filler: Filler, segments: Sequence[TaskSegment], classes: TaskClasses) -> list[tuple[str, ...]]:
    """The predicted classes of every segment."""
    return [
        tuple(class_of_filler(word, classes) for word in filler.fill(segment).words) for segment in segments
    ]


def try_penalties(
    filler: Filler,
    segments: Sequence[TaskSegment],
    classes: TaskClasses,
    *,
    grid: Sequence[float] = PENALTIES,
    average: str = "present",
    progress: Callable[[str], None] = lambda _: None,
) -> list[PenaltyTrial]:
    """One trial for every penalty of the grid; segments without labels or placeholders do not count."""
    labelled = [segment for segment in segments if _labels(segment)]
    if not labelled:
        raise InputError(
            "no placeholder has a label",
            where="--dev",
            fix="give development data with the classes in column 1",
        )
    gold = [_labels(segment) for segment in labelled]
    trials = []
    for penalty in grid:
        progress(f"penalty {penalty:g}")
        predicted = predict(replace(filler, penalty=penalty), labelled, classes)
        trials.append(PenaltyTrial(penalty, score_labels(gold, predicted, classes=classes, average=average)))
    return trials


def best_trial(trials: Sequence[PenaltyTrial], *, metric: str = "macro-recall") -> PenaltyTrial:
    """The trial with the highest score, of equal ones the penalty nearest to 0."""
    return max(trials, key=lambda trial: (trial.score.value(metric), trial.penalty))


def _labels(segment: TaskSegment) -> tuple[str, ...]:
    return tuple(slot.label for slot in segment.slots if slot.label is not None)
