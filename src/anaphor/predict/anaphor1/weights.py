"""The file of a network: arrays of bytes with a scale for every row.

Every row of a matrix is stored as whole numbers from -127 to 127 and one scale, a quarter of the space of
single precision; vectors stay as they are. Nothing in a file is run.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.corpus import write_atomically
from anaphor.corpus.text import read_bytes
from anaphor.predict.anaphor1.encoding import LANGUAGES, LINKS, TAGS
from anaphor.predict.anaphor1.network import Floats, Network, Shape
from anaphor.predict.anaphor1.windows import LONGEST, SENTENCES
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
        "tag": len(TAGS),
        "classes": shape.classes,
    }
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": (count, d) for name, count in rows.items()}
    block = {"query": (d, d), "key_value": (2 * d, d), "out": (d, d), "up": (4 * d, d), "down": (d, 4 * d)}
    for layer in range(shape.layers):
        shapes |= {f"blocks.{layer}.{name}.weight": size for name, size in block.items()}
        shapes |= {f"blocks.{layer}.{name}.weight": (d,) for name in ("before_attention", "before_dense")}
    return shapes | {"norm.weight": (d,), "classes.bias": (shape.classes,)}


def write_network(path: Path, network: Network) -> None:
    """Write the weights, whole or not at all."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, weight in network.weights.items():
        if name in _LEFT_OUT:
            continue
        if weight.ndim == 1:
            arrays[name] = weight.astype(np.float32)
        else:
            arrays[name], arrays[name + _SCALE] = rounded(weight)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    write_atomically(path, buffer.getvalue())


def rounded(weight: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix in bytes, and the scale of every row."""
    largest = np.abs(weight.astype(np.float32)).max(axis=1, keepdims=True)
    scale = np.where(largest > 0, largest, 1) / np.float32(127)
    return np.rint(weight / scale).astype(np.int8), scale.astype(np.float32)


def read_network(path: Path, shape: Shape) -> Network:
    """The network of a file; arrays of other sizes than the shape's are an error."""
    data = read_bytes(path)
    try:
        with np.load(io.BytesIO(data)) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise damaged(path, f"its arrays cannot be read: {error}") from error
    weights = {name: _weight(path, arrays, name, size) for name, size in expected_shapes(shape).items()}
    return Network(shape, weights)


def _weight(path: Path, arrays: Mapping[str, NDArray[Any]], name: str, size: tuple[int, ...]) -> Floats:
    if len(size) == 1:
        return _floats(path, arrays, name, size)
    whole = arrays.get(name)
    if whole is None or whole.shape != size or whole.dtype != np.int8:
        raise damaged(path, f"{name} is missing or has another size or type")
    return np.asarray(whole.astype(np.float32) * _floats(path, arrays, name + _SCALE, (size[0], 1)))


def _floats(path: Path, arrays: Mapping[str, NDArray[Any]], name: str, size: tuple[int, ...]) -> Floats:
    """An array of floats as it is; endless ones and what is no number would spread to every score."""
    array = arrays.get(name)
    if array is None or array.shape != size or array.dtype != np.float32:
        raise damaged(path, f"{name} is missing or has another size or type")
    if not np.isfinite(array).all():
        raise damaged(path, f"{name} has a number that is none")
    return array
