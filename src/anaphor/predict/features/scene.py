"""One hidden pronoun with all that features may look at.

All of it is named tuples: some are made for every segment of a text, and take a third of the time that a
frozen dataclass takes.
"""

from __future__ import annotations

from typing import NamedTuple

from anaphor.core import Slot, TaskSegment, Tree

#: Stands for any placeholder among the words of a target; the same in lower case.
HIDDEN = "<gap>"
#: Stands before the first and behind the last token.
OUTSIDE = "<>"
NOUNS = frozenset({"NOUN", "PROPN"})


class Tokens(NamedTuple):
    """One side of a segment.

    Words are in lower case; on the target of `lemma|TAG` files they are the lemmas, the same object. Lemmas
    and tags are as long as the words, or empty where no group asked for an analysis. `nouns` are places.
    """

    language: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    subjects: frozenset[int] = frozenset()
    expletives: frozenset[int] = frozenset()
    tree: Tree | None = None
    nouns: tuple[int, ...] = ()


class Staged(NamedTuple):
    """A segment with what was said of its tokens."""

    segment: TaskSegment
    source: Tokens
    target: Tokens


class Scene(NamedTuple):
    """A slot in its segment, and the segments before it in the same document, the nearest first."""

    here: Staged
    slot: Slot
    number: int
    before: tuple[Staged, ...] = ()

    @property
    def pronoun(self) -> str:
        """The source token in lower case; `-` where the slot points outside of the source."""
        words = self.here.source.words
        return words[self.slot.source] if self.slot.source < len(words) else "-"

    def all(self) -> tuple[Staged, ...]:
        """This segment and those before it, the nearest first."""
        return (self.here, *self.before)
