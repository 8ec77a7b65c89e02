"""Tasks, and a folder that stores their results.

For every finished task the folder has its files and a small record, which is written last: a task without a
valid record was not finished. The record has the task's key, a digest of everything that can change a byte of
the result, so a rerun only does what is missing or has changed. Every run of a task writes the same bytes,
and writes them atomically, so two workers may run one task at the same time.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from anaphor.core import InputError, OptionError
from anaphor.files.arrays import read_arrays
from anaphor.files.writing import atomic_path

#: Of stored arrays: results in another format are computed again.
_FORMAT = 2

TaskFacts = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class StoredTaskResult:
    """The result of a task: files by suffix, and facts that are small enough to be sent in a message."""

    files: Mapping[str, bytes]
    facts: TaskFacts


class Task(Protocol):
    """A piece of work that any worker can do, as a value that can be sent to it."""

    @property
    def name(self) -> str:
        """Names the files of the result, and the task in messages."""

    def key(self) -> str:
        """A digest of everything that can change a byte of the result."""

    def make(self, store: ResultStore) -> StoredTaskResult:
        """Do the work; `store` has the results of earlier tasks."""


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """The record of a task, stored with its files: facts, warnings, and size and hash of each file."""

    key: str
    facts: TaskFacts
    notes: tuple[str, ...]
    files: Mapping[str, tuple[int, str]]
    format: int = 0


@dataclass(frozen=True, slots=True)
class ResultStore:
    """A folder of results, which every worker must be able to write to."""

    folder: Path

    def open(self) -> None:
        """Create the folder if it does not exist."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"the folder cannot be created ({error.strerror or error})",
                where=str(self.folder),
                fix="choose an output in an existing folder that you may write to",
            ) from error

    def finished(self, name: str, key: str) -> TaskRecord | None:
        """The record of a task if it is finished and its files are intact, otherwise None."""
        try:
            stored = json.loads(self.path(name, "json").read_text(encoding="utf-8"))
            record = TaskRecord(**{**stored, "notes": tuple(stored["notes"])})
            if (record.key, record.format) == (key, _FORMAT) and all(
                _size_and_hash(self.path(name, suffix)) == tuple(expected)
                for suffix, expected in record.files.items()
            ):
                return record
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # never finished, or damaged since: the task is run again
        return None

    def save(self, name: str, key: str, result: StoredTaskResult, notes: tuple[str, ...] = ()) -> TaskRecord:
        """Write the files of a task, and then the record that marks it as finished."""
        for suffix, content in result.files.items():
            self.write(name, suffix, content)
        sizes = {
            suffix: (len(content), hashlib.sha256(content).hexdigest())
            for suffix, content in result.files.items()
        }
        record = TaskRecord(key, result.facts, notes, sizes, _FORMAT)
        self.write(name, "json", json.dumps(asdict(record), ensure_ascii=False).encode("utf-8"))
        return record

    def write(self, name: str, suffix: str, content: bytes) -> None:
        """Write one file, whole or not at all."""
        path = self.path(name, suffix)
        fix = "free some space or choose another output, and rerun the command: finished shards are kept"
        with atomic_path(path, what=f"result of {name}", fix=fix) as temporary:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)

    def read_arrays(self, name: str, suffix: str) -> Arrays:
        """The arrays in a file written by `pack_arrays`."""
        path = self.path(name, suffix)
        try:
            return dict(read_arrays(path, what="stored result").arrays)
        except InputError as error:
            raise InputError(
                f"a stored result cannot be read ({error.what})",
                where=str(path),
                fix="let every worker see this folder, and rerun the command",
            ) from error

    def remove(self, name: str = "") -> None:
        """Remove the results whose names start with this one and a slash, or the whole folder."""
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def path(self, name: str, suffix: str) -> Path:
        return self.folder / f"{name}.{suffix}"


def _size_and_hash(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
