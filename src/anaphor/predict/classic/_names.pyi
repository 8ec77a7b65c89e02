from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Feature: TypeAlias = str | tuple[str, float]
_Columns: TypeAlias = Sequence[Sequence[str]]
_Spans: TypeAlias = Sequence[tuple[str, int, int]]
_Grams: TypeAlias = tuple[_Columns, _Spans, Sequence[str] | None]
_Facts: TypeAlias = tuple[Sequence[str], Sequence[Sequence[str | None]]]

class Table:
    def __init__(self, names: Sequence[str]) -> None: ...
    def rows(
        self, said: Sequence[list[Sequence[_Feature]] | _Grams | _Facts], scenes: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...
