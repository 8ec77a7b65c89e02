"""Results that are kept: found again when whole and wanted, done again when not."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import InputError, InputWarning, OptionError, UserError
from anaphor.files.arrays import pack_arrays
from anaphor.scale.executor import LocalExecutor, TaskDone, TaskFailed, all_done, run_task
from anaphor.scale.result_store import ResultStore, StoredTaskResult
from anaphor.scale.shards import expand_patterns, shards_of
from anaphor.task.prepare.texts import TextPair


@dataclass(frozen=True, slots=True)
class Word:
    """A task that writes a word, warns, or fails."""

    name: str
    word: str = "word"
    version: str = "1"

    def key(self) -> str:
        return self.version

    def make(self, store: ResultStore) -> StoredTaskResult:
        if self.word == "mistake":
            raise InputError("this is a mistake", where=str(store.folder), fix="mend it")
        if self.word == "crlf":
            warnings.warn("read Windows line ends", InputWarning, stacklevel=2)
        return StoredTaskResult({"txt": self.word.encode()}, {"letters": len(self.word)})


def test_a_finished_task_is_not_done_again(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    first, second = run_task(Word("a/task"), store), run_task(Word("a/task"), store)
    assert isinstance(first, TaskDone)
    assert isinstance(second, TaskDone)
    assert first.cost is not None
    assert second == first._replace(cost=None)
    assert store.path("a/task", "txt").read_bytes() == b"word"


@pytest.mark.parametrize(
    "harm",
    [
        lambda folder: (folder / "task.txt").write_bytes(b"worn"),
        lambda folder: (folder / "task.txt").unlink(),
        lambda folder: (folder / "task.json").write_bytes(b"{"),
        lambda folder: (folder / "task.json").write_bytes(b'{"key": "1"}'),
    ],
)
def test_what_is_damaged_or_missing_is_done_again(tmp_path: Path, harm: object) -> None:
    store = ResultStore(tmp_path)
    run_task(Word("task"), store)
    harm(tmp_path)  # type: ignore[operator]
    outcome = run_task(Word("task"), store)
    assert isinstance(outcome, TaskDone)
    assert outcome.cost is not None
    assert (tmp_path / "task.txt").read_bytes() == b"word"


def test_another_key_is_another_task(tmp_path: Path) -> None:
    run_task(Word("task"), ResultStore(tmp_path))
    outcome = run_task(Word("task", "other", version="2"), ResultStore(tmp_path))
    assert isinstance(outcome, TaskDone)
    assert outcome.facts == {"letters": 5}


def test_a_record_of_another_format_is_done_again(tmp_path: Path) -> None:
    store, task = ResultStore(tmp_path), Word("task")
    run_task(task, store)
    record = store.path("task", "json")
    assert store.finished("task", task.key()) is not None
    content = json.loads(record.read_text(encoding="utf-8"))
    record.write_text(json.dumps({**content, "format": content["format"] + 1}), encoding="utf-8")
    assert store.finished("task", task.key()) is None


def test_tolerances_are_kept_with_the_result(tmp_path: Path) -> None:
    for _ in range(2):
        outcome = run_task(Word("task", "crlf"), ResultStore(tmp_path))
        assert isinstance(outcome, TaskDone)
        assert outcome.notes == ("read Windows line ends",)


def test_a_task_that_fails_stops_no_other(tmp_path: Path) -> None:
    executor = LocalExecutor()
    told: list[tuple[str, float]] = []
    tasks = [Word("a"), Word("b", "mistake"), Word("c")]
    outcomes = executor.run("writing", tasks, ResultStore(tmp_path), lambda *step: told.append(step))
    assert outcomes[1] == TaskFailed("b", "this is a mistake", str(tmp_path), "mend it")
    assert [isinstance(outcome, TaskDone) for outcome in outcomes] == [True, False, True]
    assert told == [("writing", 0), ("writing", 1 / 3), ("writing", 2 / 3)]
    assert str(executor).startswith("this process: 2 tasks, 0 of them finished before, ")
    with pytest.raises(UserError, match=r"b: this is a mistake \(1 of 3 failed: b; the others"):
        all_done(outcomes)


def test_nothing_is_half_written(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    (tmp_path / "task.txt").mkdir()
    with pytest.raises(OptionError, match="the result of task cannot be written"):
        store.write("task", "txt", b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["task.txt"]


def test_arrays_come_back_as_they_were(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.write("some", "arrays", pack_arrays({"a": np.arange(3, dtype=np.int32), "b": np.zeros(0)}))
    found = store.read_arrays("some", "arrays")
    assert found["a"].tolist() == [0, 1, 2]
    assert found["a"].dtype == np.int32
    assert len(found["b"]) == 0
    store.write("some", "arrays", b"something else")
    with pytest.raises(InputError, match="cannot be read"):
        store.read_arrays("some", "arrays")


def test_patterns_name_files_in_order(tmp_path: Path) -> None:
    for name in ("part-2.gz", "part-10.gz", "part-1.gz", "odd[1].gz"):
        (tmp_path / name).touch()
    found = expand_patterns([f"{tmp_path}/part-*.gz", f"{tmp_path}/odd[1].gz", "not-there.gz"])
    names = [Path(path).name for path in found]
    assert names == ["part-1.gz", "part-10.gz", "part-2.gz", "odd[1].gz", "not-there.gz"]
    with pytest.raises(InputError, match="no file matches the pattern"):
        expand_patterns([f"{tmp_path}/shard-*.gz"])


def test_shards_are_called_like_their_files_or_by_number() -> None:
    apart = [TextPair(source=f"{name}.en.gz", target="t") for name in ("part-1", "part-2")]
    assert [(one.name, one.prefix) for one in shards_of(apart)] == [
        ("part-1", "1.part-1/"),
        ("part-2", "2.part-2/"),
    ]
    alike = [TextPair(source=f"{folder}/text.en", target="t") for folder in ("a", "b")]
    assert [one.name for one in shards_of(alike)] == ["00001-text", "00002-text"]
    assert shards_of(apart[:1])[0].prefix == ""
