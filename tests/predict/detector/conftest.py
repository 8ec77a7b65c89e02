"""Readers of the detector's training texts: they align, which is worth doing once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from anaphor.verdict.document import Case
from anaphor.verdict.rendering import Rendering
from tools.detector.examples import Reader

#: The only pronoun of a sentence and what it became.
Found = tuple[Case, Rendering]


@pytest.fixture(scope="session")
def reader() -> Callable[[str], Reader]:
    return cache(lambda language: Reader(f"en-{language}"))


@pytest.fixture
def found(reader: Callable[[str], Reader]) -> Callable[[str, str, str], Found]:
    def one(language: str, source: str, target: str) -> Found:
        (case,) = reader(language).cases([source], [target], ("0",))
        return case

    return one
