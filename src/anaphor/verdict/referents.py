"""What a reason may say of the referent of a pronoun.

The resolver finds the noun behind every second *it*, but its probabilities tell when. A noun is therefore
named only from a limit on: the most likely one, or the two most likely ones if one of them almost certainly
is right. The limits were chosen on pronouns whose referents we read (`benchmarks/verdict/reasons.py limits`).
Where none is reached, a reason says no more than number, or how much of the evidence the form fits.
"""

from __future__ import annotations

from typing import NamedTuple

from anaphor.analyse.gender import Readings
from anaphor.antecedents import Mention, PronounAntecedents, TargetDocument, TargetLanguage
from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering, RenderingKind

#: Probabilities from which a reason says that a pronoun refers to the likeliest noun, one of two nouns, no
#: noun, nothing at all, an event, and people whom the text does not name.
NOUN, NOUNS, NO_NOUN, NOTHING, EVENT, PEOPLE = 0.70, 0.80, 0.50, 0.40, 0.85, 0.55
#: How much less likely a referent is that contradicts the verdict.
_CONTRARY = 0.3
_TINY = 1e-9
#: From this probability on, the form that the detector expects tells of the antecedent.
_EXPECTED = 0.5
#: The second of two nouns has at least this.
_SECOND = 0.1
#: From this share of the evidence on, a form fits most of it, or little.
_MOST = 0.5
_NUMBERS = {"s": "singular", "p": "plural"}


class Uses(NamedTuple):
    """Whether a rendering can refer to an event, to nothing, and to people in general."""

    event: bool
    nothing: bool
    people: bool

    @classmethod
    def of(cls, rendering: Rendering, language: TargetLanguage) -> Uses:
        """What the form can refer to other than nouns."""
        form, readings = rendering.form, rendering.readings
        # A verb without a subject can be impersonal, unless something feminine or plural agrees with it.
        impersonal = rendering.kind is RenderingKind.NULL_SUBJECT and any(
            reading == ("m", "s") for reading in readings
        )
        return cls(
            impersonal or form in language.event,
            impersonal or form in language.pleonastic,
            is_plural(readings) or form in language.people,
        )


def is_plural(readings: Readings) -> bool:
    """Whether all readings, of which there must be one, are plural."""
    return bool(readings) and all(reading.number == "p" for reading in readings)


class Noun(NamedTuple):
    """A possible antecedent: all mentions of one noun, of which `mention` is the most likely; the translation
    of that mention, and its readings.
    """

    share: float
    mention: Mention
    word: str
    readings: Readings


def likely_nouns(antecedents: PronounAntecedents, target: TargetDocument) -> list[Noun]:
    """The possible antecedents, most likely first; a noun that is mentioned several times counts once."""
    mentions: dict[str, list[Mention]] = {}
    for mention in sorted(antecedents.heads, key=lambda mention: -antecedents.heads[mention]):
        mentions.setdefault(mention.lemma, []).append(mention)
    nouns = []
    for same in mentions.values():
        translated = [(*target.translation(mention), mention) for mention in same]
        word, readings, mention = next((known for known in translated if known[1]), translated[0])
        # Mentions whose translations differ in gender are no evidence for this one.
        share = sum(
            antecedents.heads[other] for _, own, other in translated if own in (readings, frozenset())
        )
        nouns.append(Noun(share, mention, word, readings))
    return sorted(nouns, key=lambda noun: -noun.share)


