"""Where the pronoun and the placeholder stand."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene

_NEAR = 4
_FIFTHS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Places in the sentence, coarse.

    - `po.source=0`, `po.target=0`: tokens before it, up to 4; `po.share=2`: which fifth of the target.
    - `po.end=1`: tokens behind the placeholder, up to 4.
    - `po.slot=1/2`: which of how many placeholders of the segment, up to 3.
    """

    @property
    def needs(self) -> Needs:
        return Needs()

    def features(self, scene: Scene) -> list[str]:
        slot, here = scene.slot, scene.here
        length = len(here.target)
        return [
            f"po.source={min(slot.source, _NEAR)}",
            f"po.target={min(slot.target, _NEAR)}",
            f"po.share={slot.target * _FIFTHS // length}",
            f"po.end={min(length - 1 - slot.target, _NEAR)}",
            f"po.slot={min(scene.number + 1, 3)}/{min(len(here.segment.slots), 3)}",
        ]
