"""What each source pronoun became in one translation."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

from anaphor.core import Counterpart, Pronoun, Repair
from anaphor.corpus import AlignmentFile, Around
from anaphor.languages import FormMatcher, PairPack
from anaphor.pronouns.find import Words
from anaphor.pronouns.repair import find_repair


@dataclass(frozen=True, slots=True)
class Side:
    """One translation of the source: its lines, how they split into tokens, its links to the source."""

    lines: Sequence[str]
    words: Words
    alignments: AlignmentFile


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
        links = side.alignments.around([p.segment for p in pronouns], [p.position for p in pronouns])
        found: list[Counterpart | None] = []
        for segment, group in groupby(zip(pronouns, links, strict=True), key=lambda pair: pair[0].segment):
            tokens = side.words(side.lines[segment])
            inside = list(group)
            for pronoun, around in inside:
                linked = around.linked
                if len(linked) == 1 and (forms := self._listed.forms_in(tokens[linked[0]])):
                    found.append(Counterpart(linked, (tokens[linked[0]],), forms))
                    continue
                repair = self._find_repair(pronoun, around, tokens, inside) if self._repair else None
                chosen = linked if repair is None else repair.chosen
                found.append(self._of(chosen, tokens, repair) if chosen else None)
        return found

    def _find_repair(
        self, pronoun: Pronoun, around: Around, tokens: Sequence[str], inside: list[tuple[Pronoun, Around]]
    ) -> Repair | None:
        taken: Collection[int] = ()
        if len(inside) > 1:
            taken = {t for p, other in inside if p.position != pronoun.position for t in other.linked}
        likely = self._likely_for(pronoun.form)
        return find_repair(around, tokens, listed=self._listed, likely=likely, taken=taken)

    def _of(self, positions: tuple[int, ...], tokens: Sequence[str], repair: Repair | None) -> Counterpart:
        words = tuple([tokens[t] for t in positions])
        forms = tuple([form for word in words for form in self._listed.forms_in(word)])
        return Counterpart(positions, words, forms, repair)

    def _likely_for(self, form: str) -> FormMatcher:
        if form not in self._likely:
            self._likely[form] = FormMatcher(self._pack.target, self._pack.likely.get(form, self._forms))
        return self._likely[form]
