"""The penalty is chosen on development data, by the metric the user names."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import Alignment, InputError, LanguagePair, Slot, TaskSegment
from anaphor.predict.lm.arpa import read_arpa
from anaphor.predict.lm.fill import PENALTIES, Filler, best_trial, filler_options, try_penalties
from anaphor.task import task_classes

CLASSES = task_classes(LanguagePair("en", "fr"))


def segment(target: str, *labels: str) -> TaskSegment:
    tokens = tuple(target.split())
    places = [place for place, token in enumerate(tokens) if token.startswith("REPLACE")]
    slots = tuple(Slot(0, place, label) for place, label in zip(places, labels, strict=True))
    return TaskSegment(("it",), tokens, slots, Alignment())


def test_the_grid_is_that_of_the_papers() -> None:
    assert PENALTIES == (0, -0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4)


def test_the_best_penalty_is_the_one_nearest_to_zero_of_equal_ones(small_arpa: Path) -> None:
    filler = Filler(read_arpa(small_arpa), filler_options(CLASSES))
    segments = [
        segment("le chat REPLACE_0 dort .", "elle"),
        segment("REPLACE_0 pleut .", "il"),
        segment("il dort ."),
    ]
    steps: list[str] = []
    trials = try_penalties(filler, segments, CLASSES, progress=steps.append)
    assert [trial.penalty for trial in trials] == list(PENALTIES)
    assert len(steps) == len(PENALTIES)
    values = [trial.score.value("macro-recall") for trial in trials]
    # Nothing is put behind "le chat", which is wrong, until it costs more than elle; il is always found.
    assert values == [0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert best_trial(trials).penalty == -2
    assert trials[0].score.slots == 2


def test_data_without_labels_cannot_be_tuned_on(small_arpa: Path) -> None:
    filler = Filler(read_arpa(small_arpa), filler_options(CLASSES))
    with pytest.raises(InputError, match="no placeholder has a label"):
        try_penalties(filler, [segment("il dort .")], CLASSES)
