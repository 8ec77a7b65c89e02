"""What the pronoun may stand for: the nouns, names and determiners before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from anaphor.predict.features.context import Needs, Scene, Staged, Tokens
from anaphor.predict.features.groups import Facts, Feature, Said, said_of_one
from anaphor.predict.features.nouns import (
    UNKNOWN,
    Noun,
    Sides,
    are_before,
    determiner_of,
    gender_of,
    number_of,
    source_sides,
    target_sides,
)
from anaphor.predict.options import check_names, check_range, option

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
