"""Occlusion: the words that a model misses are those that it goes by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest

from anaphor.core import Alignment, OptionError, Prediction, Slot, TaskSegment
from anaphor.predict.contract import ModelCard
from anaphor.predict.ensemble.mixture import Mixture
from anaphor.predict.ensemble.model import InterpolatedModel
from anaphor.predict.explain.occlusion import (
    UNSEEN,
    OcclusionRequest,
    Reach,
    WordPosition,
    masked_probabilities,
    occlude,
)

CARD = ModelCard(
    recipe="by word", family="none", version=1, pair="en-fr", year=2016, forms=True, classes=("il", "elle")
)


def segment(source: str, target: str, document: str | None = "a") -> TaskSegment:
    words = tuple(target.split())
    places = [place for place, word in enumerate(words) if word.startswith("REPLACE_")]
    slots = tuple(Slot(int(words[place].partition("_")[2]), place) for place in places)
    return TaskSegment(tuple(source.split()), words, slots, Alignment((), ()), document)


@dataclass
class ByWord:
    """*elle* with 0.9 where *lampe* stands in the sentence or the one before; remembers what it was shown."""

    card: ModelCard = CARD
    shown: list[int] = field(default_factory=list)

    def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
        self.shown.append(len(segments))
        before: TaskSegment | None = None
        for one in segments:
            near = before.target if before is not None and before.document == one.document else ()
            elle = 0.9 if "lampe" in (*near, *one.target) else 0.2
            label = "elle" if elle > 0.5 else "il"
            yield tuple(Prediction(label, (1 - elle, elle)) for _ in one.slots)
            before = one

    def save(self, folder: Path) -> None:
        raise NotImplementedError


TEXT = [
    segment("some other text", "un autre texte", "before"),
    segment("The lamp is old .", "La lampe est vieille ."),
    segment("Yes , it works .", "Oui , REPLACE_2 marche ."),
    segment("Good .", "Bien ."),
    segment("The end .", "La fin .", "after"),
]


def test_the_word_that_decides_falls_most_and_all_others_nothing() -> None:
    found = occlude(ByWord(), TEXT, segment=2, slot=0)
    assert found.label == "elle"
    assert found.probability == pytest.approx(0.9)
    best, second = found.strongest(2)
    assert (best.text, best.side, best.sentence, best.place) == ("lampe", "target", -1, 1)
    assert best.fall == pytest.approx(0.7)  # 0.9 with it, 0.2 without
    assert second.fall == 0


def test_every_word_within_reach_is_hidden_once_and_no_placeholder() -> None:
    found = occlude(ByWord(), TEXT, segment=2, slot=0)
    words = [(word.sentence, word.side, word.place) for word in found.words]
    assert len(words) == len(set(words)) == 5 + 5 + 5 + 4 + 2 + 2
    assert "REPLACE_2" not in {word.text for word in found.words}
    assert (found.first, len(found.sentences)) == (-1, 3), "the document is never left"


@pytest.mark.parametrize(
    ("reach", "sentences", "sides"),
    [
        (Reach(0, 0), {0}, {"source", "target"}),
        (Reach(1, 0), {-1, 0}, {"source", "target"}),
        (Reach(9, 9), {-1, 0, 1}, {"source", "target"}),
        (Reach(sides=("target",)), {-1, 0, 1}, {"target"}),
    ],
)
def test_the_scope_can_be_chosen(reach: Reach, sentences: set[int], sides: set[str]) -> None:
    found = occlude(ByWord(), TEXT, segment=2, slot=0, reach=reach)
    assert {word.sentence for word in found.words} == sentences
    assert {word.side for word in found.words} == sides


def test_without_ids_of_documents_only_the_own_sentence_is_looked_at() -> None:
    bare = [replace(one, document=None) for one in TEXT]
    assert len(occlude(ByWord(), bare, segment=2, slot=0).sentences) == 1


def test_a_negative_scope_is_refused() -> None:
    with pytest.raises(OptionError, match="below 0"):
        Reach(before=-1)


def test_words_are_hidden_many_at_a_time() -> None:
    model = ByWord()
    occlude(model, TEXT, segment=2, slot=0)
    # One prediction as it is, then 24 copies of three sentences (with and without each of 23 words) at once.
    assert model.shown == [3, 24 * 3]


def test_a_hidden_word_is_one_that_nobody_knows_in_its_place() -> None:
    seen: list[tuple[str, ...]] = []

    class Watching(ByWord):
        def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
            seen.extend(one.target for one in segments)
            return super().predict(segments)

    request = OcclusionRequest((TEXT[2],), 0, 0, (WordPosition(0, "target", 3),))
    assert masked_probabilities(Watching(), request).shape == (2, 2)
    assert seen == [TEXT[2].target, ("Oui", ",", "REPLACE_2", UNSEEN, ".")]


def test_an_ensemble_asks_each_member_in_its_own_way() -> None:
    class Masking(ByWord):
        def masked_probabilities(
            self, request: OcclusionRequest
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
            return np.tile([0.4, 0.6], (1 + len(request.positions), 1))

    both = InterpolatedModel(CARD, (ByWord(), Masking()), Mixture((0.5, 0.5), "linear"))
    request = OcclusionRequest((TEXT[1], TEXT[2]), 1, 0, (WordPosition(0, "target", 1),))
    # Half of 0.9 and half of 0.6, then without *lampe* half of 0.2 and half of 0.6.
    assert masked_probabilities(both, request)[:, 1] == pytest.approx([0.75, 0.4])
