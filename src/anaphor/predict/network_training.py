"""Batches and the score of an epoch, for the training of every network."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anaphor.core.array_types import Doubles, Longs

#: Batches whose slots are sorted by length together: similar in length, yet still shuffled.
_POOL = 50


def shuffled_batches(
    slots: Longs, lengths: Longs, size: int, generator: np.random.Generator
) -> Iterator[Longs]:
    """Batches of slots of similar length, in random order."""
    batches = []
    for start in range(0, len(slots), size * _POOL):
        pool = slots[start : start + size * _POOL]
        batches += list(ordered_batches(pool, lengths[pool], size))
    for number in generator.permutation(len(batches)):
        yield batches[number]


def ordered_batches(slots: Longs, lengths: Longs, size: int) -> Iterator[Longs]:
    """All slots from short to long sentences; ties stay in order."""
    by_length = slots[np.argsort(lengths, kind="stable")]
    for start in range(0, len(by_length), size):
        yield by_length[start : start + size]


def dev_score(probabilities: Doubles, labels: Longs, metric: str) -> float:
    """Accuracy or macro-recall of the most probable classes, or the mean log-likelihood of the labels."""
    if metric == "likelihood":
        return float(np.log(probabilities[np.arange(len(labels)), labels] + 1e-12).mean())
    right = probabilities.argmax(axis=1) == labels
    if metric == "accuracy":
        return float(right.mean())
    return float(np.mean([right[labels == label].mean() for label in np.unique(labels)]))
