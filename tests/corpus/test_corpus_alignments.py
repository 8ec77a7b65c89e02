"""Pharaoh and GIZA files: their links, digests and places, and the check of their range."""

from __future__ import annotations

import gzip
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import Alignment, InputError, InputWarning, MismatchError
from anaphor.corpus import AlignmentFile, format_alignment, read_alignments, within_range
from anaphor.corpus.alignments import Around, parse_pharaoh

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


@pytest.mark.parametrize("empty", [Alignment(), Alignment(confidence=())])
def test_segments_without_links_do_not_hide_the_confidences_of_others(empty: Alignment) -> None:
    known = Alignment((0, 1), (1, 0), confidence=(0.5, 0.25))
    made = AlignmentFile.made([empty, known, empty], path="memory")
    assert made[1].confidence == (0.5, 0.25)
    assert [len(one) for one in made] == [0, 2, 0]
    unknown = AlignmentFile.made([known, Alignment((0,), (0,))], path="memory")
    assert unknown[0].confidence is None
    assert AlignmentFile.made([empty], path="memory").links.confidence is None


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
    """Both readers, the compiled one and that of NumPy, read what the naive one reads."""
    links = parse_pharaoh(content.encode(), path="made up")
    with patch("anaphor.corpus.alignments.native", None):
        plain = parse_pharaoh(content.encode(), path="made up")
    for name in ("sources", "targets", "sure", "offsets"):
        assert np.array_equal(getattr(links, name), getattr(plain, name)), name
    files = [AlignmentFile.of(one, path="made up") for one in (links, plain)]
    assert files[0].digest == files[1].digest
    for link in range(len(links.sources)):
        assert files[0].where(link) == files[1].where(link)
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


def test_windows_line_ends_of_giza_are_read_with_a_warning(write: Write) -> None:
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
        ("pair (2)", "pair (3)", "4", "found sentence pair 3, expected 2"),
        ("target length 4", "target length 5", "5", "not have the 5 words announced"),
        ("source length 2 target", "source length 3 target", "6", "3 words announced"),
        ("NULL ({ 2 }) they", "nobody ({ 2 }) they", "6", "not NULL and the 2 words"),
        ("({ 1 }) sleep\u00a0not", "({ 0 }) sleep\u00a0not", "6:22", "target position 0 is outside 1 to 4"),
        ("({ 3 4 })", "({ 3 5 })", "6:42", "target position 5 is outside 1 to 4"),
        ("they ({ 1 })", "they ({ x })", "6:14", "not a word with its links: 'they"),
        ("they ({ 1 })", "they", "6:14", "not a word with its links: 'they"),
        ("NULL ({ 2 }) they ({ 1 }) sleep\u00a0not ({ 3 4 })\n", "", "5", "ends inside a segment"),
    ],
)
def test_invalid_links_are_named_with_their_place(
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


def test_surplus_segments_without_links_are_a_mismatch(write: Write) -> None:
    """Moses ends Pharaoh files with an empty line; GIZA numbers its segments, so one more is another text."""
    empty = "# Sentence pair (2) source length 1 target length 1 alignment score : 1\nil\n"
    empty += "NULL ({ 1 }) it ({ })\n"
    with pytest.raises(MismatchError, match="alignments for 2 segments, the text has 1"):
        read_alignments(write(FIRST + empty), segments=1)


def test_bytes_that_are_not_utf8_are_refused(write: Write) -> None:
    path = write(FIRST.encode().replace(b"dort", b"d\xf4rt"))
    with pytest.raises(InputError, match="0xf4") as caught:
        read_alignments(path, segments=1)
    assert str(caught.value.where) == f"{path}:2:5"


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=9), min_size=1, max_size=4),
    st.data(),
)
def test_links_around_positions_are_those_of_a_look_at_every_link(
    segments: list[list[tuple[int, int]]], data: st.DataObject
) -> None:
    made = [Alignment(tuple(s for s, _ in links), tuple(t for _, t in links)) for links in segments]
    wanted = data.draw(st.lists(st.tuples(st.integers(0, len(segments) - 1), st.integers(0, 7)), max_size=8))
    links = AlignmentFile.made(made, path="made")
    found = links.around([s for s, _ in wanted], [p for _, p in wanted])
    assert found == [
        Around(*(tuple(sorted({t for s, t in segments[n] if s == p + side})) for side in (-1, 0, 1)))
        for n, p in wanted
    ]
    with patch("anaphor.corpus.alignments.native", None):
        assert links.around([s for s, _ in wanted], [p for _, p in wanted]) == found


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=5), min_size=1, max_size=4),
    st.lists(st.integers(0, 4), min_size=8, max_size=8),
)
def test_the_same_links_are_dropped_without_the_extension(
    segments: list[list[tuple[int, int]]], lengths: list[int]
) -> None:
    made = [Alignment(tuple(s for s, _ in links), tuple(t for _, t in links)) for links in segments]
    links = AlignmentFile.made(made, path="made")
    sizes = {
        "source_lengths": np.array(lengths[: len(made)]),
        "target_lengths": np.array(lengths[-len(made) :]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found = within_range(links, **sizes, drop=True)
        with patch("anaphor.corpus.alignments.native", None):
            again = within_range(links, **sizes, drop=True)
    assert list(found) == list(again)
    assert [list(zip(one.sources, one.targets, strict=True)) for one in found] == [
        [(s, t) for s, t in one if s < longest and t < widest]
        for one, longest, widest in zip(segments, *sizes.values(), strict=True)
    ]


def test_many_positions_in_a_long_line_need_no_look_at_every_pair_of_position_and_link() -> None:
    # Half a billion pairs of a position and a link would need gigabytes.
    links = Alignment(tuple(range(50_000)), tuple(range(50_000)))
    wanted = range(0, 50_000, 5)
    found = AlignmentFile.made([links], path="made").around([0] * len(wanted), wanted)
    assert found[1] == Around((4,), (5,), (6,))
    assert len(found) == 10_000
