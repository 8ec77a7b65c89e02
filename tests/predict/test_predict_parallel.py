"""A long text looked at by several processes: the same answer as one process gives."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import Alignment, InputError, LanguagePair, Slot, TaskSegment, UserError
from anaphor.predict.parallel import SHORT, chunks_of, parts_of, processes_for, reach_of, run_parallel
from anaphor.recipes.classic.extractor import FeatureExtractor, training_rows
from anaphor.recipes.features.groups import build_groups

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


@pytest.mark.parametrize("count", [1, 2, 3])
def test_parts_have_similar_sizes_and_never_cut_a_document(count: int) -> None:
    documents = [f"d{number // 7}" for number in range(1000)]
    parts = parts_of(documents, [1] * len(documents), count=count)
    assert [place for part in parts for place in part] == list(range(len(documents)))
    assert len(parts) == count
    assert all(documents[part.start] != documents[part.start - 1] for part in parts[1:])
    assert max(map(len, parts)) - min(map(len, parts)) <= 7 * count


@pytest.mark.parametrize("documents", [["one"] * 1000, []])
def test_a_single_document_is_one_part(documents: list[str | None]) -> None:
    assert parts_of(documents, [1] * len(documents), count=2) == [range(len(documents))]


def test_parts_have_similar_numbers_of_slots() -> None:
    documents = [f"d{number}" for number in range(4000)]
    slots = [0] * 3000 + [2] * 1000
    first, second = parts_of(documents, slots, count=2)
    assert sum(slots[first.start : first.stop]) == pytest.approx(1000, abs=2)
    assert second.stop == len(documents)


def test_a_text_without_slots_is_not_shared() -> None:
    assert len(parts_of([None] * 4000, [0] * 4000, count=2)) == 1


@pytest.mark.parametrize(
    ("segments", "family"),
    [(SHORT - 1, "linear-svm"), (0, "linear-svm"), (4 * SHORT, "neural/turku")],
)
def test_short_texts_and_some_families_have_one_process(segments: int, family: str) -> None:
    assert processes_for(segments, family=family) == 1


@forks
def test_long_texts_have_a_process_for_each_core() -> None:
    cores = len(os.sched_getaffinity(0))
    assert processes_for(cores * SHORT) == cores


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_chunks_get_smaller_at_the_end_and_never_cut_a_document(processes: int) -> None:
    documents = [f"d{number // 7}" for number in range(100_000)]
    chunks = chunks_of(documents, processes=processes)
    assert [place for chunk in chunks for place in chunk] == list(range(len(documents)))
    assert all(documents[chunk.start] != documents[chunk.start - 1] for chunk in chunks[1:])
    assert max(map(len, chunks)) < 16_010
    assert all(len(chunk) < 4010 for chunk in chunks[-processes:])


def test_a_long_document_is_one_chunk_and_an_empty_text_has_none() -> None:
    assert chunks_of(["one"] * 50_000, processes=2) == [range(50_000)]
    assert chunks_of([], processes=2) == []


def wait_for(path: Path) -> None:
    """Until a file is there; a busy machine may take a while."""
    until = time.monotonic() + 120
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)


@forks
def test_results_come_in_the_order_of_the_parts_from_other_processes(tmp_path: Path) -> None:
    """The first part waits until another one is done, which takes a second process."""
    told: list[float] = []

    def work(part: int, tell: Callable[[float], None]) -> tuple[int, int]:
        if part == 9:
            wait_for(tmp_path / "done")
        else:
            (tmp_path / "done").touch()
        tell(1.0)
        return part, os.getpid()

    answers = [*run_parallel(work, [9, 1, 0, 0, 3, 2], processes=3, progress=told.append)]
    assert [part for part, _ in answers] == [9, 1, 0, 0, 3, 2]
    processes = {process for _, process in answers}
    assert os.getpid() not in processes
    assert 1 < len(processes) <= 3
    assert told[-1] == 1.0


@forks
def test_the_first_result_comes_before_the_last_part_is_done(tmp_path: Path) -> None:
    """The second part waits for whoever has the first answer."""
    seen = tmp_path / "seen"

    def work(part: int, _: object) -> bool:
        if part:
            wait_for(seen)
        return seen.exists()

    answers = run_parallel(work, [0, 1], processes=2)
    assert next(answers) is False
    seen.touch()
    assert next(answers) is True


@pytest.mark.parametrize(("parts", "processes"), [(["all"], 8), (["a", "b"], 1)])
def test_one_part_or_one_process_stays_in_this_process(parts: list[str], processes: int) -> None:
    told: list[float] = []

    def work(part: str, tell: Callable[[float], None]) -> tuple[str, int]:
        tell(1.0)
        return part, os.getpid()

    answers = [*run_parallel(work, parts, processes=processes, progress=told.append)]
    assert answers == [(part, os.getpid()) for part in parts]
    assert told[-1] == 1.0


@forks
def test_a_user_error_of_a_worker_is_raised() -> None:
    def work(part: int, _: object) -> int:
        if part:
            raise InputError("no tab", where="file:7", fix="write one")
        return part

    with pytest.raises(InputError, match="no tab") as caught:
        [*run_parallel(work, [0, 1], processes=2)]
    assert (str(caught.value.where), caught.value.fix) == ("file:7", "write one")


@forks
@pytest.mark.parametrize("parts", [2, 9])
def test_a_worker_that_dies_is_an_error(parts: int) -> None:
    with pytest.raises(UserError, match="ended prematurely"):
        [*run_parallel(lambda part, _: os._exit(3), range(parts), processes=2)]


def test_many_processes_number_features_as_one_does() -> None:
    segments = text(documents=SHORT, length=3)
    extractor = FeatureExtractor(LanguagePair("en", "fr"), False, build_groups(GROUPS))
    labels = ("il", "elle")
    shared = training_rows(extractor, segments, labels, least=2, progress=lambda _: None)
    alone = training_rows(
        extractor, segments, labels, least=2, progress=lambda _: None, observe=lambda _: None
    )
    assert shared.names == alone.names
    assert np.array_equal(shared.labels, alone.labels)
    assert np.array_equal(shared.rows.starts, alone.rows.starts)
    assert np.array_equal(shared.rows.columns, alone.rows.columns)
    assert np.array_equal(shared.rows.values, alone.rows.values)


def test_a_model_without_a_reach_reads_all_segments() -> None:
    assert reach_of(object()) is None
