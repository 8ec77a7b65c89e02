"""The documents that suites are built from: parallel lines, annotated pronouns, and the analysed source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from anaphor.analyse import Analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.core import MismatchError, Sentence, Span, TextPlace, Where
from anaphor.corpus import Text
from anaphor.suite.texts import Locator

SentenceTokenizer: TypeAlias = Callable[[str], Sentence]


@dataclass(frozen=True, slots=True)
class AnnotatedPlace:
    """An annotated pronoun, its features, and the noun phrase that it refers to if there is one.

    Offsets count characters of the document, as those of items do.
    """

    pronoun: TextPlace
    features: Mapping[str, str]
    antecedent: TextPlace | None


@dataclass(frozen=True, slots=True)
class BuildDocument:
    """One document; all references have as many lines as the source.

    `annotated` is None for a document without annotation.
    """

    name: str
    source: tuple[str, ...]
    references: Mapping[str, tuple[str, ...]]
    annotated: tuple[AnnotatedPlace, ...] | None


@dataclass(frozen=True, slots=True)
class BuildCorpus:
    """The documents, and notes on how their sentences were aligned."""

    documents: tuple[BuildDocument, ...]
    notes: tuple[str, ...] = ()


def plain_corpus(source: Text, references: Mapping[str, Text], ids: Sequence[str]) -> BuildCorpus:
    """Documents without annotation, from parallel lines with one document id per line.

    Lines of a document must be adjacent.
    """
    for text in references.values():
        text.require_lines(len(source), of="the source", fix="pass the translation of the same lines")
    documents: dict[str, BuildDocument] = {}
    for name, group in groupby(range(len(ids)), key=ids.__getitem__):
        first, *others = group
        if name in documents:
            what = f"the lines of the document {name} are not together"
            fix = "sort the lines by document, or use different ids for the parts"
            raise MismatchError(what, where=Where("--documents", first + 1), fix=fix)
        own = slice(first, first + 1 + len(others))
        lines = {side: tuple(text.lines[own]) for side, text in references.items()}
        documents[name] = BuildDocument(name, tuple(source.lines[own]), lines, None)
    return BuildCorpus(tuple(documents.values()))


@dataclass(frozen=True, slots=True, eq=False)
class AnalysedDocument:
    """A document with the tokens of its source; `first` is the number of its first segment in the corpus."""

    document: BuildDocument
    first: int
    locator: Locator
    sentences: tuple[Sentence, ...]
    analysed: tuple[AnalysedSentence, ...]

    def positions(self, place: TextPlace) -> tuple[int, list[int]]:
        """The segment in which a place begins, and the tokens of the place there."""
        spans = self.locator.stretches(place)
        segment = spans[0].segment
        sentence = self.sentences[segment]
        positions = []
        for position in range(len(sentence.tokens)):
            token = sentence.span(position)
            if any(at.segment == segment and token.start < at.end and at.start < token.end for at in spans):
                positions.append(position)
        return segment, positions

    def place(self, segment: int, positions: Sequence[int]) -> TextPlace:
        """The characters of tokens of a segment, counted in the document."""
        return token_place(self.sentences[segment], positions, offset=self.locator.starts[segment])


def analysed_documents(
    documents: Iterable[BuildDocument], tokenize: SentenceTokenizer, analyser: Analyser
) -> Iterator[AnalysedDocument]:
    """Every document with its tokens and their analysis, from a single call of the analyser."""
    tokenized = [(document, tuple(map(tokenize, document.source))) for document in documents]
    analyses = list(analyser.analyse(sentence.tokens for _, sentences in tokenized for sentence in sentences))
    first = 0
    for document, sentences in tokenized:
        own = zip(sentences, analyses[first : first + len(sentences)], strict=True)
        analysed = tuple(AnalysedSentence(sentence.tokens, analysis) for sentence, analysis in own)
        locator = Locator(document.source, first=0)
        yield AnalysedDocument(document, first, locator, sentences, analysed)
        first += len(sentences)


def token_place(sentence: Sentence, positions: Sequence[int], *, offset: int) -> TextPlace:
    """The characters of some tokens, one span per token; `offset` is the start of the line."""
    spans = (sentence.span(position) for position in sorted(positions))
    return tuple(Span(offset + span.start, offset + span.end) for span in spans)
