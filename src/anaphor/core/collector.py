"""Sparing the cyclic garbage collector what it would search in vain: many objects that live long."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

#: So many new objects are searched in a few milliseconds.
_FEW = 20_000
_frozen = False


@contextmanager
def collector_paused() -> Iterator[None]:
    """The cyclic garbage collector is off inside the block.

    The types of `core` have no cycles, so nothing could be freed; searching them as they are created by the
    hundred thousand takes a sixth of the time of a score.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            # Whether anything is frozen is asked last: all that is would be counted one by one.
            many = gc.get_count()[0] > _FEW and not _frozen
            if many and not gc.get_freeze_count():  # others may have frozen what must stay so
                # All goes to the oldest generation as it is; the first new object would have it all searched.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def keep_from_collector() -> None:
    """Everything that exists now stays until the process ends, and is not searched again."""
    global _frozen
    gc.freeze()
    _frozen = True
