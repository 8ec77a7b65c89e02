"""Score files in the layout of mt-metrics-eval, the toolkit of the WMT metrics tasks.

    metric-scores/SRC-TGT/METRIC-REF.sys.score     scores of metrics
    human-scores/SRC-TGT.NAME.sys.score            scores of people

Each line is a system, white space and a number. In scores of people `None` stands for a system without a
score, which is left out with a note; scores of metrics must not have it. Only scores of whole systems are
read: not those of domains, documents and segments, nor the ratings of segments (`.seg.rating`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from anaphor.core import InputError, LanguagePair, Where
from anaphor.corpus import read_text
from anaphor.meta.scores import ScoreColumn, note_left_out

ENDING = ".sys.score"


def read_score_file(path: str | Path, *, human: bool, name: str | None = None) -> ScoreColumn:
    """One score file; its name without `.sys.score` names the score, unless another name is given."""
    text = read_text(path)
    values: dict[str, float] = {}
    absent: list[str] = []
    for number, line in enumerate(text.lines, start=1):
        system, value = _line(line, Where(text.path, number))
        if system in values or system in absent:
            raise InputError(
                f"{system} has two scores", where=Where(text.path, number), fix="keep one line a system"
            )
        if value is None and not human:
            raise InputError(
                f"the metric has no score for {system}",
                where=Where(text.path, number),
                fix="leave the system out: only scores of people can be None",
            )
        if value is None:
            absent.append(system)
        else:
            values[system] = value
    column = ScoreColumn.of(name or Path(path).name.removesuffix(ENDING), values, path=text.path)
    note_left_out(column, absent)
    return column


def read_score_folder(
    folder: str | Path, *, pair: LanguagePair | None, human: bool
) -> tuple[ScoreColumn, ...]:
    """All scores of metrics, or of people, for one language pair, in the order of their names."""
    root = Path(folder)
    if pair is None:
        raise InputError(
            "a folder has scores of many language pairs", where=str(root), fix="name one with --pair"
        )
    pattern = f"human-scores/{pair}.*{ENDING}" if human else f"metric-scores/{pair}/*{ENDING}"
    files = sorted(root.glob(pattern))
    if not files:
        raise InputError(
            f"there is no file {pattern}",
            where=str(root),
            fix="give a folder in the layout of mt-metrics-eval that has scores of this language pair",
        )
    prefix = f"{pair}." if human else ""
    return tuple(
        read_score_file(path, human=human, name=path.name.removeprefix(prefix).removesuffix(ENDING))
        for path in files
    )


def _line(line: str, where: Where) -> tuple[str, float | None]:
    words: Sequence[str] = line.split()
    try:
        system, score = words
        value = None if score == "None" else float(score)
        if value is not None and not math.isfinite(value):
            raise ValueError(score)
        return system, value
    except ValueError:
        raise InputError(
            f"not a system and a score: {line[:40]!r}",
            where=where,
            fix="write the system, a tab and a number, or None for no score",
        ) from None
