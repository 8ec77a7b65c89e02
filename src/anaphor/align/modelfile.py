"""A trained model in a file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from anaphor.align.arrayfile import Arrays, joined_forms, parted_forms, read_object, write_arrays
from anaphor.align.model import DecodingMode, Floats, HmmModel, HmmOptions, LexiconRows
from anaphor.align.priors import check_jumps, check_rows
from anaphor.core import LanguagePair

KIND = "alignment model"
VERSION = 3
#: All that a model has beside its rows.
_VECTORS = tuple(one.name for one in fields(HmmModel))[1:]


@dataclass(frozen=True, slots=True, eq=False)
class StoredModel:
    """A model with all that is needed to use it: options, languages, the words behind the numbers."""

    model: HmmModel
    options: HmmOptions
    pair: LanguagePair | None
    source_forms: tuple[str, ...]
    target_forms: tuple[str, ...]


def write_model(path: Path, stored: StoredModel) -> None:
    """Write a model file, all or nothing."""
    facts = {
        "pair": "" if stored.pair is None else str(stored.pair),
        "options": json.dumps(_kept(stored.options), sort_keys=True),
    }
    arrays = {
        "source_forms": joined_forms(stored.source_forms),
        "target_forms": joined_forms(stored.target_forms),
        "start": stored.model.rows.start,
        "target": stored.model.rows.target,
        **{name: getattr(stored.model, name) for name in _VECTORS},
    }
    write_arrays(path, Arrays(facts, arrays), kind=KIND, version=VERSION)


def read_model(path: Path) -> StoredModel:
    """Read a model file; one that does not fit together is an `InputError`."""
    return read_object(path, kind=KIND, version=VERSION, make=_stored)


def _stored(content: Arrays) -> StoredModel:
    arrays = content.arrays
    sources, targets = parted_forms(arrays["source_forms"]), parted_forms(arrays["target_forms"])
    if arrays["start"].dtype != np.int64 or arrays["target"].dtype != np.int32:
        raise ValueError("word numbers have the wrong type")
    rows = LexiconRows(arrays["start"], arrays["target"])
    check_rows(rows, sources=len(sources), targets=len(targets))
    model = HmmModel(rows, *(arrays[name] for name in _VECTORS))
    for name, size in (
        ("tables", 2 * len(rows)),
        ("source_unigram", len(sources)),
        ("source_null", len(sources)),
        ("target_unigram", len(targets)),
        ("target_null", len(targets)),
    ):
        _check_probabilities(name, arrays[name], size)
    check_jumps(model.forward_jumps)
    check_jumps(model.reverse_jumps)
    pair = content.facts["pair"]
    return StoredModel(
        model,
        _options(content.facts["options"]),
        LanguagePair.parse(pair) if pair else None,
        sources,
        targets,
    )


def _check_probabilities(name: str, values: Floats, size: int) -> None:
    if values.dtype != np.float32 or len(values) != size:
        raise ValueError(f"{name} has the wrong size")
    if not (np.isfinite(values).all() and (values >= 0).all() and (values <= 1).all()):
        raise ValueError(f"{name} has values that are no probabilities")
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
