"""Atomic writing: a reader sees the old file or the new one, never a part.

The content goes to a temporary file or folder next to the target, which then takes its name. Whatever the
file system refuses is an `OptionError` that names the path the user gave.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from anaphor.core import OptionError

_FIX = "choose a file in an existing folder that you may write to"


def write_atomically(path: str | Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8. Devices and pipes (see `atomic_file`) are written to directly."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    with atomic_file(path) as file:
        file.write(data)


@contextmanager
def atomic_file(path: str | Path, *, what: str = "file", fix: str = _FIX) -> Iterator[BinaryIO]:
    """A binary file to write to, for content that is made piece by piece.

    A link is followed. A device or pipe (`/dev/stdout`) cannot be replaced and is appended to directly.
    """
    with _explained(path, what, fix):
        # /dev/stdout leads to a plain file when the output is redirected; to replace it would lose the rest.
        if str(path).startswith("/dev/") or (Path(path).exists() and not Path(path).is_file()):
            with Path(path).open("ab") as device:
                yield device
            return
    with atomic_path(path, what=what, fix=fix) as temporary, temporary.open("wb") as file:
        yield file


@contextmanager
def atomic_path(
    path: str | Path, *, what: str = "file", fix: str = _FIX, sync: bool = False
) -> Iterator[Path]:
    """A temporary path for writers that open files themselves (SQLite, zip archives).

    The block must create the file; it takes the place of `path` at the end of the block, and is removed if
    the block raises. With `sync` the content is on the disk before that, so that a crash cannot lose both.
    """
    with _explained(path, what, fix):
        target = Path(path).resolve()
        temporary = _temporary(target)
        try:
            yield temporary
            if sync:
                with temporary.open("rb") as file:
                    os.fsync(file.fileno())
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(
    path: str | Path,
    *,
    replace: bool = False,
    what: str = "folder",
    fix: str = "choose a writable location",
) -> Iterator[Path]:
    """A new folder to write into, which takes its name at the end of the block.

    An existing folder of that name is an error, or is replaced as a whole with `replace`.
    """
    import shutil  # slow to import, and few runs write folders

    with _explained(path, what, fix):
        target = Path(path).resolve()
        temporary = _temporary(target)
        try:
            if target.exists() and not replace:  # said before the work, not after it
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            temporary.mkdir()
            yield temporary
            if replace and target.exists():
                old = _temporary(target)
                target.rename(old)
                temporary.rename(target)
                shutil.rmtree(old, ignore_errors=True)
            elif target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
            else:
                temporary.rename(target)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _temporary(target: Path) -> Path:
    """A name used by no other process, not even one with the same number on another machine of a cluster.

    The name of the target is cut, because file systems allow 255 bytes and a character has up to four.
    """
    from secrets import token_hex  # slow to import, and many runs write no file

    # In the folder of the target, because a rename is atomic only within one file system.
    return target.with_name(f".{target.name[:50]}.{token_hex(6)}.part")


@contextmanager
def _explained(path: str | Path, what: str, fix: str) -> Iterator[None]:
    try:
        if "\0" in str(path):
            raise OSError(errno.EINVAL, "a path cannot contain a NUL byte")
        if not Path(path).name:
            raise OSError(errno.EINVAL, "the path does not name a file")
        yield
    except OSError as error:
        reason = error.strerror or error
        if isinstance(error, FileNotFoundError) and not (holder := Path(path).absolute().parent).is_dir():
            reason, fix = f"there is no folder {holder}", "create that folder first, or check the path"
        elif isinstance(error, FileExistsError):
            reason, fix = "it exists already", "choose a new name, or remove the existing file"
        raise OptionError(f"the {what} cannot be written ({reason})", where=str(path), fix=fix) from error
