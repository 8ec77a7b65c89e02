from collections.abc import Sequence

from anaphor.analyse.network import Floats, Ints

class Answers:
    def __init__(
        self,
        heads: Sequence[int],
        near_bias: Floats,
        squeeze: Floats,
        squeeze_bias: Floats,
        wide: Floats,
        wide_bias: Floats,
        from_near: Floats,
        from_wide: Floats,
        bias: Floats,
        /,
    ) -> None: ...
    def find(self, products: Sequence[Floats], types: Ints) -> list[Ints]: ...
