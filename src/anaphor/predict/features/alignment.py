"""How the source pronoun is aligned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene
from anaphor.predict.settings import option

_MOST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentGroup:
    """The links of the source pronoun and of the placeholder.

    - `al.null`: the alignment does not link the pronoun to the placeholder, which was put beside a neighbour.
    - `al.fertility=2`: target tokens linked to the pronoun, up to 3; `al.sources=1`: source tokens linked to
      the placeholder.
    - `al.other=que`: another target word linked to the pronoun.
    - `al.before=is`, `al.after=is`: the source words linked to the target words around the placeholder (with
      `neighbours`).
    """

    neighbours: bool = option(True, "the source words that the target words around are linked to")

    @property
    def needs(self) -> Needs:
        return Needs()

    def features(self, scene: Scene) -> Iterator[str]:
        alignment, slot = scene.here.segment.alignment, scene.slot
        linked = alignment.targets_of(slot.source)
        if slot.target not in linked:
            yield f"al.null&{scene.pronoun}"
        yield f"al.fertility={min(len(linked), _MOST)}"
        yield f"al.sources={min(alignment.targets.count(slot.target), _MOST)}"
        words = scene.here.target.words
        yield from (f"al.other={words[place]}" for place in linked if place != slot.target)
        if self.neighbours:
            yield from _linked(scene, slot.target - 1, "al.before")
            yield from _linked(scene, slot.target + 1, "al.after")


def _linked(scene: Scene, place: int, name: str) -> Iterator[str]:
    alignment, words = scene.here.segment.alignment, scene.here.source.words
    pairs = zip(alignment.sources, alignment.targets, strict=True)
    found = sorted({source for source, target in pairs if target == place})
    yield f"{name}={'_'.join(words[source] for source in found) or '-'}"
