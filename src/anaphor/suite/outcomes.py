"""The outcome of one item for one candidate.

protest-2016, section 5.2: for anaphoric pronouns the translations of the pronoun and of the antecedent head
must both match the reference, for the others the pronoun alone; a match is an overlap of tokens. Several
references give several pairs, and pronoun and head must match the same one (section 8.2).

An overlap with the reference calls *une bicyclette ... elle* wrong if the reference has *un vélo ... il*
(guillou-hardmeier-2018, section 6). If the antecedent differs from the reference's, the candidate's pronoun
and antecedent head are therefore compared with each other in gender and number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce
from itertools import chain
from pathlib import Path

from anaphor.analyse.gender import GenderReading, Readings, gendered_languages, load_genders, pronoun_readings
from anaphor.core import Item, LanguagePair
from anaphor.languages import fold, known_languages, load_language
from anaphor.languages.choose_tokenizer import words_or_split
from anaphor.suite.folder import LoadedSuite

#: The words of a mention in the form in which they are compared.
Units = frozenset[str]

_NUMBERS = {"singular": "s", "plural": "p"}
#: Used without an antecedent, so that they agree with nothing.
_IMPERSONAL = frozenset({"on", "soi", "man", "einen", "einem", "uno", "una"})


class ItemOutcome(Enum):
    """The result of the automatic evaluation of one item. Everything but a match is left to annotators."""

    MATCH = "match"
    PRONOUN_DIFFERS = "pronoun differs"
    HEAD_DIFFERS = "antecedent differs"
    BOTH_DIFFER = "pronoun and antecedent differ"
    CROSSED = "pronoun of one accepted pair, antecedent of another"
    AGREES = "agrees-with-own-antecedent"


class AntecedentAgreement(Enum):
    """Whether pronoun and antecedent head of one candidate have the same gender and number."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CandidateWords:
    """The candidate's words for the pronoun and for every antecedent head, in order."""

    pronoun: tuple[str, ...]
    heads: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class AcceptedTranslation:
    """One accepted translation: its origin, and its normalized words."""

    origin: str
    pronoun: Units
    heads: tuple[Units, ...]


@dataclass(frozen=True, slots=True)
class ItemJudgement:
    """The outcome of one item; `origin` is the accepted translation of a match.

    `agreement` compares the candidate's pronoun with its antecedent if that is not an accepted one; otherwise
    None.
    """

    item: Item
    words: CandidateWords
    outcome: ItemOutcome
    origin: str | None
    agreement: AntecedentAgreement | None = None


class OverlapMatcher:
    """Normalizes words and compares them.

    Words are folded (case, apostrophes, hyphens), tokenized where the target language has a tokenizer, and
    stripped of punctuation: *est-il*, *a-t-il* and a reference *il* overlap, however they were tokenized.
    """

    def __init__(self, pair: LanguagePair, packs: Path | None = None) -> None:
        self._words = words_or_split(pair.target, packs)
        self._enclitics: Mapping[str, tuple[str, ...]] = {}
        if pair.target in known_languages(packs):
            self._enclitics = load_language(pair.target, folder=packs).enclitics
        self._known: dict[str, Units] = {}

    def units(self, text: str) -> Units:
        """The distinct words of a text, as they are compared."""
        if text not in self._known:
            words = (self._enclitics.get(word) or (word,) for word in self._words(fold(text)))
            parts = map(_without_punctuation, chain.from_iterable(words))
            self._known[text] = frozenset(filter(None, parts))
        return self._known[text]

    def units_of(self, words: Sequence[str]) -> Units:
        return frozenset().union(*map(self.units, words))

    def judge(
        self,
        item: Item,
        candidate: CandidateWords,
        accepted: Sequence[AcceptedTranslation],
        *,
        antecedent: bool,
    ) -> ItemJudgement:
        """The outcome of an item; `antecedent` says whether antecedent heads count."""
        pronoun = self.units_of(candidate.pronoun)
        heads = [self.units_of(words) for words in candidate.heads]
        some_pronoun = some_heads = False
        # Pronoun and heads have to match the same translation (protest-2016, section 8.2).
        for translation in accepted:
            pronoun_fits = _overlap(pronoun, translation.pronoun)
            heads_fit = not antecedent or all(
                _overlap(mine, theirs) for mine, theirs in zip(heads, translation.heads, strict=True)
            )
            if pronoun_fits and heads_fit:
                return ItemJudgement(item, candidate, ItemOutcome.MATCH, translation.origin)
            some_pronoun, some_heads = some_pronoun or pronoun_fits, some_heads or heads_fit
        outcome = {
            (True, True): ItemOutcome.CROSSED,
            (True, False): ItemOutcome.HEAD_DIFFERS,
            (False, True): ItemOutcome.PRONOUN_DIFFERS,
            (False, False): ItemOutcome.BOTH_DIFFER,
        }[some_pronoun, some_heads]
        return ItemJudgement(item, candidate, outcome, None)


def _overlap(given: Units, accepted: Units) -> bool:
    """Whether the words overlap; if the accepted translation is empty, the candidate's must be too."""
    return not given.isdisjoint(accepted) if accepted else not given


def _without_punctuation(word: str) -> str:
    """The word from its first letter or digit to its last: `-il` is `il`, `,` is nothing."""
    letters = [number for number, character in enumerate(word) if character.isalnum()]
    return word[letters[0] : letters[-1] + 1] if letters else ""


