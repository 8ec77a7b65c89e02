"""What the pronoun may stand for: the nouns, names and determiners before it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.nouns import (
    Noun,
    Side,
    determiner_of,
    determiners_of,
    nouns_of,
    number_of,
    source_sides,
    target_sides,
)
from anaphor.predict.features.scene import Scene
from anaphor.predict.settings import check_names, check_range, option

_FAR = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedents:
    """Candidates before the pronoun, nearest first, without any attempt at choosing one.

    - `an.n1=idée`: the nearest noun; `an.n1.gender=f`, `an.n1.number=s`, `an.n1.det=une` (its determiner),
      `an.n1.away=0` (segments back, up to 3).
    - `an.genders=f.m`: the genders of the two nearest nouns.
    - `an.p1=marie`: the nearest name; `an.d1=les`: the nearest determiner.
    - all of it under `as.` for the source side.
    """

    side: str = option("target", "which side: target, source or both")
    nouns: int = option(3, "nouns")
    names: int = option(1, "proper nouns")
    determiners: int = option(2, "determiners")
    sentences: int = option(2, "segments before this one that are looked at")
    words: bool = option(True, "nouns and names themselves, not only their gender and number")

    def __post_init__(self) -> None:
        check_names((self.side,), ("target", "source", "both"), name="side", where="features.antecedents")
        check_range(self.sentences, least=0, most=20, name="sentences", where="features.antecedents")

    @property
    def needs(self) -> Needs:
        return Needs(source=self.side != "target", target=self.side != "source", sentences=self.sentences)

    def features(self, scene: Scene) -> list[str]:
        found = [] if self.side == "source" else self._of("an", target_sides(scene))
        return found if self.side == "target" else found + self._of("as", source_sides(scene))

    def _of(self, prefix: str, sides: list[Side]) -> list[str]:
        """The features of one side, all under a prefix."""
        found = list(islice(nouns_of(sides), 2 * max(self.nouns, self.names)))
        genders = [noun.gender() for noun in found[: max(self.nouns, 2)]]
        names: list[str] = []
        for number, (noun, gender) in enumerate(zip(found[: self.nouns], genders, strict=False), start=1):
            names += self._noun(f"{prefix}.n{number}", noun, gender)
        if self.nouns > 1:
            names.append(f"{prefix}.genders={'.'.join(genders[:2])}")
        if self.words:
            proper = islice(filter(is_name, found), self.names)
            names += [f"{prefix}.p{number}={noun.word}" for number, noun in enumerate(proper, start=1)]
        nearest = enumerate(determiners_of(sides, self.determiners), start=1)
        return names + [f"{prefix}.d{number}={word}" for number, word in nearest]

    def _noun(self, name: str, noun: Noun, gender: str) -> list[str]:
        tokens, place = noun.tokens, noun.place
        facts = [
            f"{name}.gender={gender}",
            f"{name}.number={number_of(tokens, place)}",
            f"{name}.det={determiner_of(tokens, place)}",
            f"{name}.away={min(noun.away, _FAR)}",
        ]
        return [f"{name}={tokens.words[place]}", *facts] if self.words else facts


def is_name(noun: Noun) -> bool:
    """Whether a noun is tagged as a name, or written like one in a file whose tags know no names."""
    staged, tokens, place, _ = noun
    if tokens.tags[place] == "PROPN":
        return True
    if tokens.language == "de":
        return False
    side = staged.segment.source if tokens is staged.source else staged.segment.target
    return side[place][:1].isupper()
