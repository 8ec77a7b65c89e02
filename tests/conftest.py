"""Where real data and golden outputs lie, for the tests that need them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Time limits per example fail on busy machines, not on wrong code. Continuous integration draws the same
# examples every time; a developer's runs go on looking for new ones.
settings.register_profile("anaphor", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("anaphor")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def _folder(variable: str, default: Path) -> Path:
    folder = Path(os.environ.get(variable, default))
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there; set {variable} to the folder that has it")
    return folder


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with real data (news, TED, Europarl ...)."""
    return _folder("ANAPHOR_DATA", SHARED / "data")


@pytest.fixture(scope="session")
def golden_dir() -> Path:
    """The folder with outputs of the original tools."""
    return _folder("ANAPHOR_GOLDEN", SHARED / "golden")
