"""What made a number: every option and input that can move it, printed beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

_ESCAPES = str.maketrans({"|": "%7C", ":": "%3A", "%": "%25"})


@dataclass(frozen=True, slots=True)
class Signature:
    """Name of a metric and its fields in a fixed order, the software version last."""

    name: str
    fields: tuple[tuple[str, str], ...]
    version: str

    def __str__(self) -> str:
        """One line such as `apt|weights:1,0.5,0,0,0,0|version:0.1.0`, `|`, `:` and `%` escaped in values."""
        parts = [f"{key}:{value.translate(_ESCAPES)}" for key, value in self.fields]
        return "|".join([self.name, *parts, f"version:{self.version}"])

    def as_dict(self) -> dict[str, str]:
        """The fields for a JSON file; nobody needs to parse the printed line."""
        return {"name": self.name, **dict(self.fields), "version": self.version}


def digest(parts: Iterable[bytes]) -> str:
    """The first 12 hex digits of a SHA-256; each part is closed by its length, so that none can merge."""
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
        total.update(len(part).to_bytes(8, "big"))
    return total.hexdigest()[:12]
