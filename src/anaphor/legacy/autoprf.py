"""What the original AutoPRF reads: a corpus as one long row of tokens, and document starts.

Tokens are numbered through the whole text, sentence limits are only remembered. This explains two of
its habits: a target index past the sentence end reaches into the next sentence, and two corpora are
compared token by token even where their sentences differ.
"""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate, groupby, pairwise
from operator import attrgetter
from pathlib import Path

import numpy as np

from anaphor.core import InputError, InputWarning, MismatchError, OptionError, Where
from anaphor.legacy.python27 import is_file, java_lines, java_tokens

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


_PLACES = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """Matching words, and all words, aligned to some source pronouns."""

    matches: int = 0
    reference: int = 0
    candidate: int = 0

    def __add__(self, other: MatchCounts) -> MatchCounts:
        return MatchCounts(
            self.matches + other.matches,
            self.reference + other.reference,
            self.candidate + other.candidate,
        )

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


def total(tallies: Iterable[MatchCounts]) -> MatchCounts:
    return sum(tallies, MatchCounts())


def recall_table(
    names: Sequence[str], rows: Sequence[Mapping[str, MatchCounts]], pronouns: Sequence[str], *, decimal: str
) -> str:
    """Recall per document and pronoun; a row of the table for each document, then the sums."""
    lines = [
        "Pronoun translation recall per document:",
        " " * 20 + "".join(f"{form:>9}   " for form in pronouns),
    ]
    for name, row in zip(names, rows, strict=True):
        lines.append(_recall_row(f"{name:>18}", [row.get(form, MatchCounts()) for form in pronouns], decimal))
    sums = [total(row.get(form, MatchCounts()) for row in rows) for form in pronouns]
    lines.append(_recall_row(" " * 18, sums, decimal))
    return "\n".join(lines) + "\n"


def score_table(tallies: Mapping[str, MatchCounts], *, decimal: str) -> str:
    """Precision, recall and F1 per pronoun in the order of `tallies`, and in total."""
    return "\n".join(
        [
            "Precision and recall per input pronoun:",
            "",
            "            Precision            Recall              F1",
            "",
            *(_score_row(f"{form:>8}", tally, decimal) for form, tally in tallies.items()),
            "",
            _score_row(f"{'TOTAL':<8}", total(tallies.values()), decimal),
            "",
        ]
    )


def _recall_row(head: str, tallies: Sequence[MatchCounts], decimal: str) -> str:
    cells = [
        _fraction(tally.matches, tally.reference) if tally.reference else "   -/   -" for tally in tallies
    ]
    whole = total(tallies)
    return f"{head}  " + "   ".join(
        [*cells, _fraction(whole.matches, whole.reference), _number(whole.recall, decimal)]
    )


def _score_row(head: str, tally: MatchCounts, decimal: str) -> str:
    return "   ".join(
        [
            head,
            _fraction(tally.matches, tally.candidate),
            _number(tally.precision, decimal),
            _fraction(tally.matches, tally.reference),
            _number(tally.recall, decimal),
            _number(tally.f1, decimal),
        ]
    )


def _ratio(part: float | np.float32, whole: float | np.float32) -> np.float32:
    if not whole:
        return np.float32(np.nan)
    return np.float32(np.float32(part) / np.float32(whole))


def _fraction(part: int, whole: int) -> str:
    return f"{part:4d}/{whole:4d}"


def _number(value: np.float32, decimal: str) -> str:
    if np.isnan(value):
        return "NaN"
    rounded = Decimal(repr(float(value))).quantize(_PLACES, ROUND_HALF_UP)
    return str(rounded).replace(".", decimal)


_TRIGGERS = frozenset({"it", "It", "they", "They"})
_DECIMALS = (".", ",")
_VERBOSITIES = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Trigger:
    """A source pronoun with the words aligned to it on both sides; `token` counts through the text."""

    segment: int
    token: int
    form: str
    reference: tuple[str, ...]
    candidate: tuple[str, ...]

    def tally(self) -> MatchCounts:
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
    _check_option("verbosity", verbosity, _VERBOSITIES)
    _check_option("decimal", decimal, _DECIMALS)
    starts = read_documents(Path(documents))
    corpora = [read_corpus(stem, source=source, target=target) for stem in (reference, candidate)]
    _check_sizes(corpora[0], corpora[1], whole_lines=verbosity == 2)
    triggers = list(_triggers(corpora[0], corpora[1]))
    rows = _tallies(
        triggers, [starts.document_of(trigger.segment) for trigger in triggers], len(starts.names)
    )
    sums = _sums(rows)
    parts = [score_table(sums, decimal=decimal)]
    if verbosity >= 1:
        parts.insert(0, recall_table(starts.names, rows, list(sums), decimal=decimal) + "\n")
    if verbosity == 2:
        parts.insert(0, "".join(_segments(corpora[0], corpora[1], triggers)))
    return "".join(parts)


def _triggers(reference: FlatCorpus, candidate: FlatCorpus) -> Iterator[Trigger]:
    for token, word in enumerate(reference.source.tokens):
        if word in _TRIGGERS:
            yield Trigger(
                segment=reference.source.segment_of(token),
                token=token,
                form=word.lower(),
                reference=reference.words(token),
                candidate=candidate.words(token),
            )


def _tallies(
    triggers: Sequence[Trigger], documents: Sequence[int], count: int
) -> list[Mapping[str, MatchCounts]]:
    """The tally of each pronoun form in each document."""
    rows: list[defaultdict[str, MatchCounts]] = [defaultdict(MatchCounts) for _ in range(count)]
    for trigger, document in zip(triggers, documents, strict=True):
        rows[document][trigger.form] += trigger.tally()
    return [dict(row) for row in rows]


def _sums(rows: Sequence[Mapping[str, MatchCounts]]) -> dict[str, MatchCounts]:
    """The tally of each form in alphabetical order.

    A form that no candidate word is aligned to is not listed, nor are its reference words counted.
    """
    forms = sorted({form for row in rows for form in row})
    sums = {form: total(row.get(form, MatchCounts()) for row in rows) for form in forms}
    return {form: tally for form, tally in sums.items() if tally.candidate}


def _segments(reference: FlatCorpus, candidate: FlatCorpus, triggers: Sequence[Trigger]) -> Iterator[str]:
    """The block of each segment with a pronoun: three sentences, then a line for each pronoun."""
    for segment, found in groupby(triggers, key=attrgetter("segment")):
        group = list(found)
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
            fix="both must be the same source text, tokenised in the same way",
        )


def _check_option(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        raise OptionError(
            f"{name} is {value!r}", where=f"--{name}", fix=f"choose one of {', '.join(map(str, allowed))}"
        )
