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
    determiner_of,
    gender_of,
    nouns_of,
    number_of,
    source_sides,
)
from anaphor.predict.features.scene import NOUNS, Scene, Staged
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
        return Needs(source=True, target=True, sentences=self.sentences)

    def features(self, scene: Scene) -> list[str]:
        pronoun = scene.pronoun
        found = antecedent(scene, subjects=self.subjects)
        if found is None:
            return [f"cn.none&{pronoun}"]
        names = [f"cn.source={found.lemma}"] if self.words else []
        names.append(f"cn.away={found.away}&{pronoun}")
        target = aligned_noun(found.staged, found.place)
        if target is None:
            return [*names, f"cn.unaligned&{pronoun}"]
        tokens = found.staged.target
        if self.words:
            names.append(f"cn.target={tokens.words[target]}")
        return [
            *names,
            f"cn.gender={gender_of(tokens.language, tokens.words[target])}&{pronoun}",
            f"cn.number={number_of(tokens, target)}&{pronoun}",
            f"cn.det={determiner_of(tokens, target)}&{pronoun}",
        ]


def antecedent(scene: Scene, *, subjects: bool = False) -> Noun | None:
    """The nearest source noun that agrees with the pronoun; with `subjects`, those first in each segment."""
    gender, number = _AGREEMENT.get(scene.pronoun, ("", ""))
    nouns = islice(nouns_of(source_sides(scene)), _LOOKED_AT)
    agreeing = (noun for noun in nouns if _agrees(noun, gender, number))
    return min(agreeing, key=_subjects_first, default=None) if subjects else next(agreeing, None)


def _subjects_first(noun: Noun) -> tuple[int, bool]:
    return noun.away, noun.place not in noun.tokens.subjects


def _agrees(noun: Noun, gender: str, number: str) -> bool:
    fits_gender = not gender or noun.gender() == UNKNOWN or gender in noun.gender()
    return fits_gender and (not number or noun.number() in (number, UNKNOWN))


def aligned_noun(staged: Staged, source: int) -> int | None:
    """The target noun linked to a source token: the first that is tagged as one."""
    tags = staged.target.tags
    places = staged.segment.alignment.targets_of(source)
    return next((place for place in places if place < len(tags) and tags[place] in NOUNS), None)
