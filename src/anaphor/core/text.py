"""The types of text: language pairs, spans, sentences, word alignments, linguistic analyses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, overload

from anaphor.core.array_types import Longs
from anaphor.core.errors import OptionError

#: The tags of nouns, names included, and of verbs.
NOUNS = frozenset({"NOUN", "PROPN"})
VERBS = frozenset({"VERB", "AUX"})
#: Lines that are decoded at once.
_BLOCK = 4096
_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")
#: What people also write: en_it, en-pt-br, en-pt_BR, en/it.
_NEARLY_A_PAIR = re.compile(r"([a-z]{2,3})\W{1,2}([a-z]{2,3})(\W[a-z]{2,4})?")


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """Source and target language, in this order; `str()` gives `en-fr`.

    Attributes:
        source: The ISO 639 code of the source language.
        target: The ISO 639 code of the target language.
    """

    source: str
    target: str

    @classmethod
    def parse(cls, text: str) -> LanguagePair:
        """Parse a language pair such as `en-fr`.

        Args:
            text: Two language codes joined by a hyphen, in upper or lower case.

        Returns:
            The pair, which may have no pack.

        Raises:
            UserError: The text is not a language pair.
        """
        match = _PAIR.fullmatch(text.lower())
        if match is None:
            nearly = _NEARLY_A_PAIR.fullmatch(text.lower().replace("_", "-"))
            fix = "write two language codes with a hyphen, " + (
                f"without a region: {nearly[1]}-{nearly[2]}"
                if nearly and nearly[3]
                else f"as in {nearly[1]}-{nearly[2]}"
                if nearly
                else "such as en-fr"
            )
            raise OptionError(f"not a language pair: {text!r}", where="--pair", fix=fix)
        return cls(match[1], match[2])

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


class Lines(Sequence[str]):
    """The lines of a text, stored as bytes and decoded on access.

    Hundreds of thousands of strings would take two to four times as much memory as the file, and most scoring
    runs only look at lines with a pronoun. Compares equal to a tuple of the same strings.
    """

    __slots__ = ("_last", "data", "stops")

    def __init__(self, data: bytes, stops: Longs | None = None) -> None:
        """`data` is valid UTF-8 in which every line, including the last, ends with a newline.

        `stops` are the offsets of these newlines, computed unless given.
        """
        import numpy as np  # slow to import, and nothing else in this module needs it

        self.data = data
        #: Where the newline of each line is.
        self.stops = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) if stops is None else stops
        # Pronouns of one line follow each other, and a line may be the whole text.
        self._last = -1, ""

    @classmethod
    def of(cls, lines: Sequence[str]) -> Lines:
        return lines if isinstance(lines, Lines) else cls("\n".join([*lines, ""]).encode())

    def __len__(self) -> int:
        return len(self.stops)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            if places.step == 1 and places:
                return tuple(self._block(places.start, places.stop))
            return tuple([self[place] for place in places])
        place = range(len(self.stops))[index]
        known, line = self._last
        if place != known:
            start = self.stops.item(place - 1) + 1 if place else 0
            line = self.data[start : self.stops.item(place)].decode()
            self._last = place, line
        return line

    def __iter__(self) -> Iterator[str]:
        for first, last in pairwise([*range(0, len(self), _BLOCK), len(self)]):
            yield from self._block(first, last)

    def _block(self, first: int, last: int) -> list[str]:
        """A non-empty block of consecutive lines."""
        start = self.stops.item(first - 1) + 1 if first else 0
        return self.data[start : self.stops.item(last - 1)].decode().split("\n")

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Lines):
            return self.data == other.data
        return tuple(self) == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class Span(NamedTuple):
    """A range of characters or tokens; `end` is exclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of text and its tokens.

    Tokens are exact slices: `text[start:start + len(token)] == token` for every token and its start. Case
    folding and Unicode normalization happen when forms are compared, never here.
    """

    text: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]

    def span(self, token: int) -> Span:
        """The character offsets of one token in `text`."""
        start = self.starts[token]
        return Span(start, start + len(self.tokens[token]))


class Link(NamedTuple):
    """A source token and a target token that translate each other, by 0-based position."""

    source: int
    target: int
    sure: bool = True
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of one segment, as parallel tuples in the original order. Positions are 0-based.

    Attributes:
        sources: The source position of every link.
        targets: The target position of every link.
        sure: Whether each link is sure; None if all are.
        confidence: The confidence of every link; None if unknown.
    """

    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    sure: tuple[bool, ...] | None = None
    confidence: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    def links(self) -> Iterator[Link]:
        """Iterate over the links."""
        for i, (source, target) in enumerate(zip(self.sources, self.targets, strict=True)):
            yield Link(
                source,
                target,
                True if self.sure is None else self.sure[i],
                None if self.confidence is None else self.confidence[i],
            )

    def targets_of(self, source: int) -> tuple[int, ...]:
        """The target positions linked to a source position.

        Args:
            source: The source position, 0-based.

        Returns:
            The positions in ascending order without duplicates; empty if nothing is linked.
        """
        # Most positions have one link or none: counting and finding it is several times faster than a loop.
        links = self.sources.count(source)
        if links == 0:
            return ()
        if links == 1:
            return (self.targets[self.sources.index(source)],)
        linked = zip(self.sources, self.targets, strict=True)
        return tuple(sorted({target for here, target in linked if here == source}))

    def by_source(self) -> dict[int, list[int]]:
        """The target positions of every linked source position, in link order."""
        return _grouped(self.sources, self.targets)

    def by_target(self) -> dict[int, list[int]]:
        """The source positions of every linked target position, in link order."""
        return _grouped(self.targets, self.sources)


def _grouped(keys: Sequence[int], values: Sequence[int]) -> dict[int, list[int]]:
    groups: dict[int, list[int]] = {}
    for key, value in zip(keys, values, strict=True):
        groups.setdefault(key, []).append(value)
    return groups


@dataclass(frozen=True, slots=True)
class Tree:
    """A dependency tree: the head of every token (None for the root) and its relation."""

    heads: tuple[int | None, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Lemma and universal part of speech of every token, and the subjects.

    - `subjects`: positions of overt subjects, including expletives.
    - `expletives`: positions of pronouns without a referent (*it* rains, *es* gibt).
    - `null_subjects`: positions of finite third-person verbs with a dropped subject.
    - `tree`: the dependency tree, if the analyser produces one.
    """

    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    subjects: frozenset[int] = field(default_factory=frozenset)
    expletives: frozenset[int] = field(default_factory=frozenset)
    null_subjects: frozenset[int] = field(default_factory=frozenset)
    tree: Tree | None = None
