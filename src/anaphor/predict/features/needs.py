"""What groups of features ask of a scene, so that nothing is analysed for nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from anaphor.predict.features.scene import Scene

Enough: TypeAlias = Callable[[Scene], bool]
"""Whether a group would say the same of a scene that reaches further back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Whether the tokens of each side are analysed, and how many segments before are looked at.

    A scene gets fewer segments as soon as all of `enough` say so; where there are none, it gets them all.
    """

    source: bool = False
    target: bool = False
    sentences: int = 0
    enough: tuple[Enough, ...] = ()


def joined(needs: Iterable[Needs]) -> Needs:
    """What is enough for all."""
    found = list(needs)
    back = [one.enough for one in found if one.sentences or one.enough]
    return Needs(
        source=any(one.source for one in found),
        target=any(one.target for one in found),
        sentences=max((one.sentences for one in found), default=0),
        enough=tuple(ask for asked in back for ask in asked) if all(back) else (),
    )
