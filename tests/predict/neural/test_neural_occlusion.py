"""Networks are explained by words: each of them misses words that it reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from anaphor.core import TaskSegment
from anaphor.predict.explain.occlusion import occlude
from anaphor.predict.families import build_predictor
from anaphor.task import TaskClasses

pytest.importorskip("torch", reason="torch is not installed: pip install 'anaphor[neural]'")
pytestmark = pytest.mark.filterwarnings("ignore:the training data never has")


def test_a_network_is_less_sure_without_the_words_that_it_reads(
    recipe: dict[str, Any], twenty: Sequence[TaskSegment], classes: TaskClasses
) -> None:
    few = {**recipe, "options": {**recipe["options"], "epochs": 10}}
    model = build_predictor(few).fit(twenty, classes=classes)
    found = occlude(model, twenty, segment=1, slot=0)
    (prediction,) = list(model.predict(twenty[:2]))[1]
    assert found.label == prediction.label
    assert found.probabilities == pytest.approx(prediction.probabilities)
    assert len(found.words) == 4 + 4 + 6 + 5  # both sentences on both sides, without the placeholder
    assert abs(found.strongest(1)[0].fall) > 0.001
