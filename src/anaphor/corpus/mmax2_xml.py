"""The XML of MMAX2: every file names a DTD, which is never read."""

from __future__ import annotations

import re
from pathlib import Path

from anaphor.core import InputError
from anaphor.corpus.markup import Element, parse_xml
from anaphor.corpus.reading import read_bytes

#: A larger file is no annotated document; the largest of ParCorFull has 400 kB.
MAX_BYTES = 64 * 2**20

# `<!DOCTYPE words SYSTEM "words.dtd">` alone. One with declarations in brackets stays and is refused by the
# parser, so nothing can be declared: an entity of any kind is then unknown, which is an error as well.
_DOCTYPE = re.compile(
    rb"""\s*(?:<\?xml[^>]*\?>\s*)?(<!DOCTYPE\s+\w+(?:\s+SYSTEM\s+(?:"[^"\[\]<>]*"|'[^'\[\]<>]*'))?\s*>)"""
)
_BOM = b"\xef\xbb\xbf"


def read_mmax2_xml(path: Path, *, root: str) -> Element:
    """The root element of one file, which must have this tag."""
    data = read_bytes(path)
    if len(data) > MAX_BYTES:
        raise InputError(
            f"the file has {len(data)} bytes, more than {MAX_BYTES}",
            where=str(path),
            fix="give the files of one document at a time",
        )
    element = parse_xml(_without_doctype(data.removeprefix(_BOM)), path=str(path))
    if element.tag != root:
        raise InputError(
            f"the file begins with <{element.tag}> and not with <{root}>",
            where=element.where,
            fix="give the files of an MMAX2 project",
        )
    return element


def _without_doctype(data: bytes) -> bytes:
    """The bytes with spaces for the document type, so that lines and columns stay as they are."""
    match = _DOCTYPE.match(data)
    if match is None:
        return data
    blank = re.sub(rb"[^\n]", b" ", match[1])
    return data[: match.start(1)] + blank + data[match.end(1) :]
