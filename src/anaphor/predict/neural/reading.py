"""From segments of the task to scenes: tags, lemmas and roles are looked up, places are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.analyse import Analyser, load_analyser
from anaphor.core import Analysis, LanguagePair, Slot, TaskSegment
from anaphor.languages import fold
from anaphor.predict.neural.scenes import (
    CANDIDATES,
    NO_LABEL,
    NO_SEGMENT,
    NO_TOKEN,
    PLACEHOLDER,
    SOURCE_COLUMNS,
    TARGET_COLUMNS,
    Ints,
    Scenes,
    SlotTable,
    Text,
)

_NOUNS = frozenset({"NOUN", "PROPN"})
_VERBS = frozenset({"VERB", "AUX"})


@dataclass(frozen=True, slots=True)
class SceneReader:
    """Reads the segments of one pair; `target` analyses word forms, where the files have no tags."""

    source: Analyser
    target: Analyser | None
    classes: tuple[str, ...]

    @classmethod
    def of(cls, pair: LanguagePair, *, forms: bool, classes: tuple[str, ...]) -> SceneReader:
        """With the built-in analysers of the two languages."""
        target = load_analyser("built-in", language=pair.target) if forms else None
        return cls(load_analyser("built-in", language=pair.source), target, classes)

    def read(self, segments: Sequence[TaskSegment]) -> Scenes:
        """The scenes of all slots; sentences that no slot looks at are left out."""
        kept = [i for i in range(len(segments)) if _is_needed(segments, i)]
        building = _Building(self.classes)
        chosen = [segments[i] for i in kept]
        analyses = self.source.analyse([segment.source for segment in chosen])
        for i, segment, analysis, tags in zip(kept, chosen, analyses, self._tags(chosen), strict=True):
            building.add(segment, analysis, tags, follows=_follows(segments, i) and i - 1 in building.numbers)
            building.numbers[i] = len(building.numbers)
        return building.scenes()

    def _tags(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[str, ...] | None]:
        """The tags of the target words, or None where the file itself has them."""
        if self.target is None:
            yield from (None for _ in segments)
            return
        for analysis in self.target.analyse([segment.target for segment in segments]):
            yield analysis.tags


def _is_needed(segments: Sequence[TaskSegment], i: int) -> bool:
    """Whether a sentence has a slot, or stands before one that has."""
    return bool(segments[i].slots) or (
        i + 1 < len(segments) and bool(segments[i + 1].slots) and _follows(segments, i + 1)
    )


def _follows(segments: Sequence[TaskSegment], i: int) -> bool:
    """Whether the sentence before belongs to the same document; without ids nothing is known of that."""
    return i > 0 and segments[i].document is not None and segments[i].document == segments[i - 1].document


class _Building:
    """The arrays as they grow, a sentence at a time."""

    def __init__(self, classes: tuple[str, ...]) -> None:
        self.numbers: dict[int, int] = {}
        self._labels = {label: number for number, label in enumerate(classes)}
        self._source, self._target = _GrowingText(SOURCE_COLUMNS), _GrowingText(TARGET_COLUMNS)
        self._previous: list[int] = []
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._candidates: list[list[tuple[int, int]]] = []
        self._nouns: list[tuple[int, int]] = []  # of the sentence before: places in source and target

    def add(
        self, segment: TaskSegment, analysis: Analysis, tags: tuple[str, ...] | None, *, follows: bool
    ) -> None:
        number = len(self._previous)
        source = self._source.add(_source_rows(segment, analysis))
        target = self._target.add(_target_rows(segment, tags))
        self._previous.append(number - 1 if follows else NO_SEGMENT)
        before = self._nouns if follows else []
        nouns = list(_nouns(segment, analysis, source=source, target=target))
        for slot in segment.slots:
            head = source + head_of(slot, analysis)
            label = NO_LABEL if slot.label is None else self._labels[slot.label]
            self._rows.append((number, source + slot.source, target + slot.target, head, label))
            here = [noun for noun in nouns if noun[0] < source + slot.source]
            self._candidates.append([*before, *here][: -CANDIDATES - 1 : -1])
        self._nouns = nouns

    def scenes(self) -> Scenes:
        columns = np.array(self._rows, np.int64).reshape(-1, 5)
        candidates = np.full((len(self._rows), CANDIDATES, 2), NO_TOKEN, np.int64)
        for row, found in enumerate(self._candidates):
            if found:
                candidates[row, : len(found)] = found
        segment, source, target, head, label = (columns[:, i] for i in range(5))
        table = SlotTable(segment, source, target, head, label, candidates)
        return Scenes(self._source.text(), self._target.text(), np.array(self._previous, np.int64), table)


class _GrowingText:
    """Types in the order of their first appearance; type 0 stands at place 0, where there is no token."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._types: dict[tuple[str, ...], int] = {("",) * len(columns): 0}
        self._tokens = [0]
        self._starts = [1]

    def add(self, rows: Iterable[tuple[str, ...]]) -> int:
        """Append a sentence and give the place of its first token."""
        types = self._types
        self._tokens.extend([types.setdefault(row, len(types)) for row in rows])
        self._starts.append(len(self._tokens))
        return self._starts[-2]

    def text(self) -> Text:
        tokens: Ints = np.array(self._tokens, np.int64)
        return Text(tuple(self._types), tokens, np.array(self._starts, np.int64))


def _source_rows(segment: TaskSegment, analysis: Analysis) -> Iterator[tuple[str, ...]]:
    roles = _roles(analysis)
    return zip(segment.source, analysis.lemmas, analysis.tags, roles, strict=True)


def _roles(analysis: Analysis) -> Sequence[str]:
    """The relation to the head where there is a tree, else whether a word is a subject, and which kind."""
    if analysis.tree is not None:
        return analysis.tree.relations
    roles = [""] * len(analysis.tags)
    for kind, places in (
        ("subject", analysis.subjects),
        ("expletive", analysis.expletives),
        ("null", analysis.null_subjects),
    ):
        for place in places:
            roles[place] = kind
    return roles


def _target_rows(segment: TaskSegment, tags: tuple[str, ...] | None) -> Iterator[tuple[str, ...]]:
    hidden = {slot.target for slot in segment.slots}
    for place, token in enumerate(segment.target):
        if place in hidden:
            yield (PLACEHOLDER, PLACEHOLDER)
        elif tags is None:
            lemma, _, tag = token.rpartition("|")
            yield (fold(lemma), tag) if lemma else (fold(tag), "")
        else:
            yield (fold(token), tags[place])


def head_of(slot: Slot, analysis: Analysis) -> int:
    """The head in the tree; without one the next verb, or the nearest before, or the token itself."""
    if analysis.tree is not None:
        head = analysis.tree.heads[slot.source]
        return slot.source if head is None else head
    verbs = [place for place, tag in enumerate(analysis.tags) if tag in _VERBS]
    after = [place for place in verbs if place >= slot.source]
    return after[0] if after else verbs[-1] if verbs else slot.source


def _nouns(
    segment: TaskSegment, analysis: Analysis, *, source: int, target: int
) -> Iterator[tuple[int, int]]:
    """Places of the nouns of a sentence in source and target; the second is `NO_TOKEN` if unaligned."""
    for place, tag in enumerate(analysis.tags):
        if tag in _NOUNS:
            linked = segment.alignment.targets_of(place)
            yield source + place, target + linked[0] if linked else NO_TOKEN
