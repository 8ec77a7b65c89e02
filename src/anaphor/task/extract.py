"""Where a source pronoun's placeholder goes in the target: the rules of the shared tasks.

wmt16-findings, section 3.3.2, and discomt17-findings, section 3.3.1, in this order:

1. words are aligned to the pronoun: one that belongs to the accepted set is hidden, else the shortest;
2. none is: the nearest source word with a link tells the place, first one step away, then two and so on,
   the left side before the right; the placeholder comes after the words of a left neighbour, before those
   of a right one;
3. the segment has no link at all: a place like that of the pronoun in the source.

What the papers leave open follows the released files of 2015: the left neighbour first, after its last word
or before the first word of a right one. A target word is hidden once, for the pronoun that it is linked to
most surely.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anaphor.core import Alignment, Link
from anaphor.languages import fold

Targets = Mapping[int, Sequence[int]]
"""Linked target positions by source position."""


class Place(NamedTuple):
    """A placeholder: the source token it stands for, and the target token it hides or comes before."""

    source: int
    target: int
    hides: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The confidence that a link needs, by what it is asked for; links without one always count.

    - `accepted`: between a pronoun and a word of the accepted set: strict, for it decides the class.
    - `likely`: between a pronoun and another usual translation, such as le for it. Clitics stand elsewhere
      than the source pronoun, so that their links are never sure; the class is OTHER all the same.
    - `other`: between a pronoun and any other word; it moves the place alone.
    - `neighbour`: of a word that places the placeholder of a pronoun without links.
    - `written`: of the links in the fifth column.

    They were chosen on the development file of 2015 (docs/task/prepare.md).
    """

    accepted: float = 0.1
    likely: float = 0.05
    other: float = 0.05
    neighbour: float = 0.1
    written: float = 0.25

    @property
    def loosest(self) -> float:
        return min(self.accepted, self.likely, self.other, self.neighbour, self.written)


class Counterparts(NamedTuple):
    """Target words, folded, that may stand for a watched pronoun: the accepted set, and others."""

    accepted: Container[str]
    likely: Container[str] = frozenset()

    def limit_of(self, word: str, limits: Limits) -> float:
        """The confidence that a link between a pronoun and this word needs."""
        folded = fold(word)
        if folded in self.accepted:
            return limits.accepted
        return limits.likely if folded in self.likely else limits.other


def find_places(
    pronouns: Sequence[int],
    *,
    source_length: int,
    words: Sequence[str],
    alignment: Alignment,
    counterparts: Counterparts,
    limits: Limits,
) -> tuple[Place, ...]:
    """A place for every source position in `pronouns`, in their order."""
    if not pronouns:
        return ()
    hidden = _hidden_words(pronouns, words, alignment, counterparts, limits)
    linked = linked_targets(alignment, limits.neighbour)
    return tuple(
        Place(pronoun, hidden[pronoun], hides=True)
        if pronoun in hidden
        else Place(pronoun, gap_of(pronoun, source_length, len(words), linked), hides=False)
        for pronoun in pronouns
    )


def _hidden_words(
    pronouns: Sequence[int],
    words: Sequence[str],
    alignment: Alignment,
    counterparts: Counterparts,
    limits: Limits,
) -> dict[int, int]:
    """The word that each linked pronoun hides: one of the accepted set, else the shortest."""
    links = [
        link
        for link in alignment.links()
        if link.source in pronouns
        and (link.confidence is None or link.confidence >= counterparts.limit_of(words[link.target], limits))
    ]
    hidden: dict[int, int] = {}
    for link in sorted(links, key=lambda link: (-(link.confidence or 1), link.source, link.target)):
        if fold(words[link.target]) in counterparts.accepted:
            _hide(hidden, link)
    for link in sorted(links, key=lambda link: (len(words[link.target]), link.target)):
        _hide(hidden, link)
    return hidden


def _hide(hidden: dict[int, int], link: Link) -> None:
    if link.source not in hidden and link.target not in hidden.values():
        hidden[link.source] = link.target


def linked_targets(alignment: Alignment, limit: float) -> dict[int, list[int]]:
    """Target positions of every source position that has a link of this confidence."""
    confidences = alignment.confidence or (1.0,) * len(alignment)
    linked: dict[int, list[int]] = {}
    for source, target, sure in zip(alignment.sources, alignment.targets, confidences, strict=True):
        if sure >= limit:
            linked.setdefault(source, []).append(target)
    return linked


def gap_of(pronoun: int, source_length: int, target_length: int, linked: Targets) -> int:
    """The target position before which the placeholder of a pronoun without links is inserted."""
    for distance in range(1, source_length):
        if pronoun - distance in linked:
            return max(linked[pronoun - distance]) + 1
        if pronoun + distance in linked:
            return min(linked[pronoun + distance])
    return round(pronoun * target_length / source_length)
