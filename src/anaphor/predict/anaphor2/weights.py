"""The file of a network: arrays of bytes with a scale for every row.

Every row of a matrix is stored as whole numbers from -127 to 127 and one scale, a quarter of the space of
single precision; vectors stay as they are. Nothing in a file is run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.corpus.arrays import check_arrays, read_arrays, write_arrays
from anaphor.predict.anaphor2.encoding import LANGUAGES, LINKS, TAG_MASKS
from anaphor.predict.anaphor2.network import Floats, NumpyNetwork, Shape
from anaphor.predict.anaphor2.windows import LONGEST, SENTENCES
from anaphor.predict.model_folder import damaged

_SCALE = ".scale"
#: Only training needs these.
_LEFT_OUT = ("guess.weight", "guess_bias")


def expected_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """Every array of a network of some sizes."""
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
    """Write the weights, whole or not at all."""
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
    """A matrix in bytes, and the scale of every row."""
    largest = np.abs(weight.astype(np.float32)).max(axis=1, keepdims=True)
    scale = np.where(largest > 0, largest, 1) / np.float32(127)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def read_network(path: Path, shape: Shape) -> NumpyNetwork:
    """The network of a file; arrays of other sizes than the shape's are an error."""
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
