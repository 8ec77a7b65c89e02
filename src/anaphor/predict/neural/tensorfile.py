"""Arrays in the safetensors format, read and written without the package of that name.

    8 bytes      length n of the header, little endian
    n bytes      JSON: name -> {"dtype", "shape", "data_offsets"}, and "__metadata__" -> {text: text}
    the rest     the arrays, row by row, little endian, without gaps

Nothing in such a file can run, and nothing is believed before it was checked: lengths, offsets, shapes,
types.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError
from anaphor.corpus import atomic_file

_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}
_LARGEST_HEADER = 1 << 24
_METADATA = "__metadata__"

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Tensors:
    """Named arrays, and text about them."""

    arrays: Mapping[str, Array]
    metadata: Mapping[str, str] = field(default_factory=dict)


def write_tensors(
    path: Path, arrays: Mapping[str, Array], *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write all arrays, or nothing."""
    header: dict[str, Any] = {_METADATA: dict(metadata)} if metadata else {}
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    place = 0
    for name, array in plain.items():
        end = place + array.nbytes
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(arrays[name].shape),
            "data_offsets": [place, end],
        }
        place = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with atomic_file(path, what="model") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in plain.values():
            file.write(array.tobytes())


def read_tensors(path: Path) -> Tensors:
    """All arrays of a file; one that is damaged or made to harm is an `InputError`."""
    try:
        content = path.read_bytes()
        return _tensors(content)
    except (OSError, ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise InputError(
            f"no safetensors file, or a damaged one: {error}",
            where=str(path),
            fix="copy the file again, or train the model again",
        ) from None


def _tensors(content: bytes) -> Tensors:
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > min(_LARGEST_HEADER, len(content) - 8):
        raise ValueError("the header is longer than the file")
    header = json.loads(content[8 : 8 + length].decode())
    if not isinstance(header, dict):
        raise ValueError("the header is no table")
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("the metadata are no texts")
    data = memoryview(content)[8 + length :]
    spans = sorted(tuple(entry["data_offsets"]) for entry in header.values())
    if [start for start, _ in spans] + [len(data)] != [0] + [end for _, end in spans]:
        raise ValueError("the arrays overlap, or leave gaps")
    return Tensors({name: _array(data, **entry) for name, entry in header.items()}, metadata)


def _array(data: memoryview, *, dtype: str, shape: list[int], data_offsets: list[int]) -> Array:
    kind = np.dtype(_TYPES[dtype])
    start, end = data_offsets
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, start, end)):
        raise ValueError("a shape or an offset is no whole number")
    if math.prod(shape) * kind.itemsize != end - start:
        raise ValueError("an array is not as long as its shape says")
    if dtype == "BOOL" and not set(data[start:end].tobytes()) <= {0, 1}:
        raise ValueError("a truth value is neither 0 nor 1")
    return np.frombuffer(data[start:end], kind).reshape(shape)
