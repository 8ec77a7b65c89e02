"""The finished parts of a preparation, from which an interrupted run continues, and their counts.

The folder `OUTPUT.parts` has, for every finished part, its two files (segments and document ids) and a small
record with their hashes and counts, written last: a part without a matching record is unfinished. The folder
belongs to one job, identified by a digest of all inputs and options; another job starts from scratch.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anaphor.core.table import JsonFields
from anaphor.files.writing import atomic_file, atomic_folder, atomic_path

_FIX = "choose an output in an existing folder that you may write to and that has room"


class PartStore:
    """The finished parts of one job."""

    def __init__(self, output: Path, *, job: str, suffixes: Sequence[str]) -> None:
        """Open or create the folder; parts of another job are removed."""
        self._suffixes = tuple(suffixes)
        self.folder = output.with_name(f"{output.name}.parts")
        with suppress(OSError, ValueError):  # there is no folder yet, or no readable one
            if (self.folder / "job").read_text(encoding="utf-8") == job:
                return
        is_folder = self.folder.is_dir()
        with atomic_folder(self.folder, replace=is_folder, what="folder of parts", fix=_FIX) as folder:
            (folder / "job").write_text(job, encoding="utf-8")

    def finished(self, number: int) -> PartReport | None:
        """The report of a complete part, otherwise None."""
        try:
            record = json.loads(self._path(number, "json").read_text(encoding="utf-8"))
            if record["hashes"] == self._hashes(number):
                return PartReport.from_json(record["report"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
            pass  # unfinished, or damaged since: it is made again
        return None

    def keep(self, number: int, contents: Iterable[bytes], report: PartReport) -> None:
        """Write the files of a part, and then the record that marks it as finished."""
        for suffix, content in zip(self._suffixes, contents, strict=True):
            self._write(number, suffix, content)
        record = {"hashes": self._hashes(number), "report": report.to_dict()}
        self._write(number, "json", json.dumps(record).encode())

    def join(self, count: int, targets: Sequence[Path]) -> None:
        """Join the parts into one file of each kind, atomically; then remove the folder."""
        with ExitStack() as stack:  # no target is replaced before all files are complete
            for suffix, target in zip(self._suffixes, targets, strict=True):
                path = stack.enter_context(atomic_path(target, what="output", fix=_FIX, sync=True))
                with path.open("wb") as whole:
                    for number in range(count):
                        with self._path(number, suffix).open("rb") as part:
                            shutil.copyfileobj(part, whole)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, number: int, suffix: str, content: bytes) -> None:
        with atomic_file(self._path(number, suffix), what="part", fix=_FIX) as file:
            file.write(content)

    def _hashes(self, number: int) -> list[str]:
        paths = (self._path(number, suffix) for suffix in self._suffixes)
        return [hashlib.sha256(path.read_bytes()).hexdigest() for path in paths]

    def _path(self, number: int, suffix: str) -> Path:
        return self.folder / f"{number:06d}.{suffix}"


@dataclass(frozen=True, slots=True)
class PartReport(JsonFields):
    """Counts of one part, or the sum of several.

    - `segments` written; `left_out`: pairs with an empty side, by reason.
    - `before`, `after`: examples of each class before and after the filtering.
    - `placed`: how the positions of placeholders were found: linked, next to a neighbour's link, or relative.
    - `notes`: warnings about the input, each once.
    """

    segments: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    before: Mapping[str, int] = field(default_factory=dict)
    after: Mapping[str, int] = field(default_factory=dict)
    placed: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> PartReport:
        """The inverse of `to_dict`."""
        return cls(**{**content, "notes": tuple(content["notes"])})


def sum_reports(parts: Iterable[PartReport]) -> PartReport:
    """All counts added up."""
    segments, notes = 0, dict[str, None]()
    counts = {key: Counter[str]() for key in ("left_out", "before", "after", "placed")}
    for part in parts:
        segments += part.segments
        notes |= dict.fromkeys(part.notes)
        for key, counter in counts.items():
            counter.update(getattr(part, key))
    return PartReport(segments, **{key: dict(count) for key, count in counts.items()}, notes=tuple(notes))
