"""One item and one candidate: do pronoun and antecedent head overlap with an accepted translation?

protest-2016, section 5.2: for anaphoric pronouns the translations of the pronoun and of the antecedent head
must both match the reference, for the others the pronoun alone; a match is an overlap of tokens. Several
references give several pairs, and pronoun and head must match the same one (section 8.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import reduce

from anaphor.analyse.gender import GenderReading, GenderTable, Readings, gendered_languages, load_genders
from anaphor.core import Item, LanguagePair
from anaphor.languages import PronounForm, Tokenizer, fold, known_languages, load_language, split_words
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.texts import Locator

Units = frozenset[str]
"""The words of a mention as they are compared."""


class ItemOutcome(Enum):
    """What the automatic check says of one item. All but the first are referred to people."""

    MATCH = "match"
    PRONOUN_DIFFERS = "pronoun differs"
    HEAD_DIFFERS = "antecedent differs"
    BOTH_DIFFER = "pronoun and antecedent differ"
    CROSSED = "pronoun of one accepted pair, antecedent of another"
    AGREES = "agrees-with-own-antecedent"


#: No accepted translation has the candidate's antecedent.
OTHER_ANTECEDENT = frozenset({ItemOutcome.HEAD_DIFFERS, ItemOutcome.BOTH_DIFFER})


class AntecedentAgreement(Enum):
    """Whether pronoun and antecedent head of one candidate have the same gender and number."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class CandidateWords:
    """The candidate's words for the pronoun, and for every antecedent head in their order."""

    pronoun: tuple[str, ...]
    heads: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class AcceptedTranslation:
    """One accepted translation: where it comes from and its words as they are compared."""

    origin: str
    pronoun: Units
    heads: tuple[Units, ...]


@dataclass(frozen=True, slots=True)
class ItemJudgement:
    """The outcome of one item; `origin` names the accepted translation that a match agrees with.

    `agreement` compares the candidate's pronoun with its own antecedent, where that is none that is accepted;
    None where nobody asked.
    """

    item: Item
    found: CandidateWords
    outcome: ItemOutcome
    origin: str | None
    agreement: AntecedentAgreement | None = None


class OverlapMatcher:
    """Turns words into units and compares them.

    Words are folded (case, apostrophes, hyphens), cut by the tokeniser of the target language where there is
    one, and freed of punctuation: *est-il*, *a-t-il* and a reference *il* overlap, whoever tokenised them.
    """

    def __init__(self, pair: LanguagePair) -> None:
        self._words: Callable[[str], Sequence[str]] = split_words
        self._enclitics: Mapping[str, tuple[str, ...]] = {}
        if pair.target in known_languages():
            pack = load_language(pair.target)
            self._words, self._enclitics = Tokenizer(pack).words, pack.enclitics
        self._known: dict[str, Units] = {}

    def units(self, text: str) -> Units:
        """The distinct words of a text, in the form in which they are compared."""
        found = self._known.get(text)
        if found is None:
            words = (
                part for word in self._words(fold(text)) for part in self._enclitics.get(word) or (word,)
            )
            bare = map(_bare, words)
            found = self._known[text] = frozenset(word for word in bare if word)
        return found

    def units_of(self, words: Sequence[str]) -> Units:
        return frozenset().union(*map(self.units, words))

    def judge(
        self, item: Item, found: CandidateWords, accepted: Sequence[AcceptedTranslation], *, antecedent: bool
    ) -> ItemJudgement:
        """The outcome of an item whose antecedent counts, or does not."""
        pronoun = self.units_of(found.pronoun)
        heads = [self.units_of(words) for words in found.heads]
        rows = [
            (one.origin, _overlap(pronoun, one.pronoun), not antecedent or _all_overlap(heads, one.heads))
            for one in accepted
        ]
        for origin, pronoun_fits, heads_fit in rows:
            if pronoun_fits and heads_fit:
                return ItemJudgement(item, found, ItemOutcome.MATCH, origin)
        return ItemJudgement(item, found, _mismatch([row[1:] for row in rows]), None)


