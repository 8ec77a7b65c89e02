"""GIZA++ alignments: three lines a segment, checked against what they announce."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import Alignment, InputError, InputWarning, MismatchError
from anaphor.corpus import read_alignments

Write = Callable[..., Path]

FIRST = """\
# Sentence pair (1) source length 3 target length 2 alignment score : 0.0123
il dort\x20
NULL ({ }) it ({ 1 }) is ({ }) sleeping ({ 2 })\x20
"""
SECOND = """\
# Sentence pair (2) source length 2 target length 4 alignment score : 1.5e-07
ils ne dorment pas
NULL ({ 2 }) they ({ 1 }) sleep\u00a0not ({ 3 4 })
"""


def test_words_with_braces_are_the_source_and_null_has_no_links(write: Write) -> None:
    assert list(read_alignments(write(FIRST + SECOND), segments=2)) == [
        Alignment((0, 2), (0, 1)),
        Alignment((0, 1, 1), (0, 2, 3)),
    ]


def test_windows_line_ends_are_read_with_a_warning(write: Write) -> None:
    path = write(FIRST.replace("\n", "\r\n"))
    with pytest.warns(InputWarning, match="CRLF"):
        assert read_alignments(path, segments=1)[0] == Alignment((0, 2), (0, 1))


def test_a_segment_without_any_words_has_no_links(write: Write) -> None:
    content = "# Sentence pair (1) source length 0 target length 0 alignment score : 1\n\nNULL ({ })\n"
    assert list(read_alignments(write(content), segments=1)) == [Alignment()]


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("# Sentence pair (2)", "# sentence pair (2)", "4", "not the first line"),
        ("(2) source length 2", "(2) source length two", "4", "not the first line"),
        ("pair (2)", "pair (3)", "4", "sentence pair 3 stands where 2"),
        ("target length 4", "target length 5", "5", "not the 5 words announced"),
        ("source length 2 target", "source length 3 target", "6", "3 words announced"),
        ("NULL ({ 2 }) they", "nobody ({ 2 }) they", "6", "not NULL and the 2 words"),
        ("({ 1 }) sleep\u00a0not", "({ 0 }) sleep\u00a0not", "6:22", "target position 0 is outside 1 to 4"),
        ("({ 3 4 })", "({ 3 5 })", "6:42", "target position 5 is outside 1 to 4"),
        ("they ({ 1 })", "they ({ x })", "6:14", "not a word with its links: 'they"),
        ("they ({ 1 })", "they", "6:14", "not a word with its links: 'they"),
        ("NULL ({ 2 }) they ({ 1 }) sleep\u00a0not ({ 3 4 })\n", "", "5", "ends inside a segment"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place(
    write: Write, old: str, new: str, place: str, what: str
) -> None:
    assert old in SECOND
    path = write(FIRST + SECOND.replace(old, new))
    with pytest.raises(InputError, match=what) as caught:
        read_alignments(path, segments=2)
    assert str(caught.value.where) == f"{path}:{place}"


@pytest.mark.parametrize(("segments", "line"), [(1, 4), (3, 7)])
def test_another_number_of_segments_is_a_mismatch(write: Write, segments: int, line: int) -> None:
    path = write(FIRST + SECOND)
    with pytest.raises(MismatchError, match="alignments for 2 segments") as caught:
        read_alignments(path, segments=segments)
    assert str(caught.value.where) == f"{path}:{line}"


def test_bytes_that_are_not_utf8_are_refused(write: Write) -> None:
    path = write(FIRST.encode().replace(b"dort", b"d\xf4rt"))
    with pytest.raises(InputError, match="0xf4") as caught:
        read_alignments(path, segments=1)
    assert str(caught.value.where) == f"{path}:2:5"
