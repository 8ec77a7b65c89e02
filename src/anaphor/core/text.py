"""The nouns of text: language pair, span, sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from anaphor.core.errors import OptionError

_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """Source and target language by their ISO 639 codes."""

    source: str
    target: str

    @classmethod
    def parse(cls, text: str) -> LanguagePair:
        """Read `en-fr`."""
        match = _PAIR.fullmatch(text)
        if match is None:
            raise OptionError(
                f"not a language pair: {text!r}",
                where="--pair",
                fix="write two language codes with a hyphen, such as en-fr",
            )
        return cls(match[1], match[2])

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class Span(NamedTuple):
    """A stretch of characters or tokens; `end` is not part of it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of text and its tokens.

    Tokens are verbatim slices: `text[start:start + len(token)] == token` for every token and its
    start. Case folding and Unicode normalisation happen when forms are compared, never here.
    """

    text: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]

    def span(self, token: int) -> Span:
        """Character offsets of one token in `text`."""
        start = self.starts[token]
        return Span(start, start + len(self.tokens[token]))
