"""A language model in one file that is mapped into memory instead of being parsed.

    8 bytes   magic
    4 bytes   length of the header, little-endian
    header    JSON: version, size of the vocabulary in bytes, n-grams of each length; blanks up to 64 bytes
    payload   vocabulary, then for each length keys, probabilities and (but the longest) backoff weights,
              each little-endian and filled up with zeros to a multiple of 64 bytes
    4 bytes   CRC-32 of the payload, little-endian

Nothing in it is ever executed: a hostile file can at worst be refused, or give wrong numbers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anaphor.core import InputError
from anaphor.corpus import atomic_file
from anaphor.predict.lm.arpa import log10
from anaphor.predict.lm.columns import Array, ColumnStore, DiskColumn, Longs
from anaphor.predict.lm.counts import BEGIN
from anaphor.predict.lm.model import BEGIN_MARK, END_MARK, UNKNOWN_MARK, NgramModel, Ngrams
from anaphor.predict.lm.smoothing import SmoothedLevel

SUFFIX = ".lm"
_MAGIC = b"ANAPHLM\x1a"
_VERSION = 1
_LINE = 64
_LONGEST_HEADER = 1 << 16
_READ = 1 << 24

Reader = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class StoredArray:
    """One array of the file, in parts; `size` is the number of its values."""

    size: int
    dtype: str
    parts: Iterable[Array]


def write_lm(path: Path, words: Sequence[bytes], levels: Sequence[Sequence[StoredArray]]) -> None:
    """Write words by number and the arrays of each length, whole or not at all."""
    vocabulary = b"\n".join(words)
    sizes = [arrays[0].size for arrays in levels]
    header = {"version": _VERSION, "vocabulary": len(vocabulary), "ngrams": sizes}
    head = json.dumps(header).encode()
    head += b" " * (-(len(head) + 12) % _LINE)
    with atomic_file(path, what="model") as file:
        file.write(_MAGIC + len(head).to_bytes(4, "little") + head)
        crc = 0
        for data in _payload(vocabulary, levels):
            file.write(data)
            crc = zlib.crc32(data, crc)
        file.write(crc.to_bytes(4, "little"))


def _payload(vocabulary: bytes, levels: Sequence[Sequence[StoredArray]]) -> Iterator[bytes]:
    yield vocabulary + b"\0" * (-len(vocabulary) % _LINE)
    for stored in (stored for arrays in levels for stored in arrays):
        written = 0
        for part in stored.parts:
            data = part.astype(f"<{stored.dtype}", copy=False).tobytes()
            written += len(data)
            yield data
        yield b"\0" * (-written % _LINE)


def stored_model(model: NgramModel) -> tuple[list[bytes], list[list[StoredArray]]]:
    """What `write_lm` needs of a model that is in memory."""
    levels = []
    for level in model.levels:
        arrays = [("i8", level.key), ("f4", level.probability), ("f4", level.backoff)]
        levels.append([StoredArray(len(values), dtype, [values]) for dtype, values in arrays if len(values)])
    return [word.encode() for word in model.words], levels


def read_lm(path: Path) -> NgramModel:
    """The model of a file; anything but a whole file of this kind is an `InputError`."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(12)
            if start[:8] != _MAGIC:
                raise _bad(path, "this is no model that anaphor wrote")
            length = int.from_bytes(start[8:], "little")
            head = file.read(min(length, _LONGEST_HEADER))
            layout = _layout(path, head, size - 16 - length)
            _check_sum(path, file.read, size - 16 - length)
    except OSError as error:
        raise _bad(path, f"the model cannot be read ({error.strerror or error})") from error
    return _mapped(path, layout, 12 + length)


@dataclass(frozen=True, slots=True)
class _Layout:
    vocabulary: int
    ngrams: tuple[int, ...]

    def arrays(self) -> Iterator[tuple[int, str]]:
        """Size and type of every array of numbers."""
        for length, size in enumerate(self.ngrams, start=1):
            yield size, "<i8"
            yield size, "<f4"
            if length < len(self.ngrams):
                yield size, "<f4"

    def payload(self) -> int:
        sizes = (self.vocabulary, *(size * np.dtype(dtype).itemsize for size, dtype in self.arrays()))
        return sum(size + -size % _LINE for size in sizes)


