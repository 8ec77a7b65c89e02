"""The alignment repair of apt-2017, section 2.3: four steps for links of a pronoun that look wrong.

1. A pronoun is suspect when it has no link, links to no pronoun, or links to several words. A pronoun
   among several linked words is the answer. Otherwise the words linked to its neighbours are *markers*.
2. The window reaches from one word before the first marker to one word after the last.
3. The likely translations of the source pronoun inside the window are the options.
4. The option closest to the centre of the window wins; of two at the same distance, the left one.

Two cases that the paper leaves open: if only one neighbour has a link, its words alone are the markers; and a
word already linked to another evaluated pronoun is not an option, so a repair never makes two pronouns share
a word.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from anaphor.core import Repair, RepairKind
from anaphor.corpus import Around
from anaphor.languages import FormMatcher


def find_repair(
    around: Around,
    tokens: Sequence[str],
    *,
    listed: FormMatcher,
    likely: FormMatcher,
    taken: Container[int],
    searched: Sequence[str] | None = None,
) -> Repair | None:
    """The repair of a source pronoun with these links, or None if they may stay as they are.

    `listed` knows the target pronouns of the pair, `likely` the likely translations of this pronoun;
    `taken` are the target positions linked to other evaluated pronouns. `searched` are the tokens without
    those that an analysis shows not to be pronouns despite their form.
    """
    searched = tokens if searched is None else searched
    pronouns = _holding(around.linked, searched, listed) or _holding(around.linked, searched, likely)
    if pronouns:
        if pronouns == around.linked:
            return None
        return _record(around.linked, tokens, options=pronouns, chosen=pronouns)
    markers = around.before + around.after
    if not markers:
        return None
    first, last = min(markers), max(markers)
    window = (max(first - 1, 0), min(last + 2, len(tokens)))
    options = tuple([t for t in _holding(range(*window), searched, likely) if t not in taken])
    if not options:
        return None
    centre = (first + last) / 2
    chosen = min(options, key=lambda t: (abs(t - centre), t))
    return _record(around.linked, tokens, options=options, chosen=(chosen,), markers=markers, window=window)


def _holding(positions: Iterable[int], tokens: Sequence[str], matcher: FormMatcher) -> tuple[int, ...]:
    forms_in = matcher.forms_in
    return tuple([t for t in positions if forms_in(tokens[t])])


def _record(
    linked: tuple[int, ...],
    tokens: Sequence[str],
    *,
    options: tuple[int, ...],
    chosen: tuple[int, ...],
    markers: tuple[int, ...] | None = None,
    window: tuple[int, int] | None = None,
) -> Repair:
    kind = (RepairKind.UNALIGNED, RepairKind.NON_PRONOUN, RepairKind.MULTIPLE)[min(len(linked), 2)]
    words = tuple([tokens[t] for t in linked])
    return Repair(kind, linked, words, options, chosen, markers, window)
