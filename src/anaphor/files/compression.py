"""Compressed data and archives, read within limits: a small file must not fill the memory or the disk.

Content may have 64 times the bytes of its file, or 16 MiB if that is more, and 8 GiB at most: real texts and
arrays stay far below. For larger files, set `ANAPHOR_MAX_DECOMPRESSED` to the number of bytes allowed, such
as `20G`, which lifts the limit on the ratio too.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Mapping
from typing import IO, BinaryIO, cast

from anaphor.core import InputError, OptionError

VARIABLE = "ANAPHOR_MAX_DECOMPRESSED"
_LARGEST = 8 << 30
_RATIO = 64
_NEVER_TOO_LARGE = 16 << 20
_BLOCK = 1 << 20
_SIZE = re.compile(r"([0-9]{1,15})([KMGT]?)")
_SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
GZIP, _XZ, _BZIP2 = b"\x1f\x8b", b"\xfd7zXZ\0", b"BZh"
#: What the reader of a gzip file raises for one that is damaged or incomplete.
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error)


def most_allowed(compressed: int) -> int:
    """The maximum size of the content of this many compressed bytes.

    Raises:
        OptionError: `ANAPHOR_MAX_DECOMPRESSED` is not a size.
    """
    text = os.environ.get(VARIABLE, "")
    if not text:
        return min(_LARGEST, max(_NEVER_TOO_LARGE, _RATIO * compressed))
    size = _SIZE.fullmatch(text.upper())
    if size is None:
        fix = "write a number of bytes, optionally with K, M, G or T, such as 20G"
        raise OptionError(f"not a size: {text!r:.40}", where=VARIABLE, fix=fix)
    return int(size[1]) << _SHIFTS[size[2]]


class LimitedReader(io.RawIOBase):
    """The content of compressed data up to the limit; more of it is an `InputError`."""

    def __init__(self, content: IO[bytes], *, compressed: int, where: str) -> None:
        self._content, self._compressed, self._where = content, compressed, where
        self._most, self._count = most_allowed(compressed), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        part = self._content.read(min(len(buffer), _BLOCK))
        self._count += len(part)
        if self._count > self._most:
            larger = f"{VARIABLE}={(self._most >> 30) * 4 + 4}G"
            raise InputError(
                f"the file has {self._compressed:,} bytes, and more than {self._most:,} decompressed",
                where=self._where,
                fix=f"check where the file comes from; if you trust it, allow more by setting {larger}",
            )
        buffer[: len(part)] = part
        return len(part)


def gzip_reader(raw: BinaryIO, *, where: str) -> BinaryIO:
    """The content of an open gzip file, for incremental reading; `BROKEN` is what a damaged one raises."""
    content = cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    size = os.fstat(raw.fileno()).st_size
    return cast("BinaryIO", io.BufferedReader(LimitedReader(content, compressed=size, where=where), _BLOCK))


def decompressed(data: bytes, *, where: str) -> bytes:
    """The content of gzip, xz or bzip2 data, detected by its first bytes; other data is unchanged.

    Raises:
        InputError: The data are damaged or incomplete, or their content is larger than the limit.
    """
    content: IO[bytes]
    faults: tuple[type[Exception], ...]
    # The rare ones are imported where they are met: starting the program must not pay for them.
    if data.startswith(GZIP):
        kind, content, faults = "gzip", cast("IO[bytes]", gzip.GzipFile(fileobj=io.BytesIO(data))), BROKEN
    elif data.startswith(_XZ):
        import lzma

        kind, content, faults = "xz", lzma.open(io.BytesIO(data)), (lzma.LZMAError, EOFError)  # noqa: SIM115
    elif data.startswith(_BZIP2):
        import bz2

        kind, content, faults = "bzip2", bz2.BZ2File(io.BytesIO(data)), (OSError, EOFError)
    else:
        return data
    limited = LimitedReader(content, compressed=len(data), where=where)
    try:
        return b"".join(iter(lambda: limited.read(_BLOCK), b""))
    except faults as error:
        raise broken(where, error, kind=kind) from error


def broken(where: str, error: Exception, *, kind: str = "gzip") -> InputError:
    """The error for compressed data that are damaged or incomplete."""
    return InputError(
        f"the {kind} file is broken or incomplete ({error})",
        where=where,
        fix="copy or compress the file again; a file that is not compressed must not end in .gz",
    )


def read_tar(data: bytes, *, where: str) -> Mapping[str, bytes]:
    """The regular files of a tar archive by their names, whatever it was compressed with.

    Links, devices and sparse files, which announce content that they do not have, are left out.

    Raises:
        InputError: It is not a tar archive, is damaged or incomplete, or has content beyond the limit.
    """
    import tarfile

    plain = decompressed(data, where=where)
    contents: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() and not member.issparse() else None
                if file is not None:
                    contents[member.name] = file.read()
    # `tarfile` calls itself for every header that announces another.
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, RecursionError) as error:
        raise InputError(
            f"the tar archive is broken or incomplete ({error})", where=where, fix="copy the archive again"
        ) from error
    return contents


def read_zip(data: bytes, *, where: str) -> Mapping[str, bytes]:
    """The files of a zip archive by their names; folders are left out.

    Raises:
        InputError: It is not a zip archive, is damaged or encrypted, or has content beyond the limit.
    """
    import lzma
    import zipfile

    contents: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            left = most_allowed(len(data))
            for member in archive.infolist():
                if member.filename.endswith("/"):  # `is_dir` fails for an empty name
                    continue
                # What an archive says about sizes is not to be trusted: the content itself is counted.
                with archive.open(member) as file:
                    contents[member.filename] = file.read(left + 1)
                left -= len(contents[member.filename])
                if left < 0:
                    fix = (
                        f"check where the file comes from; if you trust it, allow more by setting {VARIABLE}"
                    )
                    raise InputError("the content of the archive is too large", where=where, fix=fix)
    # `zipfile` raises RuntimeError for passwords and unknown compressions, ValueError for offsets and names.
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        OSError,
        RuntimeError,
        ValueError,
    ) as error:
        raise InputError(
            f"the zip archive cannot be read ({error})", where=where, fix="pack the folder again, as .zip"
        ) from error
    return contents
