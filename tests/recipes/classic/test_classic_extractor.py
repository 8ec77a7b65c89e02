"""Rows of slots: which features are in them, in which order, and how often groups are evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from anaphor.core import Alignment, LanguagePair, Slot, TaskSegment
from anaphor.recipes.classic.extractor import FeatureExtractor, batched_rows, rows_of_each
from anaphor.recipes.classic.sparse import FeatureVocabulary
from anaphor.recipes.features.context import SlotContext
from anaphor.recipes.features.groups import Feature, FeatureGroup

PAIR = LanguagePair("en", "fr")
#: More than are named at once.
SEGMENTS = [TaskSegment((word,), ("REPLACE_0",), (Slot(0, 0),), Alignment()) for word in ["it", "they"] * 100]
NAMES = FeatureVocabulary(["length", "word=they", "word=it"])


@dataclass(frozen=True, eq=False)
class Words(FeatureGroup):
    """The pronoun by name, something that no model knows, and its length as a number."""

    calls: list[str] = field(default_factory=list)

    def features(self, context: SlotContext) -> Sequence[Feature]:
        self.calls.append(context.pronoun)
        return [f"word={context.pronoun}", "unknown", ("length", float(len(context.pronoun)))]


def test_a_row_has_the_known_features_in_their_order_with_their_values() -> None:
    ((_, rows),) = batched_rows(FeatureExtractor(PAIR, True, {"words": Words()}), SEGMENTS, NAMES)
    assert rows.columns.tolist() == [2, 0, 1, 0] * 100
    assert rows.values.tolist() == [1, 2, 1, 4] * 100
    assert np.diff(rows.starts).tolist() == [2] * 200


def test_a_group_of_two_extractors_is_evaluated_once() -> None:
    group = Words()
    extractors = [
        FeatureExtractor(PAIR, True, {"words": group}),
        FeatureExtractor(PAIR, True, {"again": group}),
    ]
    (batch,) = extractors[0].contexts(SEGMENTS)
    first, second = rows_of_each(
        batch, [(extractors[0], NAMES), (extractors[1], FeatureVocabulary(["length"]))]
    )
    assert group.calls == ["it", "they"] * 100
    assert first.columns.tolist() == [2, 0, 1, 0] * 100
    assert second.columns.tolist() == [0] * 200
    assert second.values.tolist() == [2, 4] * 100


def test_names_are_those_of_the_rows() -> None:
    extractor = FeatureExtractor(PAIR, True, {"words": Words()})
    (batch,) = extractor.contexts(SEGMENTS[:1])
    assert extractor.features(batch[0]) == {"word=it": 1.0, "unknown": 1.0, "length": 2.0}
