"""Reading files: bytes, gzip, standard input, and plain UTF-8 text with one segment per line.

The readers of all formats start here, so a missing file, a byte order mark or Windows line ends are handled
identically everywhere.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, Where, digest
from anaphor.core.engine import native
from anaphor.core.errors import did_you_mean
from anaphor.core.table import counted
from anaphor.core.text import Lines
from anaphor.files.compression import GZIP, broken, decompressed

STDIN = "-"
#: So many lines at the start are looked at to tell JSON lines from text.
_LINES_OF_JSON = 3
#: Bytes that are decoded at once.
_BLOCK = 1 << 18
_BOM = b"\xef\xbb\xbf"
_UTF_16 = "it is UTF-16", "convert it: iconv -f UTF-16 -t UTF-8"
#: What files that are taken for text often are: first bytes, kind, what to do.
_OTHER_FILES = (
    (GZIP, "it is compressed with gzip", "rename it to end in .gz, or decompress it first"),
    (b"\xff\xfe", *_UTF_16),
    (b"\xfe\xff", *_UTF_16),
    (
        b"PK\x03\x04",
        "it is a zip archive or an office document",
        "unpack it, or save it as plain text (UTF-8)",
    ),
)


@dataclass(frozen=True)
class Text:
    """The lines of one input, unchanged.

    Attributes:
        path: The name of the input in messages: a path, `<stdin>`, or a path followed by a part of the file
            in brackets.
        lines: The segments.
    """

    path: str
    lines: Sequence[str]

    @cached_property
    def digest(self) -> str:
        """A hash of the lines alone, independent of path, compression, byte order mark and line ends."""
        return digest([memoryview(Lines.of(self.lines).data)[:-1]])

    @classmethod
    def of(cls, lines: Iterable[str], *, path: str) -> Text:
        """Create a text from lines in memory.

        Args:
            lines: The segments.
            path: The name of the text in messages.

        Returns:
            The text.

        Raises:
            UnicodeEncodeError: A line has a lone surrogate.
        """
        own = tuple(lines)
        "\n".join(own).encode()  # a lone surrogate is an error here already, not when the text is hashed
        return cls(path, own)

    def __len__(self) -> int:
        return len(self.lines)

    def require_lines(self, expected: int, *, of: str, fix: str) -> None:
        """Raise an error unless this text has as many lines as another.

        Args:
            expected: The number of lines of the other text.
            of: The name of the other text in messages.
            fix: How the user can fix a difference.

        Raises:
            UserError: The numbers differ.
        """
        if len(self) != expected:
            raise MismatchError(
                f"{self.path} has {counted(len(self), 'line')}, {of} has {expected}",
                where=Where(self.path, min(len(self), expected) + 1),
                fix=fix,
            )

    def require_plain(self) -> None:
        """Raise an error if the lines are JSON objects.

        Raises:
            UserError: The advice explains how whole documents are read.
        """
        first = [*islice(filter(str.strip, self.lines), _LINES_OF_JSON)]
        if first and all(map(_is_json_object, first)):
            raise InputError(
                f"{self.path} has JSON lines, not one segment per line",
                where=Where(self.path, 1),
                fix="if each line is the translation of a document, add --whole-documents; "
                "otherwise write one segment per line as plain text",
            )


def _is_json_object(line: str) -> bool:
    if not line.lstrip().startswith("{"):
        return False
    import json  # few texts get here

    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def read_text(path: str | Path) -> Text:
    """Read one segment per line; `-` is standard input, `.gz` is decompressed.

    Only `\\n` ends a line: U+2028, U+0085, vertical tab, form feed and a lone `\\r` stay inside their
    segment. The final newline is optional. A byte order mark and Windows line ends are removed with a
    warning. A file without lines is rejected.
    """
    name = display_name(path)
    return parse_text(clean(read_bytes(path), path=name), path=name)


def parse_text(data: bytes, *, path: str) -> Text:
    """A text from cleaned bytes."""
    check_encoding(data, path=path)
    if not data:
        raise InputError("the file has no lines", where=path, fix="pass a file with one segment per line")
    data = data if data.endswith(b"\n") else data + b"\n"
    lines = Lines(data) if native is None else Lines(data, native.line_stops(data))
    return Text(path, lines)


def display_name(path: str | Path) -> str:
    """The name of an input in messages and results: its path, or `<stdin>`."""
    return "<stdin>" if str(path) == STDIN else str(path)


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file; `-` is standard input, a name ending in `.gz` is decompressed."""
    try:
        if str(path) == STDIN:
            return sys.stdin.buffer.read()
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not str(path).endswith(".gz"):
        return data
    if data and not data.startswith(GZIP):
        raise broken(display_name(path), ValueError("not a gzip file"))
    return decompressed(data, where=display_name(path))


