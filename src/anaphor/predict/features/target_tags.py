"""Parts of speech around the placeholder, in two tag sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from anaphor.predict.features.around import Column, Grams, Span, columns_around
from anaphor.predict.features.groups import Feature, Said, said_of_one
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene
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

    def features(self, scene: Scene) -> list[Feature]:
        return said_of_one(self, scene)

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        reach = max(self.longest, 2)
        sides = [(scene.here.target, scene.slot.target) for scene in scenes]
        tags = columns_around(sides, "tag", before=reach, after=reach)
        lemmas = columns_around(sides, "lemma", before=reach, after=reach)
        sets: dict[str, list[Column]] = {"universal": [*tags], "fine": [*map(_fine, lemmas, tags)]}
        pronouns = [scene.pronoun for scene in scenes]
        for columns in sets.values():
            columns[reach] = pronouns
        return [Grams(sets[name], _spans(name[0], self.longest)) for name in self.sets]


def _fine(lemmas: Column, tags: Column) -> Column:
    return [lemma if tag in _CLOSED else tag for lemma, tag in zip(lemmas, tags, strict=True)]


@cache
def _spans(name: str, longest: int) -> tuple[Span, ...]:
    """N-grams of tags on either side, then those around the placeholder, for which the pronoun stands."""
    middle = max(longest, 2)
    found = []
    for length in range(1, longest + 1):
        found.append(Span(f"tt.{name}-{length}:-1=", middle - length, middle))
        found.append(Span(f"tt.{name}+1:+{length}=", middle + 1, middle + 1 + length))
    found += [Span(f"tt.{name}-{n}:+{n}=", middle - n, middle + n + 1) for n in (1, 2)]
    return tuple(found)
