"""What language packs know for the aligner: how tokens are cut into words, how pronouns are translated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from anaphor.align.vocabulary import Parts, Vocabulary, split_clitics, whole_words
from anaphor.core import LanguagePair
from anaphor.languages import LanguagePack, PairPack, known_languages, known_pairs, load_language, load_pair


@dataclass(frozen=True, slots=True, eq=False)
class Packs:
    """What is known of the source language, of the target language, and of the pair."""

    source: LanguagePack | None = None
    target: LanguagePack | None = None
    pair: PairPack | None = None

    @classmethod
    def of(cls, pack: PairPack) -> Packs:
        """All that a pair's pack knows."""
        return cls(pack.source, pack.target, pack)

    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Two empty ones, which cut tokens as the languages ask for."""
        return Vocabulary(parts_of(self.source)), Vocabulary(parts_of(self.target))


@cache
def load_packs(pair: LanguagePair | None, folder: Path | None = None) -> Packs:
    """All packs of a pair, as far as there are any, each from `folder` where it has one."""
    if pair is None:
        return Packs()
    if str(pair) in known_pairs(folder):
        return Packs.of(load_pair(pair, folder=folder))
    known = known_languages(folder)
    source, target = (
        load_language(code, folder=folder) if code in known else None for code in (pair.source, pair.target)
    )
    return Packs(source, target)


def parts_of(pack: LanguagePack | None) -> Parts:
    """How tokens of a language are cut into words."""
    return whole_words if pack is None else split_clitics(pack)
