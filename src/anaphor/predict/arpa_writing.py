"""A smoothed model as the text of an ARPA file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from anaphor.predict.columns import Array
from anaphor.predict.ngram_smoothing import Level
from anaphor.predict.sentences import BEGIN
from anaphor.task.streams import write_lines

_BLOCK = 1 << 16


def write_arpa(path: str | Path, levels: Sequence[Level], words: Sequence[bytes]) -> None:
    """Write the model whole or not at all; compressed where the name ends in `.gz`."""
    write_lines(path, arpa_text(levels, words))


def arpa_text(levels: Sequence[Level], words: Sequence[bytes]) -> Iterator[str]:
    """The lines of the file, many in one string, without the newline at the end of each string."""
    sizes = (f"ngram {length}={level.size}" for length, level in enumerate(levels, start=1))
    yield "\n".join(["\\data\\", *sizes])
    names = [word.decode() for word in words]
    for length, level in enumerate(levels, start=1):
        yield f"\n\\{length}-grams:"
        for start in range(0, len(level.table), _BLOCK):
            lines = _lines(levels, length, names, start)
            if lines:
                yield "\n".join(lines)
    yield "\n\\end\\"


def _lines(levels: Sequence[Level], length: int, names: Sequence[str], start: int) -> list[str]:
    level = levels[length - 1]
    end = min(start + _BLOCK, len(level.table))
    texts = _texts(levels, length, names, start=start, end=end)
    values = [log10(level.probability.read(start, end)).tolist()]
    if length == 1 and start == 0:
        values[0][BEGIN] = 0.0  # never predicted: lmplz writes a certain event
    if len(level.backoff):
        values.append(log10(level.backoff.read(start, end)).tolist())
    pattern = "%.7g\t%s\t%.7g" if len(values) == 2 else "%.7g\t%s"
    rows = zip(values[0], texts, *values[1:], strict=True)
    kept = level.kept.read(start, end).astype(np.bool_)
    if kept.all():
        return [pattern % row for row in rows]
    return [pattern % row for row, keep in zip(rows, kept.tolist(), strict=True) if keep]


def log10(values: Array) -> Array:
    """Logarithms in double precision, without negative zeros."""
    return np.log10(values, dtype=np.float64) + 0.0


def _texts(levels: Sequence[Level], length: int, names: Sequence[str], *, start: int, end: int) -> list[str]:
    """The words of a stretch of n-grams. Their prefixes are a stretch of the length before."""
    table = levels[length - 1].table
    last = [names[word] for word in table.word.read(start, end).tolist()]
    if length == 1:
        return last
    prefix = table.prefix.read(start, end)
    first = int(prefix[0])
    stems = _texts(levels, length - 1, names, start=first, end=int(prefix[-1]) + 1)
    return [f"{stems[place]} {word}" for place, word in zip((prefix - first).tolist(), last, strict=True)]
