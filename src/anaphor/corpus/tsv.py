"""Test sets as tab-separated text: `docid<TAB>source<TAB>reference[<TAB>reference2 ...]`.

One segment a line, no quoting, the same number of columns on every line. There is a header only if
the first two columns of the first line are exactly `docid` and `source`; it is then skipped.
"""

from __future__ import annotations

from anaphor.core import InputError, Where
from anaphor.corpus.bundle import Bundle
from anaphor.corpus.text import Text, parse_text

_HEADER = ("docid", "source")


def parse_tsv(data: bytes, *, path: str) -> Bundle:
    """From cleaned bytes: documents, source and one or more references; such a file has no candidates."""
    rows = [tuple(line.split("\t")) for line in parse_text(data, path=path).lines]
    _check_columns(rows, path)
    if rows[0][:2] == _HEADER:
        rows = rows[1:]
    if not rows:
        raise InputError("the file has a header and no rows", where=path, fix="add the segments")
    documents, source, *references = zip(*rows, strict=True)
    return Bundle(
        source=Text.of(source, path=f"{path} [source]"),
        references=tuple(
            Text.of(lines, path=f"{path} [reference {number}]")
            for number, lines in enumerate(references, start=1)
        ),
        candidates={},
        documents=documents,
    )


def _check_columns(rows: list[tuple[str, ...]], path: str) -> None:
    expected = max(3, len(rows[0]))
    for number, row in enumerate(rows, start=1):
        if len(row) != expected:
            raise InputError(
                f"the line has {len(row)} columns instead of {expected}",
                where=Where(path, number),
                fix="write docid, source and reference(s) with tabs between them, and no tab inside a text",
            )
        if not row[0].strip():
            raise InputError(
                "the document id is blank",
                where=Where(path, number, 1),
                fix="write the id of the segment's document in the first column",
            )
