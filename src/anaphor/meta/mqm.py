"""MQM as published: Google's TSV files, and the medical abstracts of bio-MQM.

**TSV** in the layout of google/wmt-mqm-human-evaluation has one row per error, in which `<v>` and `</v>`
enclose the marked span of the target, and one row without a span where a rater found no error in a segment.
Newer files number segments in `docSegId` and have several raters for each. **bio-MQM** has JSON lines: one
object per system, segment and annotator, with character offsets. chat.py reads the MQM of WMT's chats.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from anaphor.core import InputError, Where
from anaphor.core.records import Record, Row
from anaphor.corpus.text import is_folder, read_text
from anaphor.files.folders import files_inside
from anaphor.meta.annotation import (
    AnnotatedLine,
    MarkedSpan,
    SpanAnnotation,
    SpanCounts,
    assemble,
    one_line,
    place_span,
)

_TAG = re.compile(r"<(/?)v>")
_COLUMNS = ("system", "doc", "source", "target", "category", "severity")


def read_mqm(path: str | Path) -> SpanAnnotation:
    """The annotation of a TSV file, compressed or not; segments in the order of documents and numbers."""
    counts = SpanCounts()
    lines = []
    for row in Row.from_tsv(_checked(read_text(path).lines, str(path)), path=str(path)):
        # A system may leave a segment untranslated.
        target, places = _tagged(row.text("target", ""))
        counts.in_place += sum(end is not None for _, end in places)
        counts.not_found += sum(end is None for _, end in places)
        label = (row.text("category"), row.text("severity")) if places else ("", "")
        spans = tuple(MarkedSpan(start, end, *label) for start, end in places if end is not None)
        number = row.integer("docSegId" if "docSegId" in row else "seg_id")
        place = row.text("system"), row.text("doc"), number
        source = _TAG.sub("", row.text("source"))
        lines.append(AnnotatedLine(row, *place, source, target, spans, row.text("rater", "")))
    if not lines:
        raise InputError("the file has a header and no rows", where=str(path), fix="add the rows")
    lines.sort(key=lambda line: (line.document, line.number))
    annotation = assemble(lines, path=str(path), counts=counts)
    for system in annotation.systems:
        for number, document in enumerate(annotation.documents):
            if (system, number) not in annotation.marks:
                raise InputError(
                    f"{system} has no translation of a segment of {document}: {annotation.source[number]}",
                    where=str(path),
                    fix="add a row for every segment of every system, No-error if it has no error",
                )
    counts.announce(str(path))
    return annotation


def _checked(lines: Sequence[str], path: str) -> Sequence[str]:
    """The lines below a header with all columns; a last header cell without cells below it is dropped."""
    header = [cell.strip() for cell in lines[0].split("\t")]
    missing = [name for name in _COLUMNS if name not in header]
    if not {"docSegId", "seg_id"} & {*header}:
        missing.append("docSegId or seg_id")
    if missing:
        raise InputError(
            f"the header has no column {', '.join(missing)}",
            where=Where(path, 1),
            fix="pass a TSV file in the layout of google/wmt-mqm-human-evaluation, with its header",
        )
    # Some published headers end with a column that no row has.
    if len(lines) > 1 and lines[1].count("\t") == len(header) - 2 and header[-1] not in _COLUMNS:
        return ["\t".join(header[:-1]), *lines[1:]]
    return lines


def _tagged(text: str) -> tuple[str, list[tuple[int, int | None]]]:
    """The text without tags, with start and end of the enclosed span; no end if none is marked."""
    plain, places = "", list[tuple[int, int | None]]()
    last = 0
    for tag in _TAG.finditer(text):
        plain += text[last : tag.start()]
        last = tag.end()
        if not tag[1]:
            places.append((len(plain), None))
        elif places and places[-1][1] is None:
            places[-1] = places[-1][0], len(plain)
        else:
            places.append((len(plain), None))
    return plain + text[last:], places


def read_bio_mqm(path: str | Path, *, pair: str) -> SpanAnnotation:
    """The annotation of one language pair, from a file or from the pair's file in a folder.

    `startIndex` and `endIndex` are the first and the last character of an error. In some published files,
    rows repeat the texts of another segment of their document with their own errors: a text belongs to the
    segment with most of its rows, and rows elsewhere are left out and counted. A line that a system lacks is
    empty. Subcategories follow a slash: `Accuracy/Omission`.
    """
    file = _file_of_pair(path, pair)
    rows = list(Record.from_json_lines(read_text(file).lines, path=str(file)))
    homes = _homes(rows)
    order = {key: number for number, key in enumerate(sorted(homes, key=lambda key: (key[0], homes[key])))}
    counts = SpanCounts()
    lines = []
    for row in rows:
        document, source, target = row.text("DOC_ID"), *map(one_line, (row.text("source"), _target(row)))
        # Its marks belong to a text that is not shown here.
        if homes[document, source] != _segment(row):
            counts.other_segment += 1
            continue
        spans = []
        for error in row.tables("target_errors"):
            start = error.integer("startIndex", low=0)
            # An error of omission has no characters: its end is just before its start.
            end = error.integer("endIndex", low=start - 1) + 1
            category = "/".join(
                filter(None, (error.text("error_category"), error.text("error_subcategory", "", blank=True)))
            )
            term = one_line(error.text("term", target[start:end], blank=True))
            place = place_span(target, term, start=start, end=end, counts=counts)
            if place is not None:
                spans.append(MarkedSpan(*place, category, error.text("severity")))
        key = row.text("system"), document, order[document, source]
        rater = row.text("Annotator_ID", "")
        lines.append(AnnotatedLine(row, *key, source, target, tuple(spans), rater))
    counts.announce(str(file))
    return assemble(sorted(lines, key=lambda line: line.number), path=str(file), counts=counts)


def _target(row: Record) -> str:
    return row.text("target", blank=True)


def _segment(row: Record) -> int:
    """The number of the segment, which is written as text."""
    number = row.raw("SEG_ID")
    if isinstance(number, str) and number.isdecimal() and len(number) < 10:
        return int(number)
    return row.integer("SEG_ID", low=0)


def _homes(rows: Sequence[Record]) -> Mapping[tuple[str, str], int]:
    """The segment of each source of a document, by majority of rows.

    Ties are resolved by the number of errors whose words match the target.
    """
    uses: dict[tuple[str, str], Counter[int]] = {}
    fitting: Counter[tuple[str, str, int]] = Counter()
    for row in rows:
        key, segment, target = (row.text("DOC_ID"), one_line(row.text("source"))), _segment(row), _target(row)
        uses.setdefault(key, Counter())[segment] += 1
        for error in row.tables("target_errors"):
            start, term = error.integer("startIndex", low=0), error.text("term", "", blank=True)
            # Errors that were annotated on this text quote it.
            fitting[*key, segment] += 1 if target[start:].startswith(term) else -1
    return {
        key: max(sorted(segments), key=lambda segment: (segments[segment], fitting[*key, segment]))
        for key, segments in uses.items()
    }


def _file_of_pair(path: str | Path, pair: str) -> str | Path:
    """The path itself, or in a folder the one file that is named after the pair."""
    if not is_folder(path):
        return path
    files = files_inside(path, f"{pair}.jsonl", f"{pair}.jsonl.gz")
    if len(files) != 1:
        raise InputError(
            f"the folder has {len(files) or 'no'} files of {pair}",
            where=str(path),
            fix=f"pass a file, or a folder with one {pair}.jsonl or {pair}.jsonl.gz",
        )
    return files[0]
