"""The types of text: language pair, span, sentence, word alignment, linguistic analysis."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from anaphor.core.errors import OptionError

_PAIR = re.compile(r"([a-z]{2,3})-([a-z]{2,3})")


@dataclass(frozen=True, slots=True)
class LanguagePair:
    """Source and target language, in this order; `str()` of it is `en-fr`.

    Attributes:
        source: The ISO 639 code of the source language.
        target: The ISO 639 code of the target language.
    """

    source: str
    target: str

    @classmethod
    def parse(cls, text: str) -> LanguagePair:
        """The pair that a text such as `en-fr` names.

        Args:
            text: Two language codes with a hyphen.

        Returns:
            The pair; whether there are packs for it shows when it is used.

        Raises:
            UserError: The text is not a pair.
        """
        match = _PAIR.fullmatch(text)
        if match is None:
            fix = "write two language codes with a hyphen, such as en-fr"
            raise OptionError(f"not a language pair: {text!r}", where="--pair", fix=fix)
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
    start. Case folding and Unicode normalization happen when forms are compared, never here.
    """

    text: str
    tokens: tuple[str, ...]
    starts: tuple[int, ...]

    def span(self, token: int) -> Span:
        """Character offsets of one token in `text`."""
        start = self.starts[token]
        return Span(start, start + len(self.tokens[token]))


class Link(NamedTuple):
    """A source token and a target token that translate each other, counted from 0."""

    source: int
    target: int
    sure: bool = True
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Alignment:
    """The links of one segment, as parallel tuples in the order they were given. Positions count from 0.

    Attributes:
        sources: The source position of every link.
        targets: Its target position.
        sure: Whether it is sure; None where every link is.
        confidence: Its confidence; None where none is known.
    """

    sources: tuple[int, ...] = ()
    targets: tuple[int, ...] = ()
    sure: tuple[bool, ...] | None = None
    confidence: tuple[float, ...] | None = None

    def __len__(self) -> int:
        return len(self.sources)

    def links(self) -> Iterator[Link]:
        """The links one by one."""
        for i, (source, target) in enumerate(zip(self.sources, self.targets, strict=True)):
            yield Link(
                source,
                target,
                True if self.sure is None else self.sure[i],
                None if self.confidence is None else self.confidence[i],
            )

    def targets_of(self, source: int) -> tuple[int, ...]:
        """The target positions that are linked to a source position.

        Args:
            source: The source position, from 0.

        Returns:
            The positions, ascending, each once; empty where nothing is linked.
        """
        # Most positions have one link or none: counting and finding it is several times faster than a loop.
        links = self.sources.count(source)
        if links == 0:
            return ()
        if links == 1:
            return (self.targets[self.sources.index(source)],)
        linked = zip(self.sources, self.targets, strict=True)
        return tuple(sorted({target for here, target in linked if here == source}))


@dataclass(frozen=True, slots=True)
class Tree:
    """A dependency tree: the head of every token (None at the root) and its relation to it."""

    heads: tuple[int | None, ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Lemma and universal part of speech of every token, and which tokens are subjects.

    - `subjects`: positions of overt subjects, expletive ones too.
    - `expletives`: positions of pronouns that stand for nothing (*it* rains, *es* gibt).
    - `null_subjects`: positions of finite third-person verbs whose subject is left out.
    - `tree`: the dependency tree, where the analyser makes one.
    """

    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    subjects: frozenset[int] = field(default_factory=frozenset)
    expletives: frozenset[int] = field(default_factory=frozenset)
    null_subjects: frozenset[int] = field(default_factory=frozenset)
    tree: Tree | None = None
