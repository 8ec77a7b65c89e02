"""Plain text: what a line is, what is tolerated, what is refused."""

from __future__ import annotations

import gzip
import io
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anaphor.core import InputError, InputWarning, digest
from anaphor.core.text import Lines
from anaphor.corpus import Text, read_text
from anaphor.task.streams import read_lines

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("un\ndeux\n", ("un", "deux")),
        ("un\ndeux", ("un", "deux")),
        ("un\n\n", ("un", "")),
        ("\n", ("",)),
        (" two  spaces \n", (" two  spaces ",)),
        ("e\u0301 stays decomposed\n", ("e\u0301 stays decomposed",)),
        ("a\u2028b\u2029c\u0085d\n", ("a\u2028b\u2029c\u0085d",)),
        ("a\x0bb\x0cc\x1cd\n", ("a\x0bb\x0cc\x1cd",)),
        ("a\rb\n", ("a\rb",)),
        ("a\nb\r", ("a", "b\r")),
        ("no mark\ufeff inside\n", ("no mark\ufeff inside",)),
    ],
)
def test_only_a_newline_ends_a_line_and_text_is_unchanged(
    write: Write, content: str, lines: tuple[str, ...]
) -> None:
    assert read_text(write(content)).lines == lines


@pytest.mark.parametrize(
    ("content", "lines", "warning"),
    [
        (b"\xef\xbb\xbfun\n", ("un",), "byte order mark"),
        (b"un\r\ndeux\r\n", ("un", "deux"), "CRLF"),
        (b"un\r\r\ndeux\n", ("un\r", "deux"), "CRLF"),
    ],
)
def test_tolerances_are_announced_once(
    write: Write, content: bytes, lines: tuple[str, ...], warning: str
) -> None:
    with pytest.warns(InputWarning, match=warning) as caught:
        assert read_text(write(content)).lines == lines
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        (b"fine\nna\xefve\n", ":2:3", "byte 0xef is not valid UTF-8"),
        ("é\u00e9".encode() + b"\xff", ":1:5", "byte 0xff is not valid UTF-8"),
        (b"cut \xc3", ":1:5", "byte 0xc3 is not valid UTF-8"),
        (b"fine\n\nbad\0\n", ":3:4", "NUL byte"),
        ("wide\n".encode("utf-16-le"), ":1:2", "NUL byte"),
        (b"", "", "has no lines"),
    ],
)
def test_bytes_that_are_not_text_are_refused_with_their_place(
    write: Write, content: bytes, place: str, what: str
) -> None:
    path = write(content)
    with pytest.raises(InputError, match=what) as caught:
        read_text(path)
    assert str(caught.value.where) == f"{path}{place}"
    assert caught.value.fix


def test_a_byte_order_mark_alone_is_not_a_line(write: Write) -> None:
    path = write(b"\xef\xbb\xbf")
    with pytest.warns(InputWarning), pytest.raises(InputError, match="has no lines"):
        read_text(path)


def test_missing_file_folder_and_impossible_name_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path, tmp_path / "x\0y", tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match="cannot be read") as caught:
            read_text(path)
        assert str(caught.value.where) == str(path)


