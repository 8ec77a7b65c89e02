"""Segments as arrays: every token the number of a type, every slot the positions a network looks at.

A type is a row of strings (form, lemma, tag, ...), independent of any vocabulary: a network maps the types to
its own numbers, some ten thousand rows, once. Tokens of all sentences are in one array; position 0 is no
token, and whatever is absent (an unaligned candidate, a word beyond the sentence) points there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse import Analyser, load_analyser
from anaphor.core import Analysis, LanguagePair, Slot, TaskSegment
from anaphor.languages import fold

Ints: TypeAlias = NDArray[np.int64]

#: The columns of a type, for source and target tokens.
SOURCE_COLUMNS = ("form", "lemma", "tag", "role")
TARGET_COLUMNS = ("word", "tag")
#: Word and tag of a hidden pronoun, whichever source token it belongs to.
PLACEHOLDER = "REPLACE"
#: Antecedent candidates per slot, nearest first.
CANDIDATES = 6
NO_TOKEN = 0
NO_SEGMENT = -1
NO_LABEL = -1
_NOUNS = frozenset({"NOUN", "PROPN"})
_VERBS = frozenset({"VERB", "AUX"})


@dataclass(frozen=True, slots=True, eq=False)
class TokenArrays:
    """One side of all sentences: `tokens[starts[i]:starts[i + 1]]` are the types of sentence `i`."""

    types: tuple[tuple[str, ...], ...]
    tokens: Ints
    starts: Ints

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True, eq=False)
class SlotTable:
    """All slots in text order, one row each; positions index `TokenArrays.tokens`.

    - `head`: position of the verb that governs the source pronoun.
    - `label`: number of the class, or `NO_LABEL` where the label is withheld.
    - `candidates`: [slots, CANDIDATES, 2], source and target positions of preceding nouns.
    """

    segment: Ints
    source: Ints
    target: Ints
    head: Ints
    label: Ints
    candidates: Ints

    def __len__(self) -> int:
        return len(self.segment)


@dataclass(frozen=True, slots=True, eq=False)
class ContextArrays:
    """Sentence pairs with their slots; `previous` is the preceding sentence of the same document, if any."""

    source: TokenArrays
    target: TokenArrays
    previous: Ints
    slots: SlotTable


@dataclass(frozen=True, slots=True)
class ContextReader:
    """Reads the segments of one pair; `target` analyses word forms, if the data has no tags."""

    source: Analyser
    target: Analyser | None
    classes: tuple[str, ...]

    @classmethod
    def of(cls, pair: LanguagePair, *, forms: bool, classes: tuple[str, ...]) -> ContextReader:
        """With the built-in analysers of the two languages."""
        target = load_analyser("built-in", language=pair.target) if forms else None
        return cls(load_analyser("built-in", language=pair.source), target, classes)

    def read(self, segments: Sequence[TaskSegment]) -> ContextArrays:
        """The contexts of all slots; sentences without a slot in or right after them are left out."""

        def follows(number: int) -> bool:
            # Without document ids nothing is known of what came before.
            document = segments[number].document
            return number > 0 and document is not None and document == segments[number - 1].document

        kept = [
            number
            for number, segment in enumerate(segments)
            if segment.slots
            or (number + 1 < len(segments) and segments[number + 1].slots and follows(number + 1))
        ]
        chosen = [segments[number] for number in kept]
        sources = self.source.analyse([segment.source for segment in chosen])
        targets: Iterable[Analysis | None] = [None] * len(chosen)
        if self.target is not None:
            targets = self.target.analyse([segment.target for segment in chosen])
        builder = _ContextBuilder(self.classes)
        known = set(kept)
        for number, segment, source, target in zip(kept, chosen, sources, targets, strict=True):
            tags = None if target is None else target.tags
            builder.add(segment, source, tags, follows=follows(number) and number - 1 in known)
        return builder.arrays()


class _ContextBuilder:
    """The arrays under construction, one sentence at a time."""

    def __init__(self, classes: tuple[str, ...]) -> None:
        self._labels = {label: number for number, label in enumerate(classes)}
        self._source, self._target = _TokenBuilder(SOURCE_COLUMNS), _TokenBuilder(TARGET_COLUMNS)
        self._previous: list[int] = []
        self._rows: list[tuple[int, int, int, int, int]] = []
        self._candidates: list[list[tuple[int, int]]] = []
        self._nouns: list[tuple[int, int]] = []  # of the preceding sentence: source and target positions

    def add(
        self, segment: TaskSegment, analysis: Analysis, tags: tuple[str, ...] | None, *, follows: bool
    ) -> None:
        number = len(self._previous)
        roles = _roles(analysis)
        source = self._source.add(zip(segment.source, analysis.lemmas, analysis.tags, roles, strict=True))
        target = self._target.add(_target_rows(segment, tags))
        self._previous.append(number - 1 if follows else NO_SEGMENT)
        before = self._nouns if follows else []
        nouns = []
        for place, tag in enumerate(analysis.tags):
            if tag in _NOUNS:
                linked = segment.alignment.targets_of(place)
                nouns.append((source + place, target + linked[0] if linked else NO_TOKEN))
        for slot in segment.slots:
            head = source + head_of(slot, analysis)
            label = NO_LABEL if slot.label is None else self._labels[slot.label]
            self._rows.append((number, source + slot.source, target + slot.target, head, label))
            here = [noun for noun in nouns if noun[0] < source + slot.source]
            self._candidates.append([*before, *here][: -CANDIDATES - 1 : -1])
        self._nouns = nouns

    def arrays(self) -> ContextArrays:
        columns = np.array(self._rows, np.int64).reshape(-1, 5)
        candidates = np.full((len(self._rows), CANDIDATES, 2), NO_TOKEN, np.int64)
        for row, found in enumerate(self._candidates):
            if found:
                candidates[row, : len(found)] = found
        segment, source, target, head, label = columns.T
        table = SlotTable(segment, source, target, head, label, candidates)
        previous = np.array(self._previous, np.int64)
        return ContextArrays(self._source.arrays(), self._target.arrays(), previous, table)


class _TokenBuilder:
    """Types in the order of their first occurrence; type 0 is at position 0, where there is no token."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._types: dict[tuple[str, ...], int] = {("",) * len(columns): 0}
        self._tokens = [0]
        self._starts = [1]

    def add(self, rows: Iterable[tuple[str, ...]]) -> int:
        """Append a sentence and return the position of its first token."""
        types = self._types
        self._tokens.extend([types.setdefault(row, len(types)) for row in rows])
        self._starts.append(len(self._tokens))
        return self._starts[-2]

    def arrays(self) -> TokenArrays:
        tokens: Ints = np.array(self._tokens, np.int64)
        return TokenArrays(tuple(self._types), tokens, np.array(self._starts, np.int64))


def _roles(analysis: Analysis) -> Sequence[str]:
    """The relation of each word to its head, or without a tree the kind of subject that it is, if any."""
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
    """The type of every target token; without `tags` the tokens are `lemma|TAG`."""
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
    """The head of the source pronoun; without a tree the next verb, else the last one, else itself."""
    if analysis.tree is not None:
        head = analysis.tree.heads[slot.source]
        return slot.source if head is None else head
    verbs = [place for place, tag in enumerate(analysis.tags) if tag in _VERBS]
    after = [place for place in verbs if place >= slot.source]
    return after[0] if after else verbs[-1] if verbs else slot.source
