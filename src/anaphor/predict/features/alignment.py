"""How the source pronoun is aligned."""

from __future__ import annotations

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

    def features(self, scene: Scene) -> list[str]:
        alignment, slot = scene.here.segment.alignment, scene.slot
        linked = alignment.targets_of(slot.source)
        found = [] if slot.target in linked else [f"al.null&{scene.pronoun}"]
        found.append(f"al.fertility={min(len(linked), _MOST)}")
        found.append(f"al.sources={min(alignment.targets.count(slot.target), _MOST)}")
        target = scene.here.target
        found += [f"al.other={target.word(place)}" for place in linked if place != slot.target]
        if self.neighbours:
            found.append(f"al.before={_linked(scene, slot.target - 1)}")
            found.append(f"al.after={_linked(scene, slot.target + 1)}")
        return found


def _linked(scene: Scene, place: int) -> str:
    """The source words linked to a target place, in their order; `-` without any."""
    alignment, source = scene.here.segment.alignment, scene.here.source
    # Like `Alignment.targets_of` the other way round: mostly there is one link or none.
    links = alignment.targets.count(place)
    if links == 0:
        return "-"
    if links == 1:
        return source.word(alignment.sources[alignment.targets.index(place)])
    pairs = zip(alignment.sources, alignment.targets, strict=True)
    return "_".join(map(source.word, sorted({other for other, here in pairs if here == place})))