def _layout(path: Path, head: bytes, payload: int) -> _Layout:
    try:
        header = json.loads(head)
        version, sizes = header["version"], tuple(map(int, header["ngrams"]))
        layout = _Layout(int(header["vocabulary"]), sizes)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _bad(path, "the model is damaged or cut short") from None
    if version != _VERSION:
        raise _bad(path, f"the model has version {version}, this program reads {_VERSION}")
    if not sizes or min(sizes) <= 0 or layout.vocabulary <= 0 or layout.payload() != payload:
        raise _bad(path, "the model is damaged or cut short")
    return layout


def _check_sum(path: Path, read: Reader, payload: int) -> None:
    crc = 0
    while payload:
        data = read(min(payload, _READ))
        if not data:
            break
        crc = zlib.crc32(data, crc)
        payload -= len(data)
    if read(4) != crc.to_bytes(4, "little"):
        raise _bad(path, "the model is damaged")


def _mapped(path: Path, layout: _Layout, offset: int) -> NgramModel:
    # A plain array over the same memory: what `memmap` adds makes every look-up dearer.
    data = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
    words = _words(path, data[offset : offset + layout.vocabulary].tobytes(), layout.ngrams[0])
    offset += layout.vocabulary + -layout.vocabulary % _LINE
    arrays: list[Array] = []
    for size, dtype in layout.arrays():
        used = size * np.dtype(dtype).itemsize
        arrays.append(data[offset : offset + used].view(dtype))
        offset += used + -used % _LINE
    arrays.append(np.zeros(0, np.float32))  # the longest n-grams have no backoff weights
    levels = (Ngrams(*arrays[place : place + 3]) for place in range(0, len(arrays), 3))
    return NgramModel(words, tuple(levels))


def _words(path: Path, joined: bytes, size: int) -> dict[str, int]:
    try:
        words = {word: number for number, word in enumerate(joined.decode().split("\n"))}
    except UnicodeDecodeError:
        raise _bad(path, "the model is damaged") from None
    if len(words) != size or not {BEGIN_MARK, END_MARK, UNKNOWN_MARK} <= set(words):
        raise _bad(path, "the vocabulary of the model does not fit")
    return words


def _bad(path: Path, what: str) -> InputError:
    return InputError(what, where=str(path), fix="make the model again, or copy it again")


def write_levels(
    path: Path, levels: Sequence[SmoothedLevel], words: Sequence[bytes], store: ColumnStore
) -> None:
    """Write the model in our own format, whole or not at all."""
    arrays = []
    for length, level in enumerate(levels, start=1):
        below = levels[length - 2] if length > 1 else None
        numbers = None if below is None else _numbers_of_kept(below, store, length - 1)
        arrays.append(_stored(level, numbers, len(words), store.block, first=below is None))
    write_lm(path, words, arrays)


def _numbers_of_kept(level: SmoothedLevel, store: ColumnStore, length: int) -> DiskColumn | None:
    """The number of each n-gram among those that are left after pruning; None where all are."""
    if level.size == len(level.table):
        return None
    numbers = store.column(f"{length}-gram.left", "i8")
    base = 0
    for kept in level.kept.blocks(store.block):
        numbers.append(np.cumsum(kept, dtype=np.int64) - 1 + base)
        base += int(kept.sum())
    return numbers


def _stored(
    level: SmoothedLevel, numbers: DiskColumn | None, words: int, block: int, *, first: bool
) -> list[StoredArray]:
    """The arrays of one length; `first` are the single words."""
    stored = [
        StoredArray(level.size, "i8", _keys(level, numbers, words, block)),
        StoredArray(level.size, "f4", _logs(level, level.probability, block, first=first)),
    ]
    if len(level.backoff):
        stored.append(StoredArray(level.size, "f4", _logs(level, level.backoff, block, first=False)))
    return stored


def _keys(level: SmoothedLevel, numbers: DiskColumn | None, words: int, block: int) -> Iterator[Longs]:
    for start, kept in _kept(level, block):
        prefix = level.table.prefix.read(start, start + len(kept))[kept]
        left = prefix if numbers is None else numbers.take(prefix)
        yield left * words + level.table.word.read(start, start + len(kept))[kept]


def _logs(level: SmoothedLevel, column: DiskColumn, block: int, *, first: bool) -> Iterator[Array]:
    for start, kept in _kept(level, block):
        values = log10(column.read(start, start + len(kept)))
        if first and start <= BEGIN < start + len(values):
            values[BEGIN - start] = 0.0
        yield values[kept]


def _kept(level: SmoothedLevel, block: int) -> Iterator[tuple[int, Array]]:
    for start in range(0, len(level.table), block):
        yield start, level.kept.read(start, start + block).astype(np.bool_)
