"""A test set with its error annotation, whatever file it came from: texts, and what each rater marked.

Readers yield one `AnnotatedLine` per rater, segment and system; `assemble` makes a `SpanAnnotation` of them,
and `write_texts` writes its texts for scoring.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anaphor.core import InputWarning
from anaphor.core.records import Record
from anaphor.core.table import counted
from anaphor.files.folders import file_names, inside
from anaphor.files.writing import write_atomically

#: The category of spans that have none.
UNNAMED = "unnamed"
#: What the human translation is called where it is not one of the annotated systems.
REFERENCE = "ref"


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """An error: characters of the target from `start` to `end` (excluded), its category and severity."""

    start: int
    end: int
    category: str
    severity: str


Spans = tuple[MarkedSpan, ...]


@dataclass(slots=True)
class SpanCounts:
    """How the spans of a file were located in the targets.

    `moved` ones are not where the file says but at the only place with their text; `ambiguous` ones were
    assigned to the nearest of several places; `not_found` ones are left out. `other_segment` counts rows that
    are left out because they repeat the texts of another segment.
    """

    in_place: int = 0
    moved: int = 0
    ambiguous: int = 0
    not_found: int = 0
    other_segment: int = 0

    def announce(self, path: str) -> None:
        """One note for each type of deviation that occurred."""
        for number, noun, what in (
            (self.moved, "span", "found elsewhere than the file says"),
            (self.ambiguous, "span", "found at several places, using the nearest one"),
            (self.not_found, "span", "not found in the target and left out"),
            (self.other_segment, "row", "left out: has the text of another segment"),
        ):
            if number:
                warnings.warn(f"{path}: {counted(number, noun)} {what}", InputWarning, stacklevel=3)


@dataclass(frozen=True, slots=True)
class SpanAnnotation:
    """A test set with its error annotation: lines of every system, and what raters marked in them.

    `marks` has an entry for every judged line of a system: the spans of each rater, if any. `whole_segments`
    means that people judged segments and not spans. `path` is the name of the annotation in messages.
    """

    source: tuple[str, ...]
    documents: tuple[str, ...]
    systems: Mapping[str, tuple[str, ...]]
    marks: Mapping[tuple[str, int], Mapping[str, Spans]]
    whole_segments: bool = False
    counts: SpanCounts = field(default_factory=SpanCounts)
    path: str = "the annotation"

    @property
    def spans(self) -> dict[tuple[str, int], Spans]:
        """The spans of every judged line, of all raters together."""
        return {
            key: tuple(s for spans in raters.values() for s in spans) for key, raters in self.marks.items()
        }

    @property
    def raters(self) -> tuple[str, ...]:
        """Everyone who judged a line, in alphabetical order."""
        return tuple(sorted({rater for raters in self.marks.values() for rater in raters}))


@dataclass(frozen=True, slots=True)
class AnnotatedLine:
    """One rater's annotation of one segment of one system; `spans` is None for a context line."""

    row: Record
    system: str
    document: str
    number: int
    source: str
    target: str
    spans: Spans | None
    rater: str = ""


def assemble(
    lines: Sequence[AnnotatedLine], *, path: str, counts: SpanCounts | None = None
) -> SpanAnnotation:
    """The segments in the order of their first line; a segment of a system may have several lines.

    Lines of one segment must have the same texts, white space aside. The text is that of the first line, and
    spans of other lines are transferred to it. A line that a system lacks is empty.
    """
    segments: dict[tuple[str, int], int] = {}
    sources: list[str] = []
    targets: dict[tuple[str, int], str] = {}
    marks: dict[tuple[str, int], dict[str, Spans]] = {}
    for line in lines:
        number = segments.setdefault((line.document, line.number), len(segments))
        if number == len(sources):
            sources.append(line.source)
        elif not _is_same_text(line.source, sources[number]):
            line.row.refuse(
                "source",
                "another source of the same segment",
                fix="pass all rows of a segment the same source",
            )
        key = line.system, number
        # The first line of a segment decides its spelling.
        target = targets.setdefault(key, line.target)
        if not _is_same_text(line.target, target):
            line.row.refuse(
                "target",
                f"another translation by {line.system} of the same segment",
                fix="give every row of a segment the same target, marks aside",
            )
        if line.spans is not None:
            spans = tuple(_carried(span, line.target, target) for span in line.spans)
            raters = marks.setdefault(key, {})
            raters[line.rater] = raters.get(line.rater, ()) + spans
    systems = sorted({system for system, _ in targets})
    return SpanAnnotation(
        source=tuple(sources),
        documents=tuple(document for document, _ in segments),
        systems={name: tuple(targets.get((name, i), "") for i in range(len(sources))) for name in systems},
        marks=marks,
        counts=counts or SpanCounts(sum(len(line.spans or ()) for line in lines)),
        path=path,
    )


def _is_same_text(first: str, other: str) -> bool:
    return first == other or "".join(first.split()) == "".join(other.split())


def _carried(span: MarkedSpan, text: str, other: str) -> MarkedSpan:
    """The span in another spelling of the text, which differs in white space."""
    if text == other:
        return span
    places = [place for place, letter in enumerate(other) if not letter.isspace()]
    # Counted in letters, which both spellings share.
    before, until = (len("".join(text[:end].split())) for end in (span.start, span.end))
    start = places[before] if before < len(places) else len(other)
    end = places[until - 1] + 1 if until > before else start
    return MarkedSpan(start, end, span.category, span.severity)


def place_span(
    target: str, marked: str, *, start: int, end: int, counts: SpanCounts
) -> tuple[int, int] | None:
    """The position of the text `marked` in the target, given the file's `start` and `end` (exclusive).

    None if the target does not contain it. Published offsets do not always fit the published text, so the
    text decides: the given position if it matches, otherwise the nearest match.
    """
    words = marked.strip()
    within = 0 <= start <= end <= len(target)
    if not words:
        # Something is missing here, or a space is wrong: no word is marked.
        if within and not target[start:end].strip():
            counts.in_place += 1
            return start, end
        counts.not_found += 1
        return None
    if within and target[start:end].strip() == words:
        counts.in_place += 1
        return start, end
    places = [match.start() for match in re.finditer(f"(?={re.escape(words)})", target)]
    places = [place for place in places if _is_whole(target, place, place + len(words))] or places
    if not places:
        counts.not_found += 1
        return None
    nearest = min(places, key=lambda place: abs(place - start))
    # An offset that is wrong by a character or two still points at one of them.
    if len(places) == 1 or abs(nearest - start) < len(words):
        counts.moved += 1
    else:
        counts.ambiguous += 1
    return nearest, nearest + len(words)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word is cut at the start or at the end."""
    return not any(0 < cut < len(text) and text[cut - 1 : cut + 1].isalnum() for cut in (start, end))


def one_line(text: str) -> str:
    """The text with a space for each line break, so offsets are unchanged."""
    return text.replace("\n", " ").replace("\r", " ")


def write_texts(annotation: SpanAnnotation, folder: str | Path) -> None:
    """The input of `anaphor score`: `source.txt`, `documents.txt`, and one text for each system."""
    texts = {"source": annotation.source, "documents": annotation.documents}
    names = {name: f"{name}.txt" for name in texts}
    names |= file_names(
        annotation.systems, kind="system", where=annotation.path, ending=".txt", reserved=texts
    )
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, lines in {**texts, **annotation.systems}.items():
        content = "".join(f"{one_line(line)}\n" for line in lines)
        write_atomically(inside(folder, Path(folder) / names[name]), content)
