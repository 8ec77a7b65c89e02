"""Segments as arrays: every token the number of a type, every slot the positions a network looks at.

A type is a row of strings (form, lemma, tag, ...), independent of any vocabulary: a network maps the types to
its own numbers, some ten thousand rows, once. The tokens of all sentences are in one array; position 0 holds
no token, and whatever is absent (an unaligned candidate, a word beyond the sentence) points there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.analyse import load_analyser
from anaphor.core import Analysis, LanguagePair, Slot, TaskSegment
from anaphor.core.array_types import Longs
from anaphor.core.text import NOUNS, VERBS
from anaphor.languages import fold

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


@dataclass(frozen=True, slots=True, eq=False)
class TokenArrays:
    """One side of all sentences: `tokens[starts[i]:starts[i + 1]]` are the types of sentence `i`."""

    types: tuple[tuple[str, ...], ...]
    tokens: Longs
    starts: Longs

    def __len__(self) -> int:
        return len(self.starts) - 1


@dataclass(frozen=True, slots=True, eq=False)
class SlotTable:
    """All slots in text order, one row each; positions index `TokenArrays.tokens`.

    - `head`: position of the verb that governs the source pronoun.
    - `label`: number of the class, or `NO_LABEL` if the label is withheld.
    - `candidates`: [slots, CANDIDATES, 2], source and target positions of preceding nouns.
    """

    segment: Longs
    source: Longs
    target: Longs
    head: Longs
    label: Longs
    candidates: Longs

    def __len__(self) -> int:
        return len(self.segment)


@dataclass(frozen=True, slots=True, eq=False)
class ContextArrays:
    """Sentence pairs with their slots; `previous` is the preceding sentence of the same document, if any."""

    source: TokenArrays
    target: TokenArrays
    previous: Longs
    slots: SlotTable


class ContextReader:
    """Reads the segments of one pair with the built-in analysers.

    `forms`: whether targets have word forms, which need analysing, rather than `lemma|TAG`.
    """

    def __init__(self, pair: LanguagePair, *, forms: bool, classes: tuple[str, ...]) -> None:
        self._source = load_analyser("built-in", language=pair.source)
        self._target = load_analyser("built-in", language=pair.target) if forms else None
        self._labels = {label: number for number, label in enumerate(classes)}

    def read(self, segments: Sequence[TaskSegment]) -> ContextArrays:
        """The contexts of all slots; sentences without a slot in or right after them are left out."""

        def follows(place: int) -> bool:
            # Without document ids nothing is known of what came before.
            document = segments[place].document
            return place > 0 and document is not None and document == segments[place - 1].document

        kept = [
            place
            for place, segment in enumerate(segments)
            if segment.slots
            or (place + 1 < len(segments) and segments[place + 1].slots and follows(place + 1))
        ]
        chosen = [segments[place] for place in kept]
        sources = self._source.analyse([segment.source for segment in chosen])
        targets: Iterable[Analysis | None] = [None] * len(chosen)
        if self._target is not None:
            targets = self._target.analyse([segment.target for segment in chosen])
        source_tokens, target_tokens = _TokenBuilder(SOURCE_COLUMNS), _TokenBuilder(TARGET_COLUMNS)
        previous: list[int] = []
        rows: list[tuple[int, int, int, int, int]] = []
        candidates: list[list[tuple[int, int]]] = []
        nouns: list[tuple[int, int]] = []  # of the preceding sentence: source and target positions
        analysed = zip(chosen, sources, targets, strict=True)
        for number, (segment, analysis, target_analysis) in enumerate(analysed):
            continues = number > 0 and kept[number - 1] == kept[number] - 1 and follows(kept[number])
            previous.append(number - 1 if continues else NO_SEGMENT)
            types = zip(segment.source, analysis.lemmas, analysis.tags, roles_of(analysis), strict=True)
            source = source_tokens.add(types)
            target = target_tokens.add(_target_rows(segment, target_analysis))
            before, nouns = nouns if continues else [], []
            for place, tag in enumerate(analysis.tags):
                if tag in NOUNS:
                    linked = segment.alignment.targets_of(place)
                    nouns.append((source + place, target + linked[0] if linked else NO_TOKEN))
            for slot in segment.slots:
                head = source + head_of(slot, analysis)
                label = NO_LABEL if slot.label is None else self._labels.get(slot.label, NO_LABEL)
                rows.append((number, source + slot.source, target + slot.target, head, label))
                here = [noun for noun in nouns if noun[0] < source + slot.source]
                candidates.append([*before, *here][: -CANDIDATES - 1 : -1])
        return ContextArrays(
            source_tokens.arrays(),
            target_tokens.arrays(),
            np.array(previous, np.int64),
            _slot_table(rows, candidates),
        )


def _slot_table(
    rows: Sequence[tuple[int, ...]], candidates: Sequence[Sequence[tuple[int, int]]]
) -> SlotTable:
    segment, source, target, head, label = np.array(rows, np.int64).reshape(-1, 5).T
    table = np.full((len(rows), CANDIDATES, 2), NO_TOKEN, np.int64)
    for row, pairs in enumerate(candidates):
        if pairs:
            table[row, : len(pairs)] = pairs
    return SlotTable(segment, source, target, head, label, table)


class _TokenBuilder:
    """Types in the order of their first occurrence; type 0 is at position 0, if there is no token."""

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
        tokens: Longs = np.array(self._tokens, np.int64)
        return TokenArrays(tuple(self._types), tokens, np.array(self._starts, np.int64))


def roles_of(analysis: Analysis) -> Sequence[str]:
    """The relation of each word to its head, or, without a tree, its type of subject, if any."""
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


def _target_rows(segment: TaskSegment, analysis: Analysis | None) -> Iterator[tuple[str, ...]]:
    """The type of every target token; without an analysis the tokens are `lemma|TAG`."""
    hidden = {slot.target for slot in segment.slots}
    for place, token in enumerate(segment.target):
        if place in hidden:
            yield (PLACEHOLDER, PLACEHOLDER)
        elif analysis is None:
            lemma, _, tag = token.rpartition("|")
            yield (fold(lemma), tag) if lemma else (fold(tag), "")
        else:
            yield (fold(token), analysis.tags[place])


def head_of(slot: Slot, analysis: Analysis) -> int:
    """The head of the source pronoun; without a tree the next verb, or the last one, or itself."""
    if analysis.tree is not None:
        head = analysis.tree.heads[slot.source]
        return slot.source if head is None else head
    verbs = [place for place, tag in enumerate(analysis.tags) if tag in VERBS]
    after = [place for place in verbs if place >= slot.source]
    return after[0] if after else verbs[-1] if verbs else slot.source
