"""The nouns of parsed text: what the lines of a CoNLL-U sentence say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Word:
    """One syntactic word; `head` is a position counted from 0, None at the root.

    `language_tag`, `enhanced` and `misc` are the cells XPOS, DEPS and MISC as they stand.
    """

    form: str
    lemma: str
    tag: str
    features: Mapping[str, str]
    head: int | None
    relation: str
    language_tag: str = "_"
    enhanced: str = "_"
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class Contraction:
    """A token of the text that stands for the words from `start` to `end` (not included)."""

    form: str
    start: int
    end: int
    features: Mapping[str, str] = field(default_factory=dict)
    misc: str = "_"


@dataclass(frozen=True, slots=True)
class EmptyNode:
    """A node of the enhanced graph behind `after` words, the `number`th there, counted from 1.

    `cells` are the columns FORM to DEPS as they stand.
    """

    after: int
    number: int
    cells: tuple[str, ...]
    misc: str = "_"


Row: TypeAlias = Word | Contraction | EmptyNode
"""What one line of a sentence says."""


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """The words of a sentence, the contractions in its text, and what else its lines say.

    `line` is where the words start in their file; equal sentences may differ in it. Comments keep their `#`.
    """

    words: tuple[Word, ...]
    contractions: tuple[Contraction, ...]
    line: int = field(compare=False)
    comments: tuple[str, ...] = ()
    empty_nodes: tuple[EmptyNode, ...] = ()

    def rows(self) -> Iterator[Row]:
        """Words, contractions and empty nodes in the order of their lines; the first is at `line`."""
        contractions = {contraction.start: contraction for contraction in self.contractions}
        empty: dict[int, list[EmptyNode]] = {}
        for node in self.empty_nodes:
            empty.setdefault(node.after, []).append(node)
        yield from empty.get(0, ())
        for at, word in enumerate(self.words):
            if at in contractions:
                yield contractions[at]
            yield word
            yield from empty.get(at + 1, ())
