"""Gender and number of a noun in running text, from its form, determiner and adjectives.

The lexicon's readings of the form are intersected with those that the context allows. If nothing is left, a
determiner right before the noun, or before its only adjective, is more reliable than any list. A German form
that is singular and plural alike, without an article (*Lehrer*), keeps both numbers.
"""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from anaphor.analyse.gender import Readings
from anaphor.analyse.nouns import ADJECTIVAL, NounLexicon, load_nouns, noun_languages
from anaphor.languages import fold

#: How many words before a noun are looked at.
_REACH = 7
#: After these a sentence or a title may begin.
_BEGINNING = frozenset(".:!?«»“”\"'-–—(…")
_NUMBER = re.compile(r"\d+(?:[.,\u00a0\u202f ]\d+)*")
_VOWELS = "aeiouyhâàäéèêëîïôöùûüœæ"
#: Endings that only adjectives have; stems of the others are listed.
_ADJECTIVE = re.compile(r".+(?:ig|lich|isch|bar|sam|haft|iv|ell|end|iert|los|voll|är|ös|ant|ent|arm|reich)")
_PARTICIPLE = re.compile(r"\w*ge\w{3,}t")
#: Determiners that can follow an article and are then declined like adjectives.
_AFTER_ARTICLES = ("solch", "viel", "wenig", "beid", "einig", "zahlreich")
_ENDING = re.compile(r"(.+?)(e[nmrs]?)")


@dataclass(frozen=True, slots=True)
class NounAnswer:
    """The readings of a noun, and their origin.

    `source` is the origin of the form's readings (`word`, `compound`, `ending`, or empty if it is unknown),
    with `+context` if the context restricts them, or `context` if there is no other evidence.
    """

    readings: Readings
    source: str


def phrase_reader(code: str) -> PhraseReader | None:
    """The reader of a language, if it has a noun lexicon."""
    return _readers(code) if code in noun_languages() else None


class PhraseReader(ABC):
    """Reads nouns in running text; there is a subclass per language family."""

    def __init__(self, lexicon: NounLexicon, facts: Mapping[str, Any]) -> None:
        self._lexicon, self._masks = lexicon, lexicon.masks
        words = facts["words"]
        self._pass = frozenset(words["pass"].split())
        self._stop = frozenset(words["stop"].split())
        self._singular_after = frozenset(words["singular"].split())
        self._indefinite = self._table(facts.get("indefinite", {}))

    def answer(self, tokens: Sequence[str], position: int) -> NounAnswer:
        """The possible readings of the noun at a position."""
        word = fold(tokens[position])
        if mask := self._indefinite.get(word):
            return NounAnswer(self._masks.readings(mask), "word")
        own, source = self._lexicon.look_up(word)
        mask, context = self._decide(tokens, position, own)
        if source == "guess" or (source == "ending" and self._is_unsure(tokens, position)):
            source = "ending"
            mask = mask if context else 0
        if not mask:
            return NounAnswer(frozenset(), "")
        kind = (f"{source}+context" if context else source) if own else "context"
        return NounAnswer(self._masks.readings(mask), kind)

    @abstractmethod
    def _decide(self, tokens: Sequence[str], position: int, own: int) -> tuple[int, bool]:
        """The readings of a noun that the context allows, and whether it restricts them."""

    @abstractmethod
    def _is_unsure(self, tokens: Sequence[str], position: int) -> bool:
        """Whether the ending of an unlisted word says nothing without context."""

    def _table(self, rows: Mapping[str, str]) -> dict[str, int]:
        return {word: self._masks.parse(text) for text, words in rows.items() for word in words.split()}


