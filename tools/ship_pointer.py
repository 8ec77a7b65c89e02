"""Put a trained pointing network into the package: its changes in bytes, a quarter of single precision.

    python tools/ship_pointer.py WEIGHTS NAME

WEIGHTS is the `weights.npz` of train_pointer.py, NAME one of the networks in it. The change of a matrix, B A,
is replaced by its best approximation of a lower rank: the largest singular values hold most of it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from distributions import component_folder

from anaphor.core.array_types import Floats
from anaphor.files.arrays import Array, write_arrays
from anaphor.predict.anaphor2.network import rounded


def approximated(a: Floats, b: Floats, rank: int) -> tuple[Floats, Floats]:
    """Two thinner matrices whose product is the nearest one of this rank to B A."""
    left, values, right = np.linalg.svd(b @ a, full_matrices=False)
    root = np.sqrt(values[:rank])
    return (root[:, None] * right[:rank]).astype(np.float32), (left[:, :rank] * root).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("weights", type=Path, help="weights.npz of train_pointer.py")
    parser.add_argument("name", help="the network in it")
    parser.add_argument("--rank", type=int, default=40, help="rank of the changes that ship (default: 40)")
    parser.add_argument("--output", type=Path, help="default: that of the models in use")
    options = parser.parse_args()
    prefix = f"{options.name}/"
    with np.load(options.weights) as file:
        weights = {
            key.removeprefix(prefix): file[key].astype(np.float32)
            for key in file.files
            if key.startswith(prefix)
        }
    if not weights:
        parser.error(f"no network {options.name} in {options.weights}")
    for name in [key.removesuffix(".a") for key in weights if key.endswith(".a")]:
        weights[f"{name}.a"], weights[f"{name}.b"] = approximated(
            weights[f"{name}.a"], weights[f"{name}.b"], options.rank
        )
    arrays: dict[str, Array] = {}
    for name, array in weights.items():
        if array.ndim == 2:
            arrays[name], arrays[f"{name}.scale"] = rounded(array)
        else:
            arrays[name] = array
    output = options.output or component_folder("predict/pointer/model") / "changes.safetensors"
    output.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(output, arrays)
    sys.stdout.write(f"{output}: {output.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
