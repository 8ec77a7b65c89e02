"""NumPy array types, with one name each for all packages.

At run time the names are plain strings: `core` does not import NumPy, and only type checkers resolve them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Bools: TypeAlias = "NDArray[np.bool_]"
Ints: TypeAlias = "NDArray[np.int32]"
Longs: TypeAlias = "NDArray[np.int64]"
#: Networks and word tables, of which there are many.
Floats: TypeAlias = "NDArray[np.float32]"
#: Counts, scores and probabilities.
Doubles: TypeAlias = "NDArray[np.float64]"
