"""One hidden pronoun with all that features may look at.

Some of it is made for every segment of a text: named tuples take a third of the time that frozen dataclasses
take, and what is said of all tokens of a segment is made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from anaphor.core import Analysis, Slot, TaskSegment
from anaphor.predict.features.spelling import lowered, split_lemma, split_lemmas, split_tag, split_tags

#: Stands for any placeholder among the words of a target; the same in lower case.
HIDDEN = "<gap>"
#: Stands before the first and behind the last token.
OUTSIDE = "<>"
NOUNS = frozenset({"NOUN", "PROPN"})
_NOT_ANALYSED = Analysis((), ())


class Tokens:
    """One side of a segment.

    Words and lemmas come in lower case, however they were given. The analysis is of the words, and empty
    where no group asked for one. `nouns` and `determiners` are places. Words are `inflected` unless they are
    lemmas. `written` has the tokens of the file, placeholders among them.

    Of most segments little more than a noun, or what is near a pronoun, is looked at. So what is said of all
    tokens is made when it is first asked for; `word`, `lemma` and `tag` say it of one, and `cut` of a few.
    """

    __slots__ = ("_forms", "_lower", "_words", "analysis", "determiners", "language", "nouns", "written")
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
        self._words: tuple[str, ...] | None = None
        self._lower: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self._forms)

    @property
    def words(self) -> tuple[str, ...]:
        """Every token."""
        if self._words is None:
            self._words = lowered(self._forms)
        return self._words

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Every lemma."""
        if self._lower is None:
            self._lower = lowered(self.analysis.lemmas)
        return self._lower

    @property
    def tags(self) -> tuple[str, ...]:
        """Every part of speech."""
        return self.analysis.tags

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        """What a layer, `word`, `lemma` or `tag`, has from one place to another, as far as there is any."""
        if layer == "tag":
            return self.analysis.tags[start:end]
        return lowered((self._forms if layer == "word" else self.analysis.lemmas)[start:end])

    def word(self, place: int) -> str:
        return self._forms[place].lower()

    def lemma(self, place: int) -> str:
        return self.analysis.lemmas[place].lower()

    def tag(self, place: int) -> str:
        return self.analysis.tags[place]

    def is_lemma(self, place: int) -> bool:
        """Whether a word is its own lemma."""
        return self._forms[place].lower() == self.analysis.lemmas[place].lower()


class TaggedTokens(Tokens):
    """The target of a file that has `lemma|TAG` for every token."""

    __slots__ = ("_tags",)
    inflected = False

    def __init__(
        self, language: str, forms: tuple[str, ...], nouns: Sequence[int], determiners: Sequence[int]
    ) -> None:
        super().__init__(language, forms, nouns=nouns, determiners=determiners)
        self._tags: tuple[str, ...] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        if self._words is None:
            self._words = split_lemmas(self._forms)
        return self._words

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The words, the same object."""
        return self.words

    @property
    def tags(self) -> tuple[str, ...]:
        if self._tags is None:
            self._tags = split_tags(self._forms)
        return self._tags

    def cut(self, layer: str, start: int, end: int) -> tuple[str, ...]:
        return (split_tags if layer == "tag" else split_lemmas)(self._forms[start:end])

    def word(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def lemma(self, place: int) -> str:
        return split_lemma(self._forms[place])

    def tag(self, place: int) -> str:
        return split_tag(self._forms[place])

    def is_lemma(self, place: int) -> bool:  # noqa: ARG002 - whatever stands there
        return True


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
        source, at = self.here.source.written, self.slot.source
        return source[at].lower() if at < len(source) else "-"
