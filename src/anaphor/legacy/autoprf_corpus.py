"""What the original AutoPRF reads: a corpus as one long row of tokens, and document starts.

Tokens are numbered through the whole text, sentence limits are only remembered. This explains two of
its habits: a target index past the sentence end reaches into the next sentence, and two corpora are
compared token by token even where their sentences differ.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from anaphor.core import InputError, InputWarning, MismatchError, Where
from anaphor.legacy.lines import is_file, java_lines, java_tokens

_ALIGNMENT = re.compile(r"(?:[0-9]{1,9}-[0-9]{1,9}(?: |$))*")
_LINE_NUMBER = re.compile(r"[0-9]{1,9}")
_POINT = re.compile(r"([0-9]+)-([0-9]+)")
_DOCUMENT = re.compile(r"([0-9]{1,9})(?:\s+(.*))?")


@dataclass(frozen=True, slots=True)
class FlatText:
    """All tokens of a text, and where each sentence starts; the last start is the number of tokens."""

    path: Path
    tokens: tuple[str, ...]
    starts: tuple[int, ...]

    @property
    def segments(self) -> int:
        return len(self.starts) - 1

    def sentence(self, segment: int) -> tuple[str, ...]:
        return self.tokens[self.starts[segment] : self.starts[segment + 1]]

    def length(self, segment: int) -> int:
        return self.starts[segment + 1] - self.starts[segment]

    def segment_of(self, token: int) -> int:
        return bisect_right(self.starts, token) - 1


@dataclass(frozen=True, slots=True)
class FlatCorpus:
    """Two texts and, for each source token, the target tokens aligned to it in the order of the file."""

    source: FlatText
    target: FlatText
    links: tuple[tuple[int, ...], ...]

    def words(self, token: int) -> tuple[str, ...]:
        """The target words aligned to a source token."""
        linked = self.links[token]
        if any(target >= len(self.target.tokens) for target in linked):
            raise InputError(
                f"the alignment of {self.source.tokens[token]!r} points past the last word of the text",
                where=Where(str(self.target.path), self.source.segment_of(token) + 1),
                fix="tokens count from 0 and are separated by single spaces; align the same text again",
            )
        return tuple(self.target.tokens[target] for target in linked)


@dataclass(frozen=True, slots=True)
class Documents:
    """Names of the documents and the segments where they start."""

    names: tuple[str, ...]
    starts: tuple[int, ...]

    def document_of(self, segment: int) -> int:
        """The number of a segment's document; what stands before the first start belongs to it, too."""
        return max(bisect_right(self.starts, segment) - 1, 0)


def read_corpus(stem: str, *, source: str, target: str) -> FlatCorpus:
    """Read `STEM.source`, `STEM.target`, `STEM.source-target.alig` and perhaps `.lines-retained`."""
    texts = _flat_text(Path(f"{stem}.{source}")), _flat_text(Path(f"{stem}.{target}"))
    lengths = [text.segments for text in texts]
    if lengths[0] != lengths[1]:
        raise MismatchError(
            f"the source has {lengths[0]} lines, the target has {lengths[1]}",
            where=Where(str(texts[lengths.index(min(lengths))].path), min(lengths) + 1),
            fix="give one target line for every source line",
        )
    alignment = Path(f"{stem}.{source}-{target}.alig")
    retained = Path(f"{stem}.{source}-{target}.lines-retained")
    owners = _retained(retained, texts[0].segments) if is_file(retained) else range(texts[0].segments)
    return FlatCorpus(*texts, _links(alignment, owners, *texts))


def read_documents(path: Path) -> Documents:
    """Read the document starts: a segment number and perhaps a name on every line."""
    names: list[str] = []
    starts: list[int] = []
    for number, line in enumerate(java_lines(path), 1):
        match = _DOCUMENT.fullmatch(line)
        if match is None or (starts and int(match[1]) <= starts[-1]):
            raise InputError(
                f"not the start of a further document: {line!r}",
                where=Where(str(path), number, 1),
                fix="write rising segment numbers from 0, each with a name after a space if you like",
            )
        starts.append(int(match[1]))
        names.append(match[2] or f"Document {number - 1}")
    if not starts:
        raise InputError("the file names no document", where=str(path), fix="write at least the line 0")
    return Documents(tuple(names), tuple(starts))


def _flat_text(path: Path) -> FlatText:
    sentences = java_tokens(path)
    tokens = tuple(token for sentence in sentences for token in sentence)
    return FlatText(path, tokens, tuple(accumulate(map(len, sentences), initial=0)))


def _retained(path: Path, segments: int) -> list[int]:
    """The segments that own an alignment line, from a file that counts them from 1.

    Numbers past the end of the text are never met.
    """
    lines = java_lines(path)
    numbers = [int(line) if _LINE_NUMBER.fullmatch(line) else 0 for line in lines]
    for at, (before, number) in enumerate(pairwise([0, *numbers]), 1):
        if number <= before:
            raise InputError(
                f"not a further line number: {lines[at - 1]!r}",
                where=Where(str(path), at, 1),
                fix="list the lines that have an alignment, counted from 1, one rising number a line",
            )
    return [number - 1 for number in numbers if number <= segments]


def _links(
    path: Path, owners: Sequence[int], source: FlatText, target: FlatText
) -> tuple[tuple[int, ...], ...]:
    """The target tokens of each source token. Surplus alignment lines are ignored."""
    lines = java_lines(path)
    if len(lines) < len(owners):
        raise MismatchError(
            f"there are {len(lines)} alignment lines for {len(owners)} segments",
            where=Where(str(path), len(lines) + 1),
            fix="give one alignment line for every segment, an empty one where nothing is aligned",
        )
    if len(lines) > len(owners):
        message = f"{path}: {len(lines) - len(owners)} surplus line(s) ignored"
        warnings.warn(message, InputWarning, stacklevel=2)
    links: list[list[int]] = [[] for _ in source.tokens]
    limits = list(zip(_longest(source), _longest(target), strict=True))
    for number, (segment, line) in enumerate(zip(owners, lines, strict=False), 1):
        points = _points(line, Where(str(path), number))
        inside = source.length(segment), target.length(segment)
        if any(start >= inside[0] or end >= inside[1] for start, end in points):
            _outside(points, limits[segment], Where(str(path), number))
        for start, end in points:
            if start < inside[0]:
                links[source.starts[segment] + start].append(target.starts[segment] + end)
    return tuple(map(tuple, links))


def _longest(text: FlatText) -> Iterator[int]:
    """The length of the longest sentence up to each segment: the original never shrank its buffers."""
    return accumulate(map(text.length, range(text.segments)), max)


def _points(line: str, where: Where) -> list[tuple[int, int]]:
    if not _ALIGNMENT.fullmatch(line):
        raise InputError(
            f"not an alignment: {line!r}",
            where=where,
            fix="write points as source-target, both from 0, with single spaces between: 0-0 1-2",
        )
    return [(int(start), int(end)) for start, end in _POINT.findall(line)]


def _outside(points: Sequence[tuple[int, int]], limit: tuple[int, int], where: Where) -> None:
    """Refuse points beyond the longest sentence so far, announce the others that leave their sentence."""
    for start, end in points:
        if start >= limit[0] or end >= limit[1]:
            raise InputError(
                f"the point {start}-{end} lies outside its sentence",
                where=where,
                fix="tokens count from 0 and are separated by single spaces; align the same text again",
            )
    message = (
        f"{where}: a point lies outside its sentence; as in the original, "
        "a source index is ignored and a target index reaches into the next sentence"
    )
    warnings.warn(message, InputWarning, stacklevel=2)
