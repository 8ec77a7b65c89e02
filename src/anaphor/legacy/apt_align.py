"""The words aligned to each source pronoun, and the original's own alignment repair.

The repair is not the one of the paper: it never touches unaligned pronouns, looks two words around
the aligned ones, and knows only pronouns in lower case. The clean repair is in `pronouns.repair`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from anaphor.core import InputError, Pronoun, Where
from anaphor.legacy.apt_input import Corpus, Side, Tokens, subwords
from anaphor.legacy.apt_lists import Lists
from anaphor.legacy.old_python import old_lower

OTHER = "OTHER"
_REACH = 2  # words searched on each side of the aligned ones


@dataclass(frozen=True, slots=True)
class Aligned:
    """Positions and words aligned to a pronoun; both empty if the side is missing.

    With a target list, words are the listed ones only (or OTHER), so there may be fewer of them.
    """

    positions: tuple[int, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def missing(self) -> bool:
        return not self.positions


def aligned_words(
    side: Side, pronouns: Sequence[Pronoun], *, listed: Collection[str], separator: str
) -> list[Aligned]:
    """What is aligned to each pronoun, reduced to listed words if there is a list."""
    return [_aligned(side, pronoun, listed=listed, separator=separator) for pronoun in pronouns]


def repair(
    side: Side, aligned: Sequence[Aligned], *, corpus: Corpus, lists: Lists
) -> tuple[list[Aligned], list[str]]:
    """The aligned words after the repair, and one console line for each change."""
    repaired, console = [], []
    for pronoun, before in zip(corpus.pronouns, aligned, strict=True):
        position = _repair_position(side, before, pronoun, source=corpus.source, lists=lists)
        repaired.append(before if position is None else _extended(side, before, pronoun, position))
        if position is not None:
            token = side.text.lines[pronoun.segment][position]
            console.append(f"{pronoun.segment} {pronoun.position} {pronoun.form} {position} {token}")
    return repaired, console


def _aligned(side: Side, pronoun: Pronoun, *, listed: Collection[str], separator: str) -> Aligned:
    positions = side.positions(pronoun)
    tokens = side.text.lines[pronoun.segment]
    if positions and positions[-1] >= len(tokens):
        raise _outside(side, f"target token {positions[-1]}", pronoun, length=len(tokens))
    words = [old_lower(tokens[position]) for position in positions]
    if listed and words:
        found = (next((part for part in subwords(word, separator) if part in listed), None) for word in words)
        words = [word for word in found if word is not None] or [OTHER]
    return Aligned(positions, tuple(words))


def _extended(side: Side, before: Aligned, pronoun: Pronoun, position: int) -> Aligned:
    """One more position and its whole token in original case; a lone OTHER gives way to it."""
    kept = () if before.words == (OTHER,) else before.words
    token = side.text.lines[pronoun.segment][position]
    return Aligned((*before.positions, position), (*kept, token))


def _repair_position(
    side: Side, before: Aligned, pronoun: Pronoun, *, source: Tokens, lists: Lists
) -> int | None:
    """The position of the pronoun nearest to the middle of the window, the leftmost of equals."""
    if before.missing or any(word in lists.repair_target for word in before.words):
        return None
    tokens = side.text.lines[pronoun.segment]
    first, last = before.positions[0] - _REACH, before.positions[-1] + _REACH
    window = range(max(first, 0), min(last + 1, len(tokens)))
    options = [
        (weight, position)
        for weight, position in zip(_weights(len(window)), window, strict=True)
        if tokens[position].split("-")[-1] in lists.repair_target
        and not _belongs_elsewhere(side, position, pronoun, source=source, listed=lists.repair_source)
    ]
    return min(options)[1] if options else None


def _weights(length: int) -> Iterator[int]:
    """Distances from the middle; two middle words (three if the length is odd) have distance 1."""
    half = length // 2
    yield from range(half, 0, -1)
    if length % 2:
        yield 1
    yield from range(1, half + 1)


def _belongs_elsewhere(
    side: Side, position: int, pronoun: Pronoun, *, source: Tokens, listed: Collection[str]
) -> bool:
    """Whether a target word is aligned to a listed source pronoun, compared in its original case."""
    tokens = source.lines[pronoun.segment]
    places = [place for place, target in side.points[pronoun.segment] if target == position]
    if places and max(places) >= len(tokens):
        raise _outside(side, f"source token {max(places)}", pronoun, length=len(tokens))
    return any(tokens[place] in listed for place in places)


def _outside(side: Side, what: str, pronoun: Pronoun, *, length: int) -> InputError:
    return InputError(
        f"the alignment names {what}, but the sentence has {length} tokens",
        where=Where(str(side.alignment), pronoun.segment + 1),
        fix="tokens count from 0 and are separated by single spaces; align the same text again",
    )