class Referents:
    """The evidence about the referent of one pronoun, and the clauses that it supports."""

    def __init__(self, case: Case, rendering: Rendering, *, number: str, fits: float, differs: float) -> None:
        """`number` is that of the source pronoun, empty if it shows none; `fits` and `differs` are the
        probabilities of referents that the form can and cannot refer to.
        """
        self._case, self._rendering, self._number = case, rendering, number
        self._shares = {True: fits, False: differs}
        self._language = case.document.language
        self._source, self._shown = f"*{case.pair.source.form}*", rendering.shown
        self._antecedents = case.document.source.antecedents[case.place]
        self._uses = Uses.of(rendering, self._language)
        self._nouns = likely_nouns(self._antecedents, case.document.target)
        expected = {} if case.detected is None else case.detected.expected
        best = max(expected, key=lambda form: expected[form], default="")
        sure = best != rendering.form and expected.get(best, 0.0) >= _EXPECTED
        self._instead = self._language.pronouns.get(best, frozenset()) if sure else frozenset()

    def clause(self, *, accepts: bool) -> str:
        """Why the rendering is acceptable, or why not; empty if the evidence supports no such claim."""
        if (use := self._use()) is not None:
            name, possible = use
            can = "can" if possible else "cannot"
            return f"{self._source} {name}; {self._shown} {can} do so" if possible is accepts else ""
        if self._antecedents.names_something and self._rendering.form in self._language.event:
            return f"{self._source} names something; {self._shown} can do so with any noun" if accepts else ""
        if self._rendering.form in self._language.genderless:
            return ""
        nouns = self._supposing(accepts)
        if nouns and nouns[0].share >= NOUN:
            return self._one_noun(nouns[0], accepts) or self._number_alone(accepts)
        named = ""
        if len(nouns) > 1 and nouns[1].share >= _SECOND and nouns[0].share + nouns[1].share >= NOUNS:
            named = self._two_nouns(nouns[0], nouns[1], accepts)
        return named or self._number_alone(accepts) or self._in_general(accepts)

    def _use(self) -> tuple[str, bool] | None:
        """What the pronoun almost certainly refers to if that is no noun, and whether the form can do so."""
        referents, uses = self._antecedents, self._uses
        if referents.pleonastic >= NOTHING:
            return "refers to nothing", uses.nothing
        if referents.event >= EVENT:
            return "refers to what was said", uses.event
        if referents.event + referents.pleonastic >= NO_NOUN and uses.event == uses.nothing:
            return "refers to no noun", uses.event
        if referents.generic >= PEOPLE:
            return "refers to people whom the text does not name", uses.people
        return None

    def _supposing(self, accepts: bool) -> list[Noun]:
        """The nouns with their probabilities if the verdict is right, most likely first.

        The antecedent of an acceptable pronoun usually agrees with it, and that of a wrong one does not.
        """
        referents = self._antecedents
        others = [referents.event, referents.pleonastic, referents.generic]
        rest = max(0.0, 1 - sum(others) - sum(noun.share for noun in self._nouns))
        weights = [self._weight(noun, accepts) for noun in self._nouns]
        total = rest + sum(noun.share * weight for noun, weight in zip(self._nouns, weights, strict=True))
        total += sum(
            share if possible is accepts else share * _CONTRARY
            for share, possible in zip(others, self._uses, strict=True)
        )
        nouns = [
            noun._replace(share=noun.share * weight / max(total, noun.share * weight, _TINY))
            for noun, weight in zip(self._nouns, weights, strict=True)
        ]
        return sorted(nouns, key=lambda noun: -noun.share)

    def _weight(self, noun: Noun, accepts: bool) -> float:
        compared = self._compared(noun)
        weight = 1.0 if compared is None or compared[0] is accepts else _CONTRARY
        # The form that the detector expects instead tells which noun it takes for the antecedent.
        instead = not accepts and self._instead and noun.readings
        return weight * _CONTRARY if instead and not noun.readings & self._instead else weight

    def _one_noun(self, noun: Noun, accepts: bool) -> str:
        compared = self._compared(noun)
        if compared is None or compared[0] is not accepts:
            return ""
        return f"{self._source} = {self._named(noun)}; {self._shown} {compared[1]}"

    def _two_nouns(self, first: Noun, second: Noun, accepts: bool) -> str:
        fits = [
            None if compared is None else compared[0] for compared in map(self._compared, (first, second))
        ]
        if fits[0] is not accepts or fits[1] is None:
            return ""
        both = ("agrees with both" if accepts else "agrees with neither") if fits[0] is fits[1] else ""
        only = "only agrees with the " + ("first" if accepts else "second")
        named = f"{self._named(first)} or {self._named(second)}"
        return f"{self._source} = {named}; {self._shown} {both or only}"

    def _number_alone(self, accepts: bool) -> str:
        """Of forms that show no gender: their number is that of the source pronoun or not."""
        numbers = {reading.number for reading in self._rendering.readings}
        if not self._number or len(numbers) != 1 or not self._shows_number_alone():
            return ""
        (number,) = numbers
        if (number == self._number) is not accepts:
            return ""
        if accepts:
            return f"{self._shown} is {_NUMBERS[number]} like {self._source}"
        return f"{self._shown} is {_NUMBERS[number]}, {self._source} {_NUMBERS[self._number]}"

    def _in_general(self, accepts: bool) -> str:
        """Without a referent to name: how much of the evidence the form fits."""
        if self._shares[accepts] < _MOST:
            return ""
        return f"{self._shown} fits {'most' if accepts else 'little'} of what {self._source} may refer to"

    def _shows_number_alone(self) -> bool:
        """Whether the form goes with all genders: *les*, German *sie* in the plural, a Spanish verb."""
        if self._rendering.form in self._language.people:
            return False
        known = (reading for readings in self._language.pronouns.values() for reading in readings)
        genders = {reading.gender for reading in known}
        return {reading.gender for reading in self._rendering.readings} == genders

    def _compared(self, noun: Noun) -> tuple[bool, str] | None:
        """Whether the form agrees with a noun, in words; None if the noun's readings are not known."""
        readings = self._rendering.readings
        if noun.readings & readings:
            return True, "agrees"
        if noun.mention.group and is_plural(readings):
            return True, "agrees by sense"
        return (False, "does not agree") if noun.readings else None

    def _named(self, noun: Noun) -> str:
        """A noun with its line and its translation."""
        line = self._case.name_line(self._case.start + noun.mention.sentence)
        named = f"*{noun.mention.form}* ({line})"
        if not noun.word:
            return named
        described = f" ({self._language.described(noun.readings)})" if noun.readings else ""
        return f"{named} → *{noun.word}*{described}"
