"""The references of a suite evaluated as candidates: evidence that the suite can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor.core import Item
from anaphor.corpus import Text
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.linking import EvaluationOptions, Progress, link_texts, with_reference_words
from anaphor.suite.outcomes import CandidateWords, ItemJudge, ItemJudgement, ItemOutcome


@dataclass(frozen=True, slots=True)
class ReferenceMarks:
    """One reference evaluated as a candidate, on the items that it translates.

    - `wrong`: mismatches in the evaluation itself; there must be none.
    - `wordless`: a place of the item has only punctuation; there must be none.
    - `unconfirmed`: mismatches with the words that the aligner finds by itself. There may be a few.
    - `exchanged`: the number of matches when each item gets the words of another one.
    """

    reference: str
    items: int
    wrong: tuple[Item, ...]
    wordless: tuple[Item, ...]
    unconfirmed: tuple[Item, ...]
    exchanged: int


def reference_marks(
    loaded: LoadedSuite, options: EvaluationOptions, progress: Progress = lambda _: None
) -> Iterator[ReferenceMarks]:
    """The marks of every reference; approved alternatives do not count."""
    judge = ItemJudge(loaded, alternatives=False, packs=options.aligner.packs)
    # Where a reference lacks a document, its lines are empty.
    candidates = {
        name: Text.of((line or "" for line in loaded.texts.lines(name)), path=f"reference {name}")
        for name in loaded.suite.references()
    }
    texts = link_texts(loaded, candidates, options, links=None, progress=progress)
    for name, text in candidates.items():
        linked = texts.words(name)
        own = [
            number
            for number, item in enumerate(loaded.suite.items)
            if any(pair.reference == name for pair in item.references)
        ]
        wordless = []
        for number in own:
            item = loaded.suite.items[number]
            for pair, accepted in zip(item.references, judge.accepted[number], strict=True):
                places = zip((pair.pronoun, *pair.heads), (accepted.pronoun, *accepted.heads), strict=True)
                if pair.reference == name and any(place and not units for place, units in places):
                    wordless.append(item)
                    break
        found = with_reference_words(loaded, text, linked)
        yield ReferenceMarks(
            name,
            len(own),
            _wrong(judge.judge(found), own),
            tuple(wordless),
            _wrong(judge.judge(linked), own),
            _exchanged(judge, found, own),
        )


def _wrong(judged: Sequence[ItemJudgement], own: Sequence[int]) -> tuple[Item, ...]:
    return tuple(judged[number].item for number in own if judged[number].outcome is not ItemOutcome.MATCH)


def _exchanged(judge: ItemJudge, found: Sequence[CandidateWords], own: Sequence[int]) -> int:
    """Matches of a reference when each item has the pronoun of another, and the heads of one with as many."""
    given = list(found)
    for number, other in _far_apart(own):
        given[number] = replace(given[number], pronoun=found[other].pronoun)
    for heads in {len(found[number].heads) for number in own}:
        for number, other in _far_apart([number for number in own if len(found[number].heads) == heads]):
            given[number] = replace(given[number], heads=found[other].heads)
    judged = judge.judge(given)
    return sum(judged[number].outcome is ItemOutcome.MATCH for number in own)


def _far_apart(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every number with another one, half of the list away, because neighbouring items are often alike."""
    half = len(numbers) // 2
    return zip(numbers, [*numbers[half:], *numbers[:half]], strict=True)
