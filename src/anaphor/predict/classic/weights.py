"""A matrix of weights in a file: a row for every feature, a column for every class."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.predict.classic.rows import Doubles, Floats
from anaphor.predict.model_folder import damaged


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """What each feature adds to the score of each class, and where the scores start."""

    matrix: Floats
    bias: Doubles

    def write(self, path: Path) -> None:
        """Write as arrays without objects."""
        write_arrays(path, {"matrix": self.matrix, "bias": self.bias})


def read_weights(path: Path, *, features: int, classes: int) -> Weights:
    """The weights of a file, which must have this shape and finite numbers."""
    found = read_arrays(path, ["matrix", "bias"])
    matrix, bias = found["matrix"].astype(np.float32), found["bias"].astype(np.float64)
    check_finite(path, matrix, (features, classes))
    check_finite(path, bias, (classes,))
    return Weights(matrix, bias)


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays of numbers by name; the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=4) as archive:
        for name, values in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.ascontiguousarray(values))


def read_arrays(path: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The arrays of a file; one that is missing or not of numbers is an error. NumPy refuses objects."""
    try:
        with np.load(path) as file:
            return {name: _number_array(file[name]) for name in names}
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise damaged(path, f"its arrays cannot be read ({type(error).__name__})") from None


def _number_array(values: Any) -> NDArray[Any]:
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "biuf":
        raise TypeError("no array of numbers")
    return values


def check_finite(path: Path, values: NDArray[Any], shape: tuple[int, ...]) -> None:
    """An error where an array has another shape, or a number that is none."""
    if values.shape != shape or not np.isfinite(values).all():
        raise damaged(path, f"an array should have the shape {shape} and finite numbers")
