"""The original AutoPRF from its three arguments to its tables: the same counts, the same layout.

It reads a corpus as one long row of tokens, numbered through the whole text; sentence boundaries are only
remembered. This explains two of its quirks: a target index past the sentence end reaches into the next
sentence, and two corpora are compared token by token even where their sentences differ. Ratios are 32-bit
floats and are rounded half up from their shortest decimal form, as in Java.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate, groupby, pairwise
from operator import add, attrgetter
from pathlib import Path

import numpy as np

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Where
from anaphor.legacy.python27 import is_file, read_utf8, warn_of_empty_tokens

_TRIGGERS = frozenset({"it", "It", "they", "They"})
_ALIGNMENT = re.compile(r"(?:[0-9]{1,9}-[0-9]{1,9}(?: |$))*")
_LINE_NUMBER = re.compile(r"[0-9]{1,9}")
_POINT = re.compile(r"([0-9]+)-([0-9]+)")
_DOCUMENT = re.compile(r"([0-9]{1,9})(?:\s+(.*))?")
_JAVA_LINE_END = re.compile("\r\n|\n|\r")
_PLACES = Decimal("0.0001")


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
                fix="tokens are counted from 0 and separated by single spaces; align the same text again",
            )
        return tuple(self.target.tokens[target] for target in linked)


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Matching words, and all words, aligned to some source pronouns."""

    matches: int = 0
    reference: int = 0
    candidate: int = 0

    def __add__(self, other: MatchCounts) -> MatchCounts:
        return MatchCounts(*map(add, astuple(self), astuple(other)))

    @property
    def precision(self) -> np.float32:
        return _ratio(self.matches, self.candidate)

    @property
    def recall(self) -> np.float32:
        return _ratio(self.matches, self.reference)

    @property
    def f1(self) -> np.float32:
        """The harmonic mean, NaN if precision and recall are both 0 or one is undefined."""
        return _ratio(np.float32(2) * self.precision * self.recall, self.precision + self.recall)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A source pronoun with the words aligned to it on both sides; `token` counts through the text."""

    segment: int
    token: int
    form: str
    reference: tuple[str, ...]
    candidate: tuple[str, ...]

    def counts(self) -> MatchCounts:
        """Matches are clipped for this pronoun alone, not over the corpus."""
        shared = Counter(self.reference) & Counter(self.candidate)
        return MatchCounts(shared.total(), len(self.reference), len(self.candidate))


def run_autoprf(
    reference: str,
    candidate: str,
    documents: str,
    *,
    verbosity: int = 1,
    source: str = "en",
    target: str = "fr",
    decimal: str = ".",
) -> str:
    """What the original prints for two stems and a document file.

    `verbosity` 0 gives precision and recall, 1 adds recall per document, 2 adds every segment with a
    pronoun. `decimal` is the decimal mark, which followed the user's locale.
    """
    allowed: tuple[tuple[str, object, tuple[object, ...]], ...] = (
        ("verbosity", verbosity, (0, 1, 2)),
        ("decimal", decimal, (".", ",")),
    )
    for name, value, values in allowed:
        if value not in values:
            raise OptionError(
                f"{name} is {value!r}", where=f"--{name}", fix=f"choose one of {', '.join(map(str, values))}"
            )
    names, starts = _read_documents(Path(documents))
    own, other = (_read_corpus(stem, source=source, target=target) for stem in (reference, candidate))
    _check_sizes(own, other, whole_lines=verbosity == 2)
    triggers = [
        Trigger(own.source.segment_of(token), token, word.lower(), own.words(token), other.words(token))
        for token, word in enumerate(own.source.tokens)
        if word in _TRIGGERS
    ]
    rows: list[defaultdict[str, MatchCounts]] = [defaultdict(MatchCounts) for _ in names]
    for trigger in triggers:
        # What stands before the first start belongs to the first document, too.
        document = max(bisect_right(starts, trigger.segment) - 1, 0)
        rows[document][trigger.form] += trigger.counts()
    sums = {
        form: total(row[form] for row in rows if form in row)
        for form in sorted({form for row in rows for form in row})
    }
    # A form that no candidate word is aligned to is not listed, nor are its reference words counted.
    sums = {form: counts for form, counts in sums.items() if counts.candidate}
    parts = [score_table(sums, decimal=decimal)]
    if verbosity >= 1:
        parts.insert(0, recall_table(names, rows, list(sums), decimal=decimal) + "\n")
    if verbosity == 2:
        parts.insert(0, "".join(_segments(own, other, triggers)))
    return "".join(parts)


def _segments(reference: FlatCorpus, candidate: FlatCorpus, triggers: Sequence[Trigger]) -> Iterator[str]:
    """The block of each segment with a pronoun: three sentences, then one line per pronoun."""
    for segment, of_segment in groupby(triggers, key=attrgetter("segment")):
        group = list(of_segment)
        first = group[0].token - reference.source.starts[segment]
        marked = [
            f"*{word}*" if at == first else word for at, word in enumerate(reference.source.sentence(segment))
        ]
        sentences = (marked, reference.target.sentence(segment), candidate.target.sentence(segment))
        lines = [" ".join(sentence) for sentence in sentences]
        lines.extend(
            f"{trigger.form} ||| {' | '.join(trigger.reference)} ||| {' | '.join(trigger.candidate)}"
            for trigger in group
        )
        yield "\n".join(lines) + "\n\n"


def _check_sizes(reference: FlatCorpus, candidate: FlatCorpus, *, whole_lines: bool) -> None:
    """The original compared the numbers of source tokens, not the texts."""
    sizes = len(reference.source.tokens), len(candidate.source.tokens)
    unit = "tokens"
    if whole_lines and sizes[0] == sizes[1]:
        sizes, unit = (reference.source.segments, candidate.source.segments), "lines"
    if sizes[0] != sizes[1]:
        raise MismatchError(
            f"the reference's source has {sizes[0]} {unit}, the candidate's source has {sizes[1]}",
            where=Where(str(candidate.source.path)),
            fix="both must be the same source text, tokenized in the same way",
        )


def _java_lines(path: Path) -> list[str]:
    """Lines as Java's readers see them: a lone `\\r` ends a line, U+2028 does not."""
    lines = _JAVA_LINE_END.split(read_utf8(path))
    return lines if lines[-1] else lines[:-1]


