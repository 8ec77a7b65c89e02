"""Which slots an epoch sees; shares and weights are counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from anaphor.predict.neural.families import TrainingOptions
from anaphor.predict.neural.training import (
    class_shares,
    class_weights,
    ordered_batches,
    sampled_slots,
    shuffled_batches,
)

#: Class 0 eighty times, class 1 fifteen, class 2 five; class 3 never.
LABELS = np.repeat([0, 1, 2], [80, 15, 5])


def drawn(sampling: str, share: float, wanted: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[int]:
    options = TrainingOptions(sampling=sampling, share=share)
    slots = sampled_slots(LABELS, wanted, options, np.random.default_rng(1))
    assert len(set(slots.tolist())) == len(slots)
    counts: list[int] = np.bincount(LABELS[slots], minlength=4).tolist()
    return counts


@pytest.mark.parametrize(
    ("sampling", "share", "wanted", "expected"),
    [
        ("all", 1.0, [0.25] * 4, [80, 15, 5, 0]),
        ("equal", 0.15, [0.25] * 4, [5, 5, 5, 0]),  # 15 slots, three classes
        ("equal", 0.3, [0.25] * 4, [10, 10, 5, 0]),  # ten of each, but the third has only five
        ("proportional", 0.2, [0.5, 0.25, 0.25, 0.0], [10, 5, 5, 0]),
        ("proportional", 0.2, [1.0, 0.0, 0.0, 0.0], [20, 0, 0, 0]),
    ],
)
def test_an_epoch_draws_as_asked(
    sampling: str, share: float, wanted: list[float], expected: list[int]
) -> None:
    assert drawn(sampling, share, np.array(wanted)) == expected


def test_a_share_of_all_is_that_many() -> None:
    assert sum(drawn("all", 0.1, np.ones(4))) == 10


@pytest.mark.parametrize(
    ("balance", "expected"),
    [
        (0.0, [1, 1, 1, 0]),
        (1.0, [100 / 3 / 80, 100 / 3 / 15, 100 / 3 / 5, 0]),  # each class counts a third of all
    ],
)
def test_weights_average_to_one(balance: float, expected: list[float]) -> None:
    weights = class_weights(LABELS, 4, balance)
    assert weights == pytest.approx(expected)
    assert weights[LABELS].mean() == pytest.approx(1)


def test_shares_of_classes() -> None:
    assert class_shares(LABELS, 4).tolist() == [0.8, 0.15, 0.05, 0]


def test_batches_hold_every_slot_once_and_lengths_that_are_alike() -> None:
    generator = np.random.default_rng(3)
    lengths = generator.integers(1, 100, 1000)
    slots = generator.permutation(1000)
    batches = list(shuffled_batches(slots, lengths, 32, generator))
    assert sorted(np.concatenate(batches).tolist()) == list(range(1000))
    assert max(np.ptp(lengths[batch]) for batch in batches) < 10
    firsts = [int(lengths[batch].min()) for batch in batches]
    assert firsts != sorted(firsts)  # short and long ones are mixed


def test_batches_in_order_go_from_short_to_long() -> None:
    lengths = np.array([5, 1, 3, 1])
    found = [batch.tolist() for batch in ordered_batches(np.arange(4), lengths, 2)]
    assert found == [[1, 3], [2, 0]]
