"""Parts of speech around the placeholder, in two tag sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import OUTSIDE, Scene
from anaphor.predict.settings import check_names, check_range, option

#: Tags whose words are so few that each may stand for itself.
_CLOSED = frozenset({"ADP", "AUX", "CCONJ", "CONJ", "DET", "PART", "PRON", "PRT", "SCONJ", "PUNCT", "."})


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetTags:
    """N-grams of target tags that touch the placeholder.

    - `tt.u-2:-1=VERB_SCONJ`: universal tags, those of the file where it has them.
    - `tt.f+1:+2=être_ADJ`: a finer set, in which closed classes are told apart by their words.
    """

    sets: tuple[str, ...] = option(("universal", "fine"), "tag sets: universal, fine")
    longest: int = option(3, "the longest n-gram on one side")

    def __post_init__(self) -> None:
        check_names(self.sets, ("universal", "fine"), name="tag set", where="features.target-tags")
        check_range(self.longest, least=1, most=6, name="longest", where="features.target-tags")

    @property
    def needs(self) -> Needs:
        return Needs(target=True)

    def features(self, scene: Scene) -> Iterator[str]:
        for name in self.sets:
            left, right = self._sides(scene, fine=name == "fine")
            for length in range(1, self.longest + 1):
                yield f"tt.{name[0]}-{length}:-1={'_'.join(left[-length:])}"
                yield f"tt.{name[0]}+1:+{length}={'_'.join(right[:length])}"
            yield f"tt.{name[0]}-1:+1={left[-1]}_{scene.pronoun}_{right[0]}"
            yield f"tt.{name[0]}-2:+2={'_'.join(left[-2:])}_{scene.pronoun}_{'_'.join(right[:2])}"

    def _sides(self, scene: Scene, *, fine: bool) -> tuple[list[str], list[str]]:
        """The tags before and behind, at least two and as many as the longest n-gram has."""
        target, at, reach = scene.here.target, scene.slot.target, max(self.longest, 2)
        tags = target.tags
        items = list(tags[max(at - reach, 0) : at + reach + 1])
        offset = max(at - reach, 0)
        if fine:
            items = [
                target.lemmas[offset + place] if tag in _CLOSED else tag for place, tag in enumerate(items)
            ]
        left, right = items[: at - offset], items[at - offset + 1 :]
        return [OUTSIDE] * (reach - len(left)) + left, right + [OUTSIDE] * (reach - len(right))
