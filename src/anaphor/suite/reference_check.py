"""How a suite's own references fare in its evaluation: the evidence for trusting or refusing it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anaphor.core import Item
from anaphor.corpus import Text
from anaphor.suite.evaluate import found_words
from anaphor.suite.folder import LoadedSuite
from anaphor.suite.linking import EvaluationOptions, ExactMatcher, Progress
from anaphor.suite.outcomes import CandidateWords, ItemJudge, ItemJudgement, ItemOutcome


@dataclass(frozen=True, slots=True)
class ReferenceMarks:
    """One reference as a candidate, on the items that it translates: which ones it does not match.

    - `wrong`: in the evaluation itself; there must be none.
    - `wordless`: a place of the item has no word, only punctuation; there must be none.
    - `unconfirmed`: the aligner alone does not find the reference's own words. It errs, but not often.
    - `exchanged`: how many items still match when each gets the words of another one.
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
    """The marks of every reference; approved alternatives do not help them."""
    judge = ItemJudge(loaded, alternatives=False)
    recogniser = ExactMatcher(loaded.suite, loaded.texts)
    candidates = {name: _as_candidate(loaded, name) for name in loaded.suite.references()}
    for name, linked in found_words(loaded, candidates, options, progress=progress).items():
        own = [number for number, item in enumerate(loaded.suite.items) if _has(item, name)]
        found = recogniser.improve(candidates[name], linked)
        yield ReferenceMarks(
            name,
            len(own),
            _wrong(judge.judge(found), own),
            tuple(loaded.suite.items[number] for number in own if _is_wordless(judge, number, name)),
            _wrong(judge.judge(linked), own),
            _exchanged(judge, found, own),
        )


def _as_candidate(loaded: LoadedSuite, name: str) -> Text:
    """The lines of a reference; where it lacks a document, empty ones."""
    return Text.of((line or "" for line in loaded.texts.lines(name)), path=f"reference {name}")


def _has(item: Item, reference: str) -> bool:
    return any(pair.reference == reference for pair in item.references)


def _wrong(judged: Sequence[ItemJudgement], own: Sequence[int]) -> tuple[Item, ...]:
    return tuple(judged[number].item for number in own if judged[number].outcome is not ItemOutcome.MATCH)


def _is_wordless(judge: ItemJudge, number: int, reference: str) -> bool:
    item = judge.items[number]
    for pair, accepted in zip(item.references, judge.accepted[number], strict=True):
        places = zip((pair.pronoun, *pair.heads), (accepted.pronoun, *accepted.heads), strict=True)
        if pair.reference == reference and any(place and not units for place, units in places):
            return True
    return False


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
    """Every number with another one, half of the list away, so that neighbours seldom meet."""
    half = len(numbers) // 2
    return zip(numbers, [*numbers[half:], *numbers[:half]], strict=True)
