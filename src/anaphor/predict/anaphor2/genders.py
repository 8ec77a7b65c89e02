"""Gender and number of nouns and pronouns as an additional input, so agreement need not be memorized.

Each word has a mask of possible readings, from lexicon, ending and determiner; 0 if nothing is known. A word
of the other language gets the masks of the nouns it is aligned with: English *lamp* carries the gender of
*Lampe*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from anaphor.analyse.gender import Readings, load_genders
from anaphor.antecedents import TargetLanguage
from anaphor.core import LanguagePair, TaskSegment
from anaphor.core.text import NOUNS

#: Masks have four bits. German plurals show no gender; French and Spanish nouns are never neuter.
MASKS = 16
_GERMAN_BITS = {"ms": 1, "fs": 2, "ns": 4, "mp": 8, "fp": 8, "np": 8}
_BITS = {"ms": 1, "fs": 2, "mp": 4, "fp": 8}
#: After these a German word has a capital whatever it is.
_BEGINNINGS = frozenset([*".!?:;-–—…\"„“”»«(['", "..."])
#: French and Spanish nouns without a determiner follow one of these; other words like nouns are verbs.
_BEFORE_NOUNS = frozenset(
    [
        *("de", "d'", "en", "à", "par", "pour", "sans", "avec", "comme", "et", "ou"),
        *("a", "por", "para", "sin", "con", "como", "y", "o"),
    ]
)


@cache
def gender_reader(pair: LanguagePair, *, forms: bool) -> GenderReader:
    """The reader of a pair; loading the noun lists takes as long as predicting several slots."""
    return GenderReader(pair, forms=forms)


class GenderReader:
    """Masks of the words of a language pair; `forms` says whether the target has word forms."""

    def __init__(self, pair: LanguagePair, *, forms: bool) -> None:
        # Of the two languages, the one that is not English.
        self._on_target = pair.source == "en"
        code = pair.target if self._on_target else pair.source
        self._lemmas = self._on_target and not forms
        nouns = load_genders(code, common_nouns=True)
        self._language = replace(TargetLanguage.load(code), nouns=nouns)
        self._bits = _GERMAN_BITS if code == "de" else _BITS
        determiners = self._language.determiners
        #: The masks of personal pronouns that are not determiners too.
        self.pronouns = {
            form: self.mask(readings)
            for form, readings in self._language.pronouns.items()
            if form not in determiners
        }

    def masks(self, segment: TaskSegment) -> tuple[list[int], list[int]]:
        """The masks of the source words and of the target words."""
        tokens = segment.target if self._on_target else segment.source
        own = self._of_lemmas(tokens) if self._lemmas else self._of_words(tokens)
        if self._on_target:
            for slot in segment.slots:
                own[slot.target] = 0
        other = [0] * len(segment.source if self._on_target else segment.target)
        for source, target in zip(segment.alignment.sources, segment.alignment.targets, strict=True):
            here, there = (target, source) if self._on_target else (source, target)
            if here < len(own) and there < len(other) and tokens[here].lower() not in self.pronouns:
                other[there] |= own[here]
        if self._on_target:
            return other, own
        for slot in segment.slots:
            other[slot.target] = 0
        return own, other

    def _of_lemmas(self, tokens: Sequence[str]) -> list[int]:
        masks = []
        for token in tokens:
            lemma, _, tag = token.rpartition("|")
            readings = self._language.nouns.readings(lemma.casefold()) if tag in NOUNS else ()
            masks.append(self.mask(frozenset(reading for reading in readings if reading.number == "s")))
        return masks

    def _of_words(self, tokens: Sequence[str]) -> list[int]:
        language, german = self._language, self._language.capital_nouns
        masks = [0] * len(tokens)
        before = "."
        # Whether a determiner stands right before a word, or before the word before it.
        determined = adjective = False
        for place, token in enumerate(tokens):
            word, begins, follows = token.lower(), before in _BEGINNINGS, before in _BEFORE_NOUNS
            capital = token[:1].isupper()
            before = word
            if word in language.determiners:
                determined = True
                continue
            if not token[:1].isalpha():
                determined = adjective = False
                continue
            if word in self.pronouns:
                # A capital inside a sentence is polite address: *Sie*, *Ihnen*.
                masks[place] = 0 if german and capital and not begins else self.pronouns[word]
            elif german:
                if capital and not begins:
                    masks[place] = self.mask(language.listed_readings(tokens, place))
            elif (
                determined
                or (follows and language.nouns.readings(word))
                or (adjective and language.nouns.words.get(word))
            ):
                masks[place] = self.mask(language.listed_readings(tokens, place))
            determined, adjective = False, determined
        return masks

    def mask(self, readings: Readings) -> int:
        """Convert readings to a mask."""
        mask = 0
        for reading in readings:
            mask |= self._bits.get(reading.gender + reading.number, 0)
        return mask
