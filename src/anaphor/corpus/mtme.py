"""The folder layout of mt-metrics-eval, the toolkit of the WMT metrics tasks.

    sources/SRC-TGT.txt                                one segment a line
    documents/SRC-TGT.docs                             `DOMAIN DOCUMENT`, a line a segment (optional)
    references/SRC-TGT.NAME.txt                        one segment a line
    system-outputs/SRC-TGT/NAME.txt                    one segment a line
    metric-scores/SRC-TGT/METRIC-REF.LEVEL.score       `SYSTEM SCORE`; LEVEL is sys, seg or doc

Texts may also be `.jsonl`, see `mtme_text.py`. Levels `domain` and ratings (`.seg.rating`) are not used.
A system with the name of a reference is that reference posing as a system. Such systems are left out,
unless there is no other.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from anaphor.core import InputError, LanguagePair, MismatchError, OptionError, Where
from anaphor.corpus.bundle import Bundle
from anaphor.corpus.mtme_text import mtme_text, named_texts, source_text
from anaphor.corpus.text import Text, read_text
from anaphor.corpus.writing import write_atomically

_METRIC = re.compile(r"[^\s./\\][^\s/\\]*")
_REFERENCE = re.compile(r"[^\s./\\-]+(?:\.[^\s./\\-]+)*")
_SYSTEM = re.compile(r"\S+")


def read_mtme(folder: str | Path, *, pair: LanguagePair) -> Bundle:
    """The test set of one language pair; references and systems in the order of their names."""
    root = Path(folder)
    source = source_text(root / "sources", str(pair))
    references = named_texts(root / "references", prefix=f"{pair}.")
    if not references:
        raise InputError(
            f"there is no reference for {pair}",
            where=str(root / "references"),
            fix=f"add references/{pair}.NAME.txt, or choose another language pair",
        )
    systems = named_texts(root / "system-outputs" / str(pair))
    genuine = {name: path for name, path in systems.items() if name not in references}
    return Bundle(
        source=source,
        references=tuple(_parallel(mtme_text(path, field="target"), source) for path in references.values()),
        candidates={
            name: _parallel(mtme_text(path, field="hypothesis"), source)
            for name, path in (genuine or systems).items()
        },
        documents=_documents(next(root.glob(f"documents/{pair}.docs"), None), source),
    )


def write_mtme_scores(
    folder: str | Path,
    *,
    pair: LanguagePair,
    metric: str,
    reference: str,
    systems: Mapping[str, float],
    segments: Mapping[str, Sequence[float]] | None = None,
    documents: Mapping[str, Sequence[float]] | None = None,
    undefined: float | None = None,
) -> tuple[Path, ...]:
    """Write the score files of one metric and return their paths.

    `segments` and `documents` hold the scores of each system in the order of the test set. `reference`
    is a name, several joined by `.`, `all`, or `src`. The layout has no word for a score that does
    not exist: NaN is written as `undefined`, and refused where that is None.
    """
    _check_names(metric, reference, systems)
    levels = {"sys": {name: [score] for name, score in systems.items()}, "seg": segments, "doc": documents}
    contents = {
        level: _score_lines(scores, systems, level=level, undefined=undefined)
        for level, scores in levels.items()
        if scores is not None
    }
    place = Path(folder) / "metric-scores" / str(pair)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"the folder cannot be made ({error.strerror})", where=str(place), fix="choose another folder"
        ) from error
    paths = {level: place / f"{metric}-{reference}.{level}.score" for level in contents}
    for level, content in contents.items():
        write_atomically(paths[level], content)
    return tuple(paths.values())


def _parallel(text: Text, source: Text) -> Text:
    if len(text) != len(source):
        raise MismatchError(
            f"the file has {len(text)} lines, the source has {len(source)}",
            where=Where(text.path, min(len(text), len(source)) + 1),
            fix="give every text of the test set one line for each source segment",
        )
    return text


def _documents(path: Path | None, source: Text) -> tuple[str, ...] | None:
    if path is None:
        return None
    text = _parallel(read_text(path), source)
    names: list[str] = []
    for number, line in enumerate(text.lines, start=1):
        words = line.split()
        if len(words) != 2:
            raise InputError(
                f"not a domain and a document: {line[:40]!r}",
                where=Where(text.path, number),
                fix="write two words: the domain and the name of the document",
            )
        names.append(words[1])
    return tuple(names)


def _check_names(metric: str, reference: str, systems: Mapping[str, float]) -> None:
    rules = [("metric", metric, _METRIC, "/"), ("reference", reference, _REFERENCE, "- or /")]
    rules += [("system", name, _SYSTEM, "space") for name in systems]
    for kind, name, pattern, forbidden in rules:
        if pattern.fullmatch(name) is None:
            raise OptionError(
                f"the layout of mt-metrics-eval does not allow the {kind} name {name!r}",
                where="mt-metrics-eval scores",
                fix=f"use a name without white space and without {forbidden}",
            )


def _score_lines(
    scores: Mapping[str, Sequence[float]],
    systems: Mapping[str, float],
    *,
    level: str,
    undefined: float | None,
) -> str:
    if scores.keys() != systems.keys() or len({len(row) for row in scores.values()}) > 1:
        raise MismatchError(
            f"the {level} scores are not for the same systems and the same number of places",
            where=f"{level} scores",
            fix="give every level the scores of every system",
        )
    lines = [f"{name}\t{_shown(score, undefined)}\n" for name, row in scores.items() for score in row]
    return "".join(lines)


def _shown(score: float, undefined: float | None) -> str:
    value = undefined if undefined is not None and math.isnan(score) else score
    if not math.isfinite(value):
        raise OptionError(
            f"the layout of mt-metrics-eval cannot hold the score {value}",
            where="mt-metrics-eval scores",
            fix="say which number stands for an undefined score, or leave out this level",
        )
    return repr(float(value))
