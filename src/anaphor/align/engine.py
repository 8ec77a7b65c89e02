"""The engines of the aligner: the compiled one where it was built, else NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anaphor.align.model import AlignmentEngine
from anaphor.core import UnknownNameError, UserError
from anaphor.engine import has_native

ENGINES = ("native", "reference")


def best_engine() -> AlignmentEngine:
    """The fastest engine there is; its `name` says which."""
    return load_engine("native" if has_native() else "reference")


def load_engine(name: str) -> AlignmentEngine:
    """An engine by name, one of `ENGINES`."""
    if name not in ENGINES:
        raise UnknownNameError.among(name, ENGINES, kind="engine", where="engine")
    if name == "native":
        if not has_native():
            raise UserError(
                "the compiled aligner is not part of this installation",
                where="engine native",
                fix="install anaphor on a machine with a C++17 compiler, or use the engine reference",
            )
        from anaphor.align.native import NativeEngine

        return NativeEngine()
    from anaphor.align.reference import ReferenceEngine

    return ReferenceEngine()


@contextmanager
def enough_memory() -> Iterator[None]:
    """The one place where running out of memory becomes an error that a user understands."""
    try:
        yield
    except MemoryError:
        raise UserError(
            "there is not enough memory for this text",
            where="word alignment",
            fix="train on fewer sentence pairs, use --threads 1, or take a machine with more memory",
        ) from None
