"""Pharaoh alignments: the parser on bytes, and the line it writes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, InputError, InputWarning, MismatchError
from anaphor.corpus import format_alignment, read_alignments
from anaphor.corpus.pharaoh import parse_pharaoh

Write = Callable[..., Path]

LINK = re.compile(r"[0-9]{1,6}[-?p][0-9]{1,6}")
positions = st.one_of(st.integers(0, 12), st.integers(0, 999_999))


def sure_alignments() -> st.SearchStrategy[Alignment]:
    pairs = st.lists(st.tuples(positions, positions), max_size=8)
    return pairs.map(lambda found: Alignment(tuple(s for s, _ in found), tuple(t for _, t in found)))


def mixed_alignments() -> st.SearchStrategy[Alignment]:
    """Alignments with at least one possible link."""
    links = st.lists(st.tuples(positions, positions, st.booleans()), min_size=1, max_size=8)
    mixed = links.filter(lambda found: not all(sure for *_, sure in found))
    return mixed.map(lambda found: Alignment(*(tuple(column) for column in zip(*found, strict=True))))


def assert_as_naive(content: str) -> None:
    links = parse_pharaoh(content.encode(), path="made up")
    rows = naive(content)
    flat = [link for row in rows for link in row]
    assert np.diff(links.offsets).tolist() == [len(row) for row in rows]
    assert links.sources.tolist() == [source for source, _, _ in flat]
    assert links.targets.tolist() == [target for _, target, _ in flat]
    sure = [True] * len(flat) if links.sure is None else links.sure.tolist()
    assert sure == [sure for _, _, sure in flat]


def naive(content: str) -> list[list[tuple[int, int, bool]]]:
    """The format read word by word, as slowly and plainly as possible."""
    rows: list[list[tuple[int, int, bool]]] = []
    if not content:
        return rows
    for line in content.removesuffix("\n").split("\n"):
        row = []
        for word in line.split(" "):
            for joint in "-?p":
                left, found, right = word.partition(joint)
                if found:
                    row.append((int(left), int(right), joint == "-"))
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    ("line", "alignment"),
    [
        ("0-0 1-2", Alignment((0, 1), (0, 2))),
        ("12-345 6-7 ", Alignment((12, 6), (345, 7))),
        ("", Alignment()),
        ("   ", Alignment()),
        ("  3-1   3-1 2-1", Alignment((3, 3, 2), (1, 1, 1))),
        ("0-0 1?2 2p3", Alignment((0, 1, 2), (0, 2, 3), (True, False, False))),
        ("999999-000001", Alignment((999999,), (1,))),
    ],
)
def test_a_line_gives_its_links_in_order(write: Write, line: str, alignment: Alignment) -> None:
    assert list(read_alignments(write(line + "\n5-5\n"), segments=2)) == [alignment, Alignment((5,), (5,))]


def test_the_last_newline_is_optional(write: Write) -> None:
    assert list(read_alignments(write("0-0\n1-1"), segments=2)) == [
        Alignment((0,), (0,)),
        Alignment((1,), (1,)),
    ]


def test_windows_line_ends_are_read_with_a_warning(write: Write) -> None:
    path = write("0-0 \r\n\r\n1-1\r\n")
    with pytest.warns(InputWarning, match="CRLF"):
        assert [len(alignment) for alignment in read_alignments(path, segments=3)] == [1, 0, 1]


@pytest.mark.parametrize(
    ("content", "place", "word"),
    [
        ("0-0\n0-0 x\n", "2:5", "x"),
        ("0-0 1\n1-1\n", "1:5", "1"),
        ("1\n", "1:1", "1"),
        ("-1-2\n", "1:1", "-1-2"),
        ("1--2\n", "1:1", "1--2"),
        ("1-\n2\n", "1:1", "1-"),
        ("0-0\n-\n", "2:1", "-"),
        ("1-2-3 4\n", "1:1", "1-2-3"),
        ("0-0 1-2,2-3\n", "1:5", "1-2,2-3"),
        ("0-0\t1-1\n", "1:1", "0-0\\\\t1-1"),
        ("0-0  1234567-1\n", "1:6", "1234567-1"),
        ("0-1234567\n", "1:1", "0-1234567"),
        ("0-1/2\n", "1:1", "0-1/2"),
        ("0:1\n", "1:1", "0:1"),
        ("0-0 é-1\n", "1:5", "é-1"),
        ("0-0 ١-١\n", "1:5", "١-١"),
        ("0-0\r1-1\n", "1:1", "0-0\\\\r1-1"),
    ],
)
def test_a_malformed_link_is_named_with_line_and_column(
    write: Write, content: str, place: str, word: str
) -> None:
    path = write(content)
    with pytest.raises(InputError, match=f"not an alignment link: '{word}'") as caught:
        read_alignments(path, segments=2)
    assert str(caught.value.where) == f"{path}:{place}"


def test_surplus_empty_lines_at_the_end_are_dropped_with_a_warning(write: Write) -> None:
    path = write("0-0\n\n1-1\n\n \n")
    with pytest.warns(InputWarning, match=r"surplus empty lines at the end \(2\)"):
        found = read_alignments(path, segments=3)
    assert [len(alignment) for alignment in found] == [1, 0, 1]


@pytest.mark.parametrize(
    ("content", "segments", "line"),
    [("0-0\n1-1\n", 3, 3), ("0-0\n1-1\n2-2\n", 2, 3), ("0-0\n\n2-2\n", 1, 2), ("", 1, 1)],
)
def test_another_number_of_lines_is_a_mismatch(write: Write, content: str, segments: int, line: int) -> None:
    path = write(content)
    with pytest.raises(MismatchError, match=f"the text has {segments}") as caught:
        read_alignments(path, segments=segments)
    assert str(caught.value.where) == f"{path}:{line}"


@given(st.lists(st.one_of(sure_alignments(), mixed_alignments()), min_size=1, max_size=6))
def test_what_is_formatted_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, alignments: list[Alignment]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.alig"
    path.write_text("".join(format_alignment(alignment) + "\n" for alignment in alignments), encoding="utf-8")
    assert list(read_alignments(path, segments=len(alignments))) == alignments


@given(st.text(alphabet="0123456789-?p \n", max_size=40))
def test_exactly_the_files_made_of_links_are_read_and_as_the_naive_parser_reads_them(content: str) -> None:
    words = content.replace("\n", " ").split(" ")
    if not all(LINK.fullmatch(word) for word in words if word):
        with pytest.raises(InputError, match="not an alignment link"):
            parse_pharaoh(content.encode(), path="made up")
    else:
        assert_as_naive(content)


@given(st.lists(st.lists(st.tuples(positions, st.sampled_from("-?p"), positions), max_size=9), max_size=9))
def test_valid_files_are_read_as_the_naive_parser_reads_them(rows: list[list[tuple[int, str, int]]]) -> None:
    lines = ["  ".join(f"{source}{joint}{target}" for source, joint, target in row) for row in rows]
    assert_as_naive("".join(line + "\n" for line in lines))


def test_the_news_alignments_have_one_for_each_segment(data_dir: Path) -> None:
    # 4,954 segments; the candidate's file ends with one surplus empty line (original-tools.md, section 1).
    folder = data_dir / "news-en-fr-autoprf"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reference = read_alignments(folder / "pronoun-test.tok.en-fr.alig", segments=4954)
    with pytest.warns(InputWarning, match="surplus empty lines"):
        candidate = read_alignments(folder / "mt-output.en-fr.alig", segments=4954)
    assert len(reference) == len(candidate) == 4954
    for found, name in ((reference, "pronoun-test.tok.en-fr.alig"), (candidate, "mt-output.en-fr.alig")):
        rows = naive((folder / name).read_text(encoding="utf-8"))[:4954]
        assert [[(s, t) for s, t, _ in row] for row in rows] == [
            list(zip(alignment.sources, alignment.targets, strict=True)) for alignment in found
        ]
