"""Lines in and out of large files."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from anaphor.core import InputError, InputWarning, OptionError
from anaphor.task.streams import count_lines, read_lines, read_whole, write_lines


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes("a\u2028b\x85c\vd\re\nf".encode())
    assert list(read_lines(path)) == [(1, "a\u2028b\x85c\vd\re"), (2, "f")]
    assert count_lines(path) == 2


def test_a_compressed_file_is_read_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "lines.gz"
    path.write_bytes(gzip.compress(b"a\n\nb\n"))
    assert [line for _, line in read_lines(path)] == ["a", "", "b"]
    assert count_lines(path) == 3


def test_lines_are_read_before_the_file_ends(tmp_path: Path) -> None:
    """A fault at the end does not keep the first lines back: nothing is read ahead as a whole."""
    path = tmp_path / "lines"
    path.write_bytes(b"good\n" + b"\xff\n")
    lines = read_lines(path)
    assert next(lines) == (1, "good")
    with pytest.raises(InputError, match="0xff"):
        next(lines)


def test_an_interrupted_writer_leaves_nothing_new(tmp_path: Path) -> None:
    def interrupted() -> Iterator[str]:
        yield "first"
        raise KeyboardInterrupt

    path = tmp_path / "lines.gz"
    write_lines(path, ["old"])
    with pytest.raises(KeyboardInterrupt):
        write_lines(path, interrupted())
    assert [line for _, line in read_lines(path)] == ["old"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_lines(tmp_path / "link", ["a"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text(encoding="utf-8") == "a\n"


def test_a_device_is_written_to_and_not_replaced(capfd: pytest.CaptureFixture[str]) -> None:
    write_lines("/dev/stdout", ["a", "b"])
    assert capfd.readouterr().out == "a\nb\n"


def test_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="cannot be written"):
        write_lines(tmp_path, ["a"])


@pytest.mark.parametrize("size", [1, 5, 1000, 40_000, 70_000])
def test_lines_are_the_same_wherever_a_file_is_cut_for_reading(tmp_path: Path, size: int) -> None:
    """Files are read some 65,000 bytes at a time; letters of several bytes lie across every cut."""
    expected = ["œ" * (size + number % 3) for number in range(200_000 // size + 3)]
    path = tmp_path / "lines"
    write_lines(path, expected)
    assert [*read_lines(path)] == [*enumerate(expected, start=1)]
    assert count_lines(path) == len(expected)


def test_a_fault_far_into_a_file_is_found_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"0123456789\n" * 20_000 + b"0123\xff\n")
    with pytest.raises(InputError) as raised:
        [*read_lines(path)]
    assert str(raised.value.where) == f"{path}:20001:5"


def test_windows_line_ends_in_one_part_of_a_file_are_removed_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\r\n" + b"b\n" * 50_000 + b"c\r\nd\r")
    with pytest.warns(InputWarning, match="Windows line ends"):
        lines = [line for _, line in read_lines(path)]
    assert lines == ["a", *["b"] * 50_000, "c", "d"]


@pytest.mark.parametrize("name", ["lines", "lines.gz"])
def test_a_byte_order_mark_is_removed_with_the_warning_of_other_texts(tmp_path: Path, name: str) -> None:
    """As `corpus.read_text` does: one file must not be good for one command and bad for another."""
    content = b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    # Only the first one is a mark; another is a character of its line.
    with pytest.warns(InputWarning, match=f"{path}: removed a byte order mark"):
        assert [line for _, line in read_lines(path)] == ["a", "\ufeffb"]
    with pytest.warns(InputWarning, match=f"{path}: removed a byte order mark"):
        assert read_whole(path) == content[3:]
    assert count_lines(path) == 2


def test_a_file_with_nothing_but_a_byte_order_mark_has_no_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"\xef\xbb\xbf")
    with pytest.warns(InputWarning, match="byte order mark"):
        assert not [*read_lines(path)]