def _mismatch(rows: Sequence[tuple[bool, bool]]) -> ItemOutcome:
    some_pronoun = any(pronoun for pronoun, _ in rows)
    some_head = any(head for _, head in rows)
    if some_pronoun and some_head:
        return ItemOutcome.CROSSED
    if some_pronoun:
        return ItemOutcome.HEAD_DIFFERS
    return ItemOutcome.PRONOUN_DIFFERS if some_head else ItemOutcome.BOTH_DIFFER


def _overlap(found: Units, accepted: Units) -> bool:
    """Whether a word is shared; where the accepted translation leaves it out, the candidate must too."""
    return not found if not accepted else not found.isdisjoint(accepted)


def _all_overlap(found: Sequence[Units], accepted: Sequence[Units]) -> bool:
    return all(_overlap(mine, theirs) for mine, theirs in zip(found, accepted, strict=True))


def _bare(word: str) -> str:
    """The word without what is no letter or digit at either end: `-il` is `il`, `,` is nothing."""
    letters = [number for number, character in enumerate(word) if character.isalnum()]
    return word[letters[0] : letters[-1] + 1] if letters else ""


_GENDERS = {"masculine": "m", "feminine": "f", "neuter": "n"}
#: Without an antecedent in their use, so that they agree with nothing.
_IMPERSONAL = frozenset({"on", "soi", "man", "einen", "einem", "uno", "una"})
#: Cases whose forms show neither gender nor number.
_BARE_CASES = frozenset({"reflexive", "adverbial", "genitive"})


class AgreementChecker:
    """Knows the nouns and the pronouns of one target language.

    A pronoun agrees if it fits every reading that is left for the antecedent, and disagrees if it fits none
    of all its readings. Words that no table knows, no word or two pronouns: unknown.
    """

    def __init__(self, pair: LanguagePair, comparer: OverlapMatcher) -> None:
        self._comparer = comparer
        self._capitals = pair.target == "de"  # German writes its nouns, and few other words, with a capital
        self._nouns = load_genders(pair.target)
        self._genders = _genders_of(self._nouns)
        self._pronouns = _pronoun_readings(pair.target, self._genders, comparer)

    @classmethod
    def for_pair(cls, pair: LanguagePair, comparer: OverlapMatcher) -> AgreementChecker | None:
        """A checker, or None where the nouns of the target language are not known."""
        return cls(pair, comparer) if pair.target in gendered_languages() else None

    def check(self, item: Item, found: CandidateWords) -> AntecedentAgreement:
        """Compare the candidate's words for an item's pronoun and for the heads of its antecedents."""
        fitting = self._fitting(self._comparer.units_of(found.pronoun))
        antecedent = self._antecedent([self._head(words) for words in found.heads])
        if not fitting or not antecedent:
            return AntecedentAgreement.UNKNOWN
        if fitting.isdisjoint(antecedent):
            return AntecedentAgreement.DISAGREES
        left = _narrowed(antecedent, _number_of(item))
        return AntecedentAgreement.AGREES if left <= fitting else AntecedentAgreement.UNKNOWN

    def _fitting(self, pronoun: Units) -> Readings:
        """What the pronoun can refer to; nothing if there is not just one that shows it."""
        found = [self._pronouns[word] for word in pronoun if word in self._pronouns]
        return found[0] if len(found) == 1 else frozenset()

    def _antecedent(self, heads: Sequence[Readings]) -> Readings:
        """The readings of one head, or of several together; nothing if one of them is not known."""
        if not heads or not all(heads):
            return frozenset()
        return heads[0] if len(heads) == 1 else frozenset(GenderReading(g, "p") for g in self._joined(heads))

    def _head(self, words: Sequence[str]) -> Readings:
        """What all words that have readings allow: *une* and *élève* together are feminine."""
        nouns = [word for word in words if word[:1].isupper()] if self._capitals else words
        known = [found for unit in self._comparer.units_of(nouns) if (found := self._nouns.readings(unit))]
        return reduce(frozenset.intersection, known) if known else frozenset()

    def _joined(self, heads: Sequence[Readings]) -> frozenset[str]:
        """The genders of a pronoun for several things; they show in French and Spanish, masculine first."""
        if "n" in self._genders:
            return self._genders
        feminine = [{one.gender for one in head} == {"f"} for head in heads]
        masculine = [{one.gender for one in head} == {"m"} for head in heads]
        if any(masculine):
            return frozenset("m")
        return frozenset("f") if all(feminine) else self._genders


