"""What the pronoun may stand for: the nouns, names and determiners before it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from anaphor.predict.features.needs import Needs
from anaphor.predict.features.nouns import (
    Noun,
    determiner_of,
    gender_of,
    number_of,
    source_nouns,
    target_nouns,
)
from anaphor.predict.features.scene import Scene, Tokens
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
        found: list[str] = []
        if self.side != "source":
            found += self._of("an", list(islice(target_nouns(scene), self._most)), _target(scene))
        if self.side != "target":
            found += self._of("as", list(islice(source_nouns(scene), self._most)), _source(scene))
        return found

    @property
    def _most(self) -> int:
        return 2 * max(self.nouns, self.names)

    def _of(self, prefix: str, found: list[Noun], before: Iterator[str]) -> list[str]:
        """The features of one side, all under a prefix."""
        names: list[str] = []
        for number, noun in enumerate(found[: self.nouns], start=1):
            names += self._noun(f"{prefix}.n{number}", noun)
        if self.nouns > 1:
            names.append(f"{prefix}.genders={'.'.join([noun.gender() for noun in found[:2]])}")
        if self.words:
            proper = islice(filter(is_name, found), self.names)
            names += [f"{prefix}.p{number}={noun.word}" for number, noun in enumerate(proper, start=1)]
        nearest = enumerate(islice(before, self.determiners), start=1)
        return names + [f"{prefix}.d{number}={word}" for number, word in nearest]

    def _noun(self, name: str, noun: Noun) -> list[str]:
        tokens, place = noun.tokens, noun.place
        word = tokens.words[place]
        facts = [
            f"{name}.gender={gender_of(tokens.language, word)}",
            f"{name}.number={number_of(tokens, place)}",
            f"{name}.det={determiner_of(tokens, place)}",
            f"{name}.away={min(noun.away, _FAR)}",
        ]
        return [f"{name}={word}", *facts] if self.words else facts


def is_name(noun: Noun) -> bool:
    """Whether a noun is tagged as a name, or written like one in a file whose tags know no names."""
    if noun.tokens.tags[noun.place] == "PROPN":
        return True
    side = noun.staged.segment.source if noun.tokens is noun.staged.source else noun.staged.segment.target
    return noun.tokens.language != "de" and side[noun.place][:1].isupper()


def _target(scene: Scene) -> Iterator[str]:
    """The determiners of the target before the placeholder, nearest first."""
    yield from _determiners(scene.here.target, scene.slot.target)
    for staged in scene.before:
        yield from _determiners(staged.target, len(staged.target.words))


def _source(scene: Scene) -> Iterator[str]:
    yield from _determiners(scene.here.source, scene.slot.source)
    for staged in scene.before:
        yield from _determiners(staged.source, len(staged.source.words))


def _determiners(tokens: Tokens, end: int) -> Iterator[str]:
    tags, words = tokens.tags, tokens.words
    for place in range(min(end, len(tags)) - 1, -1, -1):
        if tags[place] == "DET":
            yield words[place]
