"""What runs a network: the compiled core where it was built, else NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anaphor.engine import has_native
from anaphor.predict.anaphor1.inference import BATCH_PLACES, SlotScorer
from anaphor.predict.anaphor1.network import NumpyNetwork, Shape

#: The compiled core takes eight columns at a time.
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class InferenceEngine:
    """How a network becomes a scorer, and how many places are best given to it at once."""

    name: str
    scorer: Callable[[NumpyNetwork], SlotScorer]
    places: int


def best_engine(shape: Shape) -> InferenceEngine:
    """The fastest engine for networks of some sizes; heads of an odd width are left to NumPy."""
    if has_native() and shape.width % (_COLUMNS * shape.heads) == 0:
        from anaphor.predict.anaphor1.native import NativeNetwork

        # Windows are shared out among threads: the more, the less one waits for another at the end.
        return InferenceEngine("native", NativeNetwork, places=65_536)
    return InferenceEngine("numpy", lambda network: network, places=BATCH_PLACES)