def _number_of(item: Item) -> str | None:
    """`s` or `p` for what the item refers to, where its annotation says so."""
    return {"singular": "s", "plural": "p"}.get(item.features.get("number", ""))


def _narrowed(readings: Readings, number: str | None) -> Readings:
    """A form that is the same in both numbers, taken in that of the source's antecedent."""
    return frozenset(one for one in readings if one.number == number) or readings


def _genders_of(nouns: GenderTable) -> frozenset[str]:
    return frozenset(one.gender for readings in nouns.words.values() for one in readings)


def _pronoun_readings(
    language: str, genders: frozenset[str], comparer: OverlapMatcher
) -> Mapping[str, Readings]:
    """What each third-person form of the language pack can refer to, by the form as it is compared."""
    found: dict[str, Readings] = {}
    for form in load_language(language).forms:
        units = comparer.units(form.form)
        if form.person == 3 and form.case not in _BARE_CASES and not units & _IMPERSONAL and len(units) == 1:
            (unit,) = units
            found[unit] = found.get(unit, frozenset()) | _readings(form, genders)
    return {unit: readings for unit, readings in found.items() if readings}


def _readings(form: PronounForm, genders: frozenset[str]) -> Readings:
    """None for a neuter form where no noun is neuter (*cela*): it refers to no noun."""
    own = genders if form.gender == "any" else {_GENDERS[form.gender]} & genders
    numbers = "sp" if form.number == "any" else form.number[0]
    return frozenset(GenderReading(gender, number) for gender in own for number in numbers)


class ItemJudge:
    """Knows the accepted translations of every item, references first.

    With `alternatives` they include the approved ones; such figures cannot be compared with those of others
    (protest-2016, section 6).
    """

    def __init__(self, loaded: LoadedSuite, *, alternatives: bool) -> None:
        suite, texts = loaded
        self.items = suite.items
        self._comparer = OverlapMatcher(suite.pair)
        self._agreement = AgreementChecker.for_pair(suite.pair, self._comparer)
        self._counts = {category.name: category.antecedent for category in suite.categories}
        locators = {name: texts.locators(name) for name in texts.references}
        self.accepted = [
            (
                *_references(item, locators, self._comparer),
                *(_approved(item, self._comparer) if alternatives else ()),
            )
            for item in suite.items
        ]

    def judge(self, found: Sequence[CandidateWords]) -> tuple[ItemJudgement, ...]:
        """The outcome of every item, from what a candidate has for it."""
        return tuple(
            self._beside_the_reference(
                self._comparer.judge(item, words, accepted, antecedent=self._counts[item.category])
            )
            for item, words, accepted in zip(self.items, found, self.accepted, strict=True)
        )

    def _beside_the_reference(self, judged: ItemJudgement) -> ItemJudgement:
        """The same; where the antecedent is another than the accepted ones, compared with the pronoun."""
        if self._agreement is None or judged.outcome not in OTHER_ANTECEDENT:
            return judged
        answer = self._agreement.check(judged.item, judged.found)
        outcome = ItemOutcome.AGREES if answer is AntecedentAgreement.AGREES else judged.outcome
        return replace(judged, outcome=outcome, agreement=answer)


def _references(
    item: Item, locators: Mapping[str, Mapping[str, Locator]], comparer: OverlapMatcher
) -> Iterator[AcceptedTranslation]:
    for pair in item.references:
        locator = locators[pair.reference][item.document]
        heads = tuple(comparer.units(locator.text(place)) for place in pair.heads)
        yield AcceptedTranslation(pair.reference, comparer.units(locator.text(pair.pronoun)), heads)


def _approved(item: Item, comparer: OverlapMatcher) -> Iterator[AcceptedTranslation]:
    for one in item.alternatives:
        heads = tuple(map(comparer.units, one.heads))
        yield AcceptedTranslation(f"approved by {one.by}", comparer.units(one.pronoun), heads)
