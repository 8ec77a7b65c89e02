"""What runs a network: the compiled core where it was built, else NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anaphor.engine import has_native
from anaphor.predict.anaphor1.network import Network, Shape
from anaphor.predict.anaphor1.reading import Scorer

#: The compiled core takes eight columns at a time.
_COLUMNS = 8


@dataclass(frozen=True, slots=True)
class Engine:
    """How a network becomes a scorer, and how many places are best given to it at once."""

    name: str
    scorer: Callable[[Network], Scorer]
    places: int


def best_engine(shape: Shape) -> Engine:
    """The fastest engine for networks of some sizes; heads of an odd width are left to NumPy."""
    if has_native() and shape.width % (_COLUMNS * shape.heads) == 0:
        from anaphor.predict.anaphor1.native import NativeNetwork

        # Windows are shared out among threads: the more, the less one waits for another at the end.
        return Engine("native", NativeNetwork, places=65_536)
    # Enough work for a matrix product, little enough for a cache.
    return Engine("numpy", lambda network: network, places=4096)
