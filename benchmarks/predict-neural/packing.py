"""Slot contexts in small files, for machines with a slow connection: safetensors, compressed with LZMA."""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.files.arrays import pack_arrays, unpack_arrays
from anaphor.recipes.neural.contexts import NO_TOKEN, ContextArrays, SlotTable, TokenArrays

Array = NDArray[Any]


def write_pack(path: Path, contexts: ContextArrays, slots_of_segments: Sequence[int]) -> None:
    """ContextArrays, and how many slots each line of their file has, lines without slots included."""
    table = contexts.slots
    arrays = {
        "lines": np.array(slots_of_segments, np.uint8),
        "previous": _planes(contexts.previous + 1),
        "segment": _planes(np.diff(table.segment, prepend=0)),
        "source": _planes(table.source - contexts.source.starts[table.segment]),
        "target": _planes(table.target - contexts.target.starts[table.segment]),
        "head": _planes(table.head - contexts.source.starts[table.segment]),
        "label": _planes(table.label + 1),
        "candidates": _planes(_distances(contexts)),
        **_text_arrays("source", contexts.source),
        **_text_arrays("target", contexts.target),
    }
    path.write_bytes(lzma.compress(pack_arrays(arrays), preset=6))


def read_pack(path: Path) -> tuple[ContextArrays, list[int]]:
    """What `write_pack` wrote."""
    arrays = dict(unpack_arrays(lzma.decompress(path.read_bytes()), path=path).arrays)
    source, target = _text("source", arrays), _text("target", arrays)
    segment = np.cumsum(_whole(arrays["segment"]))
    place, head = _whole(arrays["source"]), _whole(arrays["head"])
    table = SlotTable(
        segment=segment,
        source=place + source.starts[segment],
        target=_whole(arrays["target"]) + target.starts[segment],
        head=head + source.starts[segment],
        label=_whole(arrays["label"]) - 1,
        candidates=_places(_whole(arrays["candidates"]), source, target, segment),
    )
    return ContextArrays(source, target, _whole(arrays["previous"]) - 1, table), arrays["lines"].tolist()


def _distances(contexts: ContextArrays) -> Array:
    """Candidates as distances back from the end of their sentence, which are small; 0 for none."""
    table = contexts.slots
    ends = [text.starts[table.segment + 1][:, None] for text in (contexts.source, contexts.target)]
    places = (table.candidates[..., 0], table.candidates[..., 1])
    back = [np.where(place == NO_TOKEN, 0, end - place) for place, end in zip(places, ends, strict=True)]
    return np.stack(back, axis=2)


def _places(distances: Array, source: TokenArrays, target: TokenArrays, segment: Array) -> Array:
    ends = [text.starts[segment + 1][:, None] for text in (source, target)]
    found = [np.where(distances[..., i], ends[i] - distances[..., i], NO_TOKEN) for i in range(2)]
    return np.stack(found, axis=2)


def _text_arrays(side: str, text: TokenArrays) -> dict[str, Array]:
    """Types as lines of text, tokens as numbers of types by frequency, sentences by their lengths."""
    order = np.argsort(-np.bincount(text.tokens[1:], minlength=len(text.types)), kind="stable")
    order = np.concatenate([[0], order[order != 0]])  # type 0 is no token and stays first
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    rows = "\n".join("\t".join(text.types[i]) for i in order)
    return {
        f"{side}.types": np.frombuffer(rows.encode(), np.uint8),
        f"{side}.tokens": _planes(rank[text.tokens]),
        f"{side}.lengths": _planes(np.diff(text.starts)),
    }


def _text(side: str, arrays: dict[str, Array]) -> TokenArrays:
    rows = arrays[f"{side}.types"].tobytes().decode().split("\n")
    starts = np.concatenate([[1], 1 + np.cumsum(_whole(arrays[f"{side}.lengths"]))])
    return TokenArrays(
        tuple(tuple(row.split("\t")) for row in rows), _whole(arrays[f"{side}.tokens"]), starts
    )


def _planes(numbers: Array) -> Array:
    """Bytes of the same weight side by side: what is small compresses best."""
    parts = np.ascontiguousarray(numbers, np.uint32)[..., None].view(np.uint8)
    return np.ascontiguousarray(np.moveaxis(parts, -1, 0))


def _whole(planes: Array) -> Array:
    parts = np.ascontiguousarray(np.moveaxis(planes, 0, -1))
    return parts.view(np.uint32)[..., 0].astype(np.int64)
