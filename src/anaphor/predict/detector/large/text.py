"""The large detector's input for one pronoun: both sentences with marks, and the preceding text.

    English:
    The lamp is old.
    It fell, and <<it>> broke.
    German:
    Die Lampe ist alt.
    Sie fiel herunter und <<er>> zerbrach.
    Pronoun:

Texts are assembled from subwords, not characters: a line is encoded once, separately, and the marks are
inserted between its subwords.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

#: The target languages, in the order of their heads below.
LANGUAGES = ("de", "fr", "es")
#: What stands around a text: its head, the heads of the languages, its end, the two marks, a line end.
TEMPLATE = ("English:\n", "\nGerman:\n", "\nFrench:\n", "\nSpanish:\n", "\nPronoun:", " <<", ">>", "\n")
#: The most pieces of a text, and those of the sentence itself, on either side.
LONGEST, SENTENCE = 320, 110
#: The most sentences before the pronoun's own that are read, as far as they fit.
BEFORE = 5

Pieces = Sequence[int]
#: A first piece and one past the last; (-1, -1) where there are none.
PieceSpan = tuple[int, int]
NOWHERE: PieceSpan = (-1, -1)


class EncodedLine(NamedTuple):
    """The subwords of a line, with their character spans."""

    ids: Pieces
    offsets: Sequence[tuple[int, int]]


class MarkedLine(NamedTuple):
    """A line with the subwords of its pronoun or rendering."""

    ids: Pieces
    span: PieceSpan


class Frame(NamedTuple):
    """The text surrounding the sentences of one target language, in subwords."""

    begin: Pieces
    target: Pieces
    end: Pieces
    left: Pieces
    right: Pieces
    newline: Pieces

    @classmethod
    def of(cls, template: Sequence[Pieces], *, language: int, first: Pieces = ()) -> Frame:
        """The frame from the pieces of `TEMPLATE`; `first` is the token that the model requires before every
        text.
        """
        head, *heads, end, left, right, newline = template
        return cls([*first, *head], heads[language], end, left, right, newline)

    def marked(self, line: MarkedLine) -> list[int]:
        """A sentence with its pronoun between marks, cut around it if it is long."""
        pieces, (start, end) = line
        if start < 0:
            return list(pieces[:SENTENCE])
        marked = [*pieces[:start], *self.left, *pieces[start:end], *self.right, *pieces[end:]]
        first = max(0, min(start - SENTENCE // 2, len(marked) - SENTENCE))
        return marked[first : first + SENTENCE]

    def text(
        self, source: MarkedLine, target: MarkedLine, before: Iterable[tuple[Pieces, Pieces]]
    ) -> list[int]:
        """The complete text for a pronoun; `before` has earlier lines and translations, nearest first."""
        own, other = self.marked(source), self.marked(target)
        room = LONGEST - len(own) - len(other) - len(self.begin) - len(self.target) - len(self.end)
        sources: list[Pieces] = []
        targets: list[Pieces] = []
        for line, translation in before:
            room -= len(line) + len(translation) + 2 * len(self.newline)
            if room < 0:
                break
            sources.append([*line, *self.newline])
            targets.append([*translation, *self.newline])
        parts = [self.begin, *sources[::-1], own, self.target, *targets[::-1], other, self.end]
        return list(chain.from_iterable(parts))


def word_spans(line: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """The character spans of a line's words, which must be separated by white space only."""
    spans, at = [], 0
    for word in words:
        start = line.index(word, at)
        at = start + len(word)
        spans.append((start, at))
    return spans


def inside(offsets: Sequence[tuple[int, int]], spans: Sequence[Sequence[int]]) -> PieceSpan:
    """The subwords of the words at some characters.

    Words after the first only count if they are adjacent: a span has no gaps.
    """
    if not spans:
        return NOWHERE
    start, end = spans[0]
    for other in spans[1:]:
        if 0 <= other[0] - end <= 2:
            end = other[1]
    numbers = [n for n, (a, b) in enumerate(offsets) if a < end and b > start and b > a]
    return (numbers[0], numbers[-1] + 1) if numbers else NOWHERE
