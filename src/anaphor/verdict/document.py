"""Source and candidate documents with everything the witnesses examine, prepared once per document."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from anaphor.analyse import Analyser
from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents import Place, ResolvedDocument, Resolver, TargetDocument, TargetLanguage
from anaphor.core import Alignment, Detection, PronounPair

#: Long documents are judged in blocks of so many segments, each with some segments of left context.
#: Antecedents are searched for up to five sentences back, and what a chain of pronouns brings from further
#: away fades quickly.
_BLOCK, _OVERLAP = 500, 30

Links = Mapping[int, Sequence[int]]


class Piece(NamedTuple):
    """Segments of one document that are judged together, from `first` up to `end`, exclusive.

    The search for antecedents begins at `start`, which is earlier if the document was cut.
    """

    start: int
    first: int
    end: int


def blocks(documents: Sequence[str] | None, segments: int) -> Iterator[list[Piece]]:
    """Split the text into blocks of several documents, or of a piece of a long one."""
    starts = [0]
    if documents is not None:
        starts = [i for i in range(segments) if i == 0 or documents[i] != documents[i - 1]]
    block: list[Piece] = []
    for start, end in zip(starts, [*starts[1:], segments], strict=True):
        for first in range(start, end, _BLOCK):
            block.append(Piece(max(start, first - _OVERLAP), first, min(end, first + _BLOCK)))
            if block[-1].end - block[0].start >= _BLOCK:
                yield block
                block = []
    if block:
        yield block


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """The analysed source of a piece with the antecedents of some pronouns, shared by all candidates."""

    sentences: Sequence[AnalysedSentence]
    antecedents: ResolvedDocument

    @classmethod
    def of(
        cls,
        sentences: Sequence[AnalysedSentence],
        resolver: Resolver,
        wanted: Collection[Place] | None = None,
    ) -> SourceDocument:
        """Resolve the pronouns of analysed sentences, or only the wanted ones."""
        return cls(sentences, resolver.resolve(sentences, wanted))


def analysed(lines: Sequence[Sequence[str]], analyser: Analyser) -> list[AnalysedSentence]:
    """The tokens of some sentences with their analyses."""
    tokens = [tuple(line) for line in lines]
    return [AnalysedSentence(*pair) for pair in zip(tokens, analyser.analyse(tokens), strict=True)]


@dataclass(frozen=True)
class CandidateDocument:
    """One candidate's text for a piece, word-aligned with its source.

    `sentences` are only analysed if they contain a pronoun to judge, and are empty otherwise.
    """

    language: TargetLanguage
    source: SourceDocument
    tokens: Sequence[Sequence[str]]
    sentences: Sequence[AnalysedSentence]
    alignments: Sequence[Alignment]

    @cached_property
    def links(self) -> Sequence[Links]:
        """The target positions of each source position, by segment."""
        return [alignment.by_source() for alignment in self.alignments]

    @cached_property
    def back_links(self) -> Sequence[Links]:
        """The source positions of each target position, by segment."""
        return [alignment.by_target() for alignment in self.alignments]

    @cached_property
    def target(self) -> TargetDocument:
        """The translations of the antecedents."""
        return TargetDocument(self.language, self.source.antecedents, self.tokens, self.alignments)


def line_number(segment: int) -> str:
    """How reasons name a line of a text."""
    return f"line {segment + 1}"


@dataclass(frozen=True)
class Case:
    """One pronoun of one candidate, as presented to the witnesses. `place` counts segments from the start of
    the piece; `name_line` names a segment of the text in reasons.
    """

    pair: PronounPair
    place: Place
    start: int
    document: CandidateDocument
    detected: Detection | None = None
    name_line: Callable[[int], str] = line_number

    @property
    def source(self) -> AnalysedSentence:
        """The sentence of the pronoun."""
        return self.document.source.sentences[self.place.sentence]

    @property
    def target(self) -> AnalysedSentence:
        """Its translation."""
        return self.document.sentences[self.place.sentence]

    @property
    def links(self) -> Links:
        """The target positions of each source position of the sentence."""
        return self.document.links[self.place.sentence]

    @property
    def back_links(self) -> Links:
        """The source positions of each target position of the sentence."""
        return self.document.back_links[self.place.sentence]

    @property
    def subjects(self) -> frozenset[int]:
        """The positions of overt subjects in the translation."""
        return self.target.analysis.subjects

    @property
    def is_subject(self) -> bool:
        """Whether the source pronoun is the subject of its clause."""
        return self.place.position in self.source.analysis.subjects
