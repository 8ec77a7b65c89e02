"""The texts of a test set in the layout of mt-metrics-eval: a segment a line, plain or as JSON.

`NAME.txt` has plain segments. `NAME.jsonl`, which newer test sets have, has an object a line with the segment
under `source`, `target` (references) or `hypothesis` (systems); such a segment may hold line breaks.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

from anaphor.core import InputError, InputWarning, Where
from anaphor.corpus.text import Text, read_text

_PLAIN, _JSON = ".txt", ".jsonl"
_NOTHING = "[No translation supplied]"


def named_texts(folder: Path, *, prefix: str = "") -> dict[str, Path]:
    """The texts of a folder by their names, in the order of the names; two of one name are an error."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob(f"{prefix}*")):
        if path.suffix not in (_PLAIN, _JSON):
            continue
        name = path.stem.removeprefix(prefix)
        if name in found:
            raise InputError(
                f"{name} is there twice", where=str(path), fix=f"keep it or {found[name].name}, not both"
            )
        found[name] = path
    return found


def source_text(folder: Path, pair: str) -> Text:
    """The source of a language pair; where both kinds are there, the plain one, as the toolkit does it."""
    path = folder / f"{pair}{_PLAIN}"
    other = path.with_suffix(_JSON)
    return mtme_text(other if other.exists() and not path.exists() else path, field="source")


def mtme_text(path: Path, *, field: str) -> Text:
    """A text of either kind; `field` is where JSON keeps the segments.

    A segment that a system did not translate is empty, with a note.
    """
    text = read_text(path)
    lines = text.lines
    if path.suffix == _JSON:
        lines = tuple(_segment(line, field, Where(text.path, i)) for i, line in enumerate(lines, start=1))
    absent = sum(line.rstrip() == _NOTHING for line in lines)
    if absent:
        warnings.warn(
            f"{text.path}: {absent} segments without a translation, read as empty", InputWarning, stacklevel=2
        )
    if lines is text.lines and not absent:
        return text
    return Text.of(("" if line.rstrip() == _NOTHING else line for line in lines), path=text.path)


def _segment(line: str, field: str, where: Where) -> str:
    try:
        segment = json.loads(line)[field]
        if not isinstance(segment, str):
            raise TypeError(field)
        return segment
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            f"not an object with a text under {field}: {line[:40]!r}",
            where=where,
            fix=f'write a JSON object such as {{"{field}": "..."}} for every segment',
        ) from error
