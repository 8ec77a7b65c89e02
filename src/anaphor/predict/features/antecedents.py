"""What the pronoun may stand for: the nouns, names and determiners before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anaphor.predict.features.facts import Facts
from anaphor.predict.features.groups import Feature, Said, said_of_one
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
_AWAY = tuple(map(str, range(_FAR + 1)))
#: What is said of every noun.
_ABOUT = (".gender=", ".number=", ".det=", ".away=")


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

    def features(self, scene: Scene) -> list[Feature]:
        return said_of_one(self, scene)

    def say(self, scenes: Sequence[Scene]) -> list[Said]:
        found: list[Said] = []
        if self.side != "source":
            found.append(Facts(self._labels("an"), self._columns(map(target_sides, scenes))))
        if self.side != "target":
            found.append(Facts(self._labels("as"), self._columns(map(source_sides, scenes))))
        return found

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

    def _labels(self, prefix: str) -> list[str]:
        """What the features of one side begin with, in the order of `_row`."""
        nouns = range(1, self.nouns + 1)
        facts = ("=", *_ABOUT) if self.words else _ABOUT
        found = [f"{prefix}.n{number}{fact}" for number in nouns for fact in facts]
        if self.nouns > 1:
            found.append(f"{prefix}.genders=")
        if self.words:
            found += [f"{prefix}.p{number}=" for number in range(1, self.names + 1)]
        return found + [f"{prefix}.d{number}=" for number in range(1, self.determiners + 1)]

    def _columns(self, sides: Iterable[Sides]) -> list[tuple[str | None, ...]]:
        return [*zip(*map(self._row, sides), strict=True)] or [()] * len(self._labels(""))

    def _row(self, sides: Sides) -> list[str | None]:
        """What is said of one side of a scene."""
        nouns = sides.nearest(2 * max(self.nouns, self.names))
        found: list[str | None] = []
        genders: list[str] = []
        for tokens, place, away in nouns[: self.nouns]:
            word = tokens.word(place)
            gender = gender_of(tokens.language, word)
            genders.append(gender)
            if self.words:
                found.append(word)
            found += (gender, number_of(tokens, place), determiner_of(tokens, place), _AWAY[min(away, _FAR)])
        found += [None] * ((self.nouns - len(genders)) * (len(_ABOUT) + self.words))
        if self.nouns > 1:
            found.append(".".join(genders[:2]))
        if self.words:
            found += _filled(_names(nouns, self.names), self.names)
        return found + _filled(sides.determiners(self.determiners), self.determiners)


def _filled(words: list[str], size: int) -> list[str | None]:
    return [*words, *[None] * (size - len(words))]


def _names(nouns: Sequence[tuple[Tokens, int, int]], most: int) -> list[str]:
    """The first of the nouns that are names."""
    found: list[str] = []
    for tokens, place, _ in nouns:
        if len(found) == most:
            break
        if is_name(tokens, place):
            found.append(tokens.word(place))
    return found


def is_name(tokens: Tokens, place: int) -> bool:
    """Whether a noun is tagged as a name, or written like one in a file whose tags know no names."""
    if tokens.language != "de" and tokens.written[place][:1].isupper():
        return True
    return tokens.tag(place) == "PROPN"
