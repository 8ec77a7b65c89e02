"""All alignments of a file as a sequence, their digest, and the check of their range."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, InputError
from anaphor.corpus import AlignmentFile, read_alignments, within_range

Write = Callable[..., Path]

GIZA = """\
# Sentence pair (1) source length 2 target length 2 alignment score : 0.5
il dort
NULL ({ }) it ({ 1 }) sleeps ({ 2 })
# Sentence pair (2) source length 1 target length 3 alignment score : 1e-05
oui , oui
NULL ({ 2 }) yes ({ 1 3 })
"""


def test_it_is_a_sequence_of_alignments(write: Write) -> None:
    found = read_alignments(write("0-0 1-1\n\n2?3\n"), segments=3)
    assert len(found) == 3
    assert found[0] == Alignment((0, 1), (0, 1))
    assert found[1] == Alignment()
    assert found[-1] == Alignment((2,), (3,), (False,))
    assert [found[index] for index in range(3)] == list(found)
    with pytest.raises(IndexError):
        found[3]


def test_positions_are_plain_integers(write: Write) -> None:
    alignment = read_alignments(write("0-1 2?3\n"), segments=1)[0]
    assert {type(value) for value in (*alignment.sources, *alignment.targets)} == {int}
    assert alignment.sure is not None
    assert {type(value) for value in alignment.sure} == {bool}


def test_the_same_links_have_the_same_digest_in_every_form(write: Write) -> None:
    content = "0-0 1-1\n0-0 0-2\n"
    plain = read_alignments(write(content), segments=2)
    spaced = read_alignments(write(" 0-0  1-1 \n0-0 0-2"), segments=2)
    packed = read_alignments(write(gzip.compress(content.encode()), "packed.gz"), segments=2)
    giza = read_alignments(write(GIZA), segments=2)
    assert plain.digest == spaced.digest == packed.digest == giza.digest


@pytest.mark.parametrize("content", ["0-0 1-1\n0-0 2-0\n", "0-0 1-1 0-0\n0-2\n", "0-0 1?1\n0-0 0-2\n"])
def test_other_links_have_another_digest(write: Write, content: str) -> None:
    expected = read_alignments(write("0-0 1-1\n0-0 0-2\n"), segments=2).digest
    assert read_alignments(write(content), segments=2).digest != expected


def test_links_inside_their_sentences_pass(write: Write) -> None:
    found = read_alignments(write("0-0 1-2\n\n0-0\n"), segments=3)
    within_range(found, source_lengths=np.array([2, 0, 1]), target_lengths=np.array([3, 0, 1]))


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        ("0-0\n0-0  2-0\n", "2:6", "link 2-0 .* source has 2 tokens, the target 3"),
        ("0-0\n0-3 9-9\n", "2:1", "link 0-3 .* source has 2 tokens, the target 3"),
        ("10-0\n0-0\n", "1:1", "link 10-0 .* source has 1 tokens, the target 1"),
    ],
)
def test_the_first_link_outside_its_sentence_is_named(
    write: Write, content: str, place: str, what: str
) -> None:
    path = write(content)
    found = read_alignments(path, segments=2)
    with pytest.raises(InputError, match=what) as caught:
        within_range(found, source_lengths=np.array([1, 2]), target_lengths=np.array([1, 3]))
    assert str(caught.value.where) == f"{path}:{place}"


def test_a_link_of_a_giza_file_is_named_by_its_third_line(write: Write) -> None:
    path = write(GIZA)
    found = read_alignments(path, segments=2)
    with pytest.raises(InputError, match="link 0-2") as caught:
        within_range(found, source_lengths=np.array([2, 1]), target_lengths=np.array([2, 2]))
    # NULL ({ 2 }) yes ({ 1 3 }): the 3 is the 23rd character of the line, by hand.
    assert str(caught.value.where) == f"{path}:6:23"


def test_alignments_in_memory_are_the_same_as_in_a_file(write: Write) -> None:
    text = "0-0 1?1\n\n2-3 2-1\n"
    read = read_alignments(write(text), segments=3)
    made = AlignmentFile.made(list(read), path="memory")
    assert list(made) == list(read)
    assert made.digest == read.digest
    assert len(AlignmentFile.made([], path="memory")) == 0


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=8), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), max_size=6),
)
def test_links_around_many_positions_are_those_of_each_alignment(
    segments: list[list[tuple[int, int]]], asked: list[tuple[int, int]]
) -> None:
    alignments = [Alignment(tuple(s for s, _ in one), tuple(t for _, t in one)) for one in segments]
    made = AlignmentFile.made(alignments, path="memory")
    asked = [(segment % len(segments), position) for segment, position in asked]
    found = made.around([segment for segment, _ in asked], [position for _, position in asked])
    assert found == [
        tuple(alignments[segment].targets_of(position + step) for step in (-1, 0, 1))
        for segment, position in asked
    ]
