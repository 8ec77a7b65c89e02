"""A table that computes the value of a key when it is first looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Remembered(dict[str, V], Generic[V]):
    """The values of the strings seen so far, by a function that is called once for each.

    Looking up a known string is the dictionary's own operation and calls no Python function. Texts consist
    mostly of tokens seen before, and this is the hot path of scoring and of the networks.
    """

    def __init__(self, compute: Callable[[str], V]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, key: str) -> V:
        value = self[key] = self._compute(key)
        return value
