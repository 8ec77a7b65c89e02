"""Candidates linked to a suite: tokens of every text, the items among them, and the links of each system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.annotate.nouns import Highlight, TokenAt
from anaphor.core import InputError, Where
from anaphor.corpus import AlignmentFile, Text
from anaphor.suite import CandidateWords, EvaluationOptions, GivenLinks, LoadedSuite
from anaphor.suite.linking import Progress, check_candidates, link_texts
from anaphor.suite.texts import ItemTokens, TokenPlace, Tokens


@dataclass(frozen=True, slots=True)
class Linked:
    """All that links say. `tokens` and `links` go by system; the tokens of the source are `source`."""

    source_lines: tuple[str, ...]
    source: Tokens
    items: tuple[ItemTokens, ...]
    tokens: Mapping[str, Tokens]
    links: Mapping[str, AlignmentFile]

    def highlight(self, system: str, item: ItemTokens) -> Highlight:
        """The words of a system that are linked to an item."""
        return Highlight(
            self._targets(system, item.pronoun),
            tuple(self._targets(system, head) for head in item.heads),
        )

    def found(self, system: str, highlight: Highlight) -> CandidateWords:
        """The same as words, for the automatic check."""
        heads = tuple(self.words(system, head) for head in highlight.heads)
        return CandidateWords(self.words(system, highlight.pronoun), heads)

    def words(self, system: str, places: Sequence[TokenAt]) -> tuple[str, ...]:
        return tuple(self.tokens[system][at.segment][at.token] for at in places)

    def _targets(self, system: str, place: TokenPlace) -> tuple[TokenAt, ...]:
        links = self.links[system]
        found = {TokenAt(segment, to) for segment, at in place for to in links[segment].targets_of(at)}
        return tuple(sorted(found))


def link_candidates(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None,
    progress: Progress,
) -> Linked:
    """Find the items in the source and their words in every candidate; without `links` they are aligned."""
    check_candidates(loaded, candidates)
    _check_storable(loaded, candidates)
    texts = link_texts(loaded, candidates, options, links=links, progress=progress)
    alignments = texts.alignments if links is None else _inside(texts.alignments, texts.source, texts.tokens)
    return Linked(loaded.texts.source_lines, texts.source, texts.items, texts.tokens, alignments)


def _check_storable(loaded: LoadedSuite, candidates: Mapping[str, Text]) -> None:
    for text in (*candidates.values(), *loaded.texts.source.values()):
        for number, line in enumerate(text.lines, start=1):
            if "\0" in line:
                raise InputError(
                    "a line has a NUL character, which no database of a campaign can hold",
                    where=Where(text.path, number),
                    fix="remove it from the text",
                )


def _inside(
    alignments: Mapping[str, AlignmentFile], source: Tokens, tokens: Mapping[str, Tokens]
) -> dict[str, AlignmentFile]:
    """The given links, once none of them leads outside its sentence."""
    import numpy as np

    from anaphor.corpus import within_range

    lengths = np.array(list(map(len, source)))
    return {
        name: within_range(
            alignments[name], source_lengths=lengths, target_lengths=np.array(list(map(len, own)))
        )
        for name, own in tokens.items()
    }
