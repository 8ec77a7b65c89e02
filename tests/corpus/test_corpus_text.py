"""Plain text: what a line is, what is tolerated, what is refused."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, digest
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
        ("referenc.fr", "check the path; did you mean reference.fr?"),
        ("nothing-like-it", "check the path"),
        ("absent/reference.fr", "check the path: there is no folder {}/absent"),
        (".", "name a file: this is a folder"),
    ],
)
def test_the_fix_of_a_missing_file_is_that_of_its_cause(tmp_path: Path, path: str, fix: str) -> None:
    (tmp_path / "reference.fr").write_text("Oui.\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_text(tmp_path / path)
    assert caught.value.fix == fix.format(tmp_path)


@pytest.mark.parametrize(
    ("content", "kind", "fix"),
    [
        (gzip.compress(b"text\n", mtime=0), "compressed with gzip", "let its name end in .gz"),
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