class RomanceReader(PhraseReader):
    """Romance languages: the determiner decides, and adjectives on both sides if it is ambiguous."""

    def __init__(self, lexicon: NounLexicon, facts: Mapping[str, Any]) -> None:
        super().__init__(lexicon, facts)
        self._determiners = self._table(facts["determiners"])
        self._before_vowels = frozenset(facts.get("before_vowels", {}).get("words", "").split())
        self._before_a = frozenset(facts.get("before_a", {}).get("words", "").split())
        self._with_preposition = frozenset(facts["words"].get("with_preposition", "").split())
        self._also_preposition = frozenset(facts["words"].get("also_preposition", "").split())
        self._is_complete = facts["words"]["complete"]
        self._any = self._masks.singular | self._masks.plural

    def _decide(self, tokens: Sequence[str], position: int, own: int) -> tuple[int, bool]:
        allowed, distance, adjectives, before = self._before(tokens, position, own)
        decided = self._joined(own, allowed, distance) if allowed != self._any else own
        if (
            distance == 0
            and own == 2
            and before in self._before_a
            and fold(tokens[position]).startswith(("a", "á", "ha", "há"))
        ):
            return own, True
        context = decided != own or allowed != self._any
        for mask in (adjectives, self._after(tokens, position)):
            if decided & (decided - 1) and decided & mask and decided & mask != decided:
                decided, context = decided & mask, True
        if not decided:
            decided = adjectives & self._after(tokens, position)
            context = decided != self._any
            decided = decided if context else 0
        if before in self._singular_after and decided & self._masks.singular:
            decided &= self._masks.singular
        return decided, context

    def _is_unsure(self, tokens: Sequence[str], position: int) -> bool:
        # Where nearly all nouns are listed, another word is rather a verb (*dérangeait*); a capital
        # letter in mid-sentence is that of a name.
        is_name = tokens[position][:1].isupper() and tokens[position - 1][-1:] not in _BEGINNING
        return self._is_complete or (position > 0 and is_name)

    def _joined(self, own: int, allowed: int, distance: int) -> int:
        if not own or own & allowed:
            return own & allowed or allowed
        if distance >= 2:
            return own
        # The number of the determiner, the gender of the form where the determiner leaves it open.
        genders = (own | own >> 2) & 3
        return allowed & (genders | genders << 2) or allowed

    def _before(self, tokens: Sequence[str], position: int, own: int) -> tuple[int, int, int, str]:
        """What the determiners allow, the distance of the nearest one, what the adjectives allow, and the
        first other word.
        """
        allowed = adjectives = self._any
        nearest, skipped = _REACH, 0
        after = fold(tokens[position])
        word = ""
        for distance in range(min(_REACH, position)):
            token = tokens[position - 1 - distance]
            word = fold(token)
            if mask := self._determiner(word, after):
                if own and not own & mask and word in self._also_preposition:
                    break
                # Digits are no sure sign of a plural: *le 26 octobre*, *2 rue Drouot*.
                nearest = min(nearest, max(distance, 2) if word[0].isdigit() else distance)
                allowed = allowed & mask or mask
                if word in self._before_a or word in self._with_preposition:
                    break
            elif mask := self._lexicon.adjectives.get(word, 0) if word not in self._stop else 0:
                if nearest < _REACH:
                    break
                adjectives &= mask if adjectives & mask else self._any
            elif word in self._pass and nearest == _REACH:
                pass
            elif (
                word in self._stop
                or nearest < _REACH
                or not word[:1].isalpha()
                or skipped
                or word in self._lexicon.nouns
            ):
                break
            else:
                skipped += 1
            after = word
        return allowed, nearest, adjectives, word

    def _determiner(self, word: str, after: str) -> int:
        if word in self._before_vowels:
            return 3 if after[:1] in _VOWELS else 1
        if _NUMBER.fullmatch(word) and len(word) != 4:
            return self._masks.singular if word == "1" else self._masks.plural
        return self._determiners.get(word, 0)

    def _after(self, tokens: Sequence[str], position: int) -> int:
        for word in map(fold, tokens[position + 1 : position + 3]):
            if word in self._stop:
                break
            if mask := self._lexicon.adjectives.get(word):
                return mask
            if word not in self._pass:
                break
        return self._any


