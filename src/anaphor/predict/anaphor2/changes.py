"""Low-rank changes to a shipped network, at a seventh of the size of another network.

For each changed matrix, a file has two thin matrices, `a` and `b`, whose product is added; small tables,
norms and classes are replaced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anaphor.core.array_types import Floats
from anaphor.files.arrays import Array, Schema
from anaphor.predict.anaphor2.network import NumpyNetwork, Shape, expected_shapes

_SCALE = ".scale"


def changes_schema(shape: Shape, *, classes: str, tables: Sequence[str]) -> Schema:
    """The expected content of a file of changes; `classes` is a number or an expression, `tables` are
    replaced.
    """
    schema = {"classes.bias": f"float32[{classes}]"}
    matrices = {"classes.weight": (classes, str(shape.width))}
    for name, size in expected_shapes(shape).items():
        if name.startswith("blocks.") and len(size) == 2:
            layer = name.removesuffix(".weight")
            matrices |= {f"{layer}.a": ("rank", str(size[1])), f"{layer}.b": (str(size[0]), "rank")}
        elif name.removesuffix(".weight") in tables:
            matrices[name] = str(size[0]), str(size[1])
        elif len(size) == 1 and name != "classes.bias":
            schema[name] = f"float32[{size[0]}]"
    for name, (rows, columns) in matrices.items():
        schema |= {name: f"int8[{rows}, {columns}]", name + _SCALE: f"float32[{rows}, 1]"}
    return schema


def changed(base: NumpyNetwork, arrays: Mapping[str, Array]) -> NumpyNetwork:
    """A network with the changes from a validated file."""
    plain: dict[str, Floats] = {
        name: array.astype(np.float32) * arrays[name + _SCALE] if name + _SCALE in arrays else array
        for name, array in arrays.items()
        if name != "names" and not name.endswith(_SCALE)
    }
    weights = dict(base.weights)
    for name, array in plain.items():
        if name.endswith(".a"):
            matrix = name.removesuffix(".a")
            weights[f"{matrix}.weight"] = weights[f"{matrix}.weight"] + plain[f"{matrix}.b"] @ array
        elif not name.endswith(".b"):
            weights[name] = array
    return NumpyNetwork(replace(base.shape, classes=len(plain["classes.bias"])), weights)
