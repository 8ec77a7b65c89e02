"""The alignment repair of apt-2017, section 2.3: four steps for links of a pronoun that look wrong.

1. A pronoun is suspect when it has no link, links to no pronoun, or links to several words. A pronoun
   among several linked words is the answer. Otherwise the words linked to its neighbours are *markers*.
2. The window reaches from one word before the first marker to one word after the last.
3. The likely translations of the source pronoun inside the window are the options.
4. The option closest to the centre of the window wins, the left one of two at the same distance.

The paper leaves two things open. Only one neighbour has a link: its words alone are the markers. A word
already linked to another watched pronoun: it is not an option, so that two pronouns never share a word
by repair.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from anaphor.core import Alignment, Repair, RepairKind
from anaphor.languages import FormMatcher


def find_repair(
    position: int,
    before: tuple[int, ...],
    *,
    alignment: Alignment,
    tokens: Sequence[str],
    listed: FormMatcher,
    likely: FormMatcher,
    watched: Collection[int],
) -> Repair | None:
    """The repair of the source pronoun at `position`, or None where its links `before` may stay.

    `listed` knows the target pronouns of the pair, `likely` the likely translations of this pronoun;
    `watched` are the source positions of all watched pronouns of the segment.
    """
    kind = _suspicion(before, tokens, listed, likely)
    if kind is None:
        return None
    words = tuple(tokens[t] for t in before)
    if kind is RepairKind.MULTIPLE:
        pronouns = _holding(before, tokens, listed) or _holding(before, tokens, likely)
        if pronouns:
            return Repair(kind, before, words, options=pronouns, chosen=pronouns)
    markers = alignment.targets_of(position - 1) + alignment.targets_of(position + 1)
    if not markers:
        return None
    window = (max(min(markers) - 1, 0), min(max(markers) + 2, len(tokens)))
    taken = {t for other in watched if other != position for t in alignment.targets_of(other)}
    free = tuple(t for t in range(*window) if t not in taken)
    options = _holding(free, tokens, likely)
    if not options:
        return None
    centre = (min(markers) + max(markers)) / 2
    chosen = min(options, key=lambda t: (abs(t - centre), t))
    return Repair(kind, before, words, options, (chosen,), markers, window)


def _suspicion(
    linked: tuple[int, ...], tokens: Sequence[str], listed: FormMatcher, likely: FormMatcher
) -> RepairKind | None:
    if not linked:
        return RepairKind.UNALIGNED
    if len(linked) > 1:
        return RepairKind.MULTIPLE
    word = tokens[linked[0]]
    if listed.forms_in(word) or likely.forms_in(word):
        return None
    return RepairKind.NON_PRONOUN


def _holding(positions: tuple[int, ...], tokens: Sequence[str], matcher: FormMatcher) -> tuple[int, ...]:
    return tuple(t for t in positions if matcher.forms_in(tokens[t]))
