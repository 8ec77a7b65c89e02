"""The translations of antecedents, and whether a translated pronoun agrees with them.

A reference cannot tell: if a system writes *die Pflanze*, the pronoun must be *sie*, whatever the reference
says (guillou-hardmeier-2018, section 6). Here the antecedents of the source pronoun are followed through the
word alignment into the candidate's own text, gender and number are read off its nouns and determiners, and
the candidate's pronoun is compared with them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from anaphor.analyse.gender import GenderReading, Readings
from anaphor.antecedents.mentions import Mention
from anaphor.antecedents.resolver import Place, ResolvedDocument
from anaphor.antecedents.target import Expectation, TargetLanguage
from anaphor.core import Alignment
from anaphor.languages import fold

#: How much the form of an earlier pronoun of the same chain tells beside the nouns that the chain leads to.
#: Chosen between 0 and 0.75 on contrastive items: the form helps where no noun is near, but it may itself
#: be wrong.
_CHAIN_FORM = 0.5


class TargetDocument:
    """One document of a candidate, aligned with its resolved source."""

    def __init__(
        self,
        language: TargetLanguage,
        resolved: ResolvedDocument,
        tokens: Sequence[Sequence[str]],
        alignments: Sequence[Alignment],
    ) -> None:
        self._language = language
        self._resolved = resolved
        self._tokens = tokens
        self._links = [alignment.by_source() for alignment in alignments]
        self._memory: dict[Place, Expectation] = {}
        # A noun is the candidate antecedent of every pronoun in the sentences after it.
        self._translations: dict[Mention, tuple[str, Readings]] = {}
        # In the order of the text, so that a chain finds what came before it.
        for place in resolved:
            self._memory[place] = self._expectation(place)

    def expectation(self, place: Place) -> Expectation:
        """The features with which the candidate's pronoun should agree."""
        return self._memory[place]

    def translation(self, mention: Mention) -> tuple[str, Readings]:
        """The candidate's noun for a mention and its possible readings; an empty word if there is none."""
        known = self._translations.get(mention)
        if known is None:
            known = self._translations[mention] = self._translated(mention)
        return known

    def _translated(self, mention: Mention) -> tuple[str, Readings]:
        tokens, links = self._tokens[mention.sentence], self._links[mention.sentence]
        number = "p" if mention.plural else "s"
        first = ""
        # A compound may be linked to the modifier of the head alone: *gravitational waves*.
        start = mention.start if self._language.compounds else mention.position
        for source in range(mention.position, start - 1, -1):
            for position in self._nouns_first(tokens, links.get(source, ())):
                position = self._head(mention, position)
                if self._language.capital_nouns and not tokens[position][:1].isupper():
                    continue
                # An English name may be that of a person or of a thing.
                if mention.kind == "name" and self._language.code == "en":
                    return tokens[position], frozenset()
                if readings := self._language.noun_readings(tokens, position):
                    same = frozenset(reading for reading in readings if reading.number == number)
                    return tokens[position], same or readings
                first = first or tokens[position]
            if first:
                break
        return first, frozenset()

    def _nouns_first(self, tokens: Sequence[str], positions: Sequence[int]) -> Sequence[int]:
        """Sort linked positions, known nouns first."""
        if len(positions) < 2:
            return positions
        listed = self._language.nouns.words
        return sorted(positions, key=lambda position: not listed.get(tokens[position].casefold()))

    def _head(self, mention: Mention, position: int) -> int:
        """The head of a phrase such as *projet de loi*, if one source word is linked to its last noun."""
        tokens = self._tokens[mention.sentence]
        if position < 2 or fold(tokens[position - 1]) not in self._language.of:
            return position
        head = position - 2
        if fold(tokens[head]) in self._language.quantities:
            return position
        # A noun of its own is linked to another word of the source.
        others = [
            source
            for source, targets in self._links[mention.sentence].items()
            if head in targets and not mention.start <= source <= mention.position
        ]
        return position if others or not self._language.noun_readings(tokens, head) else head

    def _expectation(self, place: Place) -> Expectation:
        antecedents = self._resolved[place]
        readings: defaultdict[GenderReading, float] = defaultdict(float)
        event, pleonastic = antecedents.event, antecedents.pleonastic
        demonstrative = unknown = groups = 0.0
        generic = antecedents.generic
        for mention, share in antecedents.candidates:
            earlier = self._memory.get(Place(mention.sentence, mention.position))
            if mention.kind != "pronoun":
                _spread(readings, translated := self.translation(mention)[1], share)
                if mention.group and {reading.number for reading in translated} == {"s"}:
                    groups += share
                unknown += 0.0 if translated else share
            elif earlier is not None:
                own = self._own_readings(mention)
                _spread(readings, own, share * _CHAIN_FORM)
                rest = share * (1 - _CHAIN_FORM) if own else share
                for reading, part in earlier.readings.items():
                    readings[reading] += rest * part
                event += rest * earlier.event
                pleonastic += rest * earlier.pleonastic
                demonstrative += rest * earlier.demonstrative
                unknown += rest * earlier.unknown
                groups += rest * earlier.groups
                generic += rest * earlier.generic
            elif mention.neutral:
                demonstrative += share
            else:
                unknown += share
        naming = antecedents.names_something
        return Expectation(readings, event, pleonastic, demonstrative, unknown, naming, groups, generic)

    def _own_readings(self, pronoun: Mention) -> Readings:
        """The readings of the candidate's form for an earlier pronoun, if there is exactly one form."""
        tokens = self._tokens[pronoun.sentence]
        linked = self._links[pronoun.sentence].get(pronoun.position, ())
        forms = [
            word
            for word in (tokens[position].lower() for position in linked)
            if word in self._language.pronouns
        ]
        if len(forms) != 1:
            return frozenset()
        own = self._language.pronouns[forms[0]]
        number = "p" if pronoun.plural else "s"
        return frozenset(reading for reading in own if reading.number == number) or own


def _spread(readings: defaultdict[GenderReading, float], added: Readings, share: float) -> None:
    """Add a probability, divided equally among several readings."""
    for reading in added:
        readings[reading] += share / len(added)
