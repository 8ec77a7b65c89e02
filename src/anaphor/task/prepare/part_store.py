"""The finished parts of a preparation, from which an interrupted run continues, and their counts.

The folder `OUTPUT.parts` has, for every finished part, its two files (segments and document ids) and a small
record with their hashes and counts, written last: a part without a matching record is unfinished. The folder
belongs to one job, identified by a digest of all inputs and options; another job starts from scratch.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anaphor.core import OptionError


class PartStore:
    """The finished parts of one job."""

    def __init__(self, output: Path, *, job: str, suffixes: Sequence[str]) -> None:
        """Open or create the folder; parts of another job are removed."""
        self._suffixes = tuple(suffixes)
        self.folder = output.with_name(f"{output.name}.parts")
        record = self.folder / "job"
        with self._explained():
            if record.is_file() and record.read_text(encoding="utf-8") == job:
                return
            if self.folder.is_dir():
                shutil.rmtree(self.folder)
            self.folder.mkdir()
            record.write_text(job, encoding="utf-8")

    def finished(self, number: int) -> PartReport | None:
        """The report of a part that is there and whole, else None."""
        try:
            record = json.loads(self._path(number, "json").read_text(encoding="utf-8"))
            if record["hashes"] == self._hashes(number):
                return PartReport.from_json(record["report"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # unfinished, or damaged since: it is made again
        return None

    def keep(self, number: int, contents: Iterable[bytes], report: PartReport) -> None:
        """Write the files of a part, and then the record that says it is finished."""
        with self._explained():
            for suffix, content in zip(self._suffixes, contents, strict=True):
                self._path(number, suffix).write_bytes(content)
            record = {"hashes": self._hashes(number), "report": report.as_json()}
            temporary = self._path(number, "unfinished")
            temporary.write_text(json.dumps(record), encoding="utf-8")
            temporary.replace(self._path(number, "json"))

    def join(self, count: int, targets: Sequence[Path]) -> None:
        """One file of each kind from all parts, whole or not at all; then the folder is removed."""
        with self._explained():
            wholes = [self.folder / f"whole.{suffix}" for suffix in self._suffixes]
            for path, suffix in zip(wholes, self._suffixes, strict=True):
                with path.open("wb") as whole:
                    for number in range(count):
                        with self._path(number, suffix).open("rb") as part:
                            shutil.copyfileobj(part, whole)
                    whole.flush()
                    os.fsync(whole.fileno())
            for path, target in zip(wholes, targets, strict=True):
                path.replace(target)
            shutil.rmtree(self.folder)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Errors of the file system as errors that the user can fix."""
        try:
            yield
        except OSError as error:
            raise OptionError(
                f"the output or the folder of its parts cannot be written ({error.strerror})",
                where=str(self.folder),
                fix="choose an output in an existing folder that you may write to and that has room",
            ) from error

    def _hashes(self, number: int) -> list[str]:
        paths = (self._path(number, suffix) for suffix in self._suffixes)
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]

    def _path(self, number: int, suffix: str) -> Path:
        return self.folder / f"{number:06d}.{suffix}"


@dataclass(frozen=True, slots=True)
class PartReport:
    """Counts of one part, or of several added up.

    - `segments` written; `left_out`: pairs with an empty side, by reason.
    - `before`, `after`: examples of each class before and after the filtering.
    - `placed`: how the positions of placeholders were found: linked, beside a neighbour's link, or relative.
    - `notes`: warnings about the input, each once.
    """

    segments: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)
    placed: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "segments": self.segments,
            "left_out": dict(self.left_out),
            "before": dict(self.before),
            "after": dict(self.after),
            "placed": dict(self.placed),
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> PartReport:
        """What `as_json` gave."""
        return cls(**{**content, "notes": tuple(content["notes"])})


def sum_reports(parts: Iterable[PartReport]) -> PartReport:
    """All counts added up."""
    counted: dict[str, Counter[str]] = {key: Counter() for key in ("left_out", "before", "after", "placed")}
    segments = 0
    notes: dict[str, None] = {}
    for part in parts:
        segments += part.segments
        notes |= dict.fromkeys(part.notes)
        for key, counter in counted.items():
            counter.update(getattr(part, key))
    return PartReport(segments, **{key: dict(value) for key, value in counted.items()}, notes=tuple(notes))
