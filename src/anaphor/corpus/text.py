"""Plain text: UTF-8, one segment a line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError, digest
from anaphor.corpus.reading import clean, decode, display_name, read_bytes


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of one input, unchanged, and the digest of their UTF-8 bytes.

    `path` is what messages call the input: a path, `<stdin>`, or a path with the part of a larger
    file in brackets. The digest depends on the lines alone: not on the path, on compression, on a
    byte order mark or on the kind of line end.
    """

    path: str
    lines: tuple[str, ...]
    digest: str

    @classmethod
    def of(cls, lines: Iterable[str], *, path: str) -> Text:
        """A text from lines that are already in memory."""
        kept = tuple(lines)
        return cls(path, kept, digest(["\n".join(kept).encode("utf-8")]))

    def __len__(self) -> int:
        return len(self.lines)


def read_text(path: str | Path) -> Text:
    """Read one segment a line; `-` is standard input, `.gz` is decompressed.

    Only `\\n` ends a line: U+2028, U+0085, vertical tab, form feed and a lone `\\r` stay inside their
    segment. The final newline is optional. A byte order mark and Windows line ends are removed with
    a warning. A file without a single line is refused.
    """
    name = display_name(path)
    return parse_text(clean(read_bytes(path), path=name), path=name)


def parse_text(data: bytes, *, path: str) -> Text:
    """A text from cleaned bytes."""
    text = decode(data, path=path)
    if not data:
        raise InputError("the file has no lines", where=path, fix="give a file with one segment a line")
    return Text(path, tuple(text.removesuffix("\n").split("\n")), digest([data.removesuffix(b"\n")]))
