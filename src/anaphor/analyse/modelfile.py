"""The built-in analyser's weights in one file, believed only after every part of it was checked.

A NumPy archive (`.npz`) without Python objects. Tables are 8-bit numbers with a scale for each column, the
rest 16-bit floats; lists of words are UTF-8 text, a line each.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.network import NEAR, WIDE, Floats, TaggerNetwork
from anaphor.analyse.wordforms import Lemmas, Rewriting
from anaphor.core import InputError
from anaphor.corpus import atomic_path

VERSION = 1
#: Answers of the second head: no subject, subject, expletive subject; of the third: nothing left out, or so.
ROLES, NULLS = 3, 2
_LARGEST = 1 << 26
_UNREADABLE = (
    OSError,
    ValueError,
    KeyError,
    IndexError,
    EOFError,
    RuntimeError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)

Archive = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class AnalyserModel:
    """All that the analyser of one language knows.

    `features` number the rows of `table` (row 0 is an empty place, row 1 an unknown feature), `words` those
    of `vectors` (row 0 is an unknown word), which `project` brings to the width of the table. `tags` are the
    answers of the first head.
    """

    language: str
    tags: tuple[str, ...]
    features: tuple[str, ...]
    table: Floats
    words: tuple[str, ...]
    vectors: Floats
    project: Floats
    network: TaggerNetwork
    lemmas: Lemmas


def write_model(path: Path, model: AnalyserModel) -> None:
    """Write all or nothing. Weights are rounded to what the file holds."""
    lemmas, network = model.lemmas, model.network
    arrays: dict[str, NDArray[Any]] = {
        "facts": _text([str(VERSION), model.language, " ".join(model.tags), " ".join(sorted(lemmas.titled))]),
        "features": _text(model.features),
        "words": _text(model.words),
        "rules": _text("\t".join((*key, r.drop, str(r.cut), r.add)) for key, r in lemmas.rules.items()),
        "exceptions": _text("\t".join((*key, lemma)) for key, lemma in lemmas.exceptions.items()),
        "project": model.project.astype(np.float16),
    }
    for field in fields(TaggerNetwork):
        arrays[f"network.{field.name}"] = getattr(network, field.name).astype(np.float16)
    for name, table in (("table", model.table), ("vectors", model.vectors)):
        arrays[name], arrays[f"{name}.scale"] = _quantised(table)
    with atomic_path(path, what="model") as temporary:
        _write_archive(temporary, arrays)


def read_model(path: Path) -> AnalyserModel:
    """The model in a file; whatever is not a whole model of this version is an `InputError`."""
    try:
        model = _model(_arrays(path))
        _check_shapes(model)
    except _UNREADABLE as error:
        raise InputError(
            f"no analyser model, or a damaged one ({type(error).__name__})",
            where=str(path),
            fix="install anaphor again, or make the model again with this version",
        ) from None
    return model


def _write_archive(path: Path, arrays: Archive) -> None:
    """What `np.savez_compressed` writes, with the date left out: the same arrays are the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as part:
                np.lib.format.write_array(part, array)


def _arrays(path: Path) -> Archive:
    """All arrays of a file; `np.load` refuses those that hold Python objects."""
    with zipfile.ZipFile(path) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > _LARGEST:
            raise ValueError("too large")
    with np.load(path) as stored:
        return {name: stored[name] for name in stored.files}


def _model(arrays: Archive) -> AnalyserModel:
    version, language, tags, titled = _lines(arrays["facts"])
    if version != str(VERSION):
        raise ValueError("another version")
    return AnalyserModel(
        language,
        tuple(tags.split()),
        _lines(arrays["features"]),
        _restored(arrays, "table"),
        _lines(arrays["words"]),
        _restored(arrays, "vectors"),
        _floats(arrays["project"]),
        TaggerNetwork(*(_floats(arrays[f"network.{field.name}"]) for field in fields(TaggerNetwork))),
        Lemmas(_rules(arrays["rules"]), _exceptions(arrays["exceptions"]), frozenset(titled.split())),
    )


def _rules(text: NDArray[Any]) -> dict[tuple[str, str], Rewriting]:
    cells = (line.split("\t") for line in _lines(text))
    return {(tag, ending): Rewriting(drop, int(cut), add) for tag, ending, drop, cut, add in cells}


def _exceptions(text: NDArray[Any]) -> dict[tuple[str, str], str]:
    return {(tag, word): lemma for tag, word, lemma in (line.split("\t") for line in _lines(text))}


def _check_shapes(model: AnalyserModel) -> None:
    """Every product of the forward pass must be possible; the sizes of the layers are free."""
    net = model.network
    width, first = model.table.shape[1], len(net.near_bias)
    squeezed, second = len(net.squeeze_bias), len(net.wide_bias)
    heads = len(model.tags) + ROLES + NULLS
    wanted = [
        (model.table, (len(model.features) + 2, width)),
        (model.vectors, (len(model.words) + 1, len(model.project))),
        (model.project, (len(model.project), width)),
        (net.near, ((2 * NEAR + 1) * width, first)),
        (net.near_bias, (first,)),
        (net.squeeze, (first, squeezed)),
        (net.squeeze_bias, (squeezed,)),
        (net.wide, ((2 * WIDE + 1) * squeezed, second)),
        (net.wide_bias, (second,)),
        (net.from_near, (first, heads)),
        (net.from_wide, (second, heads)),
        (net.bias, (heads,)),
    ]
    for array, shape in wanted:
        if array.shape != shape or not np.isfinite(array).all():
            raise ValueError("weights that do not fit")


def _quantised(table: Floats) -> tuple[NDArray[np.int8], Floats]:
    scale = np.maximum(np.abs(table).max(axis=0), 1e-6).astype(np.float32) / 127
    return np.round(table / scale).astype(np.int8), scale


def _restored(arrays: Archive, name: str) -> Floats:
    return arrays[name].astype(np.float32) * _floats(arrays[f"{name}.scale"])


def _floats(array: NDArray[Any]) -> Floats:
    return array.astype(np.float32)


def _text(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def _lines(text: NDArray[Any]) -> tuple[str, ...]:
    plain = text.astype(np.uint8).tobytes().decode()
    return tuple(plain.split("\n")) if plain else ()
