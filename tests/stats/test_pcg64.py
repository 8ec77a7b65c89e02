"""The state of NumPy's PCG64 against NumPy itself."""

from __future__ import annotations

import random

import numpy as np

from anaphor.stats.pcg64 import pcg64_state


def test_the_state_of_a_seed_is_numpys() -> None:
    lengths = random.Random(5)
    seeds = [0, 1, 12345, *(2**bits - less for bits in (32, 64, 128, 160) for less in (1, 0))]
    seeds += [lengths.getrandbits(bits) for bits in range(1, 300, 7)]
    for seed in seeds:
        state = np.random.PCG64(seed).state["state"]
        assert pcg64_state(seed) == (state["state"], state["inc"])
