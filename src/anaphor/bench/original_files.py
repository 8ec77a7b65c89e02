"""What the readers of original files share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from anaphor.bench.items import BenchItem
from anaphor.core import InputError, Where
from anaphor.core.records import Record, strict_json
from anaphor.corpus import Text, read_text
from anaphor.languages.choose_tokenizer import words_or_split

Items = Iterable[BenchItem]
AGAIN = "download the file again; `anaphor bench list` says where"
#: The tokenizer of a language, kept for all items of a set.
splitter = cache(words_or_split)


def same_length(first: Text, *others: Text) -> None:
    """Refuse files that are not parallel to the first."""
    for text in others:
        text.require_lines(len(first), of=first.path, fix="pass the files of one set, whole and unchanged")


def parts(line: str, separator: str) -> tuple[str, ...]:
    """The sentences of a line."""
    return tuple(part.strip() for part in line.split(separator))


def json_content(path: str, kind: type[Any]) -> Any:
    """The content of a JSON file with one list or object."""
    text = read_text(path)
    try:
        content = strict_json("\n".join(text.lines))
    except ValueError as error:
        line = getattr(error, "lineno", None)
        where = Where(text.path, line)
        raise InputError(f"not valid JSON: {error}", where=where, fix=AGAIN) from error
    if not isinstance(content, kind):
        what = f"the JSON file does not hold {'a list' if kind is list else 'an object'}"
        raise InputError(what, where=text.path, fix="pass a file in this format; see `anaphor bench list`")
    return content


def objects(path: str) -> Sequence[Record]:
    """The objects of a JSON file with one list."""
    return Record({"item": json_content(path, list)}, where=path, fix=AGAIN).tables("item")
