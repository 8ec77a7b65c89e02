"""Pausing the cyclic garbage collector while many long-lived objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


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
            if not gc.get_freeze_count():  # others may have frozen what must stay so
                # All goes to the oldest generation as it is; the first new object would have it all searched.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
