"""Training of the built-in analyser: the forward pass of `anaphor.analyse.network`, with gradients.

Adam with a little decay of the table, dropout, and an average over the last steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from anaphor.analyse.network import GAP, NEAR, WIDE, TaggerNetwork

Floats = np.ndarray
Grads = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Sizes:
    """Widths of the layers, and the number of answers of each head: tag, role, null subject."""

    input: int
    near: int
    squeezed: int
    wide: int
    heads: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Sentences in one row, `GAP` empty places after each (and before the first).

    `features` has a column for each feature, `vectors` is the row of the given word vectors, `heads` the
    right answers, a column each, -1 where there is nothing to learn.
    """

    features: Floats
    vectors: Floats
    heads: Floats


class Trainer:
    """Weights, their moments, and one step at a time."""

    def __init__(self, sizes: Sizes, rows: int, given: Floats, seed: int, weights: Sequence[float]) -> None:
        self.sizes, self.given, self.rng = sizes, given, np.random.default_rng(seed)
        self.head_weights = weights
        self.params = self._initial(rows)
        self.moments = {k: (np.zeros_like(v), np.zeros_like(v)) for k, v in self.params.items()}
        self.average = {k: v.copy() for k, v in self.params.items()}
        self.steps = 0

    def _initial(self, rows: int) -> Grads:
        s = self.sizes
        near, wide = 2 * NEAR + 1, 2 * WIDE + 1

        def normal(*shape: int, fan: int) -> Floats:
            return (self.rng.standard_normal(shape) * np.sqrt(2 / fan)).astype(np.float32)

        table = normal(rows, s.input, fan=8 * s.input)
        table[1] = 0
        return {
            "table": table,
            "project": normal(self.given.shape[1], s.input, fan=2 * self.given.shape[1]),
            "near": normal(near * s.input, s.near, fan=near * s.input),
            "near_bias": np.zeros(s.near, np.float32),
            "squeeze": normal(s.near, s.squeezed, fan=s.near),
            "squeeze_bias": np.zeros(s.squeezed, np.float32),
            "wide": normal(wide * s.squeezed, s.wide, fan=wide * s.squeezed),
            "wide_bias": np.zeros(s.wide, np.float32),
            "from_near": normal(s.near, sum(s.heads), fan=4 * s.near),
            "from_wide": normal(s.wide, sum(s.heads), fan=4 * s.wide),
            "bias": np.zeros(sum(s.heads), np.float32),
        }

    def step(self, batch: Examples, *, rate: float, dropout: float) -> float:
        loss, grads = self._gradients(batch, dropout)
        self.steps += 1
        keep = min(0.999, self.steps / (self.steps + 10))
        for name, (rows, grad) in grads.items():
            self._adam(name, rows, grad, rate)
        for name, value in self.params.items():
            if name != "table":
                self.average[name] += (1 - keep) * (value - self.average[name])
        if self.steps % 20 == 0:
            keep = min(0.98, self.steps / (self.steps + 200))
            self.average["table"] += (1 - keep) * (self.params["table"] - self.average["table"])
        return loss

    def weights(self) -> tuple[Floats, Floats, TaggerNetwork]:
        """Table, projection and network, averaged over the last steps."""
        average = self.average
        network = TaggerNetwork(*(average[field.name] for field in fields(TaggerNetwork)))
        return average["table"], average["project"], network

    def _adam(self, name: str, rows: Floats | slice, grad: Floats, rate: float) -> None:
        first, second = self.moments[name]
        first[rows] += 0.1 * (grad - first[rows])
        second[rows] += 0.01 * (grad * grad - second[rows])
        self.params[name][rows] -= rate * first[rows] / (np.sqrt(second[rows]) + 1e-6)
        if name == "table":
            self.params[name][rows] *= 1 - 0.02 * rate
            self.params[name][1] = 0

    def _mask(self, shape: tuple[int, ...], dropout: float) -> Floats:
        return ((self.rng.random(shape, dtype=np.float32) >= dropout) / (1 - dropout)).astype(np.float32)

    def _gradients(self, batch: Examples, dropout: float) -> tuple[float, dict[str, tuple]]:
        p, every = self.params, slice(None)
        real = (batch.heads[:, 0] >= 0)[:, None]
        given = self.given[batch.vectors]
        x = p["table"][batch.features].sum(axis=1) + given @ p["project"]
        drop_x = self._mask(x.shape, dropout)
        x = x * drop_x
        xs = windows(x, NEAR)
        a1 = xs @ p["near"] + p["near_bias"]
        drop_1 = self._mask(a1.shape, dropout)
        h1 = np.maximum(a1, 0) * drop_1
        q = np.maximum(h1 @ p["squeeze"] + p["squeeze_bias"], 0) * real
        qs = windows(q, WIDE)
        h2 = np.maximum(qs @ p["wide"] + p["wide_bias"], 0)
        drop_2 = self._mask(h2.shape, dropout)
        h2 *= drop_2
        y = h1 @ p["from_near"] + h2 @ p["from_wide"] + p["bias"]
        loss, dy = self._loss(y, batch.heads)
        g: dict[str, tuple] = {
            "from_near": (every, h1.T @ dy),
            "from_wide": (every, h2.T @ dy),
            "bias": (every, dy.sum(axis=0)),
        }
        da2 = (dy @ p["from_wide"].T) * drop_2 * (h2 > 0)
        g["wide"] = (every, qs.T @ da2)
        g["wide_bias"] = (every, da2.sum(axis=0))
        dq = folded(da2 @ p["wide"].T, WIDE) * (q > 0)
        g["squeeze"] = (every, h1.T @ dq)
        g["squeeze_bias"] = (every, dq.sum(axis=0))
        da1 = (dy @ p["from_near"].T + dq @ p["squeeze"].T) * drop_1 * (h1 > 0)
        g["near"] = (every, xs.T @ da1)
        g["near_bias"] = (every, da1.sum(axis=0))
        dx = folded(da1 @ p["near"].T, NEAR) * drop_x
        g["project"] = (every, given.T @ dx)
        g["table"] = summed(batch.features, dx)
        return loss, g

    def _loss(self, y: Floats, answers: Floats) -> tuple[float, Floats]:
        dy, total, at = np.zeros_like(y), 0.0, 0
        count = max(1, int((answers[:, 0] >= 0).sum()))
        for head, size in enumerate(self.sizes.heads):
            known = np.flatnonzero(answers[:, head] >= 0)
            right = answers[known, head]
            scores = y[known, at : at + size]
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            scores /= scores.sum(axis=1, keepdims=True)
            total -= float(np.log(scores[np.arange(len(known)), right] + 1e-9).sum()) / count
            scores[np.arange(len(known)), right] -= 1
            dy[known, at : at + size] = scores * (self.head_weights[head] / count)
            at += size
        return total, dy