@pytest.mark.parametrize(
    ("path", "fix"),
    [
        ("referenc.fr", "did you mean reference.fr?"),
        ("nothing-like-it", "path"),
        ("absent/reference.fr", "no folder {}/absent"),
        (".", "this is a folder"),
    ],
)
def test_the_fix_of_a_missing_file_is_that_of_its_cause(tmp_path: Path, path: str, fix: str) -> None:
    (tmp_path / "reference.fr").write_text("Oui.\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / path)
    assert fix.format(tmp_path) in caught.value.fix


@pytest.mark.parametrize(
    ("content", "kind", "fix"),
    [
        (gzip.compress(b"text\n", mtime=0), "compressed with gzip", "rename it to end in .gz"),
        ("wide\n".encode("utf-16"), "UTF-16", "iconv -f UTF-16"),
        (b"PK\x03\x04\x14\0", "zip archive", "unpack"),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(
    write: Write, content: bytes, kind: str, fix: str
) -> None:
    for read in (read_text, lambda path: list(read_lines(path))):
        with pytest.raises(InputError, match=f"the file is not plain text: it is .*{kind}") as caught:
            read(write(content))
        assert fix in caught.value.fix


def test_a_file_without_permission_is_refused(write: Write) -> None:
    path = write("secret\n")
    path.chmod(0)
    try:
        path.read_bytes()
    except PermissionError:
        with pytest.raises(InputError, match="Permission denied"):
            read_text(path)
    else:
        pytest.skip("this user may read every file")


def test_gzip_is_read_transparently_with_the_same_digest(write: Write) -> None:
    plain = read_text(write("un\ndeux\n"))
    packed = read_text(write(gzip.compress(b"un\ndeux\n"), "input.txt.gz"))
    assert packed.lines == plain.lines
    assert packed.digest == plain.digest


@pytest.mark.parametrize(
    "content",
    [gzip.compress(b"text " * 100)[:-9], b"not compressed\n", gzip.compress(b"x")[:10] + b"\xff" * 20],
    ids=["truncated", "not gzip", "corrupt"],
)
def test_broken_gzip_is_refused(write: Write, content: bytes) -> None:
    path = write(content, "input.gz")
    with pytest.raises(InputError, match="gzip") as caught:
        read_text(path)
    assert str(caught.value.where) == str(path)


def test_a_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("où\n".encode())))
    text = read_text("-")
    assert text.lines == ("où",)
    assert text.path == "<stdin>"


def test_the_digest_is_that_of_the_lines(write: Write) -> None:
    path = write("où\n\nça\n")
    assert read_text(path).digest == digest(["où\n\nça".encode()])
    assert read_text(path) == Text.of(["où", "", "ça"], path=str(path))
    assert len(read_text(path)) == 3


@pytest.mark.parametrize(
    "part", [slice(None, None, -1), slice(0, 4, 2), slice(3, 0, -2), slice(1, 3), slice(9, 12)]
)
def test_every_slice_of_lines_is_that_of_a_tuple(part: slice[int, int, int]) -> None:
    lines: tuple[str, ...] = ("a", "b", "", "c", "d")
    assert tuple(Lines.of(lines)[part]) == lines[part]


some_lines = st.lists(
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=6), min_size=1
)


@given(some_lines, st.integers(-9, 9), st.slices(6))
def test_lines_held_as_bytes_are_those_of_a_tuple(lines: list[str], index: int, part: slice) -> None:
    expected, held = tuple(lines), Lines.of(lines)
    assert (len(held), list(held), held[part], hash(held)) == (
        len(lines),
        lines,
        expected[part],
        hash(expected),
    )
    assert held == expected
    assert expected == held
    assert held == Lines.of(lines)
    assert held != (*expected, "")
    if -len(lines) <= index < len(lines):
        assert held[index] == held[index] == expected[index]
    else:
        with pytest.raises(IndexError):
            held[index]


def test_more_lines_than_are_decoded_at_once_come_in_order() -> None:
    lines = [f"ligne nº {number}" for number in range(10_000)]
    assert list(Lines.of(lines)) == lines


def test_a_text_takes_little_more_memory_than_its_file(write: Write) -> None:
    path = write(
        "".join(f"« {number} » est un nombre qu’on peut écrire en chiffres\n" for number in range(20_000))
    )
    tracemalloc.start()
    try:
        text = read_text(path)
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    size = path.stat().st_size
    assert len(text) == 20_000
    # 64 bytes a line and eight for its place; as strings these lines take 200 bytes each.
    assert held < 1.3 * size
    assert peak < 2.5 * size


def test_an_invalid_byte_far_into_a_file_is_named(write: Write) -> None:
    path = write("é\n".encode() * 300_000 + b"ab\xff\n")
    with pytest.raises(InputError, match="0xff") as caught:
        read_text(path)
    assert str(caught.value.where) == f"{path}:300001:3"
