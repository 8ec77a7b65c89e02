"""The network of anaphor-2 in NumPy, forward pass only, so prediction does not need torch; and its file
format.

`torch_network` is the same network for training; a test compares them. Shapes: b windows, n positions, d
hidden size, h heads, c classes.

A file stores every matrix row as integers from -127 to 127 and one scale, a quarter of the size of single
precision; vectors are stored unchanged. Nothing in a file is executed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core.array_types import Floats
from anaphor.files.arrays import check_arrays, read_arrays, write_arrays
from anaphor.predict.anaphor2.encoding import LANGUAGES, LINKS, TAG_MASKS
from anaphor.predict.anaphor2.subwords import PAD
from anaphor.predict.anaphor2.windows import LONGEST, SENTENCES, InputBatch
from anaphor.predict.distributions import softmax
from anaphor.predict.model_folder import damaged

_EPSILON = np.float32(1e-6)
_BLOCK = ("before_attention", "query", "key_value", "out", "before_dense", "up", "down")
_SCALE = ".scale"
#: Only training needs these.
_LEFT_OUT = ("guess.weight", "guess_bias")


@dataclass(frozen=True, slots=True)
class Shape:
    """The dimensions of a network; `width` is the hidden size."""

    pieces: int
    classes: int
    width: int = 256
    layers: int = 6
    heads: int = 4


@dataclass(frozen=True, slots=True)
class NumpyNetwork:
    """The weights of a network by name, and the forward pass from a batch to class scores at slots."""

    shape: Shape
    weights: Mapping[str, Floats]
    #: Enough work for a matrix product, little enough for a cache.
    batch_places: int = 4096

    def scores(self, batch: InputBatch, rows: NDArray[np.int64], places: NDArray[np.int64]) -> Floats:
        """Scores [slots, c] before the softmax, at the given rows and positions of a batch."""
        table = self.weights
        x = table["piece.weight"][batch.pieces] + table["place.weight"][: batch.pieces.shape[1]]
        for name, numbers in zip(("sentence", "language", "link", "tag"), batch[1:], strict=True):
            x = x + table[f"{name}.weight"][numbers]
        x = np.asarray(x, dtype=np.float32)  # [b, n, d]
        seen = np.where(batch.pieces != PAD, np.float32(0), np.float32(-np.inf))
        seen = seen[:, None, None, :]  # [b, 1, 1, n]
        for layer in range(self.shape.layers - 1):
            x = self._block(layer, x, x, seen)
        # The last layer is needed at the slots only.
        x = self._block(self.shape.layers - 1, x[rows, places][:, None, :], x[rows], seen[rows])[:, 0]
        x = _norm(x, self.weights["norm.weight"])
        return np.asarray(x @ self.weights["classes.weight"].T + self.weights["classes.bias"])

    def _block(self, layer: int, x: Floats, context: Floats, seen: Floats) -> Floats:
        """Attention of x [b, m, d] to the context [b, n, d], then the two dense layers."""
        weight = {name: self.weights[f"blocks.{layer}.{name}.weight"] for name in _BLOCK}
        query = self._heads(_norm(x, weight["before_attention"]) @ weight["query"].T)
        both = _norm(context, weight["before_attention"]) @ weight["key_value"].T
        key, value = (self._heads(part) for part in np.split(both, 2, axis=-1))
        scale = np.float32((self.shape.width // self.shape.heads) ** -0.5)
        attended = (
            softmax(np.asarray((query * scale) @ key.swapaxes(-1, -2) + seen)) @ value
        )  # [b, h, m, d/h]
        x = x + attended.swapaxes(1, 2).reshape(x.shape) @ weight["out"].T
        inner = np.maximum(_norm(x, weight["before_dense"]) @ weight["up"].T, 0)
        return np.asarray(x + (inner * inner) @ weight["down"].T)

    def _heads(self, x: NDArray[Any]) -> NDArray[Any]:
        b, n, d = x.shape
        return x.reshape(b, n, self.shape.heads, d // self.shape.heads).swapaxes(1, 2)


def _norm(x: NDArray[Any], weight: Floats) -> NDArray[Any]:
    size = np.einsum("...d,...d->...", x, x)[..., None] / np.float32(x.shape[-1])
    return np.asarray(x / np.sqrt(size + _EPSILON) * weight)


def expected_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The shapes of all arrays of a network with these dimensions."""
    d = shape.width
    rows = {
        "piece": shape.pieces,
        "place": LONGEST,
        "sentence": SENTENCES,
        "language": len(LANGUAGES) + 1,
        "link": LINKS + 1,
        "tag": TAG_MASKS,
        "classes": shape.classes,
    }
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": (count, d) for name, count in rows.items()}
    block = {"query": (d, d), "key_value": (2 * d, d), "out": (d, d), "up": (4 * d, d), "down": (d, 4 * d)}
    for layer in range(shape.layers):
        shapes |= {f"blocks.{layer}.{name}.weight": size for name, size in block.items()}
        shapes |= {f"blocks.{layer}.{name}.weight": (d,) for name in ("before_attention", "before_dense")}
    return shapes | {"norm.weight": (d,), "classes.bias": (shape.classes,)}


def write_network(path: Path, network: NumpyNetwork) -> None:
    """Write the weights atomically."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, weight in network.weights.items():
        if name in _LEFT_OUT:
            continue
        if weight.ndim == 1:
            arrays[name] = weight.astype(np.float32)
        else:
            arrays[name], arrays[name + _SCALE] = rounded(weight)
    write_arrays(path, arrays)


def rounded(weight: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix in bytes, with a scale for every row."""
    largest = np.abs(weight.astype(np.float32)).max(axis=1, keepdims=True)
    scale = np.where(largest > 0, largest, 1) / np.float32(127)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def read_network(path: Path, shape: Shape) -> NumpyNetwork:
    """Read a network from a file; unexpected array shapes are an error."""
    arrays = read_arrays(path, what="network").arrays
    shapes = expected_shapes(shape)
    schema = {}
    for name, size in shapes.items():
        schema[name] = f"{'float32' if len(size) == 1 else 'int8'}{list(size)}"
        if len(size) > 1:
            schema[name + _SCALE] = f"float32[{size[0]}, 1]"
    try:
        check_arrays(arrays, schema)
    except ValueError as error:
        raise damaged(path, str(error)) from None
    weights: dict[str, Floats] = {
        name: arrays[name] if len(size) == 1 else arrays[name].astype(np.float32) * arrays[name + _SCALE]
        for name, size in shapes.items()
    }
    return NumpyNetwork(shape, weights)
