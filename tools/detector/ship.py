"""Put a trained student into the package: its changes in bytes, a quarter of the space of single precision.

    python -m tools.detector.ship STUDENT.npz --classes classes.json \\
        [--odds student-read.npy --names names.txt]

With `--odds` it also writes what students that have not seen a judged document said of its pronouns. That is
for `benchmarks/verdict/fit.py`, which must not fit on what the shipped student knows by heart.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.files.arrays import pack_strings, write_arrays
from anaphor.predict.anaphor2.network import rounded
from tools.distributions import ROOT, component_folder, results_name


def held_out_file() -> Path:
    """Where the log odds of judged documents are kept that the students in use had not seen."""
    return ROOT / "benchmarks" / "verdict" / "results" / f"{results_name('detector')}.tsv.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("student", type=Path, help="student.npz or student-read.npz of student.py")
    parser.add_argument("--classes", type=Path, required=True, help="classes.json of student.py")
    parser.add_argument("--output", type=Path, help="default: that of the models in use")
    parser.add_argument("--odds", type=Path, help="student-read.npy of student.py")
    parser.add_argument("--names", type=Path, help="names.txt of pack.py student, with --odds")
    options = parser.parse_args()
    if options.odds and not options.names:
        parser.error("--odds needs --names, the names of the pronouns")
    arrays: dict[str, NDArray[Any]] = {
        "names": pack_strings(json.loads(options.classes.read_text(encoding="utf-8")))
    }
    for name, value in np.load(options.student).items():
        if value.ndim == 2:
            arrays[name], arrays[f"{name}.scale"] = rounded(value)
        else:
            arrays[name] = value.astype(np.float32)
    output = options.output or component_folder("predict/detector/model") / "changes.safetensors"
    output.parent.mkdir(parents=True, exist_ok=True)
    write_arrays(output, arrays)
    print(f"{output}: {output.stat().st_size:,} bytes")
    if options.odds:
        names = options.names.read_text(encoding="utf-8").splitlines()
        with gzip.GzipFile(held_out_file(), "wb", mtime=0) as file:
            for name, odds in zip(names, np.load(options.odds).tolist(), strict=True):
                if odds:
                    file.write(f"{name.rpartition(':')[0]}\t{odds:.3f}\n".encode())


if __name__ == "__main__":
    main()
