"""The pause of the cyclic garbage collector."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from anaphor.core import collector, collector_paused, keep_from_collector


def test_what_a_block_creates_is_not_searched_when_it_ends() -> None:
    searches: list[str] = []

    def note(phase: str, _: dict[str, Any]) -> None:
        searches.append(phase)

    gc.unfreeze()  # what all tests share is frozen
    try:
        with collector_paused():
            gc.callbacks.append(note)
            kept = [[number] for number in range(50_000)]
        after = [[number] for number in range(10)]
    finally:
        gc.callbacks.remove(note)
        gc.freeze()
    assert gc.isenabled()
    assert not searches
    assert len(kept) + len(after) == 50_010


def test_what_others_have_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with collector_paused():
        pass
    assert gc.get_freeze_count() == frozen > 0


def test_few_new_objects_are_not_worth_counting_what_is_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted one by one, so in a process that froze much every small call would wait for it."""
    asked: list[None] = []

    def counted() -> int:
        asked.append(None)
        return 1

    monkeypatch.setattr(gc, "get_freeze_count", counted)
    gc.collect()
    with collector_paused():
        few = [[number] for number in range(1000)]
    assert not asked
    with collector_paused():
        many = [[number] for number in range(50_000)]
    assert len(asked) == 1
    assert len(few) + len(many) == 51_000


def test_nobody_counts_what_was_kept_from_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "_frozen", False)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("everything frozen was counted"))
    keep_from_collector()
    with collector_paused():
        many = [[number] for number in range(50_000)]
    assert len(many) == 50_000