def unreadable(path: str | Path, error: OSError | ValueError, *, what: str = "the file") -> InputError:
    """The error for a file that cannot be opened, with the appropriate fix."""
    fix = "check the path and its permissions"
    if isinstance(error, FileNotFoundError):
        folder = Path(path).parent
        fix = f"check the path: there is no folder {folder}"
        if folder.is_dir():
            near = did_you_mean(Path(path).name, (entry.name for entry in folder.iterdir())).strip()
            fix = f"check the path{near and '; '}{near}"
    elif isinstance(error, IsADirectoryError):
        fix = "name a file: this is a folder"
    reason = getattr(error, "strerror", None) or error
    return InputError(f"{what} cannot be read ({reason})", where=display_name(path), fix=fix)


def is_folder(path: str | Path) -> bool:
    """Whether the path is a folder; an inaccessible path is not, and fails when it is read."""
    try:
        return str(path) != STDIN and Path(path).is_dir()
    except OSError:
        return False


def is_file(path: str | Path) -> bool:
    """Whether the path is a plain file; see `is_folder`."""
    try:
        return Path(path).is_file()
    except OSError:
        return False


def decode(data: bytes, *, path: str) -> str:
    """The bytes as text. The column in the error of an invalid byte counts bytes, not characters."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_text(data, error.start, where=_place(data, error.start, path)) from error


def check_encoding(data: bytes, *, path: str) -> None:
    """As `decode`, but without building the text, which can take four times the memory of its bytes."""
    if native is not None and native.is_utf8(data):
        return
    start = 0
    while start < len(data):
        # A line feed is never part of a longer character.
        stop = data.find(b"\n", start + _BLOCK) + 1 or len(data)
        try:
            str(memoryview(data)[start:stop], "utf-8")
        except UnicodeDecodeError as error:
            at = start + error.start
            raise not_text(data, at, where=_place(data, at, path)) from error
        start = stop


def not_text(data: bytes, at: int, *, where: Where) -> InputError:
    """The error for an invalid UTF-8 byte; the first bytes of `data` often identify the format."""
    for magic, what, fix in _OTHER_FILES:
        if data.startswith(magic):
            return InputError(f"the file is not plain text: {what}", where=where.path, fix=fix)
    if data[at] == 0:
        what = "the file has a NUL byte, so it is not plain text"
        return InputError(what, where=where, fix="pass a UTF-8 text file; convert it first if it is UTF-16")
    what = f"byte 0x{data[at]:02x} is not valid UTF-8"
    fix = "convert the file to UTF-8, for example with iconv -f LATIN1 -t UTF-8"
    return InputError(what, where=where, fix=fix)


def clean(data: bytes, *, path: str) -> bytes:
    """The bytes without byte order mark and with `\\n` for `\\r\\n`, each change announced by a warning.

    A lone `\\r` stays: it does not end a line. A NUL byte means that the file is not text, which is an error.
    """
    if (at := data.find(b"\0")) >= 0:
        raise not_text(data, at, where=_place(data, at, path))
    data = without_bom(data, path=path)
    if b"\r" in data and b"\r\n" in data:  # one byte is searched much faster than two
        warnings.warn(f"{path}: read Windows line ends (CRLF)", InputWarning, stacklevel=2)
        data = data.replace(b"\r\n", b"\n")
    return data


def without_bom(data: bytes, *, path: str) -> bytes:
    """The first bytes of a file without their byte order mark, which is announced by a warning."""
    if not data.startswith(_BOM):
        return data
    warnings.warn(f"{path}: removed a byte order mark", InputWarning, stacklevel=3)
    return data.removeprefix(_BOM)


def split_lines(data: bytes) -> list[bytes]:
    """The lines of cleaned bytes. Only `\\n` ends a line, and the last one may lack it."""
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _place(data: bytes, at: int, path: str) -> Where:
    start = data.rfind(b"\n", 0, at) + 1
    return Where(path, data.count(b"\n", 0, at) + 1, at - start + 1)
