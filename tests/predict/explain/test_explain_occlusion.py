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
from anaphor.predict.explain import WordEvidence, explanation
from anaphor.predict.explain.occlusion import (
    UNSEEN,
    HiddenWord,
    Occlusion,
    OcclusionRequest,
    Reach,
    WordPosition,
    masked_probabilities,
    occlude,
)
from anaphor.predict.explain.slot import FeatureExplanation, WordExplanation, explain_slot
from anaphor.report.emit import emit

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


def test_without_document_ids_only_the_sentence_itself_is_read() -> None:
    bare = [replace(one, document=None) for one in TEXT]
    assert len(occlude(ByWord(), bare, segment=2, slot=0).sentences) == 1


def test_a_negative_scope_is_refused() -> None:
    with pytest.raises(OptionError, match="negative"):
        Reach(before=-1)


def test_words_are_hidden_many_at_a_time() -> None:
    model = ByWord()
    occlude(model, TEXT, segment=2, slot=0)
    # One prediction as it is, then 24 copies of three sentences (with and without each of 23 words) at once.
    assert model.shown == [3, 24 * 3]


def test_a_hidden_word_is_replaced_by_an_unknown_word() -> None:
    seen: list[tuple[str, ...]] = []

    class Watching(ByWord):
        def predict(self, segments: Sequence[TaskSegment]) -> Iterator[tuple[Prediction, ...]]:
            seen.extend(one.target for one in segments)
            return super().predict(segments)

    request = OcclusionRequest((TEXT[2],), 0, 0, (WordPosition(0, "target", 3),))
    assert masked_probabilities(Watching(), request).shape == (2, 2)
    assert seen == [TEXT[2].target, ("Oui", ",", "REPLACE_2", UNSEEN, ".")]


def test_an_ensemble_hides_words_in_each_member_its_own_way() -> None:
    class Masking(ByWord):
        def masked_probabilities(
            self, request: OcclusionRequest
        ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
            return np.tile([0.4, 0.6], (1 + len(request.positions), 1))

    both = InterpolatedModel(CARD, (ByWord(), Masking()), Mixture((0.5, 0.5), "linear"))
    request = OcclusionRequest((TEXT[1], TEXT[2]), 1, 0, (WordPosition(0, "target", 1),))
    # Half of 0.9 and half of 0.6, then without *lampe* half of 0.2 and half of 0.6.
    assert masked_probabilities(both, request)[:, 1] == pytest.approx([0.75, 0.4])


def test_words_of_equal_effect_stay_in_text_order() -> None:
    found = occlude(ByWord(), TEXT, segment=2, slot=0)
    _, *others = found.strongest(5)
    assert [(word.sentence, word.side, word.place) for word in others] == [
        (-1, "source", 0),
        (-1, "source", 1),
        (-1, "source", 2),
        (-1, "source", 3),
    ]


def test_a_word_whose_absence_raises_the_class_is_as_strong_as_one_that_lowers_it() -> None:
    words = [HiddenWord(0, "source", place, "w", fall) for place, fall in enumerate([0.1, -0.3, 0.2])]
    found = Occlusion("il", 0.5, (0.5, 0.5), 0, (TEXT[2],), tuple(words))
    assert [word.fall for word in found.strongest(2)] == [-0.3, 0.2]


@pytest.mark.parametrize(("before", "after", "expected"), [(2, 0, (-2, 3)), (1, 2, (-1, 4)), (0, 1, (0, 2))])
def test_reach_counts_sentences(before: int, after: int, expected: tuple[int, int]) -> None:
    text = [segment("a", "b")] * 3 + [segment("it", "REPLACE_0")] + [segment("a", "b")] * 3
    found = occlude(ByWord(), text, segment=3, slot=0, reach=Reach(before, after))
    assert (found.first, len(found.sentences)) == expected


def test_more_words_than_a_batch_holds_are_predicted_in_order() -> None:
    text = [segment("a " * 100 + "it", "b " * 99 + "lampe REPLACE_100")]
    model = ByWord()
    found = occlude(model, text, segment=0, slot=0)
    assert [word.text for word in found.words if word.fall] == ["lampe"]
    assert model.shown == [1, 64, 64, 64, 10]  # all words once, then 1 + 101 + 100 copies


def test_evidence_is_sorted_by_size_then_name_and_nothing_is_left_out_but_zeros() -> None:
    given = [
        WordEvidence("c", 0.1),
        WordEvidence("b", -0.2),
        WordEvidence("zero", 0.0),
        WordEvidence("a", 0.2),
    ]
    found = explanation("il", "elle", given)
    assert [one.feature for one in found.evidence] == ["a", "b", "c"]


@pytest.mark.parametrize(("number", "slot"), [(-1, 0), (5, 0), (2, 1), (2, -1), (0, 0)])
def test_a_missing_slot_is_an_error(number: int, slot: int) -> None:
    with pytest.raises(OptionError, match="does not exist"):
        explain_slot(ByWord(), TEXT, segment=number, slot=slot)


def test_models_without_features_are_explained_by_words() -> None:
    found = explain_slot(ByWord(), TEXT, segment=2, slot=0, top=1)
    assert isinstance(found, WordExplanation)
    content = found.to_dict()
    assert (content["label"], content["probabilities"]["elle"]) == ("elle", 0.9)
    assert [one["sentence"] for one in content["sentences"]] == [-1, 0, 1]
    assert [word["text"] for word in content["words"]] == ["lampe"]
    text = emit(found)
    assert "-1 target  La █lampe est vieille ." in text
    assert " 0 target  Oui , [REPLACE_2] marche ." in text
    with pytest.raises(OptionError, match="no features"):
        explain_slot(ByWord(), TEXT, segment=2, slot=0, by="features")


def test_the_members_of_an_ensemble_are_features_on_request_only() -> None:
    both = InterpolatedModel(CARD, (ByWord(), ByWord()), Mixture((0.25, 0.75), "linear"))
    assert isinstance(explain_slot(both, TEXT, segment=2, slot=0), WordExplanation)
    found = explain_slot(both, TEXT, segment=2, slot=0, by="features")
    assert isinstance(found, FeatureExplanation)
    assert [one.amount for one in found.explanation.evidence] == pytest.approx([0.6, 0.2])  # 0.9 - 0.1
    assert "for elle against il" in emit(found)
