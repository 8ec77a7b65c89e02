"""Tasks, and files that keep what they made.

A folder has, for every finished task, its files and a small record, which is written last: a task without a
fitting record was not finished. The record has the task's key, which names everything that can move a byte of
its result, so that a rerun does only what is missing or has changed. Whoever does a task, and however often,
writes the same bytes, each file under another name first: two workers at one task do each other no harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from anaphor.core import InputError, OptionError
from anaphor.corpus.arrays import read_arrays

Facts = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Made:
    """What a task makes: files by their suffix, and facts that are small enough for a message."""

    files: Mapping[str, bytes]
    facts: Facts


class Task(Protocol):
    """A piece of work that any worker can do, as a value that can travel."""

    @property
    def name(self) -> str:
        """Names the files of the result, and the task in messages."""

    def key(self) -> str:
        """A digest of everything that can move a byte of the result."""

    def make(self, kept: Kept) -> Made:
        """Do the work; `kept` has the results of tasks that were done before."""


@dataclass(frozen=True, slots=True)
class Record:
    """What stays of a task beside its files: facts, tolerances that were used, size and hash of files."""

    key: str
    facts: Facts
    notes: tuple[str, ...]
    files: Mapping[str, tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder with results, which every worker must be able to write to."""

    folder: Path

    def open(self) -> None:
        """Make the folder, unless it is there."""
        try:
            self.folder.mkdir(exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"the folder cannot be made ({error.strerror})",
                where=str(self.folder),
                fix="choose an output in an existing folder that you may write to",
            ) from error

    def finished(self, name: str, key: str) -> Record | None:
        """The record of a task that is done and whose files are whole, else None."""
        try:
            found = json.loads(self.path(name, "json").read_text(encoding="utf-8"))
            record = Record(**{**found, "notes": tuple(found["notes"])})
            if record.key == key and all(
                _of_file(self.path(name, suffix)) == tuple(expected)
                for suffix, expected in record.files.items()
            ):
                return record
        except (OSError, ValueError, KeyError, TypeError):
            pass  # never finished, or damaged since: it is done again
        return None

    def keep(self, name: str, key: str, made: Made, notes: tuple[str, ...] = ()) -> Record:
        """Write the files of a task, and then the record that says it is finished."""
        for suffix, content in made.files.items():
            self.write(name, suffix, content)
        sizes = {suffix: _size_and_hash(content) for suffix, content in made.files.items()}
        record = Record(key, made.facts, notes, sizes)
        self.write(name, "json", json.dumps(asdict(record), ensure_ascii=False).encode("utf-8"))
        return record

    def write(self, name: str, suffix: str, content: bytes) -> None:
        """Write one file, whole or not at all."""
        path = self.path(name, suffix)
        temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise OptionError(
                f"the result of {name} cannot be written ({error.strerror or error})",
                where=str(path),
                fix="make room there, or choose another output, and give the same command again: finished "
                "shards are kept",
            ) from error

    def arrays(self, name: str, suffix: str) -> Arrays:
        """The arrays of a file that `pack_arrays` made."""
        path = self.path(name, suffix)
        try:
            return dict(read_arrays(path, what="stored result").arrays)
        except InputError as error:
            raise InputError(
                f"a stored result cannot be read ({error.what})",
                where=str(path),
                fix="let every worker see this folder, and give the same command again",
            ) from error

    def remove(self, name: str = "") -> None:
        """Remove the results whose names start with this one and a slash, or the whole folder."""
        shutil.rmtree(self.folder / name, ignore_errors=True)

    def path(self, name: str, suffix: str) -> Path:
        return self.folder / f"{name}.{suffix}"


def _of_file(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


def _size_and_hash(content: bytes) -> tuple[int, str]:
    return len(content), hashlib.sha256(content).hexdigest()
