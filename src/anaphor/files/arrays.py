"""Named arrays in one file: the container of every model and intermediate result that anaphor writes.

The layout is that of safetensors, so other programs can read the files:

    8 bytes   length of the header, little-endian
    header    JSON: data type, shape and place of each array, and metadata (text by name)
    data      the arrays, little-endian, without gaps

In addition to a model's own entries, the metadata has `kind` and `version` of the file and the CRC-32 of the
data. A file may be compressed as a whole with gzip. Nothing in it is ever executed, and nothing is allocated
beyond the file's content: sizes are first checked against the file. A damaged or hostile file is an
`InputError`.

The content of a model is declared once, in a `Schema`, and checked in one place, `check_arrays`: readers need
not check again whether a number is finite, or a row start lies inside its array.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import mmap
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from anaphor.core import InputError, UserError
from anaphor.core.records import strict_json
from anaphor.files.compression import GZIP, decompressed
from anaphor.files.writing import atomic_path

Array = NDArray[Any]
#: What each array must be: its type, its sizes, and where needed the values that it may have.
#:
#:     "strings[words]"                     text that `pack_strings` made, of so many strings
#:     "float32[words, 2] > 0 <= 1"         bounds of every number; floats are always finite
#:     "int64[words+1] starts of links"     row starts: from 0 to the size `links`, never descending
#:     "int32[links] >= 0 < forms"          a bound may be a size
#:     "int32[links] ascending in start"    strictly, within each of the rows that the array `start` begins
#:     "int64[keys] ascending"
#:
#: A size by name is the same wherever it occurs; a size may be `N*name+N`.
Schema = Mapping[str, str]
Buffer = bytes | memoryview
T = TypeVar("T")

_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BOOL": "|b1",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "|u1",
}
_NAMES = {np.dtype(code): name for name, code in _TYPES.items()}
_METADATA, _CHECKSUM = "__metadata__", "crc32"
_LARGEST_HEADER = 1 << 24
#: Of all arrays of a file together, in bytes, unless they stay in the file.
_LARGEST_PAYLOAD = 1 << 33
_RULE = re.compile(r"(>=|<=|>|<)\s*(\S+)|starts of (\S+)|ascending(?: in (\S+))?")


@dataclass(frozen=True, slots=True, eq=False)
class ArrayFile:
    """The content of a file: read-only arrays by name, and text about them."""

    arrays: Mapping[str, Array]
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class StreamedArray:
    """A vector that is written part by part and never in memory as a whole."""

    dtype: np.dtype[Any]
    size: int
    parts: Iterable[Array]

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)


Storable = Mapping[str, Array | StreamedArray] | Mapping[str, Array]


def write_arrays(
    path: Path,
    arrays: Storable,
    *,
    metadata: Mapping[str, str] | None = None,
    compress: bool = False,
    what: str = "model",
) -> None:
    """Write all arrays atomically; `what` names the file in errors."""
    with atomic_path(path, what=what) as temporary:
        if compress:
            # Without a time stamp: the same arrays are the same bytes.
            temporary.write_bytes(gzip.compress(pack_arrays(arrays, metadata=metadata), 9, mtime=0))
        else:
            with temporary.open("wb") as file:
                _write(file, arrays, metadata or {})


def pack_arrays(arrays: Storable, *, metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with these arrays."""
    file = io.BytesIO()
    _write(file, arrays, metadata or {})
    return file.getvalue()


def read_arrays(path: Path, *, what: str = "array file", mapped: bool = False) -> ArrayFile:
    """All arrays of a file.

    With `mapped`, the arrays of an uncompressed file are memory-mapped.
    """
    try:
        size = path.stat().st_size
        if path.is_char_device():  # one that never ends would fill the memory
            raise OSError("a device is not a file")
        if mapped and size:  # an empty file cannot be mapped
            with path.open("rb") as file:
                data: Buffer = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        elif size > _LARGEST_PAYLOAD:
            raise OSError("it is too large for this kind of file")
        else:
            data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot read the {what}: {reason}", where=str(path), fix="check the path") from None
    return unpack_arrays(data, path=path, what=what)


def unpack_arrays(data: Buffer, *, path: Path, what: str = "array file") -> ArrayFile:
    """The arrays in the bytes of a file; `path` and `what` name them in errors."""
    try:
        return _parse(decompressed(bytes(data), where=str(path)) if bytes(data[:2]) == GZIP else data)
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, EOFError, zlib.error) as error:
        raise InputError(
            f"not a valid {what}, or damaged or truncated: {error}",
            where=str(path),
            fix=f"pass a file that anaphor wrote, or copy or create the {what} again",
        ) from None


