"""The source pronoun itself: its form, position and alignment."""

from __future__ import annotations

from dataclasses import dataclass

from anaphor.predict.options import option
from anaphor.recipes.features.context import Requirements, SlotContext
from anaphor.recipes.features.groups import FeatureGroup

_NEAR = 4  # places that are distinguished; all further ones share a bucket
_FIFTHS = 5
_MOST_LINKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePronoun(FeatureGroup):
    """The source token that the placeholder translates.

    - `sp=it`: the token in lower case, or the verb if the source drops the subject.
    - `sp.first`: the pronoun is the first token of its sentence.
    - `sp.subject=True`, `sp.expletive=True`: the analyser's labels (with `role`).
    """

    role: bool = option(False, "use whether the pronoun is a subject or an expletive")

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=self.role)

    def features(self, context: SlotContext) -> list[str]:
        pronoun, at = context.pronoun, context.slot.source
        names = [f"sp={pronoun}"]
        if at == 0:
            names.append(f"sp.first={pronoun}")
        if self.role:
            source = context.here.source
            names.append(f"sp.subject={at in source.analysis.subjects}&{pronoun}")
            names.append(f"sp.expletive={at in source.analysis.expletives}&{pronoun}")
        return names


@dataclass(frozen=True, slots=True, kw_only=True)
class Position(FeatureGroup):
    """Coarse positions in the sentence.

    - `po.source=0`, `po.target=0`: number of tokens before the pronoun and the placeholder, up to 4;
      `po.share=2`: the fifth of the target sentence, counted from 0, that contains the placeholder.
    - `po.end=1`: number of tokens after the placeholder, up to 4.
    - `po.slot=1/2`: number of the placeholder, and of placeholders in the segment, up to 3 each.
    """

    def features(self, context: SlotContext) -> list[str]:
        slot, here = context.slot, context.here
        length = len(here.target)
        return [
            f"po.source={min(slot.source, _NEAR)}",
            f"po.target={min(slot.target, _NEAR)}",
            f"po.share={slot.target * _FIFTHS // length}",
            f"po.end={min(length - 1 - slot.target, _NEAR)}",
            f"po.slot={min(context.number + 1, 3)}/{min(len(here.segment.slots), 3)}",
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentGroup(FeatureGroup):
    """The alignment links of the source pronoun and of the placeholder.

    Every placeholder of a task file is linked to its pronoun, even if it hides nothing, so links do not
    reveal whether the pronoun is translated.

    - `al.fertility=2`: number of target tokens linked to the pronoun, up to 3; `al.sources=1`: number of
      source tokens linked to the placeholder.
    - `al.other=que`: another target word linked to the pronoun.
    - `al.before=is`, `al.after=is`: the source words linked to the target words around the placeholder (with
      `neighbours`).
    """

    neighbours: bool = option(True, "use the source words linked to neighbouring target words")

    def features(self, context: SlotContext) -> list[str]:
        alignment, slot = context.here.segment.alignment, context.slot
        linked = alignment.targets_of(slot.source)
        names = [
            f"al.fertility={min(len(linked), _MOST_LINKS)}",
            f"al.sources={min(alignment.targets.count(slot.target), _MOST_LINKS)}",
        ]
        target = context.here.target
        names += [f"al.other={target.word(place)}" for place in linked if place != slot.target]
        if self.neighbours:
            names.append(f"al.before={_linked_words(context, slot.target - 1)}")
            names.append(f"al.after={_linked_words(context, slot.target + 1)}")
        return names


def _linked_words(context: SlotContext, place: int) -> str:
    """The source words linked to a target position, in order; `-` without any."""
    alignment, source = context.here.segment.alignment, context.here.source
    # Mostly there is one link or none, and counting and searching a tuple is fast.
    links = alignment.targets.count(place)
    if links == 0:
        return "-"
    if links == 1:
        return source.word(alignment.sources[alignment.targets.index(place)])
    pairs = zip(alignment.sources, alignment.targets, strict=True)
    return "_".join(map(source.word, sorted({other for other, here in pairs if here == place})))
