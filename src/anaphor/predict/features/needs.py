"""What groups of features ask of a scene, so that nothing is analysed for nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Whether the tokens of each side are analysed, and how many segments before are looked at."""

    source: bool = False
    target: bool = False
    sentences: int = 0


def joined(needs: Iterable[Needs]) -> Needs:
    """What is enough for all."""
    found = list(needs)
    return Needs(
        source=any(one.source for one in found),
        target=any(one.target for one in found),
        sentences=max((one.sentences for one in found), default=0),
    )
