"""The adapter file: low-rank changes to one base model, and a card.

Every matrix W of the decoder becomes W + B A, where A and B are the thin matrices `.a` and `.b` with its
name. `first` and `last` are the layers applied to the last state. Matrices are stored as bytes with one scale
per row. The card is JSON in the header of the file:

    base, base_sha256    the only base model that the changes fit
    rank                 rows of A
    languages            target languages, for English sources
    frame                the pieces of `text.TEMPLATE`, as they were in training
    licence              SPDX expression
    trained_on the training data: name and licence of each set
    scale                per language two numbers that turn log odds into those of the small detector
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError
from anaphor.core.records import Record
from anaphor.files.arrays import Array, Schema, check_arrays, read_arrays, write_arrays
from anaphor.predict.anaphor2.network import rounded
from anaphor.predict.detector.large.text import LANGUAGES, TEMPLATE

KIND, VERSION = "detector-adapter", "1"
#: The width of the layer that reads the last state.
HIDDEN = 256
_SCALE = ".scale"
_FIX = "copy the file again, or take the one in models/detector-large of the repository"


class Scale(NamedTuple):
    """A linear map of log odds onto those of the small detector, to which the verdict weights belong."""

    factor: float
    offset: float


@dataclass(frozen=True, slots=True)
class AdapterCard:
    """The description of an adapter."""

    base: str
    base_sha256: str
    rank: int
    languages: tuple[str, ...]
    frame: tuple[tuple[int, ...], ...]
    licence: str
    trained_on: tuple[Mapping[str, str], ...]
    scale: Mapping[str, Scale]

    @classmethod
    def read(cls, record: Record) -> AdapterCard:
        """Read a card, which must have exactly the known keys."""
        record.allow(*cls.__slots__)
        languages = record.texts("languages")
        if not languages or not set(languages) <= set(LANGUAGES) or len(set(languages)) < len(languages):
            record.refuse("languages", f"expected some of {', '.join(LANGUAGES)}")
        frame = record.elements("frame")
        if len(frame) != len(TEMPLATE):
            record.refuse("frame", f"expected {len(TEMPLATE)} lists, got {len(frame)}")
        scale = record.table("scale")
        scale.allow(*languages)
        return cls(
            record.text("base"),
            record.text("base_sha256"),
            record.integer("rank", low=1, high=4096),
            languages,
            tuple(_numbers(frame.elements(line)) for line in frame),
            record.text("licence"),
            tuple(
                {key: corpus.text(key) for key in ("name", "licence")}
                for corpus in record.tables("trained_on")
            ),
            {language: _scale_of(scale, language) for language in languages},
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def _numbers(record: Record) -> tuple[int, ...]:
    return tuple(record.integer(index, low=0) for index in record)


def _scale_of(record: Record, language: str) -> Scale:
    numbers = record.elements(language)
    if len(numbers) != 2:
        record.refuse(language, "expected two numbers, a factor and an offset")
    return Scale(numbers.number("[0]", low=0.0), numbers.number("[1]"))


class Adapter(NamedTuple):
    """Changes to a base model in single precision, with their card."""

    card: AdapterCard
    arrays: Mapping[str, NDArray[np.float32]]


def write_adapter(path: Path, card: AdapterCard, arrays: Mapping[str, Array]) -> None:
    """Write the changes to a base model; matrices are rounded to eight bits per number."""
    stored: dict[str, Array] = {}
    for name, array in arrays.items():
        if array.ndim == 2:
            stored[name], stored[name + _SCALE] = rounded(array)
        else:
            stored[name] = array.astype(np.float32)
    metadata = {"kind": KIND, "version": VERSION, "card": json.dumps(asdict(card), ensure_ascii=False)}
    write_arrays(path, stored, metadata=metadata, what="adapter")


def read_card(path: Path) -> AdapterCard:
    """The card of an adapter."""
    return _card(read_arrays(path, what="adapter").metadata, path)


def _card(metadata: Mapping[str, str], path: Path) -> AdapterCard:
    if (metadata.get("kind"), metadata.get("version")) != (KIND, VERSION):
        raise InputError("the file is not an adapter of the detector", where=str(path), fix=_FIX)
    return AdapterCard.read(Record.from_json(metadata.get("card", ""), where=str(path), fix=_FIX))


def read_adapter(path: Path, config: Mapping[str, Any]) -> Adapter:
    """Read an adapter, which must fit a base model of this shape."""
    file = read_arrays(path, what="adapter")
    card = _card(file.metadata, path)
    try:
        check_arrays(file.arrays, _schema(config, card.rank))
        if any(piece >= config["vocabulary"] for line in card.frame for piece in line):
            raise ValueError("its frame has a piece that the base model does not know")
    except ValueError as error:
        raise InputError(f"the adapter is damaged: {error}", where=str(path), fix=_FIX) from None
    plain = {
        name: array.astype(np.float32) * file.arrays[name + _SCALE] if array.ndim == 2 else array
        for name, array in file.arrays.items()
        if not name.endswith(_SCALE)
    }
    return Adapter(card, plain)


def matrix_sizes(config: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Rows and columns of every decoder matrix that an adapter changes, by name."""
    width, ffn = config["width"], config["ffn"]
    heads, values = (config[name] * config["head_dim"] for name in ("heads", "kv_heads"))
    sizes = {
        "q": (heads, width), "k": (values, width), "v": (values, width), "o": (width, heads),
        "gate": (ffn, width), "up": (ffn, width), "down": (width, ffn),
    }  # fmt: skip
    layers = range(config["layers"])
    return {f"blocks.{layer}.{part}": size for layer in layers for part, size in sizes.items()}


def _schema(config: Mapping[str, Any], rank: int) -> Schema:
    matrices = {"first.weight": (HIDDEN, config["width"]), "last.weight": (1, HIDDEN)}
    for name, (rows, columns) in matrix_sizes(config).items():
        matrices |= {f"{name}.a": (rank, columns), f"{name}.b": (rows, rank)}
    schema = {"first.bias": f"float32[{HIDDEN}]", "last.bias": "float32[1]"}
    for name, (rows, columns) in matrices.items():
        schema |= {name: f"int8[{rows}, {columns}]", name + _SCALE: f"float32[{rows}, 1]"}
    return schema