def windows(x: Floats, reach: int) -> Floats:
    """Every row beside its neighbours; outside is zero."""
    padded = np.zeros((len(x) + 2 * reach, x.shape[1]), np.float32)
    padded[reach : reach + len(x)] = x
    return np.concatenate([padded[o : o + len(x)] for o in range(2 * reach + 1)], axis=1)


def folded(dxs: Floats, reach: int) -> Floats:
    """The gradient of `windows`."""
    n, width = len(dxs), dxs.shape[1] // (2 * reach + 1)
    padded = np.zeros((n + 2 * reach, width), np.float32)
    for o in range(2 * reach + 1):
        padded[o : o + n] += dxs[:, o * width : (o + 1) * width]
    return padded[reach : reach + n]


def summed(features: Floats, dx: Floats) -> tuple[Floats, Floats]:
    """The rows that were used, each once, and the sum of their gradients."""
    flat = features.ravel()
    order = np.argsort(flat, kind="stable")
    rows, starts = np.unique(flat[order], return_index=True)
    return rows, np.add.reduceat(dx[order // features.shape[1]], starts, axis=0)


def gapped(sentences: Sequence[Floats], fill: Floats | int) -> Floats:
    """Sentences one after the other with `GAP` places of `fill` before, between and after."""
    first = sentences[0]
    gap = np.full((GAP, *first.shape[1:]), fill, first.dtype)
    return np.concatenate([gap, *(part for s in sentences for part in (s, gap))])
