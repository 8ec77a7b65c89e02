"""The boundary of a folder: names from data that become file names, and files that may be read inside it.

Folders come from strangers: a suite, a model, a test set. Neither a name nor a link or device in them may
lead outside. Names given on the command line are not restricted.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from anaphor.core import InputError, Where

#: Separators of every system, controls, lone surrogates, a leading dot, and white space at the ends.
_UNSAFE = re.compile(r"[/\\:\x00-\x1f\x7f\ud800-\udfff]|^\.|^\s|\s\Z")
#: Bytes that most file systems allow.
_LONGEST_NAME = 255
_FIX = "without / \\ : and control characters, with no dot in front, and not too long"


def file_name(name: str, *, kind: str, where: Where | str, ending: str = "") -> str:
    """The file name for a name from data.

    Args:
        name: The name.
        kind: The type of the named object, for messages: `system`.
        where: The origin of the name.
        ending: The end of the file's name: `.txt`.

    Returns:
        The name with its ending, never a path or a hidden file.

    Raises:
        InputError: No file can have this name.
    """
    if not name or _UNSAFE.search(name) or len(f"{name}{ending}".encode()) > _LONGEST_NAME:
        what = f"the {kind} has a name that cannot be that of a file: {name!r:.60}"
        raise InputError(what, where=where, fix=f"rename the {kind}: {_FIX}")
    return name + ending


def file_names(
    names: Iterable[str], *, kind: str, where: Where | str, ending: str = "", reserved: Iterable[str] = ()
) -> dict[str, str]:
    """Like `file_name`, for several names in one folder: no two may differ by case alone.

    Args:
        names: The names.
        kind: The type of the named objects, for messages.
        where: The origin of the names.
        ending: The end of the files' names.
        reserved: Names that other files of the folder have.

    Returns:
        The names of the files by the names that were given.

    Raises:
        InputError: No file can have one of the names, or two of them would share a file.
    """
    file_names: dict[str, str] = {}
    taken = {name.casefold(): name for name in reserved}
    for name in names:
        file_names[name] = file_name(name, kind=kind, where=where, ending=ending)
        other = taken.setdefault(name.casefold(), name)
        if other != name or name in reserved:
            what = f"the {kind} {name!r:.60} would be written to the file of another: {other}{ending}"
            raise InputError(what, where=where, fix=f"rename the {kind}")
    return file_names


def inside(folder: str | Path, path: str | Path) -> Path:
    """The path of a file that is a regular file inside a folder, before it is opened.

    A link is followed if it stays inside the folder; the folder itself may be a link, since the user named
    it. Missing files are reported when they are opened.

    Raises:
        InputError: It lies outside the folder, is a device, a pipe or a socket, or has a name in another
            encoding, which could not be that of a document or a system.
    """
    path = Path(path)
    if not is_utf8(path.name):
        raise _refused(path, "the name of the file is not UTF-8", "rename the file")
    try:
        mode = os.lstat(path).st_mode
        # What is no link and lies directly in the folder cannot lead elsewhere: nothing has to be resolved.
        if stat.S_ISLNK(mode) or path.name == ".." or path.parent != Path(folder):
            if not path.resolve().is_relative_to(Path(folder).resolve()):
                raise _refused(path, "the file is a link that leaves its folder", f"copy it into {folder}")
            mode = path.stat().st_mode
    except (OSError, ValueError, RuntimeError):  # missing, not accessible, or a circle of links
        return path
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise _refused(path, "it is a device, a pipe or a socket", "put a regular file there")
    return path


def files_inside(folder: str | Path, *patterns: str) -> list[Path]:
    """The files of a folder that match a pattern, in the order of their paths, each checked by `inside`."""
    root = Path(folder)
    paths = {path for pattern in patterns for path in root.glob(pattern)}
    return [inside(root, path) for path in sorted(paths)]


def is_utf8(name: str) -> bool:
    """Whether the name of a file is UTF-8; other bytes come from the file system as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refused(path: Path, what: str, fix: str) -> InputError:
    return InputError(what, where=str(path), fix=fix)
