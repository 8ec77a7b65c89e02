"""What each source pronoun became in one translation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Protocol

from anaphor.core import Alignment, Counterpart, Pronoun, Repair
from anaphor.languages import FormMatcher, PairPack
from anaphor.pronouns.find import Words
from anaphor.pronouns.repair import find_repair


class Alignments(Protocol):
    """Any sequence of alignments, also one that makes them when asked."""

    def __getitem__(self, segment: int, /) -> Alignment: ...


@dataclass(frozen=True, slots=True)
class Side:
    """One translation of the source: its lines, how they split into tokens, its links to the source."""

    lines: Sequence[str]
    words: Words
    alignments: Alignments


class CounterpartFinder:
    """Finds counterparts with one pair's lists. `repair=False` leaves every link as the aligner gave it."""

    def __init__(self, pack: PairPack, forms: Sequence[str], *, repair: bool = True) -> None:
        self._pack = pack
        self._forms = tuple(forms)
        self._listed = FormMatcher(pack.target, forms)
        self._likely: dict[str, FormMatcher] = {}
        self._repair = repair

    def find(self, pronouns: Sequence[Pronoun], side: Side) -> list[Counterpart | None]:
        """One counterpart, or None, for every pronoun; pronouns come in the order of the text."""
        found: list[Counterpart | None] = []
        for segment, group in groupby(pronouns, key=attrgetter("segment")):
            tokens = side.words(side.lines[segment])
            alignment = side.alignments[segment]
            inside = tuple(group)
            watched = {pronoun.position for pronoun in inside}
            found.extend(self._counterpart(pronoun, watched, tokens, alignment) for pronoun in inside)
        return found

    def _counterpart(
        self, pronoun: Pronoun, watched: set[int], tokens: Sequence[str], alignment: Alignment
    ) -> Counterpart | None:
        positions = alignment.targets_of(pronoun.position)
        if self._repair:
            repair = find_repair(
                pronoun.position,
                positions,
                alignment=alignment,
                tokens=tokens,
                listed=self._listed,
                likely=self._likely_for(pronoun.form),
                watched=watched,
            )
            if repair is not None:
                return self._of(repair.chosen, tokens, repair)
        return self._of(positions, tokens, None) if positions else None

    def _of(self, positions: tuple[int, ...], tokens: Sequence[str], repair: Repair | None) -> Counterpart:
        words = tuple([tokens[t] for t in positions])
        forms = self._listed.forms_in(words[0])
        if len(words) > 1:
            forms = tuple(form for word in words for form in self._listed.forms_in(word))
        return Counterpart(positions, words, forms, repair)

    def _likely_for(self, form: str) -> FormMatcher:
        if form not in self._likely:
            self._likely[form] = FormMatcher(self._pack.target, self._pack.likely.get(form, self._forms))
        return self._likely[form]