class GermanReader(PhraseReader):
    """German: determiner, endings of adjectives and form of the noun agree in gender, number and case."""

    def __init__(self, lexicon: NounLexicon, facts: Mapping[str, Any]) -> None:
        super().__init__(lexicon, facts)
        parse = self._masks.parse
        self._determiners: dict[str, tuple[int, str]] = {}
        for kind in ("weak", "mixed", "strong"):
            for word, mask in self._table(facts[kind]).items():
                self._determiners[word] = mask, kind
        endings = {
            "er": "m.n f.dg p.g",
            "e": "f.na p.na",
            "es": "n.nag m.g",
            "en": "m.a p.d",
            "em": "m.d n.d",
        }
        for stem in facts["stems"]["words"].split():
            for end, text in endings.items():
                self._determiners[stem + end] = parse(text), "weak"
        weak = {"e": parse("m.n f.na n.na"), "en": parse("m.adg f.dg n.dg p")}
        strong = {ending: parse(text) for ending, text in endings.items()}
        strong |= {"es": parse("n.na"), "en": parse("m.ag n.g p.d")}
        mixed = weak | {"er": parse("m.n"), "es": parse("n.na"), "e": parse("f.na")}
        unsure = {ending: weak.get(ending, 0) | mixed.get(ending, 0) | strong[ending] for ending in strong}
        self._adjective_endings = {"weak": weak, "mixed": mixed, "strong": strong, "": unsure}
        self._units = frozenset(facts["words"]["units"].split())
        self._inside = frozenset(facts["words"]["inside"].split())
        self._cases = {
            word: sum(parse(f"{name}.{case}") for name in "mfnp" for case in cases)
            for cases, words in facts["cases"].items()
            for word in words.split()
        }
        self._all = self._masks.singular | self._masks.plural
        self._dative = parse("m.d n.d")
        self._genders = [parse(letter) for letter in "mfnp"]
        self._feminine, self._not_feminine = parse("f"), parse("m n")
        self._masculine = parse("m")
        self._nominative = parse("m.n n.n")
        self._dative_plural = parse("p.d")
        self._genitive_plural = parse("p.g")

    def _decide(self, tokens: Sequence[str], position: int, own: int) -> tuple[int, bool]:
        allowed, kind, endings, distance, first = self._before(tokens, position)
        for end in endings:
            mask = self._adjective_endings[kind].get(end, 0)
            allowed &= mask if allowed & mask else self._all
        word = fold(tokens[position])
        adjectival = bool(own & ADJECTIVAL)
        if adjectival:
            end = match[2] if (match := _ENDING.fullmatch(word)) else ""
            own &= self._all
            adjectival = not own & allowed
            if adjectival:
                own |= self._adjective_endings[kind].get(end, 0)
                if end == "er" and allowed == self._all:
                    # *als Gesandter*; *die Zahl Verletzter* is rare.
                    own &= self._masculine
        near = distance < 2 and not self._relative(tokens, first + 1)
        decided = own & allowed or self._conflict(word, own, allowed, near=near, endings=endings)
        if word in self._units and allowed == self._masks.plural and own & self._masks.singular:
            # *zehn Prozent* may be either.
            return decided | own & self._masks.singular, True
        before = tokens[first] if first >= 0 else ""
        cases = self._cases.get(fold(before), self._all)
        decided = decided & cases or decided
        if decided & self._masks.singular and decided & self._masks.plural:
            noun = first > 0 and (before == "%" or (before[:1].isupper() and before.isalpha()))
            bare = distance == _REACH and not endings
            decided = self._number(
                tokens,
                position,
                decided,
                before,
                bare=bare,
                after_noun=noun,
                adjectival=adjectival,
                oblique=not own & self._nominative,
            )
        return decided, allowed != self._all

    def _is_unsure(self, tokens: Sequence[str], position: int) -> bool:  # noqa: ARG002
        return False

    def _relative(self, tokens: Sequence[str], at: int) -> bool:
        """Whether what looks like an article may be a relative pronoun: *, der Einfluss hat*."""
        if at < 1 or fold(tokens[at]) not in ("der", "die", "das", "dem", "den"):
            return False
        return tokens[at - 1] == "," or (
            at > 1 and tokens[at - 2] == "," and fold(tokens[at - 1]) in self._cases
        )

    def _conflict(self, word: str, own: int, allowed: int, *, near: bool, endings: list[str]) -> int:
        """Resolve a conflict between form and context."""
        if word.endswith("e") and allowed & self._dative:
            # An old dative: *im Jahre*.
            dative = self._lexicon.look_up(word[:-1])[0] & allowed & self._dative
            if dative:
                return dative
        if not own or allowed == self._all:
            return own or (allowed if allowed != self._all else 0)
        # *dem Spezialist*: the case may be wrong where the gender fits.
        for part in self._genders:
            if own & part and allowed & part and not own & ~part:
                return own
        if allowed == self._masks.plural and own & self._feminine:
            # *15 Uhr*, but *15 Stück*
            return own
        if near or (endings and endings[0] in ("er", "es", "em")):
            if allowed & self._nominative and not word.endswith(("n", "s")):
                return allowed & self._nominative
            if allowed & self._masks.plural and (word.endswith(("n", "s")) or not own & self._feminine):
                return allowed & self._masks.plural
            return allowed
        return own

    def _number(
        self,
        tokens: Sequence[str],
        position: int,
        possible: int,
        before: str,
        *,
        bare: bool,
        after_noun: bool,
        adjectival: bool,
        oblique: bool,
    ) -> int:
        """The more likely number of a form that is both singular and plural.

        An `oblique` form is not a nominative singular (*Studenten*): without an article it is plural.
        """
        if possible & self._feminine and not possible & self._not_feminine and not adjectival:
            # No feminine noun is its own plural: the plural is that of a rarer word.
            return possible & self._feminine
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        if possible & self._masks.plural == self._genitive_plural:
            # *die Zahl der Lehrer* after a noun; *der Lehrer* elsewhere.
            return possible & (self._masks.plural if after_noun else self._masks.singular)
        if bare and possible & self._masks.plural == self._dative_plural and fold(before) not in self._cases:
            return possible & self._masks.singular
        if bare:
            single = fold(tokens[position - 1]) in self._singular_after if position else False
            title = (
                possible & self._masculine
                and following[:1].isupper()
                and not fold(tokens[position]).endswith("n")
            )
            if not oblique and (single or title):
                return possible & self._masks.singular
            if adjectival or (oblique and not following[:1].isupper()):
                return possible & self._masks.plural
        return possible

    def _before(self, tokens: Sequence[str], position: int) -> tuple[int, str, list[str], int, int]:
        """What the determiner allows, its type, adjective endings, its distance, and what precedes it."""
        endings: list[str] = []
        at = position - 1
        skipped = -1
        lowest = max(-1, position - 1 - _REACH)
        while at > lowest:
            token = tokens[at]
            word = fold(token)
            if determiner := self._determiners.get(word):
                if at and word.startswith(_AFTER_ARTICLES) and fold(tokens[at - 1]) in self._determiners:
                    # *eines solchen Falls*, *die vielen Fälle*
                    match = _ENDING.fullmatch(word)
                    endings.append(match[2] if match else "")
                    at -= 1
                    continue
                # Adjectives after a number end as the article before it wants: *die zwei alten Häuser*.
                kind = determiner[1] if determiner[0] != self._masks.plural else ""
                return determiner[0], kind, endings, position - 1 - at, at - 1
            if _NUMBER.fullmatch(word):
                if word != "1" and not (len(word) == 4 and word[:2] in ("18", "19", "20")):
                    return self._masks.plural, "", endings, position - 1 - at, at - 1
            elif word in self._stop or word in self._cases:
                if skipped >= 0:
                    return self._all, "strong", endings, _REACH, skipped
                if endings and word in ("und", "oder", "sowie") and at > 0 and self._ending(tokens[at - 1]):
                    at -= 1
                    continue
                kind = "" if word in self._inside else "strong"
                return self._all, kind, endings, _REACH, at
            elif end := self._ending(token):
                endings.append(end)
            elif word == "," and endings and at > 0 and self._ending(tokens[at - 1]):
                pass
            elif word == "-" and at > 0 and tokens[at - 1][:1].isupper():
                # A compound with spaces: *der US - Präsident*.
                at -= 1
            elif not token[:1].isalpha() or (token[:1].isupper() and not token.endswith("er")):
                kind = "strong" if not token[:1].isalpha() else ""
                return self._all, kind, endings, _REACH, at
            elif word not in self._pass:
                if skipped >= 0:
                    return self._all, "strong", endings, _REACH, skipped
                skipped = at
            at -= 1
        return self._all, "strong" if at < 0 else "", endings, _REACH, skipped if skipped >= 0 else at

    def _ending(self, token: str) -> str:
        """The ending of an adjective, empty for other words."""
        word = fold(token)
        if word in self._stop or word in self._pass or word in self._determiners:
            return ""
        for length in (2, 1):
            stem, end = word[:-length], word[-length:]
            if (
                end in ("en", "em", "er", "es", "e")
                and (
                    stem in self._lexicon.adjectives
                    or (len(stem) > 4 and (_ADJECTIVE.fullmatch(stem) or _PARTICIPLE.fullmatch(stem)))
                    or (stem.endswith("er") and stem[:-2] in self._lexicon.adjectives)
                    or (len(stem) > 4 and end in ("em", "er", "es") and token[:1].islower())
                )
                and (token[:1].islower() or word not in self._lexicon.nouns)
            ):
                return end
        return ""


@cache
def _readers(code: str) -> PhraseReader:
    text = (files("anaphor.antecedents") / "noun_phrases.toml").read_text(encoding="utf-8")
    facts = tomllib.loads(text)[code]
    kind = GermanReader if code == "de" else RomanceReader
    return kind(load_nouns(code), facts)
