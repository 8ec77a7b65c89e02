"""A long text looked at by several processes: the same answer as one process gives."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from anaphor.core import Alignment, InputError, LanguagePair, Slot, TaskSegment, UserError
from anaphor.predict.classic.sharing import SHORT, parts_of, pieces_of, reach_of, shared_out
from anaphor.predict.classic.space import Viewer, learn_rows
from anaphor.predict.features.groups import build_groups

forks = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")

GROUPS = {"source-pronoun": {}, "target-window": {}, "antecedents": {"side": "both"}}


def text(documents: int, length: int) -> list[TaskSegment]:
    """Documents of some segments: a noun, then a pronoun with another neighbour in every document."""
    found = []
    for number in range(documents):
        noun = TaskSegment(
            (f"House{number % 7}",), (f"maison{number % 5}|NOUN",), (), Alignment(), f"d{number}"
        )
        target = ("REPLACE_0", f"mot{number}|VERB")
        label = "il" if number % 2 else "elle"
        slot = Slot(0, 0, label)
        found += [noun] * (length - 1) + [replace(noun, source=("It", "is"), target=target, slots=(slot,))]
    return found


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_parts_are_of_like_size_and_never_cut_a_document(processes: int) -> None:
    documents = [f"d{number // 7}" for number in range(3 * SHORT + 5)]
    parts = parts_of(documents, [1] * len(documents), processes=processes)
    assert [place for part in parts for place in part] == list(range(len(documents)))
    assert len(parts) == processes
    assert all(documents[part.start] != documents[part.start - 1] for part in parts[1:])
    assert max(map(len, parts)) - min(map(len, parts)) <= 7 * processes


@pytest.mark.parametrize(
    ("documents", "family"),
    [
        ([None] * (SHORT - 1), "linear-svm"),  # too short
        (["one"] * (4 * SHORT), "linear-svm"),  # a single document
        ([None] * (4 * SHORT), "neural/turku"),  # no fork for this family
        ([], "linear-svm"),
    ],
)
def test_some_texts_have_one_part(documents: list[str | None], family: str) -> None:
    assert parts_of(documents, [1] * len(documents), family=family, processes=2) == [range(len(documents))]


def test_parts_have_like_many_slots() -> None:
    documents = [f"d{number}" for number in range(4 * SHORT)]
    slots = [0] * (3 * SHORT) + [2] * SHORT
    first, second = parts_of(documents, slots, processes=2)
    assert sum(slots[first.start : first.stop]) == pytest.approx(SHORT, abs=2)
    assert second.stop == len(documents)


def test_pieces_are_small_and_never_cut_a_document() -> None:
    documents = [f"d{number // 7}" for number in range(100_000)]
    places = range(14, 70_000)
    pieces = pieces_of(documents, places)
    assert [place for piece in pieces for place in piece] == list(places)
    assert max(map(len, pieces)) < 16_010
    assert all(documents[piece.start] != documents[piece.start - 1] for piece in pieces[1:])
    assert pieces_of(["one"] * 50_000, range(50_000)) == [range(50_000)]
    assert pieces_of([], range(0)) == [range(0)]


def test_a_text_without_slots_is_no_work_to_share() -> None:
    assert len(parts_of([None] * (4 * SHORT), [0] * (4 * SHORT), processes=2)) == 1


@forks
def test_answers_come_in_the_order_of_the_parts_from_other_processes() -> None:
    told: list[float] = []

    def work(part: int, tell: Callable[[float], None]) -> tuple[int, int]:
        tell(1.0)
        return part, os.getpid()

    answers = shared_out(work, [3, 1, 2], tell=told.append)
    assert [part for part, _ in answers] == [3, 1, 2]
    assert os.getpid() not in {process for _, process in answers}
    assert told[-1] == 1.0


def test_one_part_is_worked_on_in_this_process() -> None:
    assert shared_out(lambda part, _: (part, os.getpid()), ["all"]) == [("all", os.getpid())]


@forks
def test_a_mistake_of_the_user_travels() -> None:
    def work(part: int, _: object) -> int:
        if part:
            raise InputError("no tab", where="file:7", fix="write one")
        return part

    with pytest.raises(InputError, match="no tab") as caught:
        shared_out(work, [0, 1])
    assert (str(caught.value.where), caught.value.fix) == ("file:7", "write one")


@forks
def test_a_process_that_dies_is_told_of() -> None:
    with pytest.raises(UserError, match="stopped before it was done"):
        shared_out(lambda part, _: os._exit(3), [0, 1])


def test_many_processes_number_features_as_one_does() -> None:
    segments = text(documents=SHORT, length=3)
    viewer = Viewer(LanguagePair("en", "fr"), False, build_groups(GROUPS))
    labels = ("il", "elle")
    shared = learn_rows(viewer, segments, labels, least=2, progress=lambda _: None)
    alone = learn_rows(viewer, segments, labels, least=2, progress=lambda _: None, watch=lambda _: None)
    assert shared.names == alone.names
    assert np.array_equal(shared.labels, alone.labels)
    assert np.array_equal(shared.rows.starts, alone.rows.starts)
    assert np.array_equal(shared.rows.columns, alone.rows.columns)
    assert np.array_equal(shared.rows.values, alone.rows.values)


def test_a_model_that_does_not_say_how_far_it_looks_is_given_all() -> None:
    assert reach_of(object()) is None
