"""Marked spans: what professionals mark as errors, and which pronouns they mark.

Reads MQM annotation in the layout of google/wmt-mqm-human-evaluation: a TSV file with one row per error, in
which `<v>` and `</v>` enclose the marked span of the target, and one row without a span for a segment without
errors. The texts of all systems can be read off it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from anaphor.core import InputError
from anaphor.core.records import Row
from anaphor.corpus.text import read_text

_TAG = re.compile(r"</?v>")
_SPAN = re.compile(r"<v>(.*?)</v>", re.DOTALL)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """An error: characters of the target from `start` to `end` (excluded), its category and severity."""

    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True, slots=True)
class SpanAnnotation:
    """A test set with its error annotation: lines of every system, and the marked spans of every line."""

    source: tuple[str, ...]
    documents: tuple[str, ...]
    systems: Mapping[str, tuple[str, ...]]
    spans: Mapping[tuple[str, int], tuple[MarkedSpan, ...]]


def read_mqm(path: str | Path) -> SpanAnnotation:
    """The annotation of a file, compressed or not; segments in the order of their documents and numbers."""
    sources: dict[tuple[str, int], str] = {}
    targets: dict[tuple[str, tuple[str, int]], str] = {}
    marked: dict[tuple[str, tuple[str, int]], list[MarkedSpan]] = {}
    for row in Row.from_tsv(read_text(path).lines, path=str(path)):
        segment = (row.text("doc"), row.integer("seg_id"))
        key = (row.text("system"), segment)
        # A system may leave a segment untranslated.
        target = row.text("target", "")
        plain = _TAG.sub("", target)
        if targets.setdefault(key, plain) != plain:
            row.refuse(
                "target",
                f"another translation by {key[0]} of the same segment",
                fix="give every row of a segment the same target, marks aside",
            )
        sources.setdefault(segment, _TAG.sub("", row.text("source")))
        if found := _SPAN.search(target):
            end = found.start() + len(found[1])
            span = MarkedSpan(found.start(), end, row.text("category"), row.text("severity"))
            marked.setdefault(key, []).append(span)
    segments = sorted(sources)
    systems = sorted({system for system, _ in targets})
    for system in systems:
        if lacking := [segment for segment in segments if (system, segment) not in targets]:
            raise InputError(
                f"{system} has no translation of segment {lacking[0][1]} of {lacking[0][0]}",
                where=str(path),
                fix="give every system a row for every segment, with the category No-error if it is clean",
            )
    numbers = {segment: number for number, segment in enumerate(segments)}
    return SpanAnnotation(
        source=tuple(sources[segment] for segment in segments),
        documents=tuple(document for document, _ in segments),
        systems={s: tuple(targets[s, segment] for segment in segments) for s in systems},
        spans={(system, numbers[segment]): tuple(spans) for (system, segment), spans in marked.items()},
    )


def is_marked(
    line: str,
    word: tuple[int, int],
    spans: Sequence[MarkedSpan],
    *,
    pronouns: frozenset[str],
    longest: int = 3,
    severities: frozenset[str] | None = None,
) -> bool:
    """Whether a span of at most `longest` words covers the pronoun `word` (start, end) and no other one."""
    for span in spans:
        if severities is not None and span.severity not in severities:
            continue
        inside = list(_WORD.finditer(line, span.start, span.end))
        covered = span.start <= word[0] and word[1] <= span.end
        others = [one for one in inside if one[0].lower() in pronouns and one.start() != word[0]]
        if covered and len(inside) <= longest and not others:
            return True
    return False
