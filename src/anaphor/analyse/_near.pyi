from collections.abc import Sequence

from anaphor.analyse.network import Floats, Ints

def near(products: Sequence[Floats], types: Ints, bias: Floats) -> Floats: ...
