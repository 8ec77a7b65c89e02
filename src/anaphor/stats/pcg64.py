"""The state of NumPy's PCG64 for a seed, without `numpy.random`.

Loading that takes as long as five million draws. NumPy fixes the numbers of a seed: they come from its
`SeedSequence` (O'Neill's `seed_seq`), of which this is the part without spawning.
"""

from __future__ import annotations

_BITS32 = (1 << 32) - 1
_BITS128 = (1 << 128) - 1
_POOL = 4
_MULTIPLIER = 2549297995355413924 << 64 | 4865540595714422341


class _Hash:
    """Scrambles words of 32 bits, each with another factor."""

    def __init__(self, factor: int, multiplier: int) -> None:
        self._factor = factor
        self._multiplier = multiplier

    def __call__(self, word: int) -> int:
        word ^= self._factor
        self._factor = self._factor * self._multiplier & _BITS32
        word = word * self._factor & _BITS32
        return word ^ word >> 16


def _mixed(first: int, second: int) -> int:
    word = 0xCA01F9DD * first - 0x4973F715 * second & _BITS32
    return word ^ word >> 16


def pcg64_state(seed: int) -> tuple[int, int]:
    """State and increment, 128 bits each, of `numpy.random.PCG64(seed)`; the seed is not negative."""
    words = [seed >> shift & _BITS32 for shift in range(0, max(seed.bit_length(), 32 * _POOL), 32)]
    scrambled = _Hash(0x43B0D7E5, 0x931E8875)
    pool = [scrambled(word) for word in words[:_POOL]]
    for source in range(_POOL):
        for to in range(_POOL):
            if source != to:
                pool[to] = _mixed(pool[to], scrambled(pool[source]))
    for word in words[_POOL:]:
        pool = [_mixed(one, scrambled(word)) for one in pool]
    scrambled = _Hash(0x8B51F9DD, 0x58F38DED)
    halves = [scrambled(word) for word in (*pool, *pool)]
    state_high, state_low, stream_high, stream_low = (
        low | high << 32 for low, high in zip(halves[0::2], halves[1::2], strict=True)
    )
    increment = ((stream_high << 64 | stream_low) << 1 | 1) & _BITS128
    start = (state_high << 64 | state_low) + increment
    return start * _MULTIPLIER + increment & _BITS128, increment
