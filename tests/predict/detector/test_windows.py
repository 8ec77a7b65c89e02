"""What the detector reads of a pronoun. Pieces are numbers by hand: source from 100, target from 200."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from anaphor.core import Alignment, LanguagePair
from anaphor.predict.anaphor2.encoding import ANY_DOMAIN
from anaphor.predict.anaphor2.subwords import FIRST_DOMAIN, PAD, SEPARATOR, SLOT, Subwords, learn_pieces
from anaphor.predict.anaphor2.windows import LONGEST
from anaphor.predict.detector.windows import (
    LineEncoder,
    PieceLine,
    PieceMark,
    Window,
    batch_of,
    window_of,
)

DOMAIN = FIRST_DOMAIN + ANY_DOMAIN
#: Pieces, sentences, languages, links, tags.
PIECES, SENTENCES, LANGUAGES, LINKS, TAGS = range(5)


def line(first: int, size: int = 2, tag: int = 0) -> PieceLine:
    return PieceLine(np.arange(first, first + size), np.full(size, tag))


def lines(first: int, count: int, size: int = 2) -> list[PieceLine]:
    """Lines that begin at 100, 110, 120 and so on."""
    return [line(first + 10 * number, size) for number in range(count)]


def window(
    count: int, at: int, mark: PieceMark, *, sizes: Sequence[int] | None = None, hidden: bool = False
) -> Window:
    source = [line(100 + 10 * n, (sizes or [2] * count)[n]) for n in range(count)]
    return window_of(source, lines(200, count), at, mark, (1, 3), hidden=hidden)


def firsts(found: Window) -> list[int]:
    """Which source lines a window has, by the first piece of each."""
    pieces = found.rows[PIECES].tolist()
    return [piece for piece in pieces[1 : pieces.index(SEPARATOR)] if piece % 10 == 0]


def test_a_window_is_domain_source_separator_and_target_with_the_pronoun_linked() -> None:
    found = window(1, 0, PieceMark((1, 2), (0, 1)))
    assert found.rows[PIECES].tolist() == [DOMAIN, 100, 101, SEPARATOR, 200, 201]
    assert found.rows[LANGUAGES].tolist() == [0, 1, 1, 0, 3, 3]
    assert found.rows[LINKS].tolist() == [0, 0, 1, 0, 1, 0]
    assert found.rows[PIECES, found.place] == 101


def test_without_a_rendering_only_the_source_is_linked() -> None:
    found = window(1, 0, PieceMark((0, 2)))
    assert found.rows[LINKS].tolist() == [0, 1, 1, 0, 0, 0]
    assert found.rows[PIECES, found.place] == 100


def test_three_lines_before_and_one_after_are_read_in_their_order() -> None:
    found = window(7, 4, PieceMark((0, 1), (0, 1)))
    assert firsts(found) == [110, 120, 130, 140, 150]
    assert found.rows[SENTENCES].tolist() == [
        0,
        *[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
        0,
        *[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
    ]
    assert found.rows[PIECES, found.place] == 140


@pytest.mark.parametrize(("at", "read"), [(0, [100, 110]), (2, [100, 110, 120])])
def test_a_text_ends_a_window(at: int, read: list[int]) -> None:
    assert firsts(window(3, at, PieceMark((0, 1), (0, 1)))) == read


def test_the_line_before_is_more_worth_than_the_line_after_and_both_more_than_older_ones() -> None:
    """Of 254 pieces the pronoun's own line takes 4; every target line has 2."""
    long, mark = LONGEST - 8, PieceMark((0, 1), (0, 1))

    def taken(before: int, after: int) -> tuple[bool, bool]:
        source = [line(1000), line(2000, before), line(3000), line(4000, after)]
        pieces = window_of(source, lines(200, 4), 2, mark, (1, 3)).rows[PIECES]
        return 2000 in pieces, 4000 in pieces

    assert taken(2, 2) == (True, True)
    assert taken(long, long) == (True, False)
    assert taken(long + 1, 2) == (False, True)  # one more than there is room for


def test_older_lines_are_not_read_across_one_that_does_not_fit() -> None:
    source = [line(100), line(1000, LONGEST), line(120)]
    found = window_of(source, lines(200, 3), 2, PieceMark((0, 1), (0, 1)), (1, 3))
    assert found.rows[PIECES].tolist() == [DOMAIN, 120, 121, SEPARATOR, 220, 221]


