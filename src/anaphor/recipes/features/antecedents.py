"""Possible antecedents of the pronoun: the nouns before it, and the target noun of the most likely one.

Systems with a coreference resolver took the nearest noun of the pronoun's chain and the target noun aligned
to it. Here the chain is approximated by the nearest noun that agrees with the pronoun.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from anaphor.analyse.gender import GenderTable, gendered_languages, load_genders
from anaphor.predict.options import option
from anaphor.recipes.features.context import AnalysedSegment, Requirements, SlotContext
from anaphor.recipes.features.groups import AttributeBlock, FeatureBlock, FeatureGroup
from anaphor.recipes.features.tokens import AnnotatedTokens

#: A gender or a number that is not known.
UNKNOWN = "?"
#: What may stand between a determiner and its noun, and from which distance on they do not belong together.
_BETWEEN = frozenset({"ADJ", "NUM", "ADV"})
_TOO_FAR = 4
_FAR = 3
_AWAY = tuple(map(str, range(_FAR + 1)))
#: The attributes of every noun.
_ATTRIBUTES = (".gender=", ".number=", ".det=", ".away=")
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
_CONSIDERED = 12  # nouns among which an antecedent is searched


class NounMention(NamedTuple):
    """A noun on one side of an analysed segment; `away` counts segments back."""

    analysed: AnalysedSegment
    tokens: AnnotatedTokens
    place: int
    away: int


class PrecedingTokens(NamedTuple):
    """One side of a segment and of those before it, nearest first; the first one ends before `end`."""

    tokens: tuple[AnnotatedTokens, ...]
    end: int

    def nouns(self, most: int) -> list[tuple[AnnotatedTokens, int, int]]:
        """The nouns, nearest first: tokens, position, and distance in segments."""
        return self._nearest([tokens.nouns for tokens in self.tokens], most)

    def determiners(self, most: int) -> list[str]:
        """The determiners, nearest first."""
        nearest = self._nearest([tokens.determiners for tokens in self.tokens], most)
        return [tokens.word(place) for tokens, place, _ in nearest]

    def has(self, *, nouns: int, determiners: int) -> bool:
        """Whether there are so many nouns and determiners."""
        here, *others = self.tokens
        known_nouns = bisect_left(here.nouns, self.end) + sum(len(tokens.nouns) for tokens in others)
        known_determiners = bisect_left(here.determiners, self.end) + sum(
            len(tokens.determiners) for tokens in others
        )
        return known_nouns >= nouns and known_determiners >= determiners

    def _nearest(self, places: Sequence[Sequence[int]], most: int) -> list[tuple[AnnotatedTokens, int, int]]:
        nearest: list[tuple[AnnotatedTokens, int, int]] = []
        for away, (tokens, here) in enumerate(zip(self.tokens, places, strict=True)):
            last = len(here) if away else bisect_left(here, self.end)
            first = max(last - most + len(nearest), 0)
            nearest += [(tokens, place, away) for place in here[first:last][::-1]]
            if len(nearest) == most:
                break
        return nearest


def preceding_source(context: SlotContext) -> PrecedingTokens:
    """The source before the pronoun."""
    here, slot, _, before = context
    return PrecedingTokens((here.source, *[segment.source for segment in before]), slot.source)


def preceding_target(context: SlotContext) -> PrecedingTokens:
    """The target before the placeholder."""
    here, slot, _, before = context
    return PrecedingTokens((here.target, *[segment.target for segment in before]), slot.target)


def determiner_of(tokens: AnnotatedTokens, place: int) -> str:
    """The determiner of a noun, with at most two words between them; `-` if there is none."""
    determiners = tokens.determiners
    number = bisect_left(determiners, place)
    distance = place - determiners[number - 1] if number else _TOO_FAR
    if distance >= _TOO_FAR:
        return "-"
    for between in range(place - distance + 1, place):
        if tokens.tag(between) not in _BETWEEN:
            return "-"
    return tokens.word(place - distance)


@cache
def _table(language: str) -> GenderTable | None:
    return load_genders(language) if language in gendered_languages() else None


@cache
def gender_of(language: str, word: str) -> str:
    """The genders that a noun can have, in alphabetical order, or `UNKNOWN`."""
    table = _table(language)
    readings = table.readings(word) if table else frozenset()
    return "".join(sorted({reading.gender for reading in readings})) or UNKNOWN


def number_of(tokens: AnnotatedTokens, place: int) -> str:
    """The number of a noun: English and Romance plurals differ from their lemma, German ones are listed."""
    if not tokens.inflected:
        return UNKNOWN
    if tokens.tag(place) == "PROPN":
        return "s"
    if tokens.language == "de":
        return _listed_number(tokens.word(place))
    return "s" if tokens.word(place) == tokens.lemma(place) else "p"


@cache
def _listed_number(word: str) -> str:
    """The only number that a German noun can have, or `UNKNOWN`."""
    table = _table("de")
    numbers = {reading.number for reading in table.readings(word)} if table else set()
    return numbers.pop() if len(numbers) == 1 else UNKNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Antecedents(FeatureGroup):
    """Several candidate antecedents before the pronoun, nearest first.

    - `an.n1=idée`: the nearest noun; `an.n1.gender=f`, `an.n1.number=s`, `an.n1.det=une` (its determiner),
      `an.n1.away=0` (segments back, up to 3).
    - `an.genders=f.m`: the genders of the two nearest nouns.
    - `an.p1=marie`: the nearest name; `an.d1=les`: the nearest determiner.
    - `as.` replaces `an.` in features of the source side.
    """

    side: str = option(
        "target", "sides to search: target, source or both", choices=("target", "source", "both")
    )
    nouns: int = option(3, "number of nouns")
    names: int = option(1, "number of proper nouns")
    determiners: int = option(2, "number of determiners")
    sentences: int = option(2, "preceding segments to search", least=0, most=20)
    words: bool = option(True, "use nouns and names themselves, not only their gender and number")

    @property
    def requirements(self) -> Requirements:
        return Requirements(
            source=self.side != "target",
            target=self.side != "source",
            sentences=self.sentences,
            sufficient=(self.is_sufficient,),
        )

    @property
    def _sides(self) -> dict[str, Callable[[SlotContext], PrecedingTokens]]:
        """The sides that are used, by the prefix of their features."""
        sides: dict[str, Callable[[SlotContext], PrecedingTokens]] = {}
        if self.side != "source":
            sides["an"] = preceding_target
        if self.side != "target":
            sides["as"] = preceding_source
        return sides

    def extract_batch(self, contexts: Sequence[SlotContext]) -> list[FeatureBlock]:
        return [self._block(prefix, map(preceding, contexts)) for prefix, preceding in self._sides.items()]

    def is_sufficient(self, context: SlotContext) -> bool:
        """Whether there are as many nouns and determiners as are used."""
        nouns = 2 * max(self.nouns, self.names)
        sides = self._sides.values()
        return all(side(context).has(nouns=nouns, determiners=self.determiners) for side in sides)

    def _block(self, prefix: str, sides: Iterable[PrecedingTokens]) -> AttributeBlock:
        # In the order of `_row`.
        attributes = ("=", *_ATTRIBUTES) if self.words else _ATTRIBUTES
        numbers = range(1, self.nouns + 1)
        names = [f"{prefix}.n{number}{attribute}" for number in numbers for attribute in attributes]
        if self.nouns > 1:
            names.append(f"{prefix}.genders=")
        if self.words:
            names += [f"{prefix}.p{number}=" for number in range(1, self.names + 1)]
        names += [f"{prefix}.d{number}=" for number in range(1, self.determiners + 1)]
        columns = [*zip(*map(self._row, sides), strict=True)] or [()] * len(names)
        return AttributeBlock(names, columns)

    def _row(self, preceding: PrecedingTokens) -> list[str | None]:
        """The values of one side of a context; None if there are fewer nouns."""
        # Names are searched among twice as many nouns, so that there is one to find.
        nouns = preceding.nouns(2 * max(self.nouns, self.names))
        values: list[str | None] = []
        genders: list[str] = []
        for tokens, place, away in nouns[: self.nouns]:
            word = tokens.word(place)
            gender = gender_of(tokens.language, word)
            genders.append(gender)
            if self.words:
                values.append(word)
            values += (gender, number_of(tokens, place), determiner_of(tokens, place), _AWAY[min(away, _FAR)])
        values += [None] * ((self.nouns - len(genders)) * (len(_ATTRIBUTES) + self.words))
        if self.nouns > 1:
            values.append(".".join(genders[:2]))
        if self.words:
            named = (tokens.word(place) for tokens, place, _ in nouns if is_name(tokens, place))
            names = [*islice(named, self.names)]
            values += [*names, *[None] * (self.names - len(names))]
        determiners = preceding.determiners(self.determiners)
        return [*values, *determiners, *[None] * (self.determiners - len(determiners))]


def is_name(tokens: AnnotatedTokens, place: int) -> bool:
    """Whether a noun is tagged as a name, or capitalized in a language that capitalizes only names."""
    if tokens.language != "de" and tokens.written[place][:1].isupper():
        return True
    return tokens.tag(place) == "PROPN"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosestNoun(FeatureGroup):
    """The nearest source noun that agrees with the pronoun, and the target noun aligned to it.

    - `cn.source=house`, `cn.away=1`: the source noun, and its distance in segments.
    - `cn.target=maison`, `cn.gender=f`, `cn.number=s`, `cn.det=la`: the target noun; `cn.none` if there is
      none.
    """

    sentences: int = option(2, "preceding segments to search", least=0, most=20)
    subjects: bool = option(False, "prefer subjects to nearer nouns in the same segment")
    words: bool = option(True, "use the nouns themselves, not only gender and number")

    @property
    def requirements(self) -> Requirements:
        return Requirements(source=True, target=True, sentences=self.sentences, sufficient=(is_found,))

    def features(self, context: SlotContext) -> list[str]:
        pronoun = context.pronoun
        noun = antecedent(context, subjects=self.subjects)
        if noun is None:
            return [f"cn.none&{pronoun}"]
        names = [f"cn.source={noun.tokens.lemma(noun.place)}"] if self.words else []
        names.append(f"cn.away={noun.away}&{pronoun}")
        target = aligned_noun(noun.analysed, noun.place)
        if target is None:
            return [*names, f"cn.unaligned&{pronoun}"]
        tokens = noun.analysed.target
        word = tokens.word(target)
        if self.words:
            names.append(f"cn.target={word}")
        return [
            *names,
            f"cn.gender={gender_of(tokens.language, word)}&{pronoun}",
            f"cn.number={number_of(tokens, target)}&{pronoun}",
            f"cn.det={determiner_of(tokens, target)}&{pronoun}",
        ]


def is_found(context: SlotContext) -> bool:
    """Whether no noun further back can be the antecedent."""
    if preceding_source(context).has(nouns=_CONSIDERED, determiners=0):
        return True
    return antecedent(context) is not None


def antecedent(context: SlotContext, *, subjects: bool = False) -> NounMention | None:
    """The nearest source noun that agrees with the pronoun.

    With `subjects`, a subject of a segment comes before the nearer nouns of that segment, but never before
    those of a nearer segment.
    """
    gender, number = _AGREEMENT.get(context.pronoun, ("", ""))
    nouns = preceding_source(context).nouns(_CONSIDERED)
    agreeing = (noun for noun in nouns if _agrees(noun[0], noun[1], gender, number))
    if subjects:
        # `min` takes the first of equal ones, which is the nearest.
        nearest = min(
            agreeing, key=lambda noun: (noun[2], noun[1] not in noun[0].analysis.subjects), default=None
        )
    else:
        nearest = next(agreeing, None)
    if nearest is None:
        return None
    tokens, place, away = nearest
    return NounMention(context.before[away - 1] if away else context.here, tokens, place, away)


def _agrees(tokens: AnnotatedTokens, place: int, gender: str, number: str) -> bool:
    """Whether a noun has that gender and number, as far as they are known."""
    if number and number_of(tokens, place) not in (number, UNKNOWN):
        return False
    if not gender:
        return True
    known = gender_of(tokens.language, tokens.word(place))
    return known == UNKNOWN or gender in known


def aligned_noun(analysed: AnalysedSegment, source: int) -> int | None:
    """The first target noun linked to a source token."""
    nouns = analysed.target.nouns
    return next((place for place in analysed.segment.alignment.targets_of(source) if place in nouns), None)
