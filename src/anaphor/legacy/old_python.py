"""What Python 2.7 and its NumPy did differently from today, as far as the original APT depends on it.

APT numbers its labels in the order a Python 2.7 set yields them, takes "the first" element of such
sets and orders its matrix with an unstable sort. All three were deterministic (2.7 did not salt its
hashes), so the same `.score` file can be made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

K = TypeVar("K", str, int | None)

_WORD = (1 << 64) - 1
_SMALLEST_TABLE = 8
_INSERTION_SORT = 16  # parts of at most this length were sorted by insertion


def old_lower(text: str) -> str:
    """Lower case by the one-to-one mapping of Python 2.7: no final sigma, no two-letter results."""
    return text.replace("İ", "i").replace("Σ", "σ").lower()


def old_hash(value: str | int | None) -> int:
    """The hash of a 64-bit Python 2.7 as an unsigned number.

    The hash of None was an address. All outputs we have seen put None behind the slots 0 to 4 of a
    small table; 7 does so.
    """
    if value is None:
        return 7
    if isinstance(value, int):
        return (value if value != -1 else -2) & _WORD
    if not value:
        return 0
    state = ord(value[0]) << 7
    for letter in value:
        state = (1000003 * state ^ ord(letter)) & _WORD
    state ^= len(value)
    return state if state != _WORD else _WORD - 1


class OldSet(Generic[K]):
    """A set that is never changed and that iterates in the order of Python 2.7.

    It is the hash table of that time: open addressing, a perturbed probe sequence, and growth by four
    once two thirds are used. Keys sit in one-tuples, because None is a key.
    """

    __slots__ = ("_slots", "_used")

    def __init__(self, items: Iterable[K] = ()) -> None:
        self._slots: list[tuple[K] | None] = [None] * _SMALLEST_TABLE
        self._used = 0
        for item in items:
            if self._put(item) and self._used * 3 >= len(self._slots) * 2:
                self._resize(self._used * (2 if self._used > 50_000 else 4))

    def __iter__(self) -> Iterator[K]:
        return (slot[0] for slot in self._slots if slot is not None)

    def __len__(self) -> int:
        return self._used

    def __contains__(self, item: K) -> bool:
        return self._slots[self._find(item)] is not None

    def __or__(self, other: OldSet[K]) -> OldSet[K]:
        union: OldSet[K] = OldSet()
        for part in (self, other):
            if (len(union) + len(part)) * 3 >= len(union._slots) * 2:
                union._resize((len(union) + len(part)) * 2)
            for item in part:
                union._put(item)
        return union

    def __and__(self, other: OldSet[K]) -> OldSet[K]:
        """The shared elements, met in the order of the smaller set, of the right one if equal in size."""
        walked, asked = (self, other) if len(other) > len(self) else (other, self)
        return OldSet(item for item in walked if item in asked)

    def __sub__(self, other: OldSet[K]) -> OldSet[K]:
        return OldSet(item for item in self if item not in other)

    def _find(self, item: K) -> int:
        """The slot that holds the item, or the empty one where it belongs."""
        mask = len(self._slots) - 1
        perturbation = place = old_hash(item)
        place &= mask
        while (slot := self._slots[place & mask]) is not None and slot[0] != item:
            place = (5 * place + perturbation + 1) & _WORD
            perturbation >>= 5
        return place & mask

    def _put(self, item: K) -> bool:
        """Whether the item is new."""
        place = self._find(item)
        if self._slots[place] is not None:
            return False
        self._slots[place] = (item,)
        self._used += 1
        return True

    def _resize(self, minimum: int) -> None:
        size = _SMALLEST_TABLE
        while size <= minimum:
            size *= 2
        items = list(self)
        self._slots = [None] * size
        self._used = 0
        for item in items:
            self._put(item)


def old_argsort(values: Sequence[int]) -> list[int]:
    """The positions that sort `values` in ascending order, ties as the quicksort of old NumPy left them."""
    order = list(range(len(values)))
    waiting = [(0, len(values) - 1)]
    while waiting:
        low, high = waiting.pop()
        while high - low >= _INSERTION_SORT:
            middle = _partition(order, values, low=low, high=high)
            if middle - low < high - middle:
                waiting.append((middle + 1, high))
                high = middle - 1
            else:
                waiting.append((low, middle - 1))
                low = middle + 1
        # A part this small was sorted by insertion, which is stable, as Python's own sort is.
        order[low : high + 1] = sorted(order[low : high + 1], key=values.__getitem__)
    return order


def _partition(order: list[int], values: Sequence[int], *, low: int, high: int) -> int:
    """Split a part around the median of its first, middle and last value; return where that value ends."""

    def exchange(one: int, two: int) -> None:
        order[one], order[two] = order[two], order[one]

    def median_of_three() -> None:
        for one, two in ((low, middle), (middle, high), (low, middle)):
            if values[order[two]] < values[order[one]]:
                exchange(one, two)

    middle = (low + high) // 2
    median_of_three()
    pivot = values[order[middle]]
    exchange(middle, high - 1)
    left, right = low + 1, high - 2
    while True:
        while values[order[left]] < pivot:
            left += 1
        while pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        exchange(left, right)
        left, right = left + 1, right - 1
    exchange(left, high - 1)
    return left