def read_object(
    path: Path,
    *,
    kind: str,
    version: int,
    make: Callable[[ArrayFile], T],
    schema: Schema | None = None,
    mapped: bool = False,
) -> T:
    """The result of `make` for the arrays in a file of this kind and version.

    `make` raises KeyError, TypeError, ValueError or a `UserError` if arrays contradict each other.
    """
    content = read_arrays(path, what=kind, mapped=mapped)
    actual = content.metadata.get("kind", "unknown"), content.metadata.get("version", "unknown")
    if actual[0] != kind:
        what = f"wrong kind of file: expected {kind}, got {actual[0]}"
        raise InputError(what, where=str(path), fix=f"pass the path of a {kind} that anaphor wrote")
    if actual[1] != str(version):
        what = f"{kind} of version {actual[1]}, this program reads {version}"
        raise InputError(what, where=str(path), fix="create it again with this version of anaphor")
    try:
        if schema is not None:
            check_arrays(content.arrays, schema)
        return make(content)
    except KeyError as error:
        reason = f"it has no {error.args[0]}"
    except UserError as error:
        reason = error.what
    except (TypeError, ValueError) as error:
        reason = str(error)
    raise InputError(f"the {kind} is inconsistent: {reason}", where=str(path), fix="copy or create it again")


def check_arrays(arrays: Mapping[str, Array], schema: Schema, **sizes: int) -> dict[str, int]:
    """Raise ValueError unless these are the arrays of the schema; return the named sizes.

    `sizes` are already known. Numbers from the file are only compared, never added or subtracted, so none can
    overflow.
    """
    if missing := [name for name in schema if name not in arrays]:
        raise ValueError(f"it has no {missing[0]}")
    if surplus := [name for name in arrays if name not in schema]:
        raise ValueError(f"it has an unknown array: {surplus[0]}")
    parts = {name: re.split(r"[\[\]]", wanted) for name, wanted in schema.items()}
    shapes: dict[str, tuple[tuple[int, ...], list[str]]] = {}
    for name, (dtype, sizes_wanted, _) in parts.items():
        array, dimensions = arrays[name], re.split(r",\s*", sizes_wanted) if sizes_wanted else []
        if array.dtype != np.dtype(np.uint8 if dtype == "strings" else dtype):
            raise ValueError(f"{name} has the wrong type: {array.dtype}, not {dtype}")
        if array.ndim != (1 if dtype == "strings" else len(dimensions)):
            raise ValueError(f"{name} has the wrong size: {list(array.shape)}, not {dimensions}")
        shape = (_count_strings(array),) if dtype == "strings" else array.shape
        shapes[name] = shape, dimensions
        for size, there in zip(dimensions, shape, strict=True):
            if size[0].isalpha() and "+" not in size:
                sizes.setdefault(size, there)
    for name, (shape, dimensions) in shapes.items():
        if list(shape) != (expected := [_size_of(dimension, sizes) for dimension in dimensions]):
            raise ValueError(f"{name} has the wrong size: {list(shape)}, not {expected}")
        if arrays[name].dtype.kind == "f" and not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has a number that is not finite")
    for name, (_, _, rules) in parts.items():
        for rule in _RULE.finditer(rules):
            _check_rule(name, arrays, rule, sizes)
    return sizes


def _count_strings(packed: Array) -> int:
    packed.tobytes().decode("utf-8", "surrogatepass")
    return int(np.count_nonzero(packed == ord("\n"))) + 1 if packed.size else 0


def _size_of(size: str, sizes: Mapping[str, int]) -> int:
    """A size such as `3`, `words`, `words+1` or `2*words`."""
    times, _, rest = size.rpartition("*")
    name, _, more = rest.partition("+")
    return int(times or 1) * (int(name) if name.isdigit() else sizes[name]) + int(more or 0)


def _check_rule(
    name: str, arrays: Mapping[str, Array], rule: re.Match[str], sizes: Mapping[str, int]
) -> None:
    compared, bound, whole, rows = rule.groups()
    array = arrays[name]
    if compared:
        limit = sizes[bound] if bound in sizes else float(bound)
        tests = {">=": np.greater_equal, "<=": np.less_equal, ">": np.greater, "<": np.less}
        if not tests[compared](array, limit).all():
            raise ValueError(f"{name} has a number that is not {compared} {limit:g}")
    elif whole:
        if not len(array) or array[0] != 0 or array[-1] != sizes[whole] or (array[1:] < array[:-1]).any():
            raise ValueError(f"the rows of {name} overlap, or do not end at {sizes[whole]}")
    else:
        falls = array[1:] <= array[:-1]
        if rows:  # the first number of a row may be smaller than the last of the row before
            begins = arrays[rows][(arrays[rows] > 0) & (arrays[rows] < len(array))]
            falls[begins - 1] = False
        if falls.any():
            raise ValueError(f"{name} is not ascending")


