"""Reading and writing trained models."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from anaphor.align.model import HmmModel, HmmOptions, LexiconRows
from anaphor.align.priors import JUMPS, ROWS
from anaphor.align.symmetrize import DecodingMode
from anaphor.core import LanguagePair
from anaphor.core.records import strict_json
from anaphor.files.arrays import ArrayFile, pack_strings, read_object, unpack_strings, write_arrays

KIND = "alignment model"
VERSION = 3
_SCHEMA = {
    "source_forms": "strings[sources]",
    "target_forms": "strings[targets]",
    **ROWS,
    "tables": "float32[2*pairs] >= 0 <= 1",
    "source_unigram": "float32[sources] > 0 <= 1",
    "target_unigram": "float32[targets] > 0 <= 1",
    "source_null": "float32[sources] > 0 <= 1",
    "target_null": "float32[targets] > 0 <= 1",
    **JUMPS,
}


@dataclass(frozen=True, slots=True, eq=False)
class StoredModel:
    """A model with everything needed to use it: options, languages, and the numbered words."""

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
    # Arrays were checked against the schema, so that engines need not check every number.
    model = HmmModel(
        LexiconRows(arrays["start"], arrays["target"]), *(arrays[name] for name in HmmModel.vectors())
    )
    pair = content.metadata["pair"]
    return StoredModel(
        model,
        _options(content.metadata["options"]),
        LanguagePair.parse(pair) if pair else None,
        sources,
        targets,
    )


def _kept(options: HmmOptions) -> dict[str, Any]:
    """The options that belong to the model; the number of threads depends on the machine."""
    return {name: value for name, value in asdict(options).items() if name != "threads"}


def _options(text: str) -> HmmOptions:
    given = strict_json(text)
    kept = _kept(HmmOptions())
    # A number that was saved as a whole one may be meant for an option with decimals.
    kinds = {name: (int, float) if type(value) is float else (type(value),) for name, value in kept.items()}
    kinds["reading"] = (int,)
    if not isinstance(given, dict) or set(given) != set(kept):
        raise ValueError("the options were written by another version")
    if wrong := [name for name, value in given.items() if type(value) not in kinds[name]]:
        raise ValueError(f"the option {wrong[0]} has the wrong type")
    return HmmOptions(**{**given, "reading": DecodingMode(given["reading"])})
