"""ESA as WMT24 published it: JSON lines with one object per system, segment and annotator."""

from __future__ import annotations

from pathlib import Path

from anaphor.core import InputError
from anaphor.core.records import Record
from anaphor.corpus.text import read_text
from anaphor.meta.annotation import UNNAMED, AnnotatedLine, MarkedSpan, SpanAnnotation, assemble

#: Where a span begins and ends that marks something as missing from the translation.
_OMISSION = "missing"


def read_esa(path: str | Path, *, pair: str) -> SpanAnnotation:
    """The annotation of one language pair, lines in order; lines missing from a system are empty.

    `start_i` and `end_i` of a span are its first and its last character, as the annotation tool counts them.
    """
    lines = []
    for row in Record.from_json_lines(read_text(path).lines, path=str(path)):
        if row.text("langs") != pair:
            continue
        target = row.text("tgt", blank=True)
        spans = []
        for span in row.tables("esa_spans"):
            if span.raw("start_i") == _OMISSION:
                continue
            start = span.integer("start_i", low=0, high=len(target))
            end = span.integer("end_i", low=start, high=len(target)) + 1
            spans.append(MarkedSpan(start, end, UNNAMED, span.text("severity")))
        place = row.text("system"), row.text("doc_id"), row.integer("line_id", low=0)
        rater = row.text("annotator", "", blank=True)
        lines.append(AnnotatedLine(row, *place, row.text("src"), target, tuple(spans), rater))
    if not lines:
        raise InputError(f"there are no lines of {pair}", where=str(path), fix="use the pair of the file")
    return assemble(sorted(lines, key=lambda line: line.number), path=str(path))
