"""Fillings found exactly are the best of all fillings, and the first of equal ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, InputError, LanguagePair, OptionError, Slot, TaskSegment
from anaphor.recipes.lm.arpa import read_arpa
from anaphor.recipes.lm.fill import (
    PENALTIES,
    Filler,
    PenaltyTuning,
    best_filling,
    best_trial,
    class_of_filler,
    fill_segments,
    filler_options,
    filler_text,
    try_penalties,
)
from anaphor.recipes.lm.language_model import LanguageModel, sentence_score
from anaphor.task import task_classes

WORDS = ["le", "la", "chat", "souris", "dort", "mange", ".", "rien"]
# Two words that the model does not know score alike everywhere, so that there are ties.
OPTIONS = ("il", "elle", "eux", "nous", None)
PARTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=3), min_size=1, max_size=4)


def all_fillings(slots: int, options: Sequence[str | None]) -> Iterator[tuple[str | None, ...]]:
    """Every filling, in the order of the released baseline: the first placeholder changes fastest."""
    return (found[::-1] for found in product(options, repeat=slots))


def brute_force(
    model: LanguageModel, parts: Sequence[Sequence[str]], penalty: float
) -> tuple[float, tuple[str | None, ...]]:
    """The best score and the first filling that has it, by trying all."""
    found = []
    for words in all_fillings(len(parts) - 1, OPTIONS):
        inserted = [[] if word is None else [word] for word in words]
        text = [word for pair in zip(parts, [*inserted, []], strict=True) for group in pair for word in group]
        found.append((sentence_score(model, text) + penalty * words.count(None), words))
    return max(found, key=lambda scored: scored[0])


@given(parts=PARTS, penalty=st.sampled_from([0.0, -0.5, -1.0, -4.0]))
def test_the_exact_search_finds_what_trying_all_fillings_finds(
    small_arpa: Path, parts: list[list[str]], penalty: float
) -> None:
    model = read_arpa(small_arpa)
    found = best_filling(model, parts, OPTIONS, penalty)
    assert (found.score, found.words) == brute_force(model, parts, penalty)


def test_fillings_are_listed_as_the_released_script_lists_them() -> None:
    assert list(all_fillings(2, ["a", None])) == [("a", "a"), (None, "a"), ("a", None), (None, None)]


def segment(target: str) -> TaskSegment:
    tokens = tuple(target.split())
    places = [place for place, token in enumerate(tokens) if token.startswith("REPLACE")]
    slots = tuple(Slot(source=0, target=place) for place in places)
    return TaskSegment(("it",), tokens, slots, Alignment())


def test_the_words_of_a_segment_are_read_as_the_model_was_trained(small_arpa: Path) -> None:
    model = read_arpa(small_arpa)
    tagged = segment("Le|DET chat|NOM REPLACE_0 dort|VER:pres .|.")
    filler = Filler(model, OPTIONS, strip_tags=True, lower=True)
    assert filler.parts(tagged) == (("le", "chat"), ("dort", "."))
    assert Filler(model, OPTIONS).parts(tagged) == (("Le|DET", "chat|NOM"), ("dort|VER:pres", ".|."))


@pytest.mark.parametrize(("penalty", "expected"), [(0.0, (None,)), (-4.0, ("il",))])
def test_a_penalty_makes_words_win_over_nothing(
    small_arpa: Path, penalty: float, expected: tuple[str | None, ...]
) -> None:
    filler = Filler(read_arpa(small_arpa), OPTIONS, penalty=penalty)
    assert filler.fill(segment("REPLACE_0 le chat dort .")).words == expected


def test_a_segment_without_placeholders_is_scored_unchanged(small_arpa: Path) -> None:
    model = read_arpa(small_arpa)
    found = Filler(model, OPTIONS).fill(segment("le chat dort ."))
    assert found.words == ()
    assert found.score == sentence_score(model, ["le", "chat", "dort", "."])


@pytest.mark.parametrize("penalty", [0.5, float("nan"), float("-inf")])
def test_a_penalty_is_zero_or_less(small_arpa: Path, penalty: float) -> None:
    with pytest.raises(OptionError):
        Filler(read_arpa(small_arpa), OPTIONS, penalty=penalty)


def test_classes_follow_the_year_and_nothing_is_other() -> None:
    classes = {year: task_classes(LanguagePair("en", "fr"), year=year) for year in (2015, 2017)}
    options = filler_options(classes[2017])
    assert len(options) == 32  # nine fillers, 22 others and nothing: section 5 of the description
    assert [class_of_filler(word, classes[2017]) for word in ("c'", "ça", "le", None)] == [
        "ce",
        "cela",
        "OTHER",
        "OTHER",
    ]
    assert class_of_filler("ça", classes[2015]) == "ça"
    assert (filler_text(None), filler_text("on")) == ("NONE", "on")


CLASSES = task_classes(LanguagePair("en", "fr"))


def labelled_segment(target: str, *labels: str) -> TaskSegment:
    tokens = tuple(target.split())
    places = [place for place, token in enumerate(tokens) if token.startswith("REPLACE")]
    slots = tuple(Slot(0, place, label) for place, label in zip(places, labels, strict=True))
    return TaskSegment(("it",), tokens, slots, Alignment())


def test_the_grid_is_that_of_the_papers() -> None:
    assert PENALTIES == (0, -0.5, -1, -1.5, -2, -2.5, -3, -3.5, -4)


def test_the_best_penalty_is_the_one_nearest_to_zero_of_equal_ones(small_arpa: Path) -> None:
    filler = Filler(read_arpa(small_arpa), filler_options(CLASSES))
    segments = [
        labelled_segment("le chat REPLACE_0 dort .", "elle"),
        labelled_segment("REPLACE_0 pleut .", "il"),
        labelled_segment("il dort ."),
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
        try_penalties(filler, [labelled_segment("il dort .")], CLASSES)


def test_filled_segments_have_words_and_classes(small_arpa: Path) -> None:
    filler = Filler(read_arpa(small_arpa), filler_options(CLASSES), penalty=-4.0)
    (found,) = fill_segments([segment("REPLACE_0 pleut .")], CLASSES, lambda one: filler.fill(one).words)
    assert [(slot.label, slot.word) for slot in found.slots] == [("il", "il")]
    (empty,) = fill_segments([segment("REPLACE_0 pleut .")], CLASSES, lambda _: [None])
    assert [(slot.label, slot.word) for slot in empty.slots] == [("OTHER", "NONE")]


def test_a_tuning_names_its_best_penalty(small_arpa: Path) -> None:
    filler = Filler(read_arpa(small_arpa), filler_options(CLASSES))
    dev = [labelled_segment("le chat REPLACE_0 dort .", "elle"), labelled_segment("REPLACE_0 pleut .", "il")]
    tuning = PenaltyTuning(try_penalties(filler, dev, CLASSES), CLASSES, metric="accuracy")
    content = tuning.to_dict()
    assert (content["best"], content["slots"], content["metric"]) == (-2.0, 2, "accuracy")
    assert [trial["accuracy"] for trial in content["trials"]] == [0.5] * 4 + [1.0] * 5
    assert tuning.tables()[-1] == "best: --penalty -2, on 2 placeholders"
