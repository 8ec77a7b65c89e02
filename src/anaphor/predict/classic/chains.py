"""Slots as sequences, and the likeliest labels of a sequence."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.classic.rows import Doubles
from anaphor.predict.features.closest_noun import antecedent
from anaphor.predict.features.needs import Needs
from anaphor.predict.features.scene import Scene

SEQUENCES = ("sentence", "chain")
#: What a scene must know before it can be put into a chain.
CHAIN_NEEDS = Needs(source=True, sentences=3)


def keys_of(scenes: Iterable[Scene], kind: str) -> list[Hashable]:
    """For each scene what it shares with the others of its sequence.

    Of a sentence: the segment. Of a chain, which stands in for coreference: the noun that the pronoun most
    likely stands for; a pronoun without one is alone.
    """
    return [_noun(scene) if kind == "chain" else id(scene.here.segment) for scene in scenes]


def _noun(scene: Scene) -> Hashable:
    found = antecedent(scene, subjects=True)
    if found is None:
        return id(scene)
    return id(found.staged.segment), found.place, scene.pronoun


def grouped_places(keys: Sequence[Hashable]) -> list[list[int]]:
    """The places of each sequence, in order; sequences in the order of their first place."""
    groups: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        groups.setdefault(key, []).append(place)
    return list(groups.values())


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """For every slot the label of the best sequence, and how likely each label is."""

    best: NDArray[np.int64]
    shares: Doubles


def decode(scores: Doubles, transitions: Doubles, sequences: Sequence[Sequence[int]]) -> Decoded:
    """The best labels (Viterbi) and the shares of all (forward-backward) of every sequence of rows."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    found = Decoded(scores.argmax(axis=1), powers / powers.sum(axis=1, keepdims=True))
    for places in sequences:
        if len(places) > 1:
            found.best[places] = _viterbi(scores[places], transitions)
            found.shares[places] = _marginals(scores[places], transitions)
    return found


def _viterbi(scores: Doubles, transitions: Doubles) -> list[int]:
    total, came = scores[0], []
    for row in scores[1:]:
        ways = total[:, None] + transitions
        came.append(ways.argmax(axis=0))
        total = ways.max(axis=0) + row
    labels = [int(total.argmax())]
    for back in reversed(came):
        labels.append(int(back[labels[-1]]))
    return labels[::-1]


def _marginals(scores: Doubles, transitions: Doubles) -> Doubles:
    forward, backward = scores.copy(), np.zeros_like(scores)
    for at in range(1, len(scores)):
        forward[at] += _log_sum(forward[at - 1][:, None] + transitions, axis=0)
    for at in range(len(scores) - 2, -1, -1):
        backward[at] = _log_sum(transitions + scores[at + 1] + backward[at + 1], axis=1)
    both = forward + backward
    shares = np.exp(both - both.max(axis=1, keepdims=True))
    found: Doubles = shares / shares.sum(axis=1, keepdims=True)
    return found


def _log_sum(values: Doubles, axis: int) -> Doubles:
    top = values.max(axis=axis, keepdims=True)
    total: Doubles = np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis)
    return total
