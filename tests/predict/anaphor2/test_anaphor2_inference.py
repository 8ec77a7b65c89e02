"""Words hidden behind the mask of anaphor-2."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.anaphor2.encoding import encode
from anaphor.predict.anaphor2.inference import by_length, piece_spans
from anaphor.predict.anaphor2.joint import DecodingConfig
from anaphor.predict.anaphor2.model import Anaphor2Model
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.anaphor2.windows import InputView
from anaphor.predict.explain.occlusion import OcclusionRequest, WordPosition, occlude
from tests.support.slots import segment

EN_FR = LanguagePair("en", "fr")


def request(segments: list[TaskSegment], *places: WordPosition) -> OcclusionRequest:
    return OcclusionRequest(tuple(segments[:4]), 2, 0, places)


def test_the_first_row_is_what_the_model_predicts(model: Anaphor2Model, segments: list[TaskSegment]) -> None:
    found = model.masked_probabilities(
        request(segments, WordPosition(0, "source", 1), WordPosition(2, "target", 0))
    )
    assert found[0] == pytest.approx(model.probabilities(segments[:4])[2], abs=1e-6)
    assert found.sum(axis=1) == pytest.approx(np.ones(3))


def test_a_word_has_the_same_effect_alone_and_among_others(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    first, second = WordPosition(1, "source", 2), WordPosition(2, "target", 2)
    both = model.masked_probabilities(request(segments, first, second))
    alone = [model.masked_probabilities(request(segments, one))[1] for one in (first, second)]
    assert both[1:] == pytest.approx(np.array(alone), abs=1e-6)
    assert not np.allclose(both[0], both[1], atol=1e-4)


def test_words_outside_of_the_window_change_nothing(
    model: Anaphor2Model, segments: list[TaskSegment]
) -> None:
    narrow = model.with_config(DecodingConfig((InputView(0, 0),)))
    found = narrow.masked_probabilities(
        request(segments, WordPosition(0, "source", 1), WordPosition(2, "source", 1))
    )
    assert np.array_equal(found[0], found[1])
    assert not np.allclose(found[0], found[2], atol=1e-4)


def test_readings_are_averaged_as_in_prediction(model: Anaphor2Model, segments: list[TaskSegment]) -> None:
    readings = (InputView(), InputView(0, 0, 2))
    several = model.with_config(DecodingConfig(readings))
    found = several.masked_probabilities(request(segments))
    assert found[0] == pytest.approx(several.probabilities(segments[:4])[2], abs=1e-6)


@pytest.mark.parametrize("forms", [True, False])
def test_a_span_has_the_pieces_of_its_word(pieces: tuple[str, ...], forms: bool) -> None:
    target = "le jardin REPLACE_1 petit" if forms else "le|DET jardin|NOUN REPLACE_1 petit|ADJ"
    text = [segment("The houses it", target.replace("_1", "_2")), segment("it", "vieux REPLACE_0")]
    subwords = Subwords(pieces)
    encoded = encode(text, subwords, {}, pair=EN_FR, forms=forms)
    places = [WordPosition(0, "source", 1), WordPosition(0, "target", 3), WordPosition(1, "target", 0)]
    sides = {True: encoded.source.pieces, False: encoded.target.pieces}
    found = [sides[one.on_source][one.start : one.end].tolist() for one in piece_spans(text, places, encoded)]
    assert found == [list(subwords.encode(word)) for word in ("houses", "petit", "vieux")]


def test_no_batch_has_more_places_than_the_scorer_takes() -> None:
    batches = [batch.tolist() for batch in by_length([12, 202, 32, 12, 62], 120)]
    assert batches == [[1], [4], [2, 0, 3]]


def test_a_sentence_of_2000_words_is_explained(model: Anaphor2Model) -> None:
    text = [segment("old " * 300 + "it", "vieux " * 300 + "REPLACE_300")]
    found = occlude(model, text, segment=0, slot=0)
    assert len(found.words) == 601
    # A window is 256 pieces: what lies far outside of it was never read.
    assert found.words[0].fall == 0
