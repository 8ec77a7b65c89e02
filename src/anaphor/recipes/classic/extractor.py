"""The features of a corpus as sparse rows: extracted, numbered, counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, islice

import numpy as np

from anaphor.core import LanguagePair, OptionError, TaskSegment
from anaphor.core.array_types import Ints
from anaphor.predict.base import TrainingData
from anaphor.predict.parallel import parts_of, processes_for, run_parallel
from anaphor.recipes.classic import sparse
from anaphor.recipes.classic.sparse import FeatureVocabulary, GrowingVocabulary, SparseRows, Vocabulary
from anaphor.recipes.features.context import ContextBuilder, Requirements, SlotContext, joint_requirements
from anaphor.recipes.features.groups import FeatureGroup

_BATCH = 4096
#: Slots whose features are named before they are numbered: the names of more would not fit into the caches.
_NAMED = 64


@dataclass(frozen=True, slots=True)
class FeatureExtractor:
    """Extracts the features of slots of one language pair with some feature groups."""

    pair: LanguagePair
    forms: bool
    groups: Mapping[str, FeatureGroup]

    @property
    def requirements(self) -> Requirements:
        """What all groups together require of a slot context."""
        return joint_requirements(group.requirements for group in self.groups.values())

    def contexts(self, segments: Sequence[TaskSegment]) -> Iterator[list[SlotContext]]:
        """The contexts of all slots, some thousands at a time; features are extracted batch by batch."""
        contexts = ContextBuilder(self.pair, self.forms, self.requirements).contexts(segments)
        while batch := list(islice(contexts, _BATCH)):
            for group in self.groups.values():
                group.precompute(batch)
            yield batch

    def rows(self, contexts: Sequence[SlotContext], indexer: Vocabulary) -> SparseRows:
        """One row per slot, with those of its features that have a number."""
        return rows_of_each(contexts, [(self, indexer)])[0]

    def features(self, context: SlotContext) -> dict[str, float]:
        """The features of one slot by name."""
        values: dict[str, float] = {}
        for group in self.groups.values():
            for feature in group.features(context):
                name, value = feature if isinstance(feature, tuple) else (feature, 1.0)
                # Two groups may name the same feature; a linear model would add their weights as well.
                values[name] = values.get(name, 0.0) + value
        return values


def rows_of_each(
    contexts: Sequence[SlotContext],
    extractors: Sequence[tuple[FeatureExtractor, Vocabulary]],
) -> list[SparseRows]:
    """The rows of the same slots for each extractor; a group that several have is evaluated once."""
    groups = dict.fromkeys(group for extractor, _ in extractors for group in extractor.groups.values())
    tables: list[list[SparseRows]] = [[] for _ in extractors]
    for start in range(0, len(contexts), _NAMED):
        some = contexts[start : start + _NAMED]
        blocks = {group: group.extract_batch(some) for group in groups}
        for rows, (extractor, indexer) in zip(tables, extractors, strict=True):
            parts = [block for group in extractor.groups.values() for block in blocks[group]]
            rows.append(indexer.rows(parts, len(some)))
    return [sparse.stacked(rows) for rows in tables]


def batched_rows(
    extractor: FeatureExtractor, segments: Sequence[TaskSegment], vocabulary: FeatureVocabulary
) -> Iterator[tuple[list[SlotContext], SparseRows]]:
    """Contexts and rows of all slots, a batch at a time; features outside of the vocabulary are ignored."""
    for batch in extractor.contexts(segments):
        yield batch, extractor.rows(batch, vocabulary)


@dataclass(frozen=True, slots=True, eq=False)
class LabelledRows:
    """Rows of the slots that have a label, the number of each label, and the names of the columns."""

    rows: SparseRows
    labels: Ints
    names: tuple[str, ...]


def learn_features(
    groups: Mapping[str, FeatureGroup],
    data: TrainingData,
    *,
    least: int,
    observe: Callable[[list[SlotContext]], None] | None = None,
) -> tuple[LabelledRows, FeatureExtractor]:
    """The rows of the training data, and the extractor for other text."""
    forms, classes = data.forms, data.classes
    trained = {
        name: group.learn(data.segments, classes=classes, forms=forms) for name, group in groups.items()
    }
    labelled = training_rows(
        FeatureExtractor(classes.pair, forms, trained),
        data.segments,
        data.labels,
        least=least,
        progress=lambda share: data.progress("features", share / 2),
        observe=observe,
    )
    data.progress("learning", 0.5)
    unseen = {name: group.unseen() for name, group in trained.items()}
    return labelled, FeatureExtractor(classes.pair, forms, unseen)


def training_rows(
    extractor: FeatureExtractor,
    segments: Sequence[TaskSegment],
    labels: Sequence[str],
    *,
    least: int,
    progress: Callable[[float], None],
    observe: Callable[[list[SlotContext]], None] | None = None,
) -> LabelledRows:
    """The rows of all slots with a label; features of fewer than `least` rows are left out.

    A long text is split among several processes, unless there is an observer, which is shown all contexts, a
    batch at a time.
    """
    numbers = {label: number for number, label in enumerate(labels)}

    def rows_of_part(part: range, report: Callable[[float], None]) -> LabelledRows:
        vocabulary = GrowingVocabulary()
        rows: list[SparseRows] = []
        classes: list[int] = []
        chosen = segments[part.start : part.stop]
        total = max(sum(len(segment.slots) for segment in chosen), 1)
        seen = 0
        for batch in extractor.contexts(chosen):
            if observe is not None:
                observe(batch)
            labelled = [context for context in batch if context.slot.label is not None]
            rows.append(extractor.rows(labelled, vocabulary))
            classes += [numbers[str(context.slot.label)] for context in labelled]
            seen += len(batch)
            report(seen / total)
        return LabelledRows(sparse.stacked(rows), np.array(classes, np.int32), tuple(vocabulary))

    # An observer learns from what it is shown, so it must be in this process.
    processes = 1 if observe else processes_for(len(segments))
    documents = [segment.document for segment in segments]
    # No document is cut: features look back at the sentences before.
    parts = parts_of(documents, [len(segment.slots) for segment in segments], count=processes)
    data = _merged([*run_parallel(rows_of_part, parts, processes=processes, progress=progress)])
    kept = np.bincount(data.rows.columns, minlength=len(data.names)) >= least
    if not kept.any():
        raise OptionError(
            f"no feature is found in {least} slots",
            where="options.least",
            fix="use more training data, or a lower number",
        )
    names = tuple(compress(data.names, kept.tolist()))
    return LabelledRows(data.rows.only(kept), data.labels, names)


def _merged(parts: Sequence[LabelledRows]) -> LabelledRows:
    """The rows of all parts, their features numbered as if the parts had been one."""
    if len(parts) == 1:
        return parts[0]
    vocabulary = GrowingVocabulary()
    rows = []
    for part in parts:
        numbers = vocabulary.numbers(part.names)
        rows.append(SparseRows(part.rows.starts, numbers[part.rows.columns], part.rows.values))
    labels = np.concatenate([part.labels for part in parts])
    return LabelledRows(sparse.stacked(rows), labels, tuple(vocabulary))
