"""The training data of anaphor-2: segments of several sub-tasks as one set of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.anaphor2.encoding import EncodedSegments, Numbers, encode, language_numbers
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.anaphor2.windows import domain_of


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """Encoded segments; `given` has a row per segment: domain, source and target language."""

    encoded: EncodedSegments
    given: Numbers

    @classmethod
    def of(
        cls,
        segments: Sequence[TaskSegment],
        subwords: Subwords,
        classes: Mapping[str, int],
        *,
        pair: LanguagePair,
        forms: bool,
    ) -> TrainingCorpus:
        """The segments of one sub-task."""
        languages = language_numbers(pair)
        given = np.array([(domain_of(one.document), *languages) for one in segments], dtype=np.int32)
        return cls(encode(segments, subwords, classes, pair=pair, forms=forms), given)
