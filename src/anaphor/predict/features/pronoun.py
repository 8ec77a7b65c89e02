"""The pronoun that was translated."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.predict.features.context import Needs, Scene
from anaphor.predict.options import option


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePronoun:
    """The source token behind the placeholder.

    - `sp=it`: the token in lower case; the verb itself where the source leaves subjects out.
    - `sp.first`: it opens its sentence.
    - `sp.subject=True`, `sp.expletive=True`: what the analyser says of it (with `role`).
    """

    role: bool = option(False, "say whether the pronoun is a subject or an expletive")

    @property
    def needs(self) -> Needs:
        return Needs(source=self.role)

    def features(self, scene: Scene) -> list[str]:
        pronoun, at = scene.pronoun, scene.slot.source
        found = [f"sp={pronoun}"]
        if at == 0:
            found.append(f"sp.first={pronoun}")
        if self.role:
            source = scene.here.source
            found.append(f"sp.subject={at in source.analysis.subjects}&{pronoun}")
            found.append(f"sp.expletive={at in source.analysis.expletives}&{pronoun}")
        return found


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
