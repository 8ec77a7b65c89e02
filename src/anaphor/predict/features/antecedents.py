"""What the pronoun may stand for: the nouns, names and determiners before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.nouns import (
    Sides,
    are_before,
    determiner_of,
    gender_of,
    number_of,
    source_sides,
    target_sides,
)
from anaphor.predict.features.scene import Scene, Tokens
from anaphor.predict.settings import check_names, check_range, option

_FAR = 3


class _Labels(NamedTuple):
    """What the features of one noun begin with, and those that say how far it is."""

    word: str
    gender: str
    number: str
    determiner: str
    away: tuple[str, ...]


@cache
def _labels(prefix: str, nouns: int) -> tuple[_Labels, ...]:
    """The labels of each noun, the nearest first."""
    names = [f"{prefix}.n{number}" for number in range(1, nouns + 1)]
    away = [tuple(f"{name}.away={away}" for away in range(_FAR + 1)) for name in names]
    return tuple(
        _Labels(f"{name}=", f"{name}.gender=", f"{name}.number=", f"{name}.det=", far)
        for name, far in zip(names, away, strict=True)
    )


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
        return Needs(
            source=self.side != "target",
            target=self.side != "source",
            sentences=self.sentences,
            enough=(self.enough,),
        )

    def features(self, scene: Scene) -> list[str]:
        found = [] if self.side == "source" else self._of("an", target_sides(scene))
        return found if self.side == "target" else found + self._of("as", source_sides(scene))

    def enough(self, scene: Scene) -> bool:
        """Whether there are as many nouns and determiners as can be looked at."""
        here, slot, _, before = scene
        if self.side != "target" and not self._is_enough(
            here.source, slot.source, [staged.source for staged in before]
        ):
            return False
        return self.side == "source" or self._is_enough(
            here.target, slot.target, [staged.target for staged in before]
        )

    def _is_enough(self, here: Tokens, end: int, others: Sequence[Tokens]) -> bool:
        nouns = 2 * max(self.nouns, self.names)
        return are_before(here, end, others, nouns=nouns, determiners=self.determiners)

    def _of(self, prefix: str, sides: Sides) -> list[str]:
        """The features of one side, all under a prefix."""
        nouns = [*islice(sides.nouns(), 2 * max(self.nouns, self.names))]
        found: list[str] = []
        genders: list[str] = []
        for labels, (tokens, place, away) in zip(_labels(prefix, self.nouns), nouns, strict=False):
            word = tokens.word(place)
            gender = gender_of(tokens.language, word)
            genders.append(gender)
            if self.words:
                found.append(labels.word + word)
            found += (
                labels.gender + gender,
                labels.number + number_of(tokens, place),
                labels.determiner + determiner_of(tokens, place),
                labels.away[min(away, _FAR)],
            )
        if self.nouns > 1:
            found.append(f"{prefix}.genders={'.'.join(genders[:2])}")
        if self.words and self.names:
            found += self._names(prefix, nouns)
        nearest = enumerate(sides.determiners(self.determiners), start=1)
        return found + [f"{prefix}.d{number}={word}" for number, word in nearest]

    def _names(self, prefix: str, nouns: Iterable[tuple[Tokens, int, int]]) -> list[str]:
        words = (tokens.word(place) for tokens, place, _ in nouns if is_name(tokens, place))
        return [
            f"{prefix}.p{number}={word}" for number, word in enumerate(islice(words, self.names), start=1)
        ]


def is_name(tokens: Tokens, place: int) -> bool:
    """Whether a noun is tagged as a name, or written like one in a file whose tags know no names."""
    if tokens.language != "de" and tokens.written[place][:1].isupper():
        return True
    return tokens.tag(place) == "PROPN"
