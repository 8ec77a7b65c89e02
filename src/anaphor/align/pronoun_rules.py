"""Rules for accepting links of the evaluated pronouns of a language pair.

A pronoun is rarely translated word for word, so the posteriors of its links are spread out; and if it has no
counterpart at all (a dropped subject, an expletive), it is linked to an arbitrary word nearby. Links are
therefore divided into four kinds by what the packs say about the two words:

    plain     the source word is not an evaluated pronoun
    likely    an evaluated pronoun and one of its usual translations
    stray     an evaluated pronoun and any other word
    never     an evaluated pronoun and a particle, which never translates a pronoun
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from anaphor.align.model import Bitext, DecodedLinks, HmmOptions, LexiconRows, LinkPlaces
from anaphor.align.vocabulary import WordVocabulary
from anaphor.core.array_types import Bools, Doubles, Floats, Ints, Longs
from anaphor.languages import PairPack


class LinkKind(IntEnum):
    """The kind of a link."""

    PLAIN = 0
    LIKELY = 1
    STRAY = 2
    NEVER = 3


@dataclass(frozen=True, slots=True, eq=False)
class PronounRules:
    """`kinds[sources[s], targets[t]]` is the kind of a link of the words s and t; words not listed are 0."""

    sources: dict[int, int]
    targets: dict[int, int]
    kinds: Longs

    @classmethod
    def of(cls, pack: PairPack | None, source: WordVocabulary, target: WordVocabulary) -> PronounRules:
        """The rules of a pair; without a pack all links are plain."""
        if pack is None:
            return cls({}, {}, np.zeros((1, 1), np.int64))
        particles = pack.target.particles
        listed = dict.fromkeys([*(form for forms in pack.likely.values() for form in forms), *particles])
        kinds = np.full((len(pack.likely) + 1, len(listed) + 1), LinkKind.STRAY, np.int64)
        kinds[0] = LinkKind.PLAIN
        for row, forms in enumerate(pack.likely.values(), start=1):
            for column, form in enumerate(listed, start=1):
                if form in forms:
                    kinds[row, column] = LinkKind.LIKELY
                elif form in particles:
                    kinds[row, column] = LinkKind.NEVER
        return cls(_places_by_number(pack.likely, source), _places_by_number(listed, target), kinds)

    def allowed(self, rows: LexiconRows) -> Bools:
        """Which word pairs may translate each other."""
        allowed = np.ones(len(rows), np.bool_)
        # Only evaluated pronouns have particles that they never translate.
        for word, place in self.sources.items():
            if word + 1 >= len(rows.start):
                continue  # not a word of the text
            row = slice(rows.start[word], rows.start[word + 1])
            allowed[row] = self.kinds[place, _places(self.targets, rows.target[row])] != LinkKind.NEVER
        return allowed

    def least(self, text: Bitext, links: DecodedLinks, places: LinkPlaces, options: HmmOptions) -> Doubles:
        """The minimum confidence of each link.

        A likely link needs little if it is the pronoun's most confident link of that kind and no other source
        word has a more confident one to the same target word. A pronoun has one counterpart: a second likely
        one (*it* with `c'` and `elle` in `c'est qu'elle`) is treated like a stray link.
        """
        kinds = self._kinds_of(text.source[places.source], text.target[places.target])
        # In the order of LinkKind; no confidence is enough for a link that is never right.
        limits = np.array([options.threshold, options.threshold, options.stray_threshold, np.inf])
        likely = kinds == LinkKind.LIKELY
        first = likely & _is_best(places.source, np.where(likely, links.confidence, np.float32(0)))
        kinds[likely & ~first] = LinkKind.STRAY
        unrivalled = first & _is_best(places.target, links.confidence)
        return np.where(unrivalled, options.pronoun_threshold, limits[kinds])

    def _kinds_of(self, source: Ints, target: Ints) -> Longs:
        """The kind of every pair of word numbers."""
        return self.kinds[_places(self.sources, source), _places(self.targets, target)]


def _places_by_number(forms: Iterable[str], vocabulary: WordVocabulary) -> dict[int, int]:
    """The 1-based place in the list of each form, by word number."""
    return {int(vocabulary.number([[form]]).words[0]): place for place, form in enumerate(forms, start=1)}


def _places(listed: dict[int, int], words: Ints) -> Longs:
    """The place of every word, 0 if it is not listed."""
    places = np.zeros(max([int(words.max(initial=0)), *listed]) + 1, np.int64)
    places[list(listed)] = list(listed.values())
    return places[words]


def _is_best(words: Longs, confidence: Floats) -> Bools:
    """Whether a link is the most confident of its word; ties all count."""
    best = np.zeros(int(words.max(initial=-1)) + 1, np.float32)
    np.maximum.at(best, words, confidence)
    return np.asarray(confidence >= best[words], np.bool_)
