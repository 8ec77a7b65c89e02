"""Which version of other people's work made the links, for signatures.

Few of these programs tell their version. A Python package has one in its metadata; a compiled program is
named by a hash of its file. Everything is asked once in a process, and only when something is signed.
"""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from anaphor.core import digest

UNKNOWN = "unversioned"

_ASK = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"
_PATIENCE = 20  # seconds for an interpreter to start on a busy machine


def package_version(package: str) -> str:
    """The version of a package of this Python."""
    try:
        return version(package)
    except PackageNotFoundError:
        return UNKNOWN


def program_version(*paths: str) -> str:
    """A hash of compiled programs, which do not tell their versions."""
    return _hash(tuple((path, Path(path).stat().st_mtime_ns) for path in paths))


def script_version(path: str, package: str) -> str:
    """The version of the package that brought a script; a hash of the script where it cannot be known.

    The script may belong to another Python than this one: its first line names that Python.
    """
    with Path(path).open("rb") as script:
        first = script.readline(1024).decode("utf-8", "replace")
    command = tuple(first.removeprefix("#!").split())
    if not (first.startswith("#!") and command and "python" in " ".join(command)):
        return program_version(path)
    return _asked(command, package) or program_version(path)


@cache
def _hash(files: tuple[tuple[str, int], ...]) -> str:
    """Files are given with their times of change: one that was replaced is read again."""
    return digest(Path(path).read_bytes() for path, _ in files)


@cache
def _asked(command: tuple[str, ...], package: str) -> str:
    """What another Python answers; empty where it does not know the package or does not run."""
    try:
        answer = subprocess.run(
            [*command, "-c", _ASK, package], capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.strip()
