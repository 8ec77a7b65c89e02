"""Files are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anaphor.core import OptionError
from anaphor.corpus import write_atomically


def test_text_arrives_as_utf8_with_plain_newlines_and_nothing_is_left_over(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_atomically(path, "old")
    write_atomically(path, "où\nça\n")
    assert path.read_bytes() == "où\nça\n".encode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt"]


def test_the_file_gets_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    plain, path = tmp_path / "plain.txt", tmp_path / "out.txt"
    plain.write_text("x", encoding="utf-8")
    write_atomically(path, "x")
    assert path.stat().st_mode == plain.stat().st_mode


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_atomically(os.devnull, "gone")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("name", ["missing/out.txt", "", "x\0y", "x" * 300])
def test_what_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with pytest.raises(OptionError, match="cannot be written") as caught:
        write_atomically(path, "text")
    assert str(caught.value.where) == str(path)
    assert list(tmp_path.iterdir()) == []


def test_text_that_utf8_cannot_hold_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "lone surrogate \ud800")
    assert path.read_text(encoding="utf-8") == "old"
