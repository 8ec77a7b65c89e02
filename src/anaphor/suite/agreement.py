"""Does a candidate's pronoun agree with the candidate's own antecedent?

An overlap with the reference calls *une bicyclette ... elle* wrong where the reference has *un vélo ... il*
(guillou-hardmeier-2018, section 6). Here pronoun and antecedent head are compared with each other instead,
in gender and number. Where the table of nouns does not decide, the answer is `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from anaphor.analyse.gender import GenderTable, Reading, Readings, gendered_languages, load_genders
from anaphor.core import Item, LanguagePair
from anaphor.languages import PronounForm, load_language
from anaphor.suite.outcomes import Agreement, Comparer, Found, Units

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

    def __init__(self, pair: LanguagePair, comparer: Comparer) -> None:
        self._comparer = comparer
        self._capitals = pair.target == "de"  # German writes its nouns, and few other words, with a capital
        self._nouns = load_genders(pair.target)
        self._genders = _genders_of(self._nouns)
        self._pronouns = _pronoun_readings(pair.target, self._genders, comparer)

    @classmethod
    def for_pair(cls, pair: LanguagePair, comparer: Comparer) -> AgreementChecker | None:
        """A checker, or None where the nouns of the target language are not known."""
        return cls(pair, comparer) if pair.target in gendered_languages() else None

    def check(self, item: Item, found: Found) -> Agreement:
        """Compare the candidate's words for an item's pronoun and for the heads of its antecedents."""
        fitting = self._fitting(self._comparer.units_of(found.pronoun))
        antecedent = self._antecedent([self._head(words) for words in found.heads])
        if not fitting or not antecedent:
            return Agreement.UNKNOWN
        if fitting.isdisjoint(antecedent):
            return Agreement.DISAGREES
        left = _narrowed(antecedent, _number_of(item))
        return Agreement.AGREES if left <= fitting else Agreement.UNKNOWN

    def _fitting(self, pronoun: Units) -> Readings:
        """What the pronoun can refer to; nothing if there is not just one that shows it."""
        found = [self._pronouns[word] for word in pronoun if word in self._pronouns]
        return found[0] if len(found) == 1 else frozenset()

    def _antecedent(self, heads: Sequence[Readings]) -> Readings:
        """The readings of one head, or of several together; nothing if one of them is not known."""
        if not heads or not all(heads):
            return frozenset()
        return heads[0] if len(heads) == 1 else frozenset(Reading(g, "p") for g in self._joined(heads))

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


def _pronoun_readings(language: str, genders: frozenset[str], comparer: Comparer) -> Mapping[str, Readings]:
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
    return frozenset(Reading(gender, number) for gender in own for number in numbers)
