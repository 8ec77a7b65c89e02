"""Writes array files as earlier versions did, so that tests can read them."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def old_model(arrays: Mapping[str, Array], facts: Mapping[str, str], /, **change: object) -> bytes:
    """An alignment model or prior; `change` replaces entries of the header."""
    payload = b"".join(array.tobytes() for array in arrays.values())
    header = {
        "facts": dict(facts),
        "arrays": [[name, array.dtype.str.lstrip("<|"), len(array)] for name, array in arrays.items()],
        "size": len(payload),
        "crc": zlib.crc32(payload),
        "kind": "prior",
        "version": 1,
    }
    head = json.dumps({**header, **change}).encode()
    return b"ANAPHOR\x1a" + len(head).to_bytes(4, "little") + head + zlib.compress(payload, 9)


def old_lm(words: Sequence[str], levels: Sequence[Sequence[Array]], /, **change: object) -> bytes:
    """A language model: keys, probabilities and backoff weights of each length."""
    parts = ["\n".join(words).encode(), *(array.tobytes() for level in levels for array in level)]
    header = {"version": 1, "vocabulary": len(parts[0]), "ngrams": [len(level[0]) for level in levels]}
    head = json.dumps({**header, **change}).encode()
    head += b" " * (-(len(head) + 12) % 64)
    payload = b"".join(part + b"\0" * (-len(part) % 64) for part in parts)
    checksum = zlib.crc32(payload).to_bytes(4, "little")
    return b"ANAPHLM\x1a" + len(head).to_bytes(4, "little") + head + payload + checksum


def old_archive(arrays: Mapping[str, Array]) -> bytes:
    """A NumPy archive, as `np.savez_compressed` writes it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w") as part:
                np.lib.format.write_array(part, array)
    return file.getvalue()
