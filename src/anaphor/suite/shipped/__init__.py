"""The suites that come with the package: their names, their content, and copies of them.

Each is a folder as `docs/suites/format.md` describes it, with translations by invented systems in
`candidates/`. `docs/suites/shipped.md` describes their content.
"""

from __future__ import annotations

import shutil
from importlib.resources import files
from pathlib import Path

from anaphor.core import UnknownNameError
from anaphor.files.writing import atomic_folder
from anaphor.suite.folder import HEADER, LoadedSuite, load_suite


def shipped_suites() -> tuple[str, ...]:
    """The names of all shipped suites."""
    return tuple(sorted(folder.name for folder in _home().iterdir() if (folder / HEADER).is_file()))


def load_shipped(name: str) -> LoadedSuite:
    """One of `shipped_suites`, with its texts."""
    return load_suite(_folder(name))


def copy_shipped(name: str, folder: str | Path) -> None:
    """Write a new folder with all files of a shipped suite, atomically."""
    source = _folder(name)
    with atomic_folder(folder) as part:
        shutil.copytree(source, part, dirs_exist_ok=True)


def _home() -> Path:
    return Path(str(files("anaphor.suite") / "shipped"))


def _folder(name: str) -> Path:
    if name not in shipped_suites():
        raise UnknownNameError.among(name, shipped_suites(), kind="shipped suite", where="suites that ship")
    return _home() / name
