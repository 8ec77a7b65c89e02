"""Damages files as a stranger would who knows their formats: the result often passes the first checks.

`mutated` sees what a file is by its content. Arrays and databases are opened, changed in one or two places
and closed again with correct sizes and checksums; JSON is changed value by value; any file also gets plain
damage. The same random generator gives the same damage.
"""

from __future__ import annotations

import gzip
import json
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.files.arrays import pack_arrays, unpack_arrays

Arrays = dict[str, NDArray[Any]]

#: A folder without a disk behind it, which a database would wait for; None for the usual one.
MEMORY = next((one for one in ("/dev/shm",) if Path(one).is_dir()), None)  # noqa: S108
_NESTED = "<nested>"
_DEEP = 60_000
#: Values at which readers were seen to fail, or could.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 255, 65_536, 2**31 - 1, 2**31, -(2**31) - 1, 2**53, 2**63 - 1, 2**63, -(2**63), 2**64,
    10**30, 10**400, 0.0, -0.0, 0.5, -0.5, 1e-320, 1e39, 1e308, -1e308, float("nan"), float("inf"), float("-inf"),
    "", " ", "x", "-", "é", "\ud800", "a\udfff", "\x1b[31mred\x1b[0m", "a\nb", "a\tb", "\0", "\u202e", "0", "1e999", "nan", "en-fr", "fr-en",
    "en", "../x", "/", "a" * 300, "2026-01-01T00:00:00+00:00", "[]", "{}", "null", [], [[]], [None], [0], ["x"], [1, 2, 3], {}, {"": None}, {"x": 1},
    [_NESTED], {"x": _NESTED},
)  # fmt: skip
PIECES = (
    b"", b"\0", b"\xff", b"\n", b"\r\n", b"\t", b" ", b",", b'"', b"'", b"\\", b"[", b"]", b"{", b"}", b"[" * 3000, b"<", b"&", b"#", b"=",
    b"-", b"0", b"9" * 25, b"9" * 5000, b"1e999", b"NaN", b"null", b"-Infinity", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1b[2J",
    b"PK\x03\x04", b"\x1f\x8b", b"ANAPHOR\x1a", b"\\ud800",
)  # fmt: skip


def mutated(data: bytes, rng: Random) -> bytes:
    """The file with some damage."""
    kind = rng.random()
    if kind < 0.15 or not data:
        return damaged_bytes(data, rng)
    try:
        return _mutator(data)(data, rng)
    except (
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        zlib.error,
        sqlite3.Error,
        RecursionError,
        RuntimeError,
    ):
        return damaged_bytes(data, rng)  # the damage could not be written down in this format


def _mutator(data: bytes) -> Callable[[bytes, Random], bytes]:
    if data[:2] == b"\x1f\x8b":
        return lambda data, rng: gzip.compress(mutated(gzip.decompress(data), rng), 1, mtime=0)
    if data.startswith(b"SQLite format 3\0"):
        return mutated_database
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") < len(data):
        return mutated_container
    if data.lstrip()[:1] in (b"{", b"["):
        try:
            json.loads(data)
        except ValueError:
            return mutated_lines
        return lambda data, rng: mutated_json(data.decode(), rng).encode()
    return mutated_lines


def damaged_bytes(data: bytes, rng: Random) -> bytes:
    """Cut, doubled, overwritten or flipped in up to three places."""
    for _ in range(rng.randint(1, 3)):
        at, width = rng.randint(0, len(data)), rng.choice((0, 1, 1, 2, 4, 8, 40))
        match rng.randrange(5):
            case 0:
                data = data[:at] + rng.choice(PIECES) + data[at + width :]
            case 1 if data:
                at = min(at, len(data) - 1)
                data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
            case 2:
                data = data[:at] + rng.randbytes(width) + data[at + width :]
            case 3:
                data = data[:at] + data[at : at + 10 * width] + data[at:]
            case _:
                data = data[:at] if rng.random() < 0.3 else data[:at] + data[at + 10 * width :]
    return data


def mutated_lines(data: bytes, rng: Random) -> bytes:
    """Text: lines are dropped, doubled and swapped, cells are replaced, objects of JSON lines are changed."""
    lines = data.split(b"\n")
    for _ in range(rng.randint(1, 2)):
        at = rng.randrange(len(lines))
        match rng.randrange(6):
            case 0:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 1 if len(lines) > 1:
                del lines[at]
            case 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3 if lines[at][:1] in (b"{", b"["):
                lines[at] = mutated_json(lines[at].decode(), rng).encode().replace(b"\n", b" ")
            case 4 if b"\t" in lines[at] or b" = " in lines[at]:
                mark = b"\t" if b"\t" in lines[at] else b" = "
                cells = lines[at].split(mark)
                value = rng.choice(VALUES)
                text = value if isinstance(value, str) else json.dumps(value)
                cells[rng.randrange(len(cells))] = text.encode("utf-8", "surrogatepass")
                lines[at] = mark.join(cells)
            case _:
                lines[at] = damaged_bytes(lines[at], rng)
    return b"\n".join(lines)


def mutated_json(text: str, rng: Random) -> str:
    """The JSON document with other values, keys and lengths, one or two at a time."""
    content = json.loads(text)
    for _ in range(rng.randint(1, 2)):
        content = _changed(content, rng)
    deep = "[" * _DEEP + "]" * _DEEP
    found = json.dumps(content).replace(f'"{_NESTED}"', deep)
    if rng.random() < 0.05 and isinstance(content, dict) and content:
        key = json.dumps(rng.choice(list(content)))
        found = found[:-1] + f", {key}: {json.dumps(rng.choice(VALUES)).replace(json.dumps(_NESTED), deep)}}}"
    return found


def _changed(content: Any, rng: Random) -> Any:
    places = _places(content, [])
    if not places:
        return rng.choice(VALUES)
    part, last = rng.choice(places)
    match rng.randrange(8):
        case 0 | 1 | 2 | 3:
            part[last] = rng.choice(VALUES)
        case 4:
            del part[last]
        case 5:
            other, end = rng.choice(places)
            # By way of text, so that nothing contains itself.
            part[last] = json.loads(json.dumps(other[end]))
        case 6 if isinstance(part, dict):
            part[str(rng.choice(VALUES))] = part.pop(last)
        case 6:
            part.insert(last, rng.choice(VALUES))
        case _:
            value = part[last]
            if isinstance(value, bool) or not isinstance(value, int | float | str | list):
                part[last] = rng.choice(VALUES)
            elif isinstance(value, int | float):
                part[last] = rng.choice((value + 1, value - 1, -value, 2 * value, float(value)))
            elif isinstance(value, str):
                part[last] = damaged_bytes(value.encode(), rng).decode("utf-8", "surrogateescape")
            else:
                part[last] = value[: len(value) // 2] if rng.random() < 0.5 else value + value
    return content


def _places(value: Any, found: list[tuple[Any, Any]], depth: int = 0) -> list[tuple[Any, Any]]:
    """Adds the place of every value inside, whole parts included: what has it, and its key there."""
    if isinstance(value, dict | list) and depth < 100:
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            found.append((value, key))
            if isinstance(part, dict | list):
                _places(part, found, depth + 1)
    return found


def mutated_arrays(arrays: Arrays, rng: Random) -> Arrays:
    """Some arrays with other numbers, sizes, types or names."""
    for _ in range(rng.randint(1, 2)):
        name = rng.choice(list(arrays)) if arrays else "x"
        array = arrays.get(name, np.zeros(3, np.int64))
        match rng.randrange(10):
            case 0:
                arrays.pop(name, None)
            case 1:
                arrays[rng.choice(("x", "", "é", f"{name}x", "0.key", "7.key"))] = array
            case 2:
                types = (np.float64, np.float32, np.float16, np.int64, np.int32, np.int8, np.uint8, np.bool_)
                with np.errstate(all="ignore"):
                    arrays[name] = array.astype(rng.choice(types))
            case 3:
                shapes = [(-1,), (1, -1), (-1, 1), array.shape[::-1]]
                arrays[name] = array.reshape(rng.choice(shapes))
            case 4 if array.ndim and len(array):
                cut = rng.randrange(len(array))
                arrays[name] = rng.choice(
                    (array[:cut], array[cut:], array[:0], np.concatenate([array, array]))
                )
            case 5 if array.ndim and len(array):
                arrays[name] = array[::-1] if rng.random() < 0.5 else np.roll(array, 1, axis=0)
            case _:
                arrays[name] = _other_numbers(array, rng)
    return arrays


def _other_numbers(array: NDArray[Any], rng: Random) -> NDArray[Any]:
    changed = array.copy()
    if not changed.size:
        return changed
    flat = changed.reshape(-1)
    if changed.dtype.kind == "f":
        limits = np.finfo(changed.dtype)
        values = [np.nan, np.inf, -np.inf, limits.max, limits.min, limits.tiny, 0, -0.0, 1, -1, 1e-9, 0.5]
    elif changed.dtype.kind == "b":
        values = [0, 1]
    else:
        bounds = np.iinfo(changed.dtype)
        values = [
            0,
            1,
            10,
            changed.size,
            bounds.max,
            bounds.min,
            bounds.max // 2,
            bounds.max // 2 + 1,
            bounds.min // 2,
        ]
    with np.errstate(all="ignore"):
        if rng.random() < 0.2:
            flat[:] = rng.choice(values)
        elif rng.random() < 0.3 and changed.dtype.kind == "i":
            # Steps so large that differences wrap around, and every one of them looks positive.
            steps = rng.randint(4, 9)
            at = rng.randrange(flat.size)
            there = flat[at : at + steps]
            step = 2 ** (8 * changed.dtype.itemsize - 2)
            wrapped = np.cumsum(np.full(len(there), step, changed.dtype), dtype=changed.dtype)
            there[:] = wrapped
        else:
            for _ in range(rng.randint(1, 3)):
                at = rng.randrange(flat.size)
                near = (
                    [flat[at] + np.array(1, changed.dtype), flat[at] - np.array(1, changed.dtype)]
                    if changed.dtype.kind != "b"
                    else []
                )
                flat[at] = rng.choice([*values, *near, flat[rng.randrange(flat.size)]])
    return changed


def mutated_container(data: bytes, rng: Random) -> bytes:
    """An array file of today: numbers, metadata or header, and the checksum fits."""
    length = int.from_bytes(data[:8], "little")
    if rng.random() < 0.2:
        head = mutated_json(data[8 : 8 + length].decode(), rng).encode()
        return len(head).to_bytes(8, "little") + head + data[8 + length :]
    found = unpack_arrays(data, path=Path("fuzzed"))
    arrays, metadata = dict(found.arrays), dict(found.metadata)
    if metadata and rng.random() < 0.2:
        metadata = mutated_metadata(metadata, rng)
    else:
        arrays = mutated_arrays(arrays, rng)
    return pack_arrays(arrays, metadata=metadata)


def mutated_metadata(metadata: dict[str, str], rng: Random) -> dict[str, str]:
    """Text about arrays: JSON inside it is changed as JSON."""
    name = rng.choice(list(metadata))
    if metadata[name][:1] in ("{", "[") and rng.random() < 0.8:
        metadata[name] = mutated_json(metadata[name], rng)
    elif rng.random() < 0.2:
        del metadata[name]
    else:
        metadata[name] = str(rng.choice(VALUES)).replace("\ud800", "").replace("\udfff", "")
    return metadata


def mutated_database(data: bytes, rng: Random) -> bytes:
    """An SQLite file with other cells, without some rows, or with rows twice; its constraints are not asked."""
    with tempfile.NamedTemporaryFile(suffix=".db", dir=MEMORY) as file:
        file.write(data)
        file.flush()
        connection = sqlite3.connect(file.name, isolation_level=None)
        try:
            connection.execute("PRAGMA foreign_keys = OFF")
            connection.execute("PRAGMA ignore_check_constraints = ON")
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("PRAGMA synchronous = OFF")
            for _ in range(rng.randint(1, 2)):
                _change_table(connection, rng)
        finally:
            connection.close()
        return Path(file.name).read_bytes()


def _change_table(connection: sqlite3.Connection, rng: Random) -> None:
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    filled = [name for name in tables if connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]]
    if not filled:
        return
    table = rng.choice(filled)
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    rows = [row for (row,) in connection.execute(f'SELECT rowid FROM "{table}"')]
    row, column = rng.choice(rows), rng.choice(columns)
    kind = rng.random()
    if kind < 0.03:
        connection.execute(f'DROP TABLE "{table}"')
    elif kind < 0.06:
        connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
    elif kind < 0.2:
        connection.execute(f'DELETE FROM "{table}" WHERE rowid = ?', (row,))
    else:
        (old,) = connection.execute(f'SELECT "{column}" FROM "{table}" WHERE rowid = ?', (row,)).fetchone()
        value = rng.choice(VALUES)
        if isinstance(old, str) and old[:1] in ("{", "[") and rng.random() < 0.7:
            value = mutated_json(old, rng)
        elif kind < 0.3:
            (value,) = connection.execute(f'SELECT "{column}" FROM "{table}" ORDER BY random()').fetchone()
        if isinstance(value, list | dict):
            value = json.dumps(value).replace(json.dumps(_NESTED), "[" * _DEEP + "]" * _DEEP)
        elif isinstance(value, int) and abs(value) >= 2**63:
            value = b"\xff\xfe"
        elif isinstance(value, str):
            # Text that is not UTF-8, which SQLite stores as it is given.
            raw = value.encode("utf-8", "surrogatepass")
            connection.execute(
                f'UPDATE OR REPLACE "{table}" SET "{column}" = CAST(? AS TEXT) WHERE rowid = ?', (raw, row)
            )
            return
        connection.execute(f'UPDATE OR REPLACE "{table}" SET "{column}" = ? WHERE rowid = ?', (value, row))
