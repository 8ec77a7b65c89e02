"""One alignment from two: the symmetrization heuristics of Och and Ney (2003) and Koehn et al. (2003).

A directional aligner links every word of one side to at most one word of the other. `forward` is the
direction in which each target word chooses a source word, `reverse` the one in which each source word
chooses a target word. Links are (source, target) pairs counted from 0 in both.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from heapq import heappop, heappush

from anaphor.core import UnknownNameError

LinkSet = frozenset[tuple[int, int]]
#: The links of the forward and of the reverse direction of one sentence pair.
Directions = tuple[LinkSet, LinkSet]

METHODS = (
    "forward",
    "reverse",
    "intersection",
    "union",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
)
#: The heuristic that the papers applied to the links of GIZA++ (wmt16-findings, section 3.3).
DEFAULT_METHOD = "grow-diag-final-and"

# Steps (target, source) to the eight neighbours of a link, in the order in which Moses tries them.
_STEPS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class DecodingMode(IntEnum):
    """How links are decoded: all that are probable in both directions, or one direction's best path."""

    JOINT = 0
    FORWARD = 1
    REVERSE = 2


def check_method(method: str) -> None:
    """Raise unless the name is one of `METHODS`."""
    if method not in METHODS:
        raise UnknownNameError.among(method, METHODS, kind="symmetrization", where="--symmetrize")


def symmetrize(forward: LinkSet, reverse: LinkSet, method: str) -> LinkSet:
    """The links that `method`, one of `METHODS`, derives from two directions.

    - `forward`, `reverse`: that direction alone.
    - `intersection`, `union`: the links of both, or of either.
    - `grow-diag`: starts from the intersection and walks over its links; a link of the union that
      touches the current one, also diagonally, is added if its source or its target word has no link
      yet. Added links are walked over as well.
    - `grow-diag-final`: then adds the remaining links whose source or target word has no link.
    - `grow-diag-final-and`: then adds the remaining links whose source and target word have no link.

    The grow heuristics depend on the order, because an added link may block a later one. The order is that of
    Moses: links by target position, then by source position; around a link the four sides (target before,
    source before, target after, source after), then the corners; a link added behind the current one is
    visited after the walk has reached the end. The final step takes the links of `forward` first, then those
    of `reverse`. Hence swapping the two sentences need not simply swap the result of a grow heuristic; for
    the first four methods it does.
    """
    check_method(method)
    if method == "forward":
        return forward
    if method == "reverse":
        return reverse
    if method == "intersection":
        return forward & reverse
    if method == "union":
        return forward | reverse
    grid = _Grid(forward & reverse)
    grid.grow(forward | reverse)
    if method != "grow-diag":
        grid.finish(forward, both=method == "grow-diag-final-and")
        grid.finish(reverse, both=method == "grow-diag-final-and")
    return grid.links()


def _turned(links: Iterable[tuple[int, int]]) -> Iterable[tuple[int, int]]:
    return ((second, first) for first, second in links)


class _Grid:
    """The links found so far as (target, source) points, and the words they cover."""

    def __init__(self, links: LinkSet) -> None:
        self._points = set(_turned(links))
        self._targets = {target for target, _ in self._points}
        self._sources = {source for _, source in self._points}

    def links(self) -> LinkSet:
        return frozenset(_turned(self._points))

    def grow(self, union: LinkSet) -> None:
        """Add neighbouring links of the union until none covers a new word.

        Coverage only grows, so a rejected neighbour stays rejected and every point needs to be visited only
        once: those added ahead in this walk, those added behind in the next.
        """
        allowed = set(_turned(union))
        ahead = sorted(self._points)
        behind: list[tuple[int, int]] = []
        while ahead:
            target, source = heappop(ahead)
            for down, right in _STEPS:
                point = (target + down, source + right)
                if point in allowed and self._covers_new(point, both=False):
                    self._add(point)
                    heappush(ahead if point > (target, source) else behind, point)
            if not ahead:
                ahead, behind = behind, []

    def finish(self, direction: LinkSet, *, both: bool) -> None:
        """Add the links of one direction that cover a new word, or two new words."""
        for point in sorted(_turned(direction)):
            if self._covers_new(point, both=both):
                self._add(point)

    def _covers_new(self, point: tuple[int, int], *, both: bool) -> bool:
        new_target, new_source = point[0] not in self._targets, point[1] not in self._sources
        return (new_target and new_source) if both else (new_target or new_source)

    def _add(self, point: tuple[int, int]) -> None:
        self._points.add(point)
        self._targets.add(point[0])
        self._sources.add(point[1])
