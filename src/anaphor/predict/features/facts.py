"""Features that are a name and one word each, for many scenes at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Facts(NamedTuple):
    """A column for each name; None where a scene lacks that feature."""

    names: Sequence[str]
    columns: Sequence[Sequence[str | None]]

    def named(self, scenes: int) -> list[Sequence[str]]:
        """For each of so many scenes the names of its features."""
        rows = [*zip(*self.columns, strict=True)] or [()] * scenes
        return [
            [name + item for name, item in zip(self.names, row, strict=True) if item is not None]
            for row in rows
        ]
