"""Put a trained pointing network into the package: its changes in bytes, a quarter of single precision.

    python tools/ship_pointer.py WEIGHTS NAME

WEIGHTS is the `weights.npz` of train_pointer.py, NAME one of the networks in it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from anaphor.files.arrays import Array, write_arrays
from anaphor.predict.anaphor2.network import rounded

OUTPUT = (
    Path(__file__).resolve().parents[1]
    / "src" / "anaphor" / "predict" / "pointer" / "model" / "changes.safetensors"
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("weights", type=Path, help="weights.npz of train_pointer.py")
    parser.add_argument("name", help="the network in it")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    arrays: dict[str, Array] = {}
    with np.load(options.weights) as file:
        for key in file.files:
            name, _, array = key.partition("/")
            if name != options.name:
                continue
            if file[key].ndim == 2:
                arrays[array], arrays[f"{array}.scale"] = rounded(file[key])
            else:
                arrays[array] = file[key].astype(np.float32)
    if not arrays:
        parser.error(f"no network {options.name} in {options.weights}")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(options.output, arrays)
    sys.stdout.write(f"{options.output.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
