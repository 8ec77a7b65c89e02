"""One side of a segment: words, lemmas and tags, and the positions of its nouns and determiners.

Tokens are annotated for every segment of a text, and only a few of them are ever read. Values are therefore
computed on access, and functions of single tokens are cached.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, pairwise
from sys import intern
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from anaphor.core import Analysis
from anaphor.core.text import NOUNS

#: Stands for any placeholder among the words of a target; already in lower case.
HIDDEN = "<gap>"
#: Stands before the first and after the last token.
OUTSIDE = "<>"
_NOT_ANALYSED = Analysis((), ())
_NOUN, _DETERMINER, _OTHER = 1, 2, 0
#: Tokens that are cached.
_CACHED = 1 << 16

Places: TypeAlias = list[int]
Value = TypeVar("Value")


class TokenCache(dict[str, Value]):
    """The values of a function of tokens; `map` reads a dictionary without calling Python code."""

    def __init__(self, function: Callable[[str], Value]) -> None:
        self._function = function

    def __missing__(self, token: str) -> Value:
        if len(self) >= _CACHED:
            self.clear()
        value = self[token] = self._function(token)
        return value


@cache
def _cached(function: Callable[[str], str]) -> Callable[[str], str]:
    """The same function with a cache."""
    # Interned, because a text has few different words and many tokens.
    return TokenCache(lambda token: intern(function(token))).__getitem__


@lru_cache(_CACHED)
def split_lemma(token: str) -> str:
    """The lemma of a `lemma|TAG`, in lower case; a token without a tag is its own lemma."""
    return (token.rsplit("|", 1)[0] if "|" in token[1:-1] else token).lower()


@lru_cache(_CACHED)
def split_tag(token: str) -> str:
    """The tag of a `lemma|TAG`, `X` if there is none."""
    return token.rsplit("|", 1)[1] if "|" in token[1:-1] else "X"


class AnnotatedTokens:
    """One side of a segment with the analysis of its words.

    - Words and lemmas are in lower case. The analysis is empty if no feature group needs one.
    - `nouns` and `determiners` are positions in ascending order.
    - `inflected`: words are word forms, not lemmas.
    - `written` has the tokens of the file, placeholders included.

    `words`, `lemmas` and `tags` are for all tokens; `word`, `lemma` and `tag` for one, and `cut` for a few.
    """

    __slots__ = ("_forms", "analysis", "determiners", "language", "nouns", "written")
    inflected = True

    def __init__(
        self,
        language: str,
        forms: tuple[str, ...],
        analysis: Analysis = _NOT_ANALYSED,
        nouns: Sequence[int] = (),
        determiners: Sequence[int] = (),
        written: tuple[str, ...] | None = None,
    ) -> None:
        self.language, self.analysis = language, analysis
        self.nouns, self.determiners = nouns, determiners
        self.written = forms if written is None else written
        self._forms = forms

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def words(self) -> tuple[str, ...]:
        return self.cut("word", 0, len(self))

    @property
    def lemmas(self) -> tuple[str, ...]:
        return self.cut("lemma", 0, len(self))

    @property
    def tags(self) -> tuple[str, ...]:
        """Parts of speech."""
        return self.cut("tag", 0, len(self))

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        """A slice of a layer: `word`, `lemma` or `tag`."""
        if layer == "tag":
            return self.analysis.tags[start:end]
        tokens = self._forms if layer == "word" else self.analysis.lemmas
        return tuple(map(_cached(str.lower), tokens[start:end]))

    def word(self, place: int) -> str:
        return self._forms[place].lower()

    def lemma(self, place: int) -> str:
        return self.analysis.lemmas[place].lower()

    def tag(self, place: int) -> str:
        return self.analysis.tags[place]


class LemmaTagTokens(AnnotatedTokens):
    """The target of a file that has `lemma|TAG` for every token; words are lemmas."""

    __slots__ = ()
    inflected = False

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        split = split_tag if layer == "tag" else split_lemma
        return tuple(map(_cached(split), self._forms[start:end]))

    def word(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def lemma(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def tag(self, place: int) -> str:
        return split_tag(self._forms[place])


@cache
def _kinds(*, split: bool) -> Mapping[str, int]:
    def kind(tag: str) -> int:
        return _NOUN if tag in NOUNS else _DETERMINER if tag == "DET" else _OTHER

    return TokenCache((lambda token: kind(split_tag(token))) if split else kind)


def noun_places(
    sentences: Sequence[Sequence[str]], *, split: bool = False
) -> Iterator[tuple[Places, Places]]:
    """The places of nouns and of determiners in every sentence of tags, or of `lemma|TAG` with `split`.

    All sentences are searched at once, which takes half the time.
    """
    ends = np.cumsum([0, *map(len, sentences)])
    tokens = map(_kinds(split=split).__getitem__, chain.from_iterable(sentences))
    kinds = np.frombuffer(bytes(tokens), np.uint8)  # faster than `fromiter`, number by number
    return zip(_cut(kinds == _NOUN, ends), _cut(kinds == _DETERMINER, ends), strict=True)


def _cut(marked: NDArray[np.bool_], ends: NDArray[np.int64]) -> Iterator[Places]:
    """The marked places of each sentence, counted from its start."""
    places = np.flatnonzero(marked)
    cuts = np.searchsorted(places, ends)
    inside: Places = (places - np.repeat(ends[:-1], np.diff(cuts))).tolist()
    return (inside[start:end] for start, end in pairwise(cuts.tolist()))
