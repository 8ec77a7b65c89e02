"""One item and one candidate: do pronoun and antecedent head overlap with an accepted translation?

protest-2016, section 5.2: for anaphoric pronouns the translations of the pronoun and of the antecedent head
must both match the reference, for the others the pronoun alone; a match is an overlap of tokens. Several
references give several pairs, and pronoun and head must match the same one (section 8.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from anaphor.core import Item, LanguagePair
from anaphor.languages import Tokenizer, fold, known_languages, load_language, split_words

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


class Agreement(Enum):
    """Whether pronoun and antecedent head of one candidate have the same gender and number."""

    AGREES = "agrees"
    DISAGREES = "disagrees"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Found:
    """The candidate's words for the pronoun, and for every antecedent head in their order."""

    pronoun: tuple[str, ...]
    heads: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Accepted:
    """One accepted translation: where it comes from and its words as they are compared."""

    origin: str
    pronoun: Units
    heads: tuple[Units, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome of one item; `origin` names the accepted translation that a match agrees with.

    `agreement` compares the candidate's pronoun with its own antecedent, where that is none that is accepted;
    None where nobody asked.
    """

    item: Item
    found: Found
    outcome: ItemOutcome
    origin: str | None
    agreement: Agreement | None = None


class Comparer:
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

    def judge(self, item: Item, found: Found, accepted: Sequence[Accepted], *, antecedent: bool) -> Judged:
        """The outcome of an item whose antecedent counts, or does not."""
        pronoun = self.units_of(found.pronoun)
        heads = [self.units_of(words) for words in found.heads]
        rows = [
            (one.origin, _overlap(pronoun, one.pronoun), not antecedent or _all_overlap(heads, one.heads))
            for one in accepted
        ]
        for origin, pronoun_fits, heads_fit in rows:
            if pronoun_fits and heads_fit:
                return Judged(item, found, ItemOutcome.MATCH, origin)
        return Judged(item, found, _mismatch([row[1:] for row in rows]), None)


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
