"""The built-in analyser's weights in one file, trusted only after every part of it has been checked.

Tables are 8-bit numbers with a scale for each column, the rest 16-bit floats; lists of words are UTF-8 text,
one word per line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.network import NEAR, WIDE, TaggerNetwork
from anaphor.analyse.wordforms import Lemmas, Rewriting
from anaphor.core.array_types import Floats
from anaphor.files.arrays import (
    ArrayFile,
    check_arrays,
    pack_strings,
    read_object,
    unpack_strings,
    write_arrays,
)

KIND = "analyser model"
VERSION = 1
#: Answers of the second head: no subject, subject, expletive subject; of the third: nothing left out, or so.
ROLES, NULLS = 3, 2

_SCHEMA = {
    "facts": "strings[facts]",
    "features": "strings[features]",
    "words": "strings[words]",
    "rules": "strings[rules]",
    "exceptions": "strings[exceptions]",
    "table": "int8[features+2, width]",
    "table.scale": "float32[width]",
    "vectors": "int8[words+1, depth]",
    "vectors.scale": "float32[depth]",
    "project": "float16[depth, width]",
    "network.near": f"float16[{2 * NEAR + 1}*width, first]",
    "network.near_bias": "float16[first]",
    "network.squeeze": "float16[first, squeezed]",
    "network.squeeze_bias": "float16[squeezed]",
    "network.wide": f"float16[{2 * WIDE + 1}*squeezed, second]",
    "network.wide_bias": "float16[second]",
    "network.from_near": "float16[first, answers]",
    "network.from_wide": "float16[second, answers]",
    "network.bias": "float16[answers]",
}
Archive = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class AnalyserModel:
    """The complete analyser model of one language.

    `features` number the rows of `table` (row 0 is an empty position, row 1 an unknown feature), `words`
    those of `vectors` (row 0 is an unknown word), which `project` maps to the width of the table. `tags` are
    the answers of the first head.
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
    """Write the model atomically. Weights are rounded to the file's precision."""
    lemmas, network = model.lemmas, model.network
    arrays: dict[str, NDArray[Any]] = {
        "facts": pack_strings(
            [str(VERSION), model.language, " ".join(model.tags), " ".join(sorted(lemmas.titled))]
        ),
        "features": pack_strings(model.features),
        "words": pack_strings(model.words),
        "rules": pack_strings(
            "\t".join((*key, r.drop, str(r.cut), r.add)) for key, r in lemmas.rules.items()
        ),
        "exceptions": pack_strings("\t".join((*key, lemma)) for key, lemma in lemmas.exceptions.items()),
        "project": model.project.astype(np.float16),
    }
    for field in fields(TaggerNetwork):
        arrays[f"network.{field.name}"] = getattr(network, field.name).astype(np.float16)
    for name, table in (("table", model.table), ("vectors", model.vectors)):
        # A column of zeros has a scale as well: nothing is divided by zero.
        scale = np.maximum(np.abs(table).max(axis=0), 1e-6).astype(np.float32) / 127
        arrays[name], arrays[f"{name}.scale"] = np.round(table / scale).astype(np.int8), scale
    write_arrays(path, arrays, metadata={"kind": KIND, "version": str(VERSION)}, compress=True)


def read_model(path: Path) -> AnalyserModel:
    """The model in a file; anything but a complete model of this version is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, make=_model)


def _model(content: ArrayFile) -> AnalyserModel:
    arrays = content.arrays
    sizes = check_arrays(arrays, _SCHEMA)
    version, language, tags, titled = unpack_strings(arrays["facts"])
    if version != str(VERSION):
        raise ValueError("another version")
    rules = (line.split("\t") for line in unpack_strings(arrays["rules"]))
    exceptions = (line.split("\t") for line in unpack_strings(arrays["exceptions"]))
    lemmas = Lemmas(
        {(tag, ending): Rewriting(drop, int(cut), add) for tag, ending, drop, cut, add in rules},
        {(tag, word): lemma for tag, word, lemma in exceptions},
        frozenset(titled.split()),
    )
    model = AnalyserModel(
        language,
        tuple(tags.split()),
        unpack_strings(arrays["features"]),
        _restored(arrays, "table"),
        unpack_strings(arrays["words"]),
        _restored(arrays, "vectors"),
        _floats(arrays["project"]),
        TaggerNetwork(*(_floats(arrays[f"network.{field.name}"]) for field in fields(TaggerNetwork))),
        lemmas,
    )
    if sizes["answers"] != len(model.tags) + ROLES + NULLS:
        raise ValueError("the network's output does not match its tags")
    # A scale can be so large that a product with it is infinite.
    if not (np.isfinite(model.table).all() and np.isfinite(model.vectors).all()):
        raise ValueError("a weight is not finite")
    return model


def _restored(arrays: Archive, name: str) -> Floats:
    return arrays[name].astype(np.float32) * _floats(arrays[f"{name}.scale"])


def _floats(array: NDArray[Any]) -> Floats:
    return array.astype(np.float32)
