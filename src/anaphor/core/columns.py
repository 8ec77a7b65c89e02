"""Many small objects at once, from the columns of a table."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import fields
from itertools import repeat
from typing import Any, TypeVar

_T = TypeVar("_T")


def instances(of: type[_T], *columns: Sequence[object]) -> list[_T]:
    """One object of a slotted dataclass for every row; `columns` are its fields in order.

    As `list(map(of, *columns))`, in less than half the time: a frozen class sets each field through a call
    from Python. A class that checks or changes what it is given has to be called.
    """
    names = [field.name for field in fields(of)]  # type: ignore[arg-type]
    if hasattr(of, "__post_init__") or len(names) != len(columns) or len(set(map(len, columns))) != 1:
        raise TypeError(f"{of.__name__} cannot be made from {len(columns)} columns")
    made: list[Any] = list(map(object.__new__, repeat(of, len(columns[0]))))
    for name, column in zip(names, columns, strict=True):
        deque(map(getattr(of, name).__set__, made, column), maxlen=0)
    return made