def test_long_lines_are_cut_around_the_pronoun_on_both_sides() -> None:
    source, target = [line(1000, 600)], [line(2000, 500)]
    found = window_of(source, target, 0, PieceMark((300, 301), (480, 482)), (1, 3))
    pieces, links = found.rows[PIECES], found.rows[LINKS]
    assert found.rows.shape[1] == LONGEST
    assert pieces[found.place] == 1300
    assert pieces[links == 1].tolist() == [1300, 2480, 2481]
    left = pieces[1 : pieces.tolist().index(SEPARATOR)]
    assert left.tolist() == list(range(int(left[0]), int(left[0]) + LONGEST // 2 - 1))
    # The rendering is near the end, so that the cut ends with the line.
    assert pieces[-1] == 2499


def test_a_short_side_is_left_whole_when_the_other_is_cut() -> None:
    found = window_of([line(1000, 600)], [line(200)], 0, PieceMark((599, 600), (1, 2)), (1, 3))
    assert found.rows[PIECES, -3:].tolist() == [SEPARATOR, 200, 201]
    assert found.rows[PIECES, found.place] == 1599


def test_a_hidden_rendering_is_one_slot_without_a_tag_and_is_what_is_asked_about() -> None:
    source, target = [line(100), line(110)], [line(200), line(210, 4, tag=2)]
    found = window_of(source, target, 1, PieceMark((0, 1), (1, 3)), (1, 3), hidden=True)
    assert found.rows[PIECES].tolist() == [DOMAIN, 100, 101, 110, 111, SEPARATOR, 200, 201, 210, SLOT, 213]
    assert found.rows[LINKS].tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0]
    assert found.rows[TAGS].tolist() == [0] * 8 + [2, 0, 2]
    assert found.rows[PIECES, found.place] == SLOT


def test_a_slot_may_stand_before_a_word_that_stays() -> None:
    """A subject that is dropped has no word of its own."""
    found = window_of([line(100)], [line(200, 3)], 0, PieceMark((0, 1), (1, 1)), (1, 4), hidden=True)
    assert found.rows[PIECES].tolist() == [DOMAIN, 100, 101, SEPARATOR, 200, SLOT, 201, 202]


def test_windows_of_a_batch_are_padded() -> None:
    short, long = window(1, 0, PieceMark((0, 1))), window(3, 1, PieceMark((1, 2)))
    batch, places = batch_of([short, long])
    assert batch.pieces.shape == (2, long.rows.shape[1])
    assert batch.pieces[0, 6:].tolist() == [PAD] * (long.rows.shape[1] - 6)
    assert np.array_equal(batch.pieces[1], long.rows[PIECES])
    assert places.tolist() == [short.place, long.place]


def encoded(pair: str, source: str, target: str, links: Alignment) -> tuple[PieceLine, PieceLine]:
    words = [*source.lower().split(), *target.lower().split()]
    subwords = Subwords(learn_pieces(dict.fromkeys(words, 50), 60))
    return LineEncoder(subwords, LanguagePair.parse(pair)).lines(source.split(), target.split(), links)


@pytest.mark.parametrize(
    ("pair", "target", "mask"),
    [
        ("en-de", "wir sehen die Lampe .", 2),
        ("en-de", "wir sehen das Haus .", 4),
        ("en-fr", "nous voyons la table .", 2),
        ("en-es", "vemos aquí el libro .", 1),
    ],
)
def test_a_source_word_has_the_gender_of_the_noun_that_it_is_linked_with(
    pair: str, target: str, mask: int
) -> None:
    """Masks are those of `anaphor2.genders`: 1 masculine, 2 feminine, 4 neuter (German)."""
    source, other = encoded(pair, "we see the thing .", target, Alignment((3,), (3,)))
    assert len(source.pieces) == len(source.tags) == source.starts[-1]
    assert set(source.tags[source.starts[3] : source.starts[4]].tolist()) == {mask}
    assert set(source.tags[: source.starts[3]].tolist()) == {0}
    assert set(other.tags[other.starts[3] : other.starts[4]].tolist()) == {mask}


def test_an_unlinked_source_word_has_no_gender_and_a_pronoun_gives_none() -> None:
    source, target = encoded("en-de", "the lamp . it", "die Lampe . sie", Alignment((3,), (3,)))
    assert not source.tags.any()
    assert target.tags.any()


def test_an_empty_line_has_no_pieces() -> None:
    subwords = Subwords(learn_pieces({"word": 50}, 30))
    source, target = LineEncoder(subwords, LanguagePair.parse("en-fr")).lines((), (), Alignment())
    assert (len(source.pieces), len(target.pieces), source.starts) == (0, 0, (0,))


def test_a_hidden_form_does_not_show_in_the_gender_of_its_source() -> None:
    """A source word has the gender of what it is linked with, here that of the hidden form."""
    source, target = [line(100, 3, tag=4)], [line(200, 2, tag=4)]
    shown = window_of(source, target, 0, PieceMark((1, 2), (0, 1)), (1, 3))
    assert shown.rows[TAGS].tolist() == [0, 4, 4, 4, 0, 4, 4]
    hidden = window_of(source, target, 0, PieceMark((1, 2), (0, 1)), (1, 3), hidden=True)
    assert hidden.rows[TAGS].tolist() == [0, 4, 0, 4, 0, 0, 4]
    assert source[0].tags.tolist() == [4, 4, 4]
