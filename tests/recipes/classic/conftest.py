"""The invented corpus in both styles of the shared task."""

from __future__ import annotations

import pytest

from anaphor.core import LanguagePair, TaskSegment
from anaphor.task.classes import TaskClasses, task_classes
from tests.support.classic_corpus import made_corpus


@pytest.fixture(scope="session")
def corpus() -> dict[bool, list[TaskSegment]]:
    """The corpus in both styles, by whether it has word forms: 108 segments, 72 slots, all eight classes."""
    return {forms: made_corpus(forms=forms) for forms in (True, False)}


@pytest.fixture(scope="session")
def french() -> TaskClasses:
    """English to French as in 2016: eight classes."""
    return task_classes(LanguagePair("en", "fr"), year=2016)
