"""Files are written whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anaphor.core import OptionError
from anaphor.files.writing import atomic_file, atomic_folder, atomic_path, write_atomically


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
def test_a_path_that_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
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


@pytest.mark.parametrize("sync", [False, True])
def test_a_path_takes_its_name_when_all_is_written(tmp_path: Path, sync: bool) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old", encoding="utf-8")
    with atomic_path(path, sync=sync) as temporary:
        temporary.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
        assert temporary.parent == tmp_path
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(TypeError), atomic_file(path) as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("path", "reason", "fix"),
    [
        ("missing/x", r"there is no folder .*missing", "create that folder"),
        ("here", "exists already", "remove"),
    ],
)
def test_a_folder_that_cannot_be_made_says_which_of_the_reasons_it_is(
    tmp_path: Path, path: str, reason: str, fix: str
) -> None:
    (tmp_path / "here").mkdir()
    with pytest.raises(OptionError, match=reason) as caught, atomic_folder(tmp_path / path):
        pytest.fail("the work has begun")
    assert fix in caught.value.fix


def test_the_caller_can_name_the_file_and_the_fix(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(OptionError, match="the model cannot be written") as caught,
        atomic_file(tmp_path / "file" / "x", what="model", fix="free some space") as file,
    ):
        file.write(b"")
    assert caught.value.fix == "free some space"


def test_a_long_name_and_two_writers_at_once_are_no_problem(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 120)
    with atomic_file(path) as first, atomic_file(path) as second:
        first.write(b"first")
        second.write(b"second")
    assert path.read_bytes() == b"first"


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with atomic_folder(folder) as temporary:
        (temporary / "a").write_text("1", encoding="utf-8")
        assert not folder.exists()
    plain = tmp_path / "plain"
    plain.mkdir()
    assert folder.stat().st_mode == plain.stat().st_mode
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "model", "plain"]


def test_an_existing_folder_is_refused_or_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old").write_text("1", encoding="utf-8")
    with pytest.raises(OptionError, match="the folder cannot be written"), atomic_folder(folder):
        pass
    assert [path.name for path in folder.iterdir()] == ["old"]
    with pytest.raises(ZeroDivisionError), atomic_folder(folder, replace=True):
        raise ZeroDivisionError
    assert [path.name for path in folder.iterdir()] == ["old"]
    with atomic_folder(folder, replace=True) as temporary:
        (temporary / "new").write_text("1", encoding="utf-8")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["model", "new"]


def test_a_folder_that_somebody_else_made_meanwhile_is_left_to_them(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with pytest.raises(OptionError, match="folder cannot be written"), atomic_folder(folder) as temporary:  # noqa: PT012
        (temporary / "mine").write_text("1", encoding="utf-8")
        folder.mkdir()
    assert [path.name for path in tmp_path.rglob("*")] == ["model"]


def test_a_redirected_device_is_appended_to(tmp_path: Path) -> None:
    """/dev/stdout may be a plain file; what was printed before must stay."""
    path = tmp_path / "log"
    code = (
        "import sys; from anaphor.files.writing import write_atomically as w; print('before', flush=True); "
    )
    code += "w('/dev/stdout', 'text\\n')"
    with path.open("a", encoding="utf-8") as log:
        subprocess.run([sys.executable, "-c", code], stdout=log, check=True)
    assert path.read_text(encoding="utf-8") == "before\ntext\n"


def test_content_is_on_the_disk_before_it_takes_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash after the rename must not leave an empty file in the place of the old one."""
    path, seen = tmp_path / "out.txt", []
    path.write_text("old", encoding="utf-8")
    real = os.fsync

    def fsync(number: int) -> None:
        seen.append((os.fstat(number).st_size, path.read_text(encoding="utf-8")))
        real(number)

    monkeypatch.setattr(os, "fsync", fsync)
    with atomic_path(path, sync=True) as temporary:
        temporary.write_text("newer", encoding="utf-8")
    assert seen == [(5, "old")]
    with atomic_path(path) as temporary:
        temporary.write_text("newest", encoding="utf-8")
    assert len(seen) == 1


def test_a_block_that_fails_leaves_no_file_behind(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), atomic_path(tmp_path / "out.txt") as temporary:  # noqa: PT012
        temporary.write_text("half", encoding="utf-8")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
