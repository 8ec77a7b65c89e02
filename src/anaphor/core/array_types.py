"""The types of NumPy arrays, each under one name in every package.

The names are strings to Python: `core` does without NumPy, and type checkers alone look them up.
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
