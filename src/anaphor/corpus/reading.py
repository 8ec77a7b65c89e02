"""Bytes in: files, gzip files and standard input, with every failure said in three parts.

The readers of all formats start here, so that a missing file, a byte order mark or Windows line ends
are treated alike everywhere.
"""

from __future__ import annotations

import gzip
import sys
import warnings
import zlib
from pathlib import Path

from anaphor.core import InputError, InputWarning, Where

STDIN = "-"
_BOM = b"\xef\xbb\xbf"


def display_name(path: str | Path) -> str:
    """The name an input carries in messages and results: its path, or `<stdin>`."""
    return "<stdin>" if str(path) == STDIN else str(path)


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file; `-` is standard input, a name ending in `.gz` is decompressed."""
    try:
        if str(path) == STDIN:
            return sys.stdin.buffer.read()
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(error, path) from error
    return _decompress(data, path) if str(path).endswith(".gz") else data


def is_folder(path: str | Path) -> bool:
    """Whether the path names a folder; what cannot be looked at is none, and fails when it is read."""
    try:
        return str(path) != STDIN and Path(path).is_dir()
    except OSError:
        return False


def decode(data: bytes, *, path: str) -> str:
    """The bytes as text. The column in the error of an invalid byte counts bytes, not characters."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{data[error.start]:02x} is not valid UTF-8",
            where=_place(data, error.start, path),
            fix="convert the file to UTF-8, for example with iconv -f LATIN1 -t UTF-8",
        ) from error


def clean(data: bytes, *, path: str) -> bytes:
    """The bytes without byte order mark and with `\\n` for `\\r\\n`, each change announced by a warning.

    A lone `\\r` stays: it does not end a line. A NUL byte means the file is not text and is refused.
    """
    if (at := data.find(b"\0")) >= 0:
        raise InputError(
            "the file has a NUL byte, so it is not plain text",
            where=_place(data, at, path),
            fix="give a UTF-8 text file; UTF-16 files must be converted first",
        )
    if data.startswith(_BOM):
        warnings.warn(f"{path}: removed a byte order mark", InputWarning, stacklevel=2)
        data = data.removeprefix(_BOM)
    if b"\r" in data and b"\r\n" in data:  # one byte is looked for much faster than two
        warnings.warn(f"{path}: read Windows line ends (CRLF)", InputWarning, stacklevel=2)
        data = data.replace(b"\r\n", b"\n")
    return data


def split_lines(data: bytes) -> list[bytes]:
    """The lines of cleaned bytes. Only `\\n` ends a line, and the last one may lack it."""
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _decompress(data: bytes, path: str | Path) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"the gzip file is broken or incomplete ({error})",
            where=display_name(path),
            fix="copy or compress the file again; a file that is not compressed must not end in .gz",
        ) from error


def _unreadable(error: OSError | ValueError, path: str | Path) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(
        f"the file cannot be read ({reason})",
        where=display_name(path),
        fix="check the path, that it names a file and not a folder, and that you may read it",
    )


def _place(data: bytes, at: int, path: str) -> Where:
    start = data.rfind(b"\n", 0, at) + 1
    return Where(path, data.count(b"\n", 0, at) + 1, at - start + 1)