def _read_documents(path: Path) -> tuple[list[str], list[int]]:
    """Names and start segments of the documents: a segment number and perhaps a name on every line."""
    names: list[str] = []
    starts: list[int] = []
    for number, line in enumerate(_java_lines(path), 1):
        match = _DOCUMENT.fullmatch(line)
        if match is None or (starts and int(match[1]) <= starts[-1]):
            raise InputError(
                f"not the start of another document: {line!r}",
                where=Where(str(path), number, 1),
                fix="write ascending segment numbers from 0, each optionally with a name after a space",
            )
        starts.append(int(match[1]))
        names.append(match[2] or f"Document {number - 1}")
    if not starts:
        raise InputError("the file lists no documents", where=str(path), fix="write at least the line 0")
    return names, starts


def _read_corpus(stem: str, *, source: str, target: str) -> FlatCorpus:
    """Read `STEM.source`, `STEM.target`, `STEM.source-target.alig` and perhaps `.lines-retained`."""
    texts = _flat_text(Path(f"{stem}.{source}")), _flat_text(Path(f"{stem}.{target}"))
    lengths = [text.segments for text in texts]
    if lengths[0] != lengths[1]:
        raise MismatchError(
            f"the source has {lengths[0]} lines, the target has {lengths[1]}",
            where=Where(str(texts[lengths.index(min(lengths))].path), min(lengths) + 1),
            fix="write one target line for every source line",
        )
    alignment = Path(f"{stem}.{source}-{target}.alig")
    retained = Path(f"{stem}.{source}-{target}.lines-retained")
    owners = _retained(retained, texts[0].segments) if is_file(retained) else range(texts[0].segments)
    return FlatCorpus(*texts, _links(alignment, owners, *texts))


def _flat_text(path: Path) -> FlatText:
    """A text split as Java splits at a space: leading blanks give empty tokens.

    Trailing empty tokens are dropped; a line without any space is one token, even if it is empty.
    """
    lines = [(line, line.rstrip(" ")) for line in _java_lines(path)]
    warn_of_empty_tokens([stripped for _, stripped in lines], path)
    sentences = [stripped.split(" ") if stripped or not line else [] for line, stripped in lines]
    tokens = tuple(token for sentence in sentences for token in sentence)
    return FlatText(path, tokens, tuple(accumulate(map(len, sentences), initial=0)))


def _retained(path: Path, segments: int) -> list[int]:
    """The segments that own an alignment line, from a file that counts them from 1.

    Numbers past the end of the text are dropped.
    """
    lines = _java_lines(path)
    numbers = [int(line) if _LINE_NUMBER.fullmatch(line) else 0 for line in lines]
    for at, (before, number) in enumerate(pairwise([0, *numbers]), 1):
        if number <= before:
            raise InputError(
                f"not a further line number: {lines[at - 1]!r}",
                where=Where(str(path), at, 1),
                fix="list the lines that have an alignment, counted from 1, in ascending order, one per line",
            )
    return [number - 1 for number in numbers if number <= segments]


