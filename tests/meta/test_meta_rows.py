"""TSV and JSON lines give the same rows, and every slip names its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from anaphor.core import InputError
from anaphor.meta.rows import any_rows, read_rows

TSV = "system\tscore\tnote\na\t0.5\t\nb\t1\tbest\n"
JSON = '{"system": "a", "score": 0.5, "note": null}\n{"system": "b", "score": 1, "note": "best"}\n'


def write(folder: Path, content: str, name: str = "file.tsv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("content", "name"), [(TSV, "file.tsv"), (JSON, "file.jsonl"), (TSV, "file.json"), (JSON, "jsonl.jsonl")]
)
def test_the_suffix_tells_the_format(tmp_path: Path, content: str, name: str) -> None:
    rows = read_rows(write(tmp_path, content, name), required=("system", "score"), optional=("note",))
    assert [row.text("system") for row in rows] == ["a", "b"]
    assert [row.number("score") for row in rows] == [0.5, 1.0]
    assert [row.optional_text("note") for row in rows] == [None, "best"]


@pytest.mark.parametrize(
    ("content", "name", "words", "line"),
    [
        ("system\tscore\n", "x.tsv", "header and no rows", None),
        ("system\tsystem\na\tb\n", "x.tsv", "a column twice", 1),
        ("system\t\na\tb\n", "x.tsv", "without a name", 1),
        ("system\tscore\na\n", "x.tsv", "1 columns, the header has 2", 2),
        ("system\tscore\na\t1\tc\n", "x.tsv", "3 columns", 2),
        ("{\n", "x.jsonl", "not a JSON object", 1),
        ("[1]\n", "x.jsonl", "not a JSON object", 1),
        ('{"system": {"a": 1}}\n', "x.jsonl", "neither text nor a number", 1),
        ('{"system": true}\n', "x.jsonl", "neither text nor a number", 1),
    ],
)
def test_broken_files_are_refused(
    tmp_path: Path, content: str, name: str, words: str, line: int | None
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        any_rows(write(tmp_path, content, name))
    assert caught.value.where.line == line


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("system\tscore\tsize\na\t1\t2\n", "size: unknown column"),
        ("system\na\n", "there is no column score"),
    ],
)
def test_columns_are_checked(tmp_path: Path, content: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_rows(write(tmp_path, content), required=("system", "score"), optional=("note",))
