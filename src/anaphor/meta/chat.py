"""MQM for WMT's chats: CSV files, one for each system, with both directions of a conversation.

For a language pair, the lines that a system translated from source to target are judged. The other person's
turns are in between, in their original words: in the target language as typed, with a human translation as
the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from anaphor.core import InputError
from anaphor.core.records import Row, whole_number
from anaphor.corpus.text import is_folder, read_text
from anaphor.files.folders import files_inside
from anaphor.meta.annotation import (
    REFERENCE,
    AnnotatedLine,
    MarkedSpan,
    SpanAnnotation,
    SpanCounts,
    assemble,
    one_line,
    place_span,
)

#: What the organisers call a file; of any other name the system is all that stands before the endings.
_FILE_NAME = re.compile(r"annotations\.[^.]+\.(?P<system>.+)\.(?:primary|contrastive\d*)")
_ENDINGS = (".csv", ".csv.gz")
#: The one category with a slash in its name, which otherwise separates categories.
_WITH_SLASH = "Date/Time Format"


def read_chat(path: str | Path | Sequence[str], *, pair: str) -> SpanAnnotation:
    """The annotation of all systems of a language pair, from one file, several, or all in a folder.

    A language may have a region in the file (`pt-br` for `pt`). The text `ref` is the human translation.
    """
    paths = [path] if isinstance(path, str | Path) else list(path)
    names = ", ".join(map(str, paths))
    counts = SpanCounts()
    lines: list[AnnotatedLine] = []
    systems: dict[str, str] = {}
    for file in _files(paths):
        system = _system_of(file)
        of_file = list(_lines(file, system, pair, counts))
        if not any(line.spans is not None for line in of_file):
            continue
        if system == REFERENCE or system in systems:
            raise InputError(
                f"there is already a file of a system named {system}",
                where=str(file),
                fix="name each file annotations.LANGUAGE.SYSTEM.primary.csv, with a different system",
            )
        systems[system] = str(file)
        lines += of_file
    if not lines:
        raise InputError(
            f"there are no lines of {pair}",
            where=names,
            fix="use the CSV files of that pair, or their folder",
        )
    # Conversations stay in the order of the first file that has them.
    documents = {line.document: None for line in lines}
    order = {document: number for number, document in enumerate(documents)}
    counts.announce(names)
    lines.sort(key=lambda line: (order[line.document], line.number))
    return assemble(lines, path=names, counts=counts)


def _files(paths: Sequence[str | Path]) -> Iterator[str | Path]:
    for path in paths:
        if is_folder(path):
            yield from files_inside(path, *(f"*{ending}" for ending in _ENDINGS))
        else:
            yield path


def _system_of(path: str | Path) -> str:
    name = Path(path).name.removesuffix(".gz").removesuffix(".csv")
    match = _FILE_NAME.fullmatch(name)
    return name if match is None else match["system"]


def _lines(path: str | Path, system: str, pair: str, counts: SpanCounts) -> Iterator[AnnotatedLine]:
    """The lines of one file that concern the pair, and those of the human translation."""
    wanted = tuple(pair.split("-"))
    for row in Row.from_csv(read_text(path).lines, path=str(path)):
        # Files say `pt-br` where the pair says `pt`.
        languages = tuple(row.text(f"{side}_language").split("-")[0] for side in ("source", "target"))
        if languages not in (wanted, wanted[::-1]):
            continue
        place = row.text("doc_id"), row.integer("segment_id", low=0)
        source = one_line(row.text("source", "", blank=True))
        human = one_line(row.text("reference", "", blank=True))
        if languages == wanted:
            target = one_line(row.text("mt", "", blank=True))
            yield AnnotatedLine(row, system, *place, source, target, tuple(_spans(row, target, counts)))
            yield AnnotatedLine(row, REFERENCE, *place, source, human, None)
        else:
            for name in (system, REFERENCE):
                yield AnnotatedLine(row, name, *place, human or source, source, None)


def _spans(row: Row, target: str, counts: SpanCounts) -> Iterator[MarkedSpan]:
    """The errors of a row: severities, categories, words and offsets, each with slashes between them."""
    severities = row.text("severity").split("/") if "severity" in row else []
    # Its slash is hidden while the list is split.
    hidden = row.text("typology_error", "").replace(_WITH_SLASH, _WITH_SLASH.replace("/", "\0"))
    categories = hidden.split("/") if hidden else []
    starts, ends = (row.text(key).split("/") if key in row else [] for key in ("start_index", "end_index"))
    for key, values in (("typology_error", categories), ("start_index", starts), ("end_index", ends)):
        if len(values) != len(severities):
            what = f"{len(values)} values, but {len(severities)} under severity"
            row.refuse(key, what, fix="write one value per error, separated by slashes")
    words = row.text("error", "", blank=True)
    for number, severity in enumerate(severities):
        start, end = (
            _offset(row, key, values[number])
            for key, values in (("start_index", starts), ("end_index", ends))
        )
        marked, words = _next_words(words, target[start:end], last=number == len(severities) - 1)
        place = place_span(target, marked, start=start, end=end, counts=counts)
        if place is not None:
            yield MarkedSpan(*place, categories[number].replace("\0", "/"), severity)


def _offset(row: Row, key: str, text: str) -> int:
    number = whole_number(text.strip().removesuffix(".0"))
    if number is None:
        row.refuse(key, f"not an offset: {text!r:.40}", fix="write whole numbers separated by slashes")
    return number


def _next_words(words: str, expected: str, *, last: bool) -> tuple[str, str]:
    """The words of the next error, which may contain slashes, and the remaining text.

    White space at both ends of the whole list is lost in the published files.
    """
    if last:
        return words, ""
    # A text that the offsets point at is surer than the next slash, which may be part of an error.
    for text in (expected, expected.strip()):
        if words.startswith(f"{text}/"):
            return text, words[len(text) + 1 :]
    marked, _, rest = words.partition("/")
    return marked, rest
