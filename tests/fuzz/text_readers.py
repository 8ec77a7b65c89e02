"""Files that others write: texts, alignments, test sets, marked spans."""

from __future__ import annotations

from tests.fuzz.harness import Reader

TEXT_FILES: tuple[Reader, ...] = ()
