"""Versions of other people's work: asked where they can be, hashed where they cannot."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from anaphor.align.programs import UNKNOWN, package_version, program_version, script_version

PACKAGE = "numpy"


def script(folder: Path, first: str) -> str:
    path = folder / "tool"
    path.write_text(f"{first}\nprint('never run')\n", encoding="utf-8")
    return str(path)


def test_a_package_of_this_python_has_its_version() -> None:
    assert package_version(PACKAGE) == version(PACKAGE)
    assert package_version("no-such-package") == UNKNOWN


def test_a_script_has_the_version_that_its_own_python_knows(tmp_path: Path) -> None:
    assert script_version(script(tmp_path, f"#!{sys.executable}"), PACKAGE) == version(PACKAGE)


@pytest.mark.parametrize(
    "first",
    [
        f"#!{sys.executable} -IS",
        "#!/no/such/python",
        "#!/bin/sh",
        "#!",
        "\x7fELF\ufffd",
        "",
    ],
    ids=["a Python without packages", "no Python there", "a shell", "nobody", "a compiled program", "empty"],
)
def test_a_script_whose_python_cannot_tell_has_a_hash(tmp_path: Path, first: str) -> None:
    path = script(tmp_path, first)
    assert script_version(path, PACKAGE) == program_version(path)


def test_a_hash_stands_for_every_program_and_their_order(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    found = [program_version(one), program_version(two), program_version(one, two), program_version(two, one)]
    assert len(set(found)) == 4
    assert all(len(each) == 12 for each in found)