class AgreementChecker:
    """Knows gender and number of the nouns and pronouns of one target language.

    A pronoun agrees if it fits every reading of the antecedent that the source leaves open, and disagrees if
    it fits none of all its readings. Unknown words, no word, or two pronouns: unknown.
    """

    def __init__(self, pair: LanguagePair, matcher: OverlapMatcher, packs: Path | None = None) -> None:
        self._matcher = matcher
        self._capitals = pair.target == "de"  # German writes its nouns, and few other words, with a capital
        self._nouns = load_genders(pair.target)
        self._genders = self._nouns.genders
        self._pronouns: dict[str, Readings] = {}
        pack = load_language(pair.target, folder=packs)
        for form, readings in pronoun_readings(pack, self._genders).items():
            units = matcher.units(form)
            # Forms of several words cannot be told from single words in them.
            if len(units) == 1 and not units & _IMPERSONAL:
                (unit,) = units
                self._pronouns[unit] = self._pronouns.get(unit, frozenset()) | readings

    def check(self, item: Item, candidate: CandidateWords) -> AntecedentAgreement:
        """Compare the candidate's words for an item's pronoun and for the heads of its antecedents."""
        pronouns = [self._pronouns.get(word) for word in self._matcher.units_of(candidate.pronoun)]
        fitting = [readings for readings in pronouns if readings]
        antecedent = self._antecedent([self._head(words) for words in candidate.heads])
        if len(fitting) != 1 or not antecedent:
            return AntecedentAgreement.UNKNOWN
        if fitting[0].isdisjoint(antecedent):
            return AntecedentAgreement.DISAGREES
        # A noun that is the same in both numbers has that of the source's antecedent, where it is annotated.
        number = _NUMBERS.get(item.features.get("number", ""))
        left = {reading for reading in antecedent if reading.number == number} or antecedent
        # A pronoun that fits only some readings of the noun may refer to it or not.
        return AntecedentAgreement.AGREES if left <= fitting[0] else AntecedentAgreement.UNKNOWN

    def _antecedent(self, heads: Sequence[Readings]) -> Readings:
        """The readings of one head or of several together; none if one of them is unknown."""
        if not heads or not all(heads):
            return frozenset()
        if len(heads) == 1:
            return heads[0]
        genders = self._genders
        # Plural pronouns show gender in French and Spanish, where one masculine noun makes all masculine;
        # German, the language with a neuter, has one plural for all genders.
        if "n" not in genders:
            known = [{reading.gender for reading in head} for head in heads]
            if {"m"} in known:
                genders = frozenset("m")
            elif all(genders_of == {"f"} for genders_of in known):
                genders = frozenset("f")
        return frozenset(GenderReading(gender, "p") for gender in genders)

    def _head(self, words: Sequence[str]) -> Readings:
        """The readings that all known words allow: *une* and *élève* together are feminine."""
        nouns = [word for word in words if word[:1].isupper()] if self._capitals else words
        known = [
            readings for unit in self._matcher.units_of(nouns) if (readings := self._nouns.readings(unit))
        ]
        return reduce(frozenset.intersection, known) if known else frozenset()


class ItemJudge:
    """Judges the items of a suite by their accepted translations, references first.

    With `alternatives` they include the approved ones; such scores are not comparable with published scores
    (protest-2016, section 6). `packs` is a folder with the user's language packs.
    """

    def __init__(self, loaded: LoadedSuite, *, alternatives: bool, packs: Path | None = None) -> None:
        suite, texts = loaded
        self.items = suite.items
        self._matcher = OverlapMatcher(suite.pair, packs)
        gendered = suite.pair.target in gendered_languages()
        self._agreement = AgreementChecker(suite.pair, self._matcher, packs) if gendered else None
        self._antecedent_counts = {category.name: category.antecedent for category in suite.categories}
        units = self._matcher.units
        self.accepted: list[tuple[AcceptedTranslation, ...]] = []
        for item in suite.items:
            translations = []
            for pair in item.references:
                locator = texts.locators[pair.reference][item.document]
                heads = tuple(units(locator.text(place)) for place in pair.heads)
                translations.append(
                    AcceptedTranslation(pair.reference, units(locator.text(pair.pronoun)), heads)
                )
            for alternative in item.alternatives if alternatives else ():
                heads = tuple(map(units, alternative.heads))
                translations.append(
                    AcceptedTranslation(f"approved by {alternative.by}", units(alternative.pronoun), heads)
                )
            self.accepted.append(tuple(translations))

    def judge(self, candidates: Sequence[CandidateWords]) -> tuple[ItemJudgement, ...]:
        """The judgement of every item, from the candidate's words for it."""
        judgements = []
        for item, words, accepted in zip(self.items, candidates, self.accepted, strict=True):
            antecedent = self._antecedent_counts[item.category]
            judged = self._matcher.judge(item, words, accepted, antecedent=antecedent)
            own_antecedent = judged.outcome in (ItemOutcome.HEAD_DIFFERS, ItemOutcome.BOTH_DIFFER)
            if self._agreement is not None and own_antecedent:
                answer = self._agreement.check(item, words)
                agrees = answer is AntecedentAgreement.AGREES
                outcome = ItemOutcome.AGREES if agrees else judged.outcome
                judged = replace(judged, outcome=outcome, agreement=answer)
            judgements.append(judged)
        return tuple(judgements)
