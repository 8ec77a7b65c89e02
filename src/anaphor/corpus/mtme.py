"""The folder layout of mt-metrics-eval, the toolkit of the WMT metrics tasks; see `docs/formats.md`."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

from anaphor.core import InputError, InputWarning, LanguagePair, MismatchError, OptionError, Where
from anaphor.core.records import Record
from anaphor.core.table import counted
from anaphor.corpus.bundle import Inputs
from anaphor.corpus.text import Text, read_text
from anaphor.files.folders import file_name, files_inside, inside
from anaphor.files.writing import write_atomically

_PLAIN, _JSON = ".txt", ".jsonl"
_NOTHING = "[No translation supplied]"
_METRIC = re.compile(r"[^\s./\\][^\s/\\]*")
_REFERENCE = re.compile(r"[^\s./\\-]+(?:\.[^\s./\\-]+)*")
_SYSTEM = re.compile(r"\S+")


def read_mtme(folder: str | Path, *, pair: LanguagePair) -> Inputs:
    """The test set of one language pair; references and systems in the order of their names."""
    root = Path(folder)
    path = root / "sources" / f"{pair}{_PLAIN}"
    if (
        not path.exists() and path.with_suffix(_JSON).exists()
    ):  # of both kinds the toolkit takes the plain one
        path = path.with_suffix(_JSON)
    source = _text(inside(root, path), field="source")
    references = _named_texts(root, "references", prefix=f"{pair}.")
    if not references:
        fix = f"add references/{pair}.NAME.txt, or choose another language pair"
        raise InputError(f"no reference found for {pair}", where=str(root / "references"), fix=fix)
    systems = _named_texts(root, f"system-outputs/{pair}")
    genuine = {name: path for name, path in systems.items() if name not in references}
    return Inputs(
        source=source,
        references=tuple(_text(path, field="target") for path in references.values()),
        candidates={name: _text(path, field="hypothesis") for name, path in (genuine or systems).items()},
        documents=_documents(next(iter(files_inside(root, f"documents/{pair}.docs")), None), source),
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

    `segments` and `documents` hold the scores of each system in the order of the test set. `reference` is a
    name, several joined by `.`, `all`, or `src`. The layout has no word for a score that does not exist: NaN
    is written as `undefined`, and rejected if that is None.
    """
    rules = [("metric", metric, _METRIC, "/"), ("reference", reference, _REFERENCE, "- or /")]
    rules += [("system", name, _SYSTEM, "space") for name in systems]
    for kind, name, pattern, forbidden in rules:
        if pattern.fullmatch(name) is None:
            what = f"the layout of mt-metrics-eval does not allow the {kind} name {name!r}"
            fix = f"use a name without white space and without {forbidden}"
            raise OptionError(what, where="mt-metrics-eval scores", fix=fix)
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
        what = f"the folder cannot be created ({error.strerror or error})"
        raise OptionError(what, where=str(place), fix="choose another folder") from error
    name = f"{metric}-{reference}"
    paths = {
        level: inside(
            folder, place / file_name(name, kind="score", where="mt-metrics-eval", ending=f".{level}.score")
        )
        for level in contents
    }
    for level, content in contents.items():
        write_atomically(paths[level], content)
    return tuple(paths.values())


def _documents(path: Path | None, source: Text) -> tuple[str, ...] | None:
    if path is None:
        return None
    text = read_text(path)
    text.require_lines(len(source), of="the source", fix="name the document of every source segment")
    names: list[str] = []
    for number, line in enumerate(text.lines, start=1):
        words = line.split()
        if len(words) != 2:
            what = f"not a domain and a document: {line[:40]!r}"
            fix = "write two words: the domain and the name of the document"
            raise InputError(what, where=Where(text.path, number), fix=fix)
        names.append(words[1])
    return tuple(names)


def _score_lines(
    scores: Mapping[str, Sequence[float]],
    systems: Mapping[str, float],
    *,
    level: str,
    undefined: float | None,
) -> str:
    if scores.keys() != systems.keys() or len({len(row) for row in scores.values()}) > 1:
        what = f"the {level} scores are not for the same systems and the same number of places"
        raise MismatchError(
            what, where=f"{level} scores", fix="provide the scores of every system at every level"
        )
    lines = []
    for name, row in scores.items():
        for score in row:
            value = undefined if undefined is not None and math.isnan(score) else score
            if not math.isfinite(value):
                what = f"the layout of mt-metrics-eval cannot hold the score {value}"
                fix = "choose a number for undefined scores, or leave out this level"
                raise OptionError(what, where="mt-metrics-eval scores", fix=fix)
            # `repr` writes every digit, so that the toolkit reads the very same number.
            lines.append(f"{name}\t{float(value)!r}\n")
    return "".join(lines)


def _named_texts(root: Path, folder: str, *, prefix: str = "") -> dict[str, Path]:
    """The texts of a folder, sorted by name; duplicate names are an error."""
    paths: dict[str, Path] = {}
    for path in files_inside(root, *(f"{folder}/{prefix}*{ending}" for ending in (_PLAIN, _JSON))):
        name = path.stem.removeprefix(prefix)
        if name in paths:
            what = f"there are two files for {name}"
            raise InputError(what, where=str(path), fix=f"keep either it or {paths[name].name}")
        paths[name] = path
    return paths


def _text(path: Path, *, field: str) -> Text:
    """A text of either kind; `field` is where JSON keeps the segments.

    A segment that a system did not translate is empty, with a note.
    """
    text = read_text(path)
    lines = text.lines
    if path.suffix == _JSON:
        fix = f'write a JSON object such as {{"{field}": "..."}} for every segment'
        records = Record.from_json_lines(lines, path=text.path, fix=fix)
        lines = tuple(record.text(field, blank=True) for record in records)
    absent = sum(line.rstrip() == _NOTHING for line in lines)
    if absent:
        message = f"{text.path}: {counted(absent, 'segment')} without a translation, read as empty"
        warnings.warn(message, InputWarning, stacklevel=2)
    if lines is text.lines and not absent:
        return text
    return Text.of(("" if line.rstrip() == _NOTHING else line for line in lines), path=text.path)
