"""The pause of the cyclic garbage collector."""

from __future__ import annotations

import gc
from typing import Any

from anaphor.core import collector_paused


def test_what_a_block_creates_is_not_searched_when_it_ends() -> None:
    searches: list[str] = []

    def note(phase: str, _: dict[str, Any]) -> None:
        searches.append(phase)

    gc.unfreeze()  # what all tests share is frozen
    try:
        with collector_paused():
            gc.callbacks.append(note)
            kept = [[number] for number in range(5000)]
        after = [[number] for number in range(10)]
    finally:
        gc.callbacks.remove(note)
        gc.freeze()
    assert gc.isenabled()
    assert not searches
    assert len(kept) + len(after) == 5010


def test_what_others_have_frozen_stays_frozen() -> None:
    gc.freeze()
    frozen = gc.get_freeze_count()
    with collector_paused():
        pass
    assert gc.get_freeze_count() == frozen > 0
