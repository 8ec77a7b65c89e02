"""The target noun that the pronoun most likely stands for, found by way of the source.

Systems that had a coreference resolver took the nearest noun of the pronoun's chain and its aligned target
noun. Here the chain is approximated: the nearest noun before the pronoun that agrees with it, subjects of
earlier clauses first where `subjects` says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.nouns import (
    UNKNOWN,
    Noun,
    are_before,
    determiner_of,
    gender_of,
    number_of,
    source_sides,
)
from anaphor.predict.features.scene import Scene, Staged, Tokens
from anaphor.predict.settings import check_range, option

#: Gender and number that an antecedent of a source pronoun has; empty for any.
_AGREEMENT: Mapping[str, tuple[str, str]] = {
    "it": ("", "s"),
    "they": ("", "p"),
    "er": ("m", ""),
    "es": ("n", ""),
    "il": ("m", ""),
    "elle": ("f", ""),
    "ils": ("", "p"),
    "elles": ("f", "p"),
}
_LOOKED_AT = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestNoun:
    """The nearest source noun that agrees with the pronoun, and the target noun aligned to it.

    - `cn.source=house`, `cn.away=1`: the source noun, and how many segments back it is.
    - `cn.target=maison`, `cn.gender=f`, `cn.number=s`, `cn.det=la`: the target noun; `cn.none` without one.
    """

    sentences: int = option(2, "segments before this one that are looked at")
    subjects: bool = option(False, "a noun that is a subject goes before nearer ones of its segment")
    words: bool = option(True, "the nouns themselves, not only gender and number")

    def __post_init__(self) -> None:
        check_range(self.sentences, least=0, most=20, name="sentences", where="features.closest-noun")

    @property
    def needs(self) -> Needs:
        return Needs(source=True, target=True, sentences=self.sentences, enough=(is_found,))

    def features(self, scene: Scene) -> list[str]:
        pronoun = scene.pronoun
        found = antecedent(scene, subjects=self.subjects)
        if found is None:
            return [f"cn.none&{pronoun}"]
        names = [f"cn.source={found.tokens.lemma(found.place)}"] if self.words else []
        names.append(f"cn.away={found.away}&{pronoun}")
        target = aligned_noun(found.staged, found.place)
        if target is None:
            return [*names, f"cn.unaligned&{pronoun}"]
        tokens = found.staged.target
        word = tokens.word(target)
        if self.words:
            names.append(f"cn.target={word}")
        return [
            *names,
            f"cn.gender={gender_of(tokens.language, word)}&{pronoun}",
            f"cn.number={number_of(tokens, target)}&{pronoun}",
            f"cn.det={determiner_of(tokens, target)}&{pronoun}",
        ]


def is_found(scene: Scene) -> bool:
    """Whether no noun further back can be the antecedent."""
    here, slot, _, before = scene
    sources = [staged.source for staged in before]
    if are_before(here.source, slot.source, sources, nouns=_LOOKED_AT, determiners=0):
        return True
    return antecedent(scene) is not None


def antecedent(scene: Scene, *, subjects: bool = False) -> Noun | None:
    """The nearest source noun that agrees with the pronoun; with `subjects`, those first in each segment."""
    gender, number = _AGREEMENT.get(scene.pronoun, ("", ""))
    found: list[tuple[Tokens, int, int]] = []
    for tokens, place, away in islice(source_sides(scene).nouns(), _LOOKED_AT):
        if _agrees(tokens, place, gender, number):
            found.append((tokens, place, away))
            if not subjects:
                break
    if not found:
        return None
    tokens, place, away = min(found, key=_subjects_first) if subjects else found[0]
    return Noun(scene.before[away - 1] if away else scene.here, tokens, place, away)


def _subjects_first(noun: tuple[Tokens, int, int]) -> tuple[int, bool]:
    tokens, place, away = noun
    return away, place not in tokens.analysis.subjects


def _agrees(tokens: Tokens, place: int, gender: str, number: str) -> bool:
    """Whether a noun has that gender and number, for all that is known."""
    if number and number_of(tokens, place) not in (number, UNKNOWN):
        return False
    if not gender:
        return True
    known = gender_of(tokens.language, tokens.word(place))
    return known == UNKNOWN or gender in known


def aligned_noun(staged: Staged, source: int) -> int | None:
    """The target noun linked to a source token: the first that is tagged as one."""
    nouns = staged.target.nouns
    for place in staged.segment.alignment.targets_of(source):
        if place in nouns:
            return place
    return None
