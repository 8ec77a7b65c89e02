"""Parallel documents that suites are built from: line by line, with their annotated pronouns if any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anaphor.analyse import Analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.core import MismatchError, Place, Sentence, Span, Where
from anaphor.corpus import Text
from anaphor.suite.texts import Locator


@dataclass(frozen=True, slots=True)
class AnnotatedPlace:
    """A pronoun that people annotated, its features, and the noun phrase that it refers to if there is one.

    Places count characters of the document, as those of items do.
    """

    pronoun: Place
    features: Mapping[str, str]
    antecedent: Place | None


@dataclass(frozen=True, slots=True)
class BuildDocument:
    """One document: as many lines in every reference as in the source.

    `annotated` is None where nobody annotated the document.
    """

    name: str
    source: tuple[str, ...]
    references: Mapping[str, tuple[str, ...]]
    annotated: tuple[AnnotatedPlace, ...] | None


@dataclass(frozen=True, slots=True)
class BuildCorpus:
    """The documents, and what was noticed while their sentences were paired."""

    documents: tuple[BuildDocument, ...]
    notes: tuple[str, ...] = ()


def plain_corpus(source: Text, references: Mapping[str, Text], ids: Sequence[str]) -> BuildCorpus:
    """Documents without annotation, from parallel lines with a document id each.

    Lines of one document must follow each other.
    """
    for name, text in references.items():
        if len(text) != len(source):
            raise MismatchError(
                f"the reference {name} has {len(text)} lines, the source has {len(source)}",
                where=Where(text.path, min(len(text), len(source)) + 1),
                fix="give the translation of the same lines",
            )
    starts = [number for number in range(len(ids)) if number == 0 or ids[number] != ids[number - 1]]
    names = [ids[number] for number in starts]
    for number, name in zip(starts, names, strict=True):
        if names.count(name) > 1:
            raise MismatchError(
                f"the lines of the document {name} are not together",
                where=Where("--documents", number + 1),
                fix="sort the lines by document, or give the parts ids of their own",
            )
    ends = [*starts[1:], len(ids)]
    return BuildCorpus(
        tuple(
            BuildDocument(
                name,
                source.lines[start:end],
                {side: text.lines[start:end] for side, text in references.items()},
                None,
            )
            for name, start, end in zip(names, starts, ends, strict=True)
        )
    )


SentenceTokenizer: TypeAlias = Callable[[str], Sentence]
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
    documents: Iterable[BuildDocument], cut: SentenceTokenizer, analyser: Analyser
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
