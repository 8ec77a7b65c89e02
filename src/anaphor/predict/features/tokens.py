"""What a token shows by itself: its lower case; lemma and tag where it is written `lemma|TAG`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from sys import intern
from typing import TypeVar

#: Tokens of which is remembered what they show.
_TOKENS = 1 << 16


Said = TypeVar("Said")


class Told(dict[str, Said]):
    """What a function says of tokens, asked once of each; `map` looks into a dictionary without a call."""

    def __init__(self, function: Callable[[str], Said]) -> None:
        self._function = function

    def __missing__(self, token: str) -> Said:
        if len(self) >= _TOKENS:
            self.clear()
        found = self[token] = self._function(token)
        return found


@cache
def _told(function: Callable[[str], str]) -> Callable[[str], str]:
    """The same function with a memory; equal words are one object."""
    return Told(lambda token: intern(function(token))).__getitem__


def lowered(tokens: Iterable[str]) -> tuple[str, ...]:
    """All tokens in lower case."""
    return tuple(map(_told(str.lower), tokens))


def split_lemmas(tokens: Iterable[str]) -> tuple[str, ...]:
    """The lemma of every `lemma|TAG`, in lower case; a token without a tag is its lemma."""
    return tuple(map(_told(split_lemma), tokens))


def split_tags(tokens: Iterable[str]) -> tuple[str, ...]:
    """The tag of every `lemma|TAG`, `X` where there is none."""
    return tuple(map(_told(split_tag), tokens))


@lru_cache(_TOKENS)
def split_lemma(token: str) -> str:
    """The lemma of one `lemma|TAG`."""
    return (token.rsplit("|", 1)[0] if "|" in token[1:-1] else token).lower()


@lru_cache(_TOKENS)
def split_tag(token: str) -> str:
    """The tag of one `lemma|TAG`."""
    return token.rsplit("|", 1)[1] if "|" in token[1:-1] else "X"
