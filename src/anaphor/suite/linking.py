"""What a candidate has for every item: its tokens that are linked to the item's source tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from anaphor.align import AlignerChoice, SentencePair
from anaphor.corpus import AlignmentFile, within_range
from anaphor.suite.outcomes import Found
from anaphor.suite.texts import SuiteTexts
from anaphor.suite.tokens import ItemTokens, TokenPlace, Tokens, Words


def align_candidates(
    source: Tokens,
    candidates: Mapping[str, Tokens],
    references: Iterable[SentencePair],
    choice: AlignerChoice,
) -> dict[str, AlignmentFile]:
    """Links for every candidate, learned from all of them and from the references at once."""
    pairs = [pair for tokens in candidates.values() for pair in zip(source, tokens, strict=True)]
    links = iter(choice.build().align([*pairs, *references]))
    return {
        name: AlignmentFile.made(islice(links, len(source)), path=f"{name} [aligned by {choice.name}]")
        for name in candidates
    }


def reference_pairs(source: Tokens, texts: SuiteTexts, words: Words) -> Iterator[SentencePair]:
    """The segments of every reference with those of the source."""
    for name in texts.references:
        for tokens, line in zip(source, texts.lines(name), strict=True):
            if line is not None:
                yield tokens, words(line)


def find_words(
    items: Sequence[ItemTokens], links: AlignmentFile, *, source: Tokens, candidate: Tokens
) -> list[Found]:
    """The linked words of every item. A link outside its sentence is an error."""
    inside = within_range(
        links,
        source_lengths=np.array(list(map(len, source))),
        target_lengths=np.array(list(map(len, candidate))),
    )
    wanted = [at for item in items for place in (item.pronoun, *item.heads) for at in place]
    around = inside.around([segment for segment, _ in wanted], [position for _, position in wanted])
    targets = {at: found.linked for at, found in zip(wanted, around, strict=True)}

    def linked(place: TokenPlace) -> tuple[str, ...]:
        found = dict.fromkeys((segment, target) for segment, at in place for target in targets[segment, at])
        return tuple(candidate[segment][target] for segment, target in sorted(found))

    return [Found(linked(item.pronoun), tuple(map(linked, item.heads))) for item in items]
