from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.anaphor1.network import Floats

class Block:
    def __init__(
        self,
        before_attention: Floats,
        before_dense: Floats,
        query: Floats,
        key_value: Floats,
        out: Floats,
        up: Floats,
        down: Floats,
    ) -> None: ...

class Network:
    def __init__(
        self,
        heads: int,
        tables: Sequence[Floats],
        blocks: Sequence[Block],
        norm: Floats,
        classes: Floats,
        bias: Floats,
    ) -> None: ...
    def scores(
        self,
        batch: Sequence[NDArray[np.int32]],
        rows: NDArray[np.int64],
        places: NDArray[np.int64],
        threads: int,
    ) -> Floats: ...
