from anaphor.align.model import Floats, Ints, Longs, Tell

class Bitext:
    def __init__(self, source: Ints, source_start: Longs, target: Ints, target_start: Longs) -> None: ...

class Model:
    def __init__(
        self,
        tables: Floats,
        source_unigram: Floats,
        target_unigram: Floats,
        source_null: Floats,
        target_null: Floats,
        forward_jumps: Floats,
        reverse_jumps: Floats,
        null: float,
        smoothing: float,
        diagonal: float,
    ) -> None: ...

class Index:
    def __init__(self, start: Longs, target: Ints, threads: int) -> None: ...

class Together:
    def __init__(self, first: int, last: int, targets: int) -> None: ...
    def add(self, text: Bitext, threads: int) -> None: ...
    def rows(self) -> tuple[Longs, Ints, Ints]: ...

def types(words: Ints, start: Longs) -> tuple[Ints, Longs]: ...
def candidates(
    text: Bitext, sources: int, targets: int, share: float, most: int, threads: int, tell: Tell | None
) -> tuple[Longs, Ints, Floats]: ...
def expect(
    text: Bitext,
    index: Index,
    model: Model,
    hmm: bool,
    agree: bool,
    jump_stride: int,
    threads: int,
    tell: Tell | None,
) -> Longs: ...
def maximise(
    start: Longs,
    target: Ints,
    targets: int,
    forward: Longs,
    reverse: Longs,
    prior: Floats,
    alpha: float,
    threads: int,
) -> Floats: ...
def decode(
    text: Bitext,
    index: Index,
    model: Model,
    hmm: bool,
    first: int,
    last: int,
    reading: int,
    threshold: float,
    threads: int,
    tell: Tell | None,
) -> tuple[Longs, Ints, Ints, Floats]: ...
def likenesses(
    start: Longs,
    target: Ints,
    source_bytes: bytes,
    source_start: Longs,
    target_bytes: bytes,
    target_start: Longs,
    threads: int,
) -> Floats: ...