def _links(
    path: Path, owners: Sequence[int], source: FlatText, target: FlatText
) -> tuple[tuple[int, ...], ...]:
    """The target tokens of each source token. Surplus alignment lines are ignored."""
    lines = _java_lines(path)
    if len(lines) < len(owners):
        raise MismatchError(
            f"there are {len(lines)} alignment lines for {len(owners)} segments",
            where=Where(str(path), len(lines) + 1),
            fix="write one alignment line for every segment, an empty one if nothing is aligned",
        )
    if len(lines) > len(owners):
        message = f"{path}: {len(lines) - len(owners)} surplus line(s) ignored"
        warnings.warn(message, InputWarning, stacklevel=2)
    links: list[list[int]] = [[] for _ in source.tokens]
    # The original never shrank its buffers: a point is possible up to the longest sentence so far.
    limits = list(
        zip(
            *(accumulate(map(text.length, range(text.segments)), max) for text in (source, target)),
            strict=True,
        )
    )
    for number, (segment, line) in enumerate(zip(owners, lines, strict=False), 1):
        where = Where(str(path), number)
        if not _ALIGNMENT.fullmatch(line):
            raise InputError(
                f"not an alignment: {line!r}",
                where=where,
                fix="write points as source-target, both from 0, separated by single spaces: 0-0 1-2",
            )
        points = [(int(start), int(end)) for start, end in _POINT.findall(line)]
        inside = source.length(segment), target.length(segment)
        limit = limits[segment]
        for start, end in points:
            if start >= limit[0] or end >= limit[1]:
                raise InputError(
                    f"the point {start}-{end} lies outside its sentence",
                    where=where,
                    fix="tokens are counted from 0 and separated by single spaces; align the same text again",
                )
            if start < inside[0]:
                links[source.starts[segment] + start].append(target.starts[segment] + end)
        if any(start >= inside[0] or end >= inside[1] for start, end in points):
            message = (
                f"{where}: a point lies outside its sentence; as in the original, "
                "a source index is ignored and a target index reaches into the next sentence"
            )
            warnings.warn(message, InputWarning, stacklevel=2)
    return tuple(map(tuple, links))


def total(counts: Iterable[MatchCounts]) -> MatchCounts:
    return sum(counts, MatchCounts())


def recall_table(
    names: Sequence[str], rows: Sequence[Mapping[str, MatchCounts]], pronouns: Sequence[str], *, decimal: str
) -> str:
    """Recall per document and pronoun: one row per document, then the sums."""

    def line(head: str, counts: Sequence[MatchCounts]) -> str:
        cells = [
            _fraction(count.matches, count.reference) if count.reference else "   -/   -" for count in counts
        ]
        whole = total(counts)
        cells += [_fraction(whole.matches, whole.reference), _number(whole.recall, decimal)]
        return f"{head}  " + "   ".join(cells)

    by_row = [[row.get(form, MatchCounts()) for form in pronouns] for row in rows]
    sums = [total(column) for column in zip(*by_row, strict=True)] if by_row else []
    return "\n".join(
        [
            "Pronoun translation recall per document:",
            " " * 20 + "".join(f"{form:>9}   " for form in pronouns),
            *(line(f"{name:>18}", counts) for name, counts in zip(names, by_row, strict=True)),
            line(" " * 18, sums),
            "",
        ]
    )


def score_table(counts: Mapping[str, MatchCounts], *, decimal: str) -> str:
    """Precision, recall and F1 per pronoun in the order of `counts`, and in total."""

    def line(head: str, counted: MatchCounts) -> str:
        return "   ".join(
            [
                head,
                _fraction(counted.matches, counted.candidate),
                _number(counted.precision, decimal),
                _fraction(counted.matches, counted.reference),
                _number(counted.recall, decimal),
                _number(counted.f1, decimal),
            ]
        )

    return "\n".join(
        [
            "Precision and recall per input pronoun:",
            "",
            "            Precision            Recall              F1",
            "",
            *(line(f"{form:>8}", count) for form, count in counts.items()),
            "",
            line(f"{'TOTAL':<8}", total(counts.values())),
            "",
        ]
    )


def _ratio(part: float | np.float32, whole: float | np.float32) -> np.float32:
    if not whole:
        return np.float32(np.nan)
    # The original computed in single precision, which shows in the last printed digit.
    return np.float32(np.float32(part) / np.float32(whole))


def _fraction(part: int, whole: int) -> str:
    return f"{part:4d}/{whole:4d}"


def _number(value: np.float32, decimal: str) -> str:
    if np.isnan(value):
        return "NaN"
    # Java rounds the shortest decimal of a number, and halves up; Python would round its exact binary value.
    rounded = Decimal(repr(float(value))).quantize(_PLACES, ROUND_HALF_UP)
    return str(rounded).replace(".", decimal)
