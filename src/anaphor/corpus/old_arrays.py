"""Array files of earlier versions, recognized by their first bytes; `arrays` writes another format today.

- alignment models and priors: magic, header length, JSON header, one zlib stream with all arrays;
- language models (`.lm`): magic, header length, JSON header, arrays padded to 64 bytes, CRC-32;
- NumPy archives (`.npz`): analysers and the networks of anaphor-2, also those that ship, because signatures
  and model cards have the hashes of their bytes.
"""

from __future__ import annotations

import io
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from anaphor.core.records import strict_json

Array = NDArray[Any]
#: Arrays and metadata.
Content = tuple[dict[str, Array], dict[str, str]]

_MODEL, _LM, _ARCHIVE = b"ANAPHOR\x1a", b"ANAPHLM\x1a", b"PK\x03\x04"
_TYPES = {"u1": "<u1", "u2": "<u2", "i4": "<i4", "i8": "<i8", "f4": "<f4"}
_LARGEST_HEADER = 1 << 20
#: Of all arrays of a file together, in bytes, unless they stay in the file.
LARGEST_PAYLOAD = 1 << 33
_LM_LINE = 64
# Deflate packs a thousand equal bytes into one: a small file could fill the memory. Real arrays do not repeat
# themselves like that, except very short ones.
_HIGHEST_RATIO = 64
_NEVER_TOO_LARGE = 1 << 22
#: What `zipfile` raises for broken archives, encryption and unknown compression, and what NumPy's parser of
#: array headers does.
_BROKEN = (
    zipfile.BadZipFile,
    RuntimeError,
    OSError,
    MemoryError,
    SyntaxError,
    AttributeError,
    struct.error,
    tokenize.TokenError,
)


def read_old(data: bytes | memoryview) -> Content | None:
    """The content of a file in an old format, None if it is in none of them; damage is a ValueError."""
    magic = bytes(data[:8])
    if magic == _MODEL:
        return _read_model(bytes(data))
    if magic == _LM:
        return _read_lm(memoryview(data))
    if magic[:4] == _ARCHIVE:
        try:
            return _read_archive(bytes(data)), {}
        except _BROKEN as error:
            raise ValueError(str(error) or "not a NumPy archive") from None
    return None


def check_inflated_size(size: int, compressed: int) -> None:
    """Raise ValueError if compressed data announce more content than real arrays would have."""
    if not 0 <= size <= min(LARGEST_PAYLOAD, max(_NEVER_TOO_LARGE, _HIGHEST_RATIO * compressed)):
        raise ValueError("its compressed data announce an implausible size")


def _header(data: bytes | memoryview) -> tuple[dict[str, Any], int]:
    """The JSON header behind a magic of eight bytes, and where it ends."""
    length = int.from_bytes(data[8:12], "little")
    if not 0 < length <= min(_LARGEST_HEADER, len(data) - 12):
        raise ValueError("the header is longer than the file")
    header = strict_json(bytes(data[12 : 12 + length]))
    if not isinstance(header, dict):
        raise ValueError("the header is not a JSON object")
    return header, 12 + length


def _read_model(data: bytes) -> Content:
    header, end = _header(data)
    plan = [(str(name), np.dtype(_TYPES[code]), int(length)) for name, code, length in header["arrays"]]
    size = int(header["size"])
    if any(length < 0 for _, _, length in plan) or size != sum(
        dtype.itemsize * length for _, dtype, length in plan
    ):
        raise ValueError("its arrays are not as long as announced")
    check_inflated_size(size, len(data) - end)
    stream = zlib.decompressobj()
    plain = stream.decompress(data[end:], size + 1)
    if len(plain) != size or not stream.eof or stream.unused_data or zlib.crc32(plain) != header["crc"]:
        raise ValueError("the checksum differs")
    arrays, offset = {}, 0
    for name, dtype, length in plan:
        arrays[name] = np.frombuffer(plain, dtype, length, offset).astype(dtype.newbyteorder("="))
        offset += dtype.itemsize * length
    metadata = {str(name): str(text) for name, text in dict(header["facts"]).items()}
    return arrays, {**metadata, "kind": str(header["kind"]), "version": str(header["version"])}


def _read_lm(data: memoryview) -> Content:
    header, offset = _header(data)
    sizes, vocabulary = [int(size) for size in header["ngrams"]], int(header["vocabulary"])
    plan = [("vocabulary", vocabulary, "u1")]
    for length, count in enumerate(sizes, start=1):
        plan += [(f"{length}.key", count, "i8"), (f"{length}.probability", count, "f4")]
        plan += [(f"{length}.backoff", count, "f4")] if length < len(sizes) else []
    padded = [size * np.dtype(code).itemsize for _, size, code in plan]
    padded = [used + -used % _LM_LINE for used in padded]
    if min(sizes, default=0) <= 0 or vocabulary <= 0 or offset + sum(padded) + 4 != len(data):
        raise ValueError("its arrays are not as long as announced")
    if zlib.crc32(data[offset:-4]).to_bytes(4, "little") != bytes(data[-4:]):
        raise ValueError("the checksum differs")
    arrays = {}
    for (name, size, code), room in zip(plan, padded, strict=True):
        # Native code must not be handed numbers that begin anywhere.
        arrays[name] = np.require(np.frombuffer(data, f"<{code}", size, offset), requirements="A")
        offset += room
    return arrays, {"kind": "language model", "version": str(header["version"])}


def _read_archive(data: bytes) -> dict[str, Array]:
    """The arrays of a NumPy archive. `np.load` would allocate what a header announces before reading it."""
    arrays = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about headers of Python 2
        check_inflated_size(sum(entry.file_size for entry in archive.infolist()), len(data))
        for entry in archive.infolist():
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{entry.filename} is compressed in another way")
            with archive.open(entry) as stream:
                # With the announced size, or two gigabytes would be inflated before they are cut to it.
                content = stream.read(entry.file_size)
            member = io.BytesIO(content)
            if npy.read_magic(member) != (1, 0):
                raise ValueError(f"{entry.filename} is not a plain array")
            shape, by_column, dtype = npy.read_array_header_1_0(member)
            sound = dtype.itemsize and not dtype.hasobject and all(size >= 0 for size in shape)
            if not sound or math.prod(shape) * dtype.itemsize != len(content) - member.tell():
                raise ValueError(f"{entry.filename} is not as long as announced, or not a plain array")
            flat = np.require(np.frombuffer(content, dtype, offset=member.tell()), requirements="A")
            array = flat.reshape(shape[::-1]).T if by_column else flat.reshape(shape)
            arrays[entry.filename.removesuffix(".npy")] = array
    return arrays