def pack_strings(strings: Iterable[str]) -> NDArray[np.uint8]:
    """Strings without a line feed as one array of bytes."""
    return np.frombuffer("\n".join(strings).encode("utf-8", "surrogatepass"), dtype=np.uint8)


def unpack_strings(packed: NDArray[np.uint8]) -> tuple[str, ...]:
    """The inverse of `pack_strings`."""
    text = packed.tobytes().decode("utf-8", "surrogatepass")
    return tuple(text.split("\n")) if text else ()


def _write(file: BinaryIO, arrays: Storable, metadata: Mapping[str, str]) -> None:
    header: dict[str, Any] = {_METADATA: {**metadata, _CHECKSUM: "0" * 8}}
    header |= {
        name: {"dtype": _NAMES[array.dtype.newbyteorder("<")], "shape": list(array.shape)}
        for name, array in arrays.items()
    }
    # Large items first, as safetensors itself orders them, so that each array is aligned in memory.
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    start = 0
    for name in order:
        end = start + math.prod(arrays[name].shape) * arrays[name].dtype.itemsize
        header[name]["data_offsets"] = [start, end]
        start = end
    file.write(_head(header))
    checksum = 0
    for name in order:
        written = 0
        for part in _parts(arrays[name]):
            file.write(part)
            checksum = zlib.crc32(part, checksum)
            written += len(part)
        if written != header[name]["data_offsets"][1] - header[name]["data_offsets"][0]:
            raise ValueError(f"the parts of {name} are not as long as announced")
    # Known only now, since arrays may be streamed; it has as many digits as were written before.
    header[_METADATA][_CHECKSUM] = f"{checksum:08x}"
    file.seek(0)
    file.write(_head(header))


def _head(header: Mapping[str, Any]) -> bytes:
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _parts(array: Array | StreamedArray) -> Iterator[bytes | memoryview]:
    little = array.dtype.newbyteorder("<")
    for part in array.parts if isinstance(array, StreamedArray) else (array,):
        yield np.ascontiguousarray(part, dtype=little).reshape(-1).view(np.uint8).data


def _parse(data: Buffer) -> ArrayFile:
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_LARGEST_HEADER, len(data) - 8):
        raise ValueError("the header is longer than the file")
    header = strict_json(bytes(data[8 : 8 + length]).decode())
    if not isinstance(header, dict):
        raise ValueError("the header is not a JSON object")
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise ValueError("the metadata are not text")
    payload = memoryview(data)[8 + length :]
    places = {name: _place(**entry) for name, entry in header.items()}
    spans = sorted((start, end) for _, _, start, end in places.values())
    if [start for start, _ in spans] + [len(payload)] != [0] + [end for _, end in spans]:
        raise ValueError("the arrays overlap, leave gaps or are longer than the file")
    checksum = metadata.pop(_CHECKSUM, None)
    if checksum is not None and checksum != f"{zlib.crc32(payload):08x}":
        raise ValueError("the checksum differs")
    return ArrayFile({name: _array(payload, *place) for name, place in places.items()}, metadata)


def _place(*, dtype: str, shape: list[int], data_offsets: list[int]) -> tuple[str, list[int], int, int]:
    start, end = data_offsets
    if not all(type(number) is int and number >= 0 for number in (*shape, start, end)):
        raise ValueError("a shape or an offset is not a whole number")
    if math.prod(shape) * np.dtype(_TYPES[dtype]).itemsize != end - start:
        raise ValueError("the length of an array does not match its shape")
    return dtype, shape, start, end


def _array(data: memoryview, dtype: str, shape: list[int], start: int, end: int) -> Array:
    if dtype == "BOOL" and not set(data[start:end].tobytes()) <= {0, 1}:
        raise ValueError("a truth value is neither 0 nor 1")
    array = np.frombuffer(data[start:end], _TYPES[dtype]).reshape(shape)
    # Compiled code expects aligned numbers in the order of the machine; ours are so without a copy.
    return np.require(array, array.dtype.newbyteorder("="), "A")
