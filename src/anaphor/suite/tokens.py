"""From characters to tokens: which tokens of a segment a place covers, whoever cut the segment into tokens.

Two versions of a segment may differ in white space and in nothing else. Positions are then the same when it
is not counted; any other difference is an error, never bridged by a guess (protest-2016, section 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from anaphor.core import MismatchError, Suite, Where
from anaphor.suite.texts import SOURCE, Stretch, SuiteTexts

Words: TypeAlias = Callable[[str], Sequence[str]]
Tokens: TypeAlias = Sequence[Sequence[str]]
"""The tokens of every segment."""


TokenPlace: TypeAlias = tuple[tuple[int, int], ...]
"""Tokens of one or several segments, as (segment, position) in order."""


class ItemTokens(NamedTuple):
    """Where an item's pronoun and the heads of its antecedents stand among the source tokens."""

    pronoun: TokenPlace
    heads: tuple[TokenPlace, ...]


class TokenFinder:
    """Finds the tokens of places in segments of which two versions exist: the suite's and a tokenised one.

    `path` is that of the tokenised version, for messages.
    """

    def __init__(self, lines: Sequence[str], tokens: Tokens, *, path: str) -> None:
        self._lines = lines
        self._tokens = tokens
        self._path = path
        self._starts: dict[int, list[int]] = {}

    def tokens(self, stretches: Sequence[Stretch]) -> TokenPlace:
        found: dict[tuple[int, int], None] = {}
        for segment, start, end in stretches:
            line = self._lines[segment]
            first = _solid(line[:start])
            last = first + _solid(line[start:end])
            bounds = self._token_starts(segment)
            for position in range(len(bounds) - 1):
                if bounds[position] < last and bounds[position + 1] > first:
                    found[segment, position] = None
        return tuple(found)

    def _token_starts(self, segment: int) -> list[int]:
        """Where each token begins when white space is not counted, and where the last one ends."""
        if segment not in self._starts:
            tokens = self._tokens[segment]
            if "".join(self._lines[segment].split()) != "".join("".join(tokens).split()):
                raise MismatchError(
                    "the tokenised source differs from the suite's in more than white space",
                    where=Where(self._path, segment + 1),
                    fix="tokenise the source of the suite again, without escapes and without normalising it",
                )
            self._starts[segment] = list(accumulate(map(_solid, tokens), initial=0))
        return self._starts[segment]


def item_tokens(suite: Suite, texts: SuiteTexts, finder: TokenFinder) -> list[ItemTokens]:
    """The source tokens of every item."""
    locators = texts.locators(SOURCE)
    found = []
    for item in suite.items:
        locator = locators[item.document]
        pronoun = finder.tokens(locator.stretches(item.pronoun))
        heads = tuple(finder.tokens(locator.stretches(one.head)) for one in item.antecedents)
        found.append(ItemTokens(pronoun, heads))
    return found


def _solid(text: str) -> int:
    """How many characters are no white space."""
    return len("".join(text.split()))
