"""Lines of large files: read one at a time, written atomically, compressed by suffix (`.gz`)."""

from __future__ import annotations

import gzip
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from anaphor.core import InputWarning, Where
from anaphor.corpus.text import not_text, unreadable, without_bom
from anaphor.files.compression import BROKEN, broken, gzip_reader
from anaphor.files.writing import atomic_file

STDIN = "-"
_BLOCK, _ALL = 1 << 16, -1  # bytes that are read at once
_TOGETHER = 256  # lines that are written at once


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Number, from 1, and text of every line; `-` is standard input, `.gz` is decompressed.

    Only `\\n` ends a line, and the last one may lack it. A byte order mark and Windows line ends are removed
    with a warning; a NUL byte and bytes that are not UTF-8 are errors.
    """
    name = name_of(path)
    number = 1
    for block in _checked(path, name):
        yield from enumerate(_lines_of(block, name, number), start=number)
        number += _count(block)


def read_whole(path: str | Path) -> bytes:
    """The same lines as one string, each with its newline; `decode_line` decodes single ones."""
    content = b"".join(_checked(path, name_of(path), size=_ALL))
    return content if not content or content.endswith(b"\n") else content + b"\n"


def decode_line(content: bytes, name: str, number: int) -> str:
    """The text of line `number`; a NUL byte and bytes that are not UTF-8 are errors."""
    if (at := content.find(b"\0")) >= 0:
        raise not_text(content, at, where=Where(name, number, at + 1))
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_text(content, error.start, where=Where(name, number, error.start + 1)) from error


def count_lines(path: str | Path) -> int:
    """The number of lines of a file, whatever they contain."""
    return sum(map(_count, _blocks(path, str(path))))


def write_lines(path: str | Path, lines: Iterable[str]) -> None:
    """Write lines, given without newlines, so that readers see either all of them or the old file.

    Equal lines give identical bytes, compressed (`.gz`) or not. Devices and pipes are written to directly.
    """
    write_pieces(path, (f"{line}\n".encode() for line in lines))


def write_pieces(path: str | Path, pieces: Iterable[bytes]) -> None:
    """The same for chunks of one or more lines, already in UTF-8 with newlines."""
    left = iter(pieces)
    with atomic_file(path) as raw, ExitStack() as stack:
        output: BinaryIO | gzip.GzipFile = raw
        if str(path).endswith(".gz"):
            # No name and no time in the header, so that the bytes depend on the lines alone.
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=6)
            output = stack.enter_context(packed)
        while some := [*islice(left, _TOGETHER)]:
            output.write(b"".join(some))


def name_of(path: str | Path) -> str:
    """The name of a file in messages."""
    return "<stdin>" if str(path) == STDIN else str(path)


def _checked(path: str | Path, name: str, *, size: int = _BLOCK) -> Iterator[bytes]:
    """Blocks of whole lines, without byte order mark and Windows line ends."""
    returns = False
    for number, block in enumerate(_blocks(path, name, size=size)):
        content = without_bom(block, path=name) if number == 0 else block
        if b"\r" in content:
            plain = content.replace(b"\r\n", b"\n").removesuffix(b"\r")
            returns = returns or len(plain) < len(content)
            content = plain
        if content:
            yield content
    if returns:
        warnings.warn(f"{name}: read Windows line ends (CRLF)", InputWarning, stacklevel=3)


def _lines_of(block: bytes, name: str, number: int) -> Iterable[str]:
    """The lines of a block that begins with line `number`."""
    content = block.removesuffix(b"\n")
    if b"\0" not in content:
        with suppress(UnicodeDecodeError):
            return content.decode("utf-8").split("\n")
    # Some line cannot be decoded: one after the other up to that, for its number.
    lines = enumerate(content.split(b"\n"), start=number)
    return (decode_line(line, name, at) for at, line in lines)


def _count(block: bytes) -> int:
    return block.count(b"\n") + (not block.endswith(b"\n"))


def _blocks(path: str | Path, name: str, *, size: int = _BLOCK) -> Iterator[bytes]:
    """Batches of whole lines; one by one from standard input, whose writer may wait for a response."""
    try:
        if str(path) == STDIN:
            yield from sys.stdin.buffer
            return
        with Path(path).open("rb") as raw:
            file = gzip_reader(raw, where=name) if str(path).endswith(".gz") else raw
            while block := file.read(size):
                yield block if block.endswith(b"\n") else block + file.readline()
    except BROKEN as error:
        raise broken(name, error) from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
