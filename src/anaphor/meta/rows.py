"""Tables of human judgements: tab-separated text with a header, or one JSON object per line.

Both give the same rows, so every file of this package may be either. A file whose name ends in `.jsonl`
(or `.jsonl.gz`) is JSON, any other is TSV.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anaphor.core import InputError
from anaphor.core.records import Row
from anaphor.corpus import read_text


def read_rows(path: str | Path, *, required: Sequence[str], optional: Sequence[str] = ()) -> list[Row]:
    """All rows of a file. A missing column is an error, and so is an unknown one."""
    rows = any_rows(path)
    for row in rows:
        row.allow(*required, *optional)
    for column in required:
        if not any(column in row for row in rows):
            raise InputError(
                f"there is no column {column}",
                where=rows[0].where.path,
                fix=f"give the columns {', '.join(required)}",
            )
    return rows


def any_rows(path: str | Path) -> list[Row]:
    """All rows of a file, whatever its columns are; a file without rows is an error."""
    text = read_text(path)
    json_lines = str(path).removesuffix(".gz").endswith(".jsonl")
    rows = list((Row.from_objects if json_lines else Row.from_tsv)(text.lines, path=text.path))
    if not rows:
        raise InputError("the file has a header and no rows", where=text.path, fix="add the rows")
    return rows
