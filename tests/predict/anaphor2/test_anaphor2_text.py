"""Pieces, arrays and windows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.anaphor2.encoding import (
    ANY_DOMAIN,
    NO_LABEL,
    TAGS,
    EncodedSegments,
    TrainingCorpus,
    domain_of,
    encode,
)
from anaphor.predict.anaphor2.genders import MASKS
from anaphor.predict.anaphor2.inference import PieceSpan, places_in
from anaphor.predict.anaphor2.joint import class_numbers
from anaphor.predict.anaphor2.subwords import PAD, SEPARATOR, SLOT, START, UNKNOWN, Subwords, learn_pieces
from anaphor.predict.anaphor2.windows import (
    LONGEST,
    InputView,
    PieceWindow,
    around,
    as_rows,
    batch_of,
    packed,
)
from tests.support.slots import segment
from tools.train_anaphor2 import arrays_of, corpus_of, joined

EN_FR = LanguagePair("en", "fr")

COUNTS = {"c'": 90, "cela": 60, "celle": 50, "est": 80}


def test_frequent_words_are_one_piece_and_elisions_are_not_split() -> None:
    subwords = Subwords(learn_pieces(COUNTS, 60))
    assert [len(subwords.encode(word)) for word in ("c'", "C'", "cela", "est")] == [1, 1, 1, 1]
    words = ["celles", "c'", "celles"]
    assert subwords.encode_all(words) == [subwords.encode(word) for word in words]


def test_pieces_of_a_word_spell_it() -> None:
    subwords = Subwords(learn_pieces(COUNTS, 30))
    spelled = "".join(subwords.pieces[number] for number in subwords.encode("celles"))
    assert spelled == f"{START}celles"


def test_a_letter_never_seen_is_unknown() -> None:
    assert UNKNOWN in Subwords(learn_pieces(COUNTS, 30)).encode("ж")


def test_text_that_is_spelled_like_a_mark_is_text() -> None:
    subwords = Subwords(learn_pieces(COUNTS, 30))
    assert not {PAD, SLOT, SEPARATOR} & set(subwords.encode("c<pad><slot><sep>"))


def test_the_order_of_words_does_not_change_the_pieces() -> None:
    assert set(learn_pieces(COUNTS, 40)) == set(learn_pieces(dict(reversed(COUNTS.items())), 40))


@given(st.text(min_size=1, max_size=30))
def test_every_word_has_pieces(word: str) -> None:
    assert Subwords(learn_pieces(COUNTS, 40)).encode(word)


def test_a_placeholder_is_one_piece_with_the_number_of_its_pronoun(pieces: tuple[str, ...]) -> None:
    text = [segment("it is", "REPLACE_0 est", "il"), segment("so it", "donc REPLACE_1", "elle")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    assert encoded.target.pieces[encoded.slot_targets].tolist() == [SLOT, SLOT]
    assert encoded.target.links[encoded.slot_targets].tolist() == [1, 2]
    assert encoded.source.links[encoded.slot_sources].tolist() == [1, 2]
    assert encoded.slot_segments.tolist() == [0, 1]
    names = class_numbers("en-fr")
    assert encoded.labels.tolist() == [names["il"], names["elle"]]


def test_a_withheld_label_has_no_number(pieces: tuple[str, ...]) -> None:
    encoded = encode([segment("it", "REPLACE_0")], Subwords(pieces), {}, pair=EN_FR, forms=True)
    assert encoded.labels.tolist() == [NO_LABEL]


def test_lemmas_are_read_with_their_tags(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        [segment("it is", "REPLACE_0 être|VERB a|b", "il")],
        Subwords(pieces),
        class_numbers("en-fr"),
        pair=EN_FR,
        forms=False,
    )
    words = encode(
        [segment("it is", "REPLACE_0 être a", "il")],
        Subwords(pieces),
        class_numbers("en-fr"),
        pair=EN_FR,
        forms=True,
    )
    assert encoded.target.pieces.tolist() == words.target.pieces.tolist()
    assert len(set(encoded.target.tags.tolist())) == 3


def numbered(pieces: tuple[str, ...], count: int, document: str) -> list[TaskSegment]:
    return [segment("old it is", "vieux REPLACE_1 est", "il", document=document) for _ in range(count)]


def test_a_window_never_reaches_into_another_document(pieces: tuple[str, ...]) -> None:
    text = [*numbered(pieces, 3, "a"), *numbered(pieces, 3, "b")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    windows, of_slot = around(encoded, InputView(5, 5))
    assert len(of_slot) == 6
    for slot, number in enumerate(of_slot.tolist()):
        window = windows[number]
        inside = encoded.documents[encoded.target.segments[window.target_start : window.target_end]]
        assert set(inside.tolist()) == {encoded.documents[encoded.slot_segments[slot]]}


def held(encoded: EncodedSegments, window: PieceWindow) -> list[int]:
    """The segments of a window."""
    return sorted(set(encoded.target.segments[window.target_start : window.target_end].tolist()))


def test_the_nearest_sentences_come_first(pieces: tuple[str, ...]) -> None:
    plain = segment("old", "vieux", document="a")
    text = [plain] * 3 + numbered(pieces, 1, "a") + [plain] * 2
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    windows, of_slot = around(encoded, InputView(2, 1))
    assert held(encoded, windows[of_slot[0]]) == [1, 2, 3, 4]


def test_neighbours_share_a_window_of_at_most_seven_segments(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        numbered(pieces, 12, "a"), Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True
    )
    windows, of_slot = around(encoded, InputView(3, 1))
    # Segments 0 to 5 reach up to 6; 6 asks for 3 to 7, which 7 to 8 extend up to 9; 9 asks for 6 to 10.
    assert [held(encoded, window) for window in windows] == [
        list(range(7)),
        list(range(3, 10)),
        list(range(6, 12)),
    ]
    assert of_slot.tolist() == [0] * 6 + [1] * 3 + [2] * 3


def test_a_shared_window_has_the_context_of_each_of_its_slots(pieces: tuple[str, ...]) -> None:
    words = " ".join(["old"] * 17)
    text = [segment(f"{words} it", f"{words} REPLACE_17", document="a") for _ in range(9)]
    encoded = encode(text, Subwords(pieces), {}, pair=EN_FR, forms=True)
    windows, of_slot = around(encoded, InputView(2, 1))
    assert len(of_slot) == 9
    for number, window in enumerate(of_slot.tolist()):
        wanted = set(range(max(0, number - 2), min(9, number + 2)))
        assert wanted <= set(held(encoded, windows[window]))
        assert len(held(encoded, windows[window])) * 36 <= LONGEST - 2


def test_without_context_no_window_is_shared(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        numbered(pieces, 5, "a"), Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True
    )
    assert len(around(encoded, InputView(0, 0))[0]) == 5


def test_a_long_sentence_is_cut_around_each_of_its_slots(pieces: tuple[str, ...]) -> None:
    words = " ".join(["old"] * 2000)
    text = [segment(f"{words} it {words} it", f"{words} REPLACE_2000 {words} REPLACE_4001", "il", "elle")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    windows, of_slot = around(encoded, InputView())
    assert len(windows) == 2
    for slot, number in enumerate(of_slot.tolist()):
        window = windows[number]
        assert window.target_start <= encoded.slot_targets[slot] < window.target_end
        assert window.source_start <= encoded.slot_sources[slot] < window.source_end
        assert sum(np.diff([*window[:2]])) + sum(np.diff([*window[2:4]])) <= LONGEST - 2
    # Half a window is 127 pieces: 63 before the slot, or more where the sentence ends.
    assert [window[:4] for window in windows] == [(1937, 2064) * 2, (3875, 4002) * 2]


def test_training_windows_hold_every_segment_once(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        numbered(pieces, 50, "a"), Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True
    )
    windows = packed(encoded, np.random.default_rng(1))
    held = [place for window in windows for place in range(window.target_start, window.target_end)]
    assert held == list(range(len(encoded.target.pieces)))


def test_a_training_window_keeps_the_first_half_of_sides_that_are_too_long(pieces: tuple[str, ...]) -> None:
    text = [segment("old " * 300, "vieux " * 300), segment("old " * 300, "vieux", document="b")]
    encoded = encode(text, Subwords(pieces), {}, pair=EN_FR, forms=True)
    windows = packed(encoded, np.random.default_rng(1))
    assert windows == [PieceWindow(0, 127, 0, 127, 0, 1), PieceWindow(300, 427, 300, 301, 1, 1)]


def test_sentences_are_counted_from_the_first_of_the_window(pieces: tuple[str, ...]) -> None:
    plain = segment("old", "vieux", document="a")
    encoded = encode(
        [plain, plain, *numbered(pieces, 1, "a")], Subwords(pieces), {"il": 0}, pair=EN_FR, forms=True
    )
    rows = as_rows(around(encoded, InputView(1, 0))[0])
    batch, _ = batch_of(np, encoded, rows, np.array([[0, 1, 2]]), np.arange(10, dtype=np.int32))
    # domain, old | old it is, separator, vieux | vieux REPLACE est
    assert batch.sentences[0].tolist() == [0, 0, 1, 1, 1, 0, 0, 1, 1, 1]


def test_a_batch_is_laid_out_as_the_docstring_draws_it(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        [segment("it is", "REPLACE_0 est", "il")],
        Subwords(pieces),
        class_numbers("en-fr"),
        pair=EN_FR,
        forms=True,
    )
    rows = as_rows(around(encoded, InputView())[0])
    given = np.array([[3, 1, 2]], dtype=np.int32)
    batch, from_target = batch_of(np, encoded, rows, given, np.arange(8, dtype=np.int32))
    it, is_, est = (Subwords(pieces).encode(word)[0] for word in ("it", "is", "est"))
    assert batch.pieces[0].tolist() == [8, it, is_, SEPARATOR, SLOT, est, 0, 0]
    assert batch.languages[0].tolist() == [0, 1, 1, 0, 2, 2, 0, 0]
    assert batch.links[0].tolist() == [0, 1, 0, 0, 1, 0, 0, 0]
    assert from_target[0].tolist() == [-1, -1, -1, -1, 0, 1, -1, -1]


def test_corpora_are_joined_and_stored_without_loss(
    segments: list[TaskSegment], pieces: tuple[str, ...]
) -> None:
    encoded = encode(segments, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    corpus = TrainingCorpus(encoded, np.tile(np.array([0, 1, 2], dtype=np.int32), (len(segments), 1)))
    twice = joined([corpus, corpus_of(arrays_of(corpus))])
    half = len(segments)
    assert twice.encoded.documents[half:].min() > twice.encoded.documents[:half].max()
    again = encode([*segments, *segments], Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    for side in ("source", "target"):
        for name in ("pieces", "starts", "segments", "tags"):
            assert np.array_equal(
                getattr(getattr(twice.encoded, side), name), getattr(getattr(again, side), name)
            )
    assert np.array_equal(twice.encoded.slot_targets, again.slot_targets)


def test_ties_between_pieces_are_merged_in_alphabetical_order() -> None:
    counts = {"ab": 30, "cd": 30, "ef": 30}
    one_merge = len(learn_pieces(counts, 0)) + 1
    assert learn_pieces(counts, one_merge)[-1] == f"{START}ab"
    assert learn_pieces(dict(reversed(counts.items())), one_merge)[-1] == f"{START}ab"


def test_two_slots_of_one_pronoun_share_its_first_link(pieces: tuple[str, ...]) -> None:
    text = [segment("it is", "REPLACE_0 est REPLACE_0", "il", "elle")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    assert encoded.source.links.tolist() == [1, 0]
    assert encoded.target.links[encoded.slot_targets].tolist() == [1, 2]


def test_an_unknown_tag_is_the_last_one_and_a_form_has_none(pieces: tuple[str, ...]) -> None:
    text = [segment("it", "REPLACE_0 être|VERB vieux|QQ |", "il")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=False)
    of_words = dict.fromkeys(encoded.target.tags.tolist())
    assert list(of_words) == [0, TAGS.index("VERB") * MASKS, (len(TAGS) - 1) * MASKS]
    assert encoded.target.tags[-1] == 0  # a bar alone is a word


@pytest.mark.parametrize(
    ("document", "domain"),
    [
        ("europarl/ep-00-01", 0),
        ("EUROPARL-1", 0),
        ("tatoeba", 1),
        ("debian-handbook", 2),
        ("scat.train", 3),
        ("ted-talk-1", 4),
        ("bible-news", 2),  # the first domain that fits
        ("letter", ANY_DOMAIN),
        (None, ANY_DOMAIN),
    ],
)
def test_the_domain_follows_from_the_name_of_the_document(document: str | None, domain: int) -> None:
    assert domain_of(document) == domain


@pytest.mark.parametrize(
    ("words", "context", "expected"),
    [
        (60, InputView(2, 2), [1, 2]),  # of 120 pieces each, two fit: the preceding one comes first
        (40, InputView(2, 2), [1, 2, 3]),  # three fit: then the following one
        (30, InputView(2, 2), [0, 1, 2, 3]),  # four fit: then the second before
        (40, InputView(0, 2), [2, 3, 4]),
    ],
)
def test_context_is_added_back_and_forth_while_it_fits(
    pieces: tuple[str, ...], words: int, context: InputView, expected: list[int]
) -> None:
    filler = " ".join(["old"] * words)
    text = [segment(filler, filler, document="a") for _ in range(5)]
    text[2] = segment(f"{filler} it", f"{filler} REPLACE_{words}", document="a")
    encoded = encode(text, Subwords(pieces), {}, pair=EN_FR, forms=True)
    assert len(Subwords(pieces).encode("old")) == 1
    windows, _ = around(encoded, context)
    assert [held(encoded, window) for window in windows] == [expected]


def test_training_windows_stay_within_documents_and_may_be_single(pieces: tuple[str, ...]) -> None:
    text = [*numbered(pieces, 10, "a"), *numbered(pieces, 10, "b")]
    encoded = encode(text, Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True)
    for window in packed(encoded, np.random.default_rng(2), alone=0.0):
        assert len({text[number].document for number in held(encoded, window)}) == 1
    sizes = [len(held(encoded, window)) for window in packed(encoded, np.random.default_rng(2), alone=1.0)]
    assert sizes[1:] == [1] * (len(sizes) - 1)  # the limit is drawn anew after every window
    assert max(len(held(encoded, one)) for one in packed(encoded, np.random.default_rng(2), most=3)) == 3


def test_links_of_a_window_count_from_its_first_slot(pieces: tuple[str, ...]) -> None:
    encoded = encode(
        numbered(pieces, 20, "a"), Subwords(pieces), class_numbers("en-fr"), pair=EN_FR, forms=True
    )
    windows, of_slot = around(encoded, InputView(0, 0))
    rows = as_rows([windows[of_slot[slot]] for slot in (0, 1, 14, 15, 19)])
    given = np.tile(np.array([[0, 1, 2]], dtype=np.int32), (5, 1))
    batch, _ = batch_of(np, encoded, rows, given, np.arange(10, dtype=np.int32))
    assert batch.links.max(axis=1).tolist() == [1] * 5


@pytest.mark.parametrize(
    ("span", "places"),
    [
        (PieceSpan(True, 10, 12), [1, 2]),  # place 0 is the domain
        (PieceSpan(True, 8, 11), [1]),  # begins before the window
        (PieceSpan(True, 14, 19), [5]),  # ends after it
        (PieceSpan(True, 15, 16), []),
        (PieceSpan(False, 30, 32), [7, 8]),  # five source pieces, then the separator
        (PieceSpan(False, 28, 31), [7]),
        (PieceSpan(False, 33, 36), [10]),
        (PieceSpan(False, 34, 35), []),
    ],
)
def test_a_span_is_found_in_the_row_of_a_window(span: PieceSpan, places: list[int]) -> None:
    assert places_in(PieceWindow(10, 15, 30, 34, 0, 1), span) == places
