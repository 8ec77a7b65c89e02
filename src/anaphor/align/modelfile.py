"""A trained model in a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.align.model import REACH, DecodingMode, Floats, HmmModel, HmmOptions, LexiconRows
from anaphor.align.priors import check_jumps, check_rows
from anaphor.core import LanguagePair
from anaphor.corpus.arrays import ArrayFile, pack_strings, read_object, unpack_strings, write_arrays

KIND = "alignment model"
VERSION = 3
_SCHEMA = {
    "source_forms": "uint8[source bytes]",
    "target_forms": "uint8[target bytes]",
    "start": "int64[rows]",
    "target": "int32[pairs]",
    "tables": "float32[entries]",
    "source_unigram": "float32[sources]",
    "target_unigram": "float32[targets]",
    "source_null": "float32[sources]",
    "target_null": "float32[targets]",
    "forward_jumps": f"float32[{2 * REACH + 1}]",
    "reverse_jumps": f"float32[{2 * REACH + 1}]",
}


@dataclass(frozen=True, slots=True, eq=False)
class StoredModel:
    """A model with all that is needed to use it: options, languages, the words behind the numbers."""

    model: HmmModel
    options: HmmOptions
    pair: LanguagePair | None
    source_forms: tuple[str, ...]
    target_forms: tuple[str, ...]


def write_model(path: Path, stored: StoredModel) -> None:
    """Write a model file, atomically."""
    metadata = {
        "kind": KIND,
        "version": str(VERSION),
        "pair": "" if stored.pair is None else str(stored.pair),
        "options": json.dumps(_kept(stored.options), sort_keys=True),
    }
    arrays = {
        "source_forms": pack_strings(stored.source_forms),
        "target_forms": pack_strings(stored.target_forms),
        "start": stored.model.rows.start,
        "target": stored.model.rows.target,
        **{name: getattr(stored.model, name) for name in HmmModel.vectors()},
    }
    write_arrays(path, arrays, metadata=metadata, compress=True, what=KIND)


def read_model(path: Path) -> StoredModel:
    """Read a model file; an inconsistent one is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, schema=_SCHEMA, make=_stored)


def _stored(content: ArrayFile) -> StoredModel:
    arrays = content.arrays
    sources, targets = unpack_strings(arrays["source_forms"]), unpack_strings(arrays["target_forms"])
    rows = LexiconRows(arrays["start"], arrays["target"])
    check_rows(rows, sources=len(sources), targets=len(targets))
    model = HmmModel(rows, *(arrays[name] for name in HmmModel.vectors()))
    if (2 * len(rows), len(sources), len(targets)) != (
        len(model.tables),
        len(model.source_null),
        len(model.target_null),
    ):
        raise ValueError("probabilities and words differ in number")
    for name in ("tables", "source_unigram", "source_null", "target_unigram", "target_null"):
        _check_probabilities(name, arrays[name])
    check_jumps(model.forward_jumps)
    check_jumps(model.reverse_jumps)
    pair = content.metadata["pair"]
    return StoredModel(
        model,
        _options(content.metadata["options"]),
        LanguagePair.parse(pair) if pair else None,
        sources,
        targets,
    )


def _check_probabilities(name: str, values: Floats) -> None:
    if not (np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all()):
        raise ValueError(f"{name} has values that are not probabilities")
    if name != "tables" and not (values > 0).all():
        raise ValueError(f"{name} has impossible words")


def _kept(options: HmmOptions) -> dict[str, Any]:
    """The options that belong to the model; the number of threads belongs to the machine it runs on."""
    return {name: value for name, value in asdict(options).items() if name != "threads"}


def _options(text: str) -> HmmOptions:
    given = json.loads(text)
    if set(given) != set(_kept(HmmOptions())):
        raise ValueError("the options are not those of this version")
    return HmmOptions(**{**given, "reading": DecodingMode(given["reading"])})
