"""What a preparation counted: classes as in Table 5 of wmt16-findings, and how placeholders got there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class PartReport:
    """Counts of one part, or of several added up.

    - `segments` written; `left_out`: pairs with an empty side, by reason.
    - `before`, `after`: examples of each class before and after the filtering.
    - `placed`: how the kept placeholders got their place: linked, beside a neighbour's link, or by position.
    - `notes`: tolerances that were used, each once.
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


def total(parts: Iterable[PartReport]) -> PartReport:
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
