"""Source documents cut into tokens and analysed, with the way between characters and tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anaphor.analyse import Analyser
from anaphor.analyse.function_features import AnalysedSentence
from anaphor.core import Place, Sentence, Span
from anaphor.suite.build_documents import BuildDocument
from anaphor.suite.texts import Locator

Cut: TypeAlias = Callable[[str], Sentence]
"""Cuts a line into tokens."""


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedDocument:
    """A document with the tokens of its source; `first` is the number of its first segment in the corpus."""

    document: BuildDocument
    first: int
    locator: Locator
    sentences: tuple[Sentence, ...]
    analysed: tuple[AnalysedSentence, ...]

    def positions(self, place: Place) -> tuple[int, list[int]]:
        """The segment, counted in the document, that a place begins in, and its tokens there."""
        stretches = self.locator.stretches(place)
        segment = stretches[0].segment
        found = tokens_within(
            self.sentences[segment], [Span(at.start, at.end) for at in stretches if at.segment == segment]
        )
        return segment, found

    def place(self, segment: int, positions: Sequence[int]) -> Place:
        """The characters of tokens of a segment, counted in the document."""
        return token_place(self.sentences[segment], positions, offset=self.locator.starts[segment])


def analysed_documents(
    documents: Iterable[BuildDocument], cut: Cut, analyser: Analyser
) -> Iterator[AnalysedDocument]:
    """Every document with its tokens and their analysis; all are analysed in one go."""
    kept = [(document, tuple(map(cut, document.source))) for document in documents]
    analyses = list(analyser.analyse(sentence.tokens for _, sentences in kept for sentence in sentences))
    first = 0
    for document, sentences in kept:
        own = zip(sentences, analyses[first : first + len(sentences)], strict=True)
        analysed = tuple(AnalysedSentence(sentence.tokens, analysis) for sentence, analysis in own)
        locator = Locator.of(document.source, first=0)
        yield AnalysedDocument(document, first, locator, sentences, analysed)
        first += len(sentences)


def tokens_within(sentence: Sentence, spans: Sequence[Span]) -> list[int]:
    """The tokens that share a character with one of the spans."""
    return [
        position
        for position in range(len(sentence.tokens))
        for own in [sentence.span(position)]
        if any(own.start < span.end and span.start < own.end for span in spans)
    ]


def token_place(sentence: Sentence, positions: Sequence[int], *, offset: int) -> Place:
    """The characters of some tokens, neighbours apart; `offset` is where the line begins."""
    spans = (sentence.span(position) for position in sorted(positions))
    return tuple(Span(offset + span.start, offset + span.end) for span in spans)
