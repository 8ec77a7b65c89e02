"""Which slots an epoch sees, and which of them stand together in a batch."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.neural.scenes import Ints, Scenes
from anaphor.predict.neural.settings import TrainingOptions

_POOL = 50  # batches whose slots are sorted by length together: alike in length, and still mixed

Floats = NDArray[np.float64]


def sentence_lengths(scenes: Scenes) -> Ints:
    """For every slot the length of its sentence, the longer side."""
    segment = scenes.slots.segment
    sides = (np.diff(text.starts)[segment] for text in (scenes.source, scenes.target))
    return np.maximum(*sides)


def class_shares(labels: Ints, classes: int) -> Floats:
    """How much of the slots each class has."""
    shares: Floats = np.bincount(labels, minlength=classes) / max(1, len(labels))
    return shares


def class_weights(labels: Ints, classes: int, balance: float) -> Floats:
    """What a slot of each class counts: 1 on average, a class that does not occur nothing."""
    counts = np.bincount(labels, minlength=classes).astype(np.float64)
    weights = np.zeros(classes)
    np.power(counts, -balance, out=weights, where=counts > 0)
    scaled: Floats = weights * len(labels) / (weights * counts).sum()
    return scaled


def drawn_slots(
    labels: Ints, wanted: Floats, options: TrainingOptions, generator: np.random.Generator
) -> Ints:
    """The slots of one epoch in random order; `wanted` are the shares of the classes if drawn in proportion.

    A class that has too few slots for its part gives all of them (discomt17-findings, section 5.2: "as long
    as there are enough instances").
    """
    if options.sampling == "all":
        every: Ints = generator.permutation(len(labels))
        return every[: max(1, round(options.share * len(labels)))]
    present = np.unique(labels)
    shares = wanted[present] if options.sampling == "proportional" else np.ones(len(present))
    shares = shares / shares.sum()
    size = options.share * len(labels)
    drawn = [
        generator.permutation(np.flatnonzero(labels == label))[: max(1, round(size * share))]
        for label, share in zip(present, shares, strict=True)
        if share > 0
    ]
    mixed: Ints = generator.permutation(np.concatenate(drawn))
    return mixed


def mixed_batches(slots: Ints, lengths: Ints, size: int, generator: np.random.Generator) -> Iterator[Ints]:
    """Batches of slots of about the same length, in random order."""
    batches = []
    for start in range(0, len(slots), size * _POOL):
        pool = slots[start : start + size * _POOL]
        batches += list(ordered_batches(pool, lengths[pool], size))
    for number in generator.permutation(len(batches)):
        yield batches[number]


def ordered_batches(slots: Ints, lengths: Ints, size: int) -> Iterator[Ints]:
    """All slots from short to long sentences; equal ones stay in order."""
    by_length = slots[np.argsort(lengths, kind="stable")]
    for start in range(0, len(by_length), size):
        yield by_length[start : start + size]
