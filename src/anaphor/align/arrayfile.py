"""Named arrays in one file, checked in every part before any of it is believed.

    8 bytes   magic
    4 bytes   length of the header, little-endian
    header    JSON: kind, version, facts, name, type and length of each array, size and CRC-32 of the payload
    payload   the arrays one after the other, little-endian, compressed with zlib

Nothing in it is ever executed: a hostile file can at worst be refused.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, UserError
from anaphor.corpus import write_atomically

_MAGIC = b"ANAPHOR\x1a"
_LONGEST_HEADER = 1 << 20
_LARGEST_PAYLOAD = 1 << 33
# zlib packs a thousand equal bytes into one: a small file could fill the memory. Real arrays do not repeat
# themselves like that, except very short ones.
_HIGHEST_RATIO = 64
_NEVER_TOO_LARGE = 1 << 22
_TYPES = {"u1": "<u1", "u2": "<u2", "i4": "<i4", "i8": "<i8", "f4": "<f4"}

Array = NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Arrays:
    """What an array file holds: facts about it, and the arrays by name."""

    facts: Mapping[str, str]
    arrays: Mapping[str, Array]


def write_arrays(path: Path, content: Arrays, *, kind: str, version: int) -> None:
    """Write all or nothing: the file appears under its name when it is complete."""
    payload = b"".join(array.tobytes() for array in content.arrays.values())
    header = {
        "kind": kind,
        "version": version,
        "facts": dict(content.facts),
        "arrays": [[name, _code(array), len(array)] for name, array in content.arrays.items()],
        "size": len(payload),
        "crc": zlib.crc32(payload),
    }
    head = json.dumps(header, ensure_ascii=False, sort_keys=True).encode()
    data = b"".join((_MAGIC, len(head).to_bytes(4, "little"), head, zlib.compress(payload, 9)))
    write_atomically(path, data)


def read_arrays(path: Path, *, kind: str, version: int) -> Arrays:
    """Read a file of this kind and version; anything else, and any damage, is an `InputError`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _bad(path, f"cannot read the {kind}: {error.strerror}", "check the path") from None
    header, payload = _split(path, data, kind)
    if header.get("kind") != kind:
        raise _bad(
            path, f"this is no {kind}, but: {header.get('kind')}", "give the path of one that anaphor wrote"
        )
    if header.get("version") != version:
        fix = "make it again with this version of anaphor"
        raise _bad(path, f"{kind} of version {header.get('version')}, this program reads {version}", fix)
    facts, listed = header.get("facts"), header.get("arrays")
    if not isinstance(facts, dict) or not isinstance(listed, list):
        raise _damaged(path, kind)
    return Arrays({str(k): str(v) for k, v in facts.items()}, _unpacked(path, listed, header, payload, kind))


def read_object(path: Path, *, kind: str, version: int, make: Callable[[Arrays], T]) -> T:
    """What `make` builds of the arrays in a file; arrays that do not fit together are an `InputError`.

    `make` raises KeyError, TypeError, ValueError or a `UserError` for these.
    """
    content = read_arrays(path, kind=kind, version=version)
    try:
        return make(content)
    except KeyError as error:
        reason = f"it has no {error.args[0]}"
    except UserError as error:
        reason = error.what
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise _bad(path, f"the {kind} does not fit together: {reason}", "copy or make it again")


def joined_forms(forms: Iterable[str]) -> NDArray[np.uint8]:
    """Word forms as an array that a file can hold; none of them has a line feed in it."""
    return np.frombuffer("\n".join(forms).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def parted_forms(joined: NDArray[np.uint8]) -> tuple[str, ...]:
    """The forms that `joined_forms` was given."""
    text = joined.tobytes().decode("utf-8", "surrogatepass")
    return tuple(text.split("\n")) if text else ()


def _split(path: Path, data: bytes, kind: str) -> tuple[dict[str, Any], bytes]:
    if not data.startswith(_MAGIC):
        raise _bad(path, f"this is no {kind}", "give the path of one that anaphor wrote")
    length = int.from_bytes(data[8:12], "little")
    if not 0 < length <= min(_LONGEST_HEADER, len(data) - 12):
        raise _damaged(path, kind)
    try:
        header = json.loads(data[12 : 12 + length])
    except (ValueError, RecursionError):
        raise _damaged(path, kind) from None
    if not isinstance(header, dict):
        raise _damaged(path, kind)
    return header, data[12 + length :]


def _unpacked(
    path: Path, listed: list[Any], header: Mapping[str, Any], payload: bytes, kind: str
) -> dict[str, Array]:
    """The arrays, if the header, the compressed stream and the checksum agree to the byte."""
    try:
        plan = [(str(name), np.dtype(_TYPES[code]), int(length)) for name, code, length in listed]
        size, crc = int(header["size"]), int(header["crc"])
    except (KeyError, TypeError, ValueError):
        raise _damaged(path, kind) from None
    if any(length < 0 for _, _, length in plan) or not 0 <= size <= _LARGEST_PAYLOAD:
        raise _damaged(path, kind)
    if sum(dtype.itemsize * length for _, dtype, length in plan) != size:
        raise _damaged(path, kind)
    if size > max(_NEVER_TOO_LARGE, _HIGHEST_RATIO * len(payload)):
        raise _damaged(path, kind)
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(payload, size + 1)
    except zlib.error:
        raise _damaged(path, kind) from None
    if len(plain) != size or not stream.eof or stream.unused_data or zlib.crc32(plain) != crc:
        raise _damaged(path, kind)
    arrays, offset = {}, 0
    for name, dtype, length in plan:
        arrays[name] = np.frombuffer(plain, dtype, length, offset).astype(dtype.newbyteorder("="))
        offset += dtype.itemsize * length
    return arrays


def _code(array: Array) -> str:
    code = array.dtype.newbyteorder("<").str.lstrip("<|")
    if code not in _TYPES:
        raise TypeError(f"array files do not hold {array.dtype}")
    return code


def _damaged(path: Path, kind: str) -> InputError:
    return _bad(path, f"the {kind} is damaged or cut short", "copy or make it again")


def _bad(path: Path, what: str, fix: str) -> InputError:
    return InputError(what, where=str(path), fix=fix)
