"""How the originals read files: APT as Python 2.7 did, AutoPRF as Java does.

Neither removes a byte order mark, and neither folds double spaces; both are kept and announced.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

from anaphor.core import InputError, InputWarning, Where
from anaphor.corpus.reading import decode, read_bytes

_SPLITTERS = re.compile("\r(?!\n|\\Z)|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_JAVA_LINE_END = re.compile("\r\n|\n|\r")


def is_file(path: Path) -> bool:
    """Whether the path names a file; a path that cannot even be looked at names none."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_utf8(path: Path) -> str:
    """The whole file, a byte order mark and carriage returns included."""
    text = decode(read_bytes(path), path=str(path))
    if text.startswith("\ufeff"):
        _tolerate(f"{path}: a byte order mark stays part of the first token, as in the original")
    if "\r\n" in text:
        _tolerate(f"{path}: read Windows line ends (CRLF)")
    return text


def plain_lines(text: str) -> list[str]:
    """Lines that only `\\n` ends, without it."""
    return text.removesuffix("\n").split("\n") if text else []


def segment_lines(path: Path) -> list[str]:
    """The lines of one of APT's texts, stripped.

    APT's text reader also ended lines at U+2028 and its kin, its alignment reader did not, so that
    all later segments met the wrong alignment. We refuse such a text.
    """
    text = read_utf8(path)
    if match := _SPLITTERS.search(text):
        raise InputError(
            f"the character U+{ord(match[0]):04X} inside a line breaks it in two for the original tool",
            where=_place(text, match.start(), path),
            fix="replace the character by a space and align the text again",
        )
    lines = [line.strip() for line in plain_lines(text)]
    _announce_empty_tokens(lines, path)
    return lines


def java_lines(path: Path) -> list[str]:
    """Lines as Java's readers see them: a lone `\\r` ends a line, U+2028 does not."""
    lines = _JAVA_LINE_END.split(read_utf8(path))
    return lines if lines[-1] else lines[:-1]


def java_tokens(path: Path) -> list[tuple[str, ...]]:
    """The tokens of each line, split as Java splits at a space: leading blanks give empty tokens.

    Trailing empty tokens are dropped; a line without any space is one token, even if it is empty.
    """
    lines = java_lines(path)
    _announce_empty_tokens([line.rstrip(" ") for line in lines], path)
    return [tuple(line.rstrip(" ").split(" ")) if line.strip(" ") or not line else () for line in lines]


def _announce_empty_tokens(lines: list[str], path: Path) -> None:
    found = [number for number, line in enumerate(lines, 1) if line.startswith(" ") or "  " in line]
    if found:
        _tolerate(
            f"{path}:{found[0]}: {len(found)} line(s) with surplus spaces; "
            "each counts as an empty token, as in the original"
        )


def _tolerate(message: str) -> None:
    warnings.warn(message, InputWarning, stacklevel=3)


def _place(text: str, at: int, path: Path) -> Where:
    return Where(str(path), text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at))
