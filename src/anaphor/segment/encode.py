"""Texts as numbers for the search: words, lengths, and the context of every gap."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphor.align.vocabulary import Packs, Parts, parts_of
from anaphor.core import InputError, Where
from anaphor.core.array_types import Bools, Doubles, Floats, Ints, Longs
from anaphor.corpus.text import decode, read_bytes
from anaphor.languages.choose_tokenizer import (
    generic_tokens,
    is_broken_into_words,
    is_unspaced,
    tokenizer_of,
)

Bytes = NDArray[np.int8]

#: Classes of the token before a gap.
ENDS = (
    "word",
    ".",
    "?",
    "!",
    ":",
    ";",
    ",",
    "closing",
    "sentence-closing",
    "opening",
    "dash",
    "number",
    "other",
)
#: Classes of the token after a gap.
STARTS = ("lower", "upper", "number", "opening", "closing", "uncased", "other", "nothing")
#: What is between two tokens.
GAPS = ("nothing", "space", "line")
#: Kinds of words: in the prior, not in it, with a digit, without letters and digits.
KINDS = ("known", "unknown", "number", "punctuation")
PUNCTUATION = KINDS.index("punctuation")
#: The first words of a segment are likely to be translated by the first words of its stretch, and the last
#: ones by the last: so many of them.
EDGE_WORDS = 3

_END_OF = {
    **dict.fromkeys(".。．।…‥", "."),
    **dict.fromkeys("?？؟", "?"),
    **dict.fromkeys("!！", "!"),
    **dict.fromkeys(":：", ":"),
    **dict.fromkeys(";；", ";"),
    **dict.fromkeys(",，、،", ","),
    **dict.fromkeys("-–—―", "dash"),
}
_OPENING, _CLOSING = "([{„‚「『（【《〈¿¡«‹“‘", ")]}」』）】》〉»›”’"
#: Quotation marks that open in one language and close in another: the spaces around them decide.
_EITHER = "\"'“”‘’«»‹›"
Offsets = Callable[[str], tuple[Sequence[str], Sequence[int]]]


#: Texts are tokenized in pieces of about so many characters, so that a novel is never held as tokens.
_PIECE = 1 << 16
_SPACE = re.compile(r"\s")


def _pieces(text: str) -> Iterator[tuple[str, int]]:
    """The text in pieces that end at white space, with their offsets."""
    at = 0
    while len(text) - at > _PIECE and (space := _SPACE.search(text, at + _PIECE)):
        yield text[at : space.start()], at
        at = space.start()
    yield text[at:], at


def offsets_of(language: str, packs: Path | None = None) -> Offsets:
    """Tokens and their offsets, by the rules of the language's pack if it has one."""
    tokenize = tokenizer_of(language, packs)
    has_words = is_broken_into_words(language, packs)

    def tokens(text: str) -> tuple[Sequence[str], Sequence[int]]:
        sentence = tokenize(text) if has_words or not is_unspaced(text) else generic_tokens(text)
        return sentence.tokens, sentence.starts

    return tokens


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """A text for the search. Gap k is before token k, the last one after the last token."""

    starts: Longs
    words: Ints
    kinds: Bytes
    #: Class of the token before each gap (an index into ENDS), of the token after it (into STARTS, which are
    #: counted again for gaps behind the end of a sentence), and of the gap (GAPS).
    ends: Bytes
    begins: Bytes
    gaps: Bytes
    #: Characters and sentence ends before each gap.
    length: Ints
    sentences: Ints
    #: Numbers of the tokens as they are written; evidence of the token before each gap for an end, and of the
    #: token after it for a beginning.
    tokens: Ints
    final: Floats
    initial: Floats

    def __len__(self) -> int:
        return len(self.words)

    def part(self, start: int, end: int) -> Tokens:
        """The tokens between two gaps."""
        values = {}
        for field in fields(self):
            value = getattr(self, field.name)
            values[field.name] = value[start : end + (len(value) > len(self))]
        return Tokens(**values)


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """Source segments for the search: words, first and last words, characters, sentence ends."""

    start: Longs
    words: Ints
    ends: Ints
    begins: Ints
    length: Floats
    sentences: Ints
    #: The first and the last words of each segment that are not punctuation, -1 where there are fewer.
    first: Ints  # segments x EDGE_WORDS
    last: Ints

    def __len__(self) -> int:
        return len(self.ends)

    def only(self, some: Longs) -> Segments:
        """These segments alone."""
        words = [self.words[self.start[i] : self.start[i + 1]] for i in some]
        start = np.cumsum([0, *map(len, words)]).astype(np.int64)
        others = (getattr(self, field.name)[some] for field in fields(self)[2:])
        return Segments(start, np.concatenate(words), *others)

    def beside(self, reference: Segments, *, offset: int) -> Segments:
        """The segments with the words of a reference, whose numbers begin at `offset`, and with its shape.

        A text is more similar to a reference than to the source, which matters if a segment has no reference.
        """
        sizes = np.diff(self.start) + np.diff(reference.start)
        start = np.concatenate([[0], np.cumsum(sizes)])
        words = np.empty(int(start[-1]), np.int32)
        for side, before, more in (
            (self, start[:-1], 0),
            (reference, start[:-1] + np.diff(self.start), offset),
        ):
            lengths = np.diff(side.start)
            words[np.repeat(before - side.start[:-1], lengths) + np.arange(len(side.words))] = (
                side.words + more
            )
        there = reference.length > 0
        # The expected length is that of the source where there is no reference.
        scale = (
            float(reference.length.sum()) / max(float(self.length[there].sum()), 1.0) if there.any() else 1.0
        )
        edges = (
            np.concatenate([mine, np.where(theirs < 0, -1, theirs + offset)], 1).astype(np.int32)
            for mine, theirs in ((self.first, reference.first), (self.last, reference.last))
        )
        return Segments(
            start,
            words,
            np.where(there, reference.ends, self.ends),
            np.where(there, reference.begins, self.begins),
            np.where(there, reference.length, self.length * scale).astype(np.float32),
            np.where(there, reference.sentences, self.sentences),
            *edges,
        )


#: What is known about each distinct token: its word, kind, class as an end and as a start, and length.
_COLUMNS = 5


class Side(dict[str, int]):
    """Numbers the tokens and the words of one language, in the order of their first occurrence."""

    def __init__(self, language: str, parts: Parts, packs: Path | None = None) -> None:
        super().__init__()
        self._tokens, self._parts = offsets_of(language, packs), parts
        self.number: dict[str, int] = {}
        self._facts = array("i")

    def __missing__(self, token: str) -> int:
        self._facts.extend(self._describe(token))
        number = self[token] = len(self)
        return number

    def encode(self, text: str) -> Tokens:
        numbers, starts, _ = self._numbered(_pieces(text))
        table = self._table[numbers]
        gaps = _gaps(text, starts, starts + table[:, 4])
        ends, begins, is_end, sentences = _classes(table, gaps, np.zeros(len(table), np.int64))
        # Scripts without spaces may be cut before any character.
        gaps[:-1][(gaps[:-1] == 0) & (begins == STARTS.index("uncased"))] = GAPS.index("space")
        # A capital after a full stop says less than one after a word: STARTS twice over.
        after_end = np.concatenate([[True], is_end])
        return Tokens(
            starts,
            np.ascontiguousarray(table[:, 0]),
            table[:, 1].astype(np.int8),
            np.concatenate([[len(ENDS) - 1], ends]).astype(np.int8),
            (np.append(begins, len(STARTS) - 1) + len(STARTS) * after_end).astype(np.int8),
            gaps,
            np.concatenate([[0], np.cumsum(table[:, 4])]).astype(np.int32),
            np.concatenate([[0], np.cumsum(sentences)]).astype(np.int32),
            numbers,
            np.zeros(len(table) + 1, np.float32),
            np.zeros(len(table) + 1, np.float32),
        )

    def encode_segments(self, segments: Sequence[str]) -> Segments:
        numbers, starts, sizes = self._numbered((segment, 0) for segment in segments)
        table = self._table[numbers]
        start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        filled = np.flatnonzero(sizes)
        gaps = np.ones(len(table) + 1, np.int8)
        gaps[1:-1] = starts[1:] != (starts + table[:, 4])[:-1]
        gaps[start] = GAPS.index("line")
        ends, begins, _, sentences = _classes(table, gaps, np.repeat(start[:-1], sizes))
        # An empty segment is like one between the end of nothing and nothing.
        end = np.full(len(sizes), len(ENDS) - 1, np.int32)
        begin = np.full(len(sizes), len(STARTS) - 1, np.int32)
        end[filled], begin[filled] = ends[start[filled + 1] - 1], begins[start[filled]]
        words = np.flatnonzero(table[:, 1] < PUNCTUATION)
        behind = np.searchsorted(words, start)
        of = np.append(table[words, 0], -1)
        nth = np.arange(EDGE_WORDS)
        first, last = behind[:-1, None] + nth, behind[1:, None] - 1 - nth
        before = [np.concatenate([[0], np.cumsum(column)]) for column in (table[:, 4], sentences)]
        length, count = (np.diff(column[start]) for column in before)
        return Segments(
            start,
            np.ascontiguousarray(table[:, 0]),
            end,
            begin,
            length.astype(np.float32),
            count.astype(np.int32),
            of[np.where(first < behind[1:, None], first, -1)],
            of[np.where(last >= behind[:-1, None], last, -1)],
        )

    def expected_edges(self, table: EdgeTable) -> Doubles:
        """For each token, its language's statistics at sentence ends and beginnings, with weights.

        Lower-case words do not begin sentences of the text, so only their language can tell how likely they
        are to begin a segment.
        """
        rows = []
        for token, start in zip(self, self._table[:, 3].tolist(), strict=True):
            weight = _KNOWN_EDGE if token in table else _UNKNOWN_EDGE
            evidence = table.get(token) or table.get(f"<{_START_NAMES[start]}>", (0.0, 0.0))
            rows.append((*evidence, weight, weight))
        edges = np.array(rows, np.float64).reshape(-1, 4)
        small = self._table[:, 3] == _START_CODES["lower"]
        edges[small, 1] -= _SMALL
        edges[small, 3] = _ONLY_EXPECTED
        return edges

    def _numbered(self, texts: Iterable[tuple[str, int]]) -> tuple[Ints, Longs, Longs]:
        """All tokens of texts with offsets, and the number of tokens per text."""
        numbers, places, sizes = array("i"), array("q"), array("q")
        for text, offset in texts:
            tokens, starts = self._tokens(text)
            numbers.extend(map(self.__getitem__, tokens))
            places.extend([start + offset for start in starts] if offset else starts)
            sizes.append(len(tokens))
        return (
            np.frombuffer(numbers, np.int32) if numbers else np.empty(0, np.int32),
            np.frombuffer(places, np.int64) if places else np.empty(0, np.int64),
            np.frombuffer(sizes, np.int64) if sizes else np.empty(0, np.int64),
        )

    @property
    def _table(self) -> Ints:
        return np.array(self._facts, np.int32).reshape(-1, _COLUMNS)

    def _describe(self, token: str) -> tuple[int, int, int, int, int]:
        word = self.number.setdefault(self._parts(token)[0], len(self.number))
        last, first = token[-1], token[0]
        lettered, digit = any(map(str.isalpha, token)), any(map(str.isdigit, token))
        kind = 2 if digit else 0 if lettered else 3
        if lettered or digit:
            end = "number" if digit and not lettered else "word"
            if first.isdigit():
                start = "number"
            else:
                start = "upper" if first.isupper() else "lower" if first.islower() else "uncased"
        elif last in _EITHER:
            end, start = _QUOTE_CLOSING if last in _CLOSING else _QUOTE_OPENING, ""
        elif last in _OPENING:
            end = start = "opening"
        elif last in _CLOSING:
            end = start = "closing"
        else:
            end = _END_OF.get(last, "other")
            start = "closing" if end not in ("other", "dash") else "other"
        return word, kind, _END_CODES[end], _START_CODES[start], len(token)


_QUOTE_OPENING, _QUOTE_CLOSING = "quote-opening", "quote-closing"
_END_CODES = {name: code for code, name in enumerate((*ENDS, _QUOTE_OPENING, _QUOTE_CLOSING))}
_START_NAMES = (*STARTS, "")
_START_CODES = {name: code for code, name in enumerate(_START_NAMES)}
_IS_SENTENCE_END = np.isin([*_END_CODES], (".", "?", "!", "sentence-closing"))


def _gaps(text: str, starts: Longs, ends: Longs) -> Bytes:
    """The type of each gap: before the first token, between tokens, after the last; an index into GAPS."""
    gaps = np.zeros(len(starts) + 1, np.int8)
    gaps[0] = gaps[-1] = GAPS.index("line")
    if len(starts):
        gaps[1:-1] = starts[1:] > ends[:-1]
        if "\n" in text or "\r" in text:
            for place in re.finditer(r"[\r\n]", text):
                gaps[np.searchsorted(starts, place.start())] = GAPS.index("line")
    return gaps


def _classes(table: Ints, gaps: Bytes, segment: Longs) -> tuple[Ints, Ints, Bools, Bools]:
    """For each token its class as an end and as a start, whether it ends a sentence, and whether that counts.

    Quotation marks are opening or closing according to surrounding spaces, or else by their form. `segment`
    has the token with which the text of each token begins.
    """
    ends, begins = table[:, 2].copy(), table[:, 3].copy()
    quote = np.flatnonzero(ends >= len(ENDS))
    before, after = gaps[quote] > 0, gaps[quote + 1] > 0
    opens = np.where(before == after, ends[quote] == _END_CODES[_QUOTE_OPENING], before)
    ends[quote] = np.where(opens, _END_CODES["opening"], _END_CODES["closing"])
    begins[quote] = np.where(opens, _START_CODES["opening"], _START_CODES["closing"])
    # Brackets and quotation marks that close right behind the end of a sentence.
    closing = ends == _END_CODES["closing"]
    closed = np.maximum.accumulate(np.where(closing, segment, np.arange(len(ends))))
    ends[closing & _IS_SENTENCE_END[ends[closed]]] = _END_CODES["sentence-closing"]
    is_end = _IS_SENTENCE_END[ends]
    counted = is_end.copy()
    # A quotation mark behind a full stop does not end another sentence.
    counted[1:] &= ~(is_end[:-1] & (gaps[1:-1] == 0))
    return ends, begins, is_end, counted


def count_edges(text: Tokens, size: int) -> tuple[Doubles, Doubles, Doubles]:
    """How often each of `size` tokens ends a sentence of the text, begins one, and occurs."""
    word = text.kinds < PUNCTUATION
    after_end = text.begins >= len(STARTS)
    # The last word of a sentence stands before its full stop.
    final, initial = text.tokens[word & np.append(after_end[2:], True)], text.tokens[word & after_end[:-1]]
    ends, begins, seen = (
        np.bincount(places, minlength=size).astype(float) for places in (final, initial, text.tokens[word])
    )
    return ends, begins, seen


def learn_edges(text: Tokens, expected: Doubles) -> None:
    """Fill in how often the words of the text end and begin sentences, as evidence for cuts.

    Articles do not end a sentence, and a capital letter in the middle may belong to the next sentence. If a
    sentence ends before a gap, nothing is added, since the punctuation already shows it. `expected` are the
    language's statistics on each token (`Side.expected_edges`); the text itself is counted as well.
    """
    word, after_end = text.kinds < PUNCTUATION, text.begins[:-1] >= len(STARTS)
    *counts, seen = count_edges(text, len(expected))
    final, initial = (
        _edge_evidence(edge, seen, max(edge.sum(), 1) / max(seen.sum(), 1), prior, weight)
        for edge, prior, weight in zip(counts, expected.T[:2], expected.T[2:], strict=True)
    )
    text.final[1:] = np.where(word, final[text.tokens], 0)
    text.initial[:-1] = np.where(word & ~after_end, initial[text.tokens], 0)
    # Nothing begins with a comma that belongs to the word before it.
    attached = (text.gaps[:-1] == 0) & (text.begins[:-1] % len(STARTS) == STARTS.index("closing"))
    text.initial[:-1][attached] = _ATTACHED


def _edge_evidence(
    counts: Doubles, seen: Doubles, share: float, expected: Doubles, weight: Doubles
) -> Doubles:
    """Log ratios of each word's frequency at an edge to that of all words."""
    return np.clip(np.log((counts / share + weight * np.exp(expected)) / (seen + weight)), -3.0, 3.0)


#: Occurrences that the expectations for a word count as, if the language's table has the word or not.
_KNOWN_EDGE, _UNKNOWN_EDGE = 20.0, 5.0
_ONLY_EXPECTED = 1e9
#: Cost of a small letter at a beginning, beside what `SegmentModel.begins` says.
_SMALL = 1.0
#: Evidence for a segment that begins with punctuation of the word before it.
_ATTACHED = -10.0
#: How to repair a file of the package.
INSTALL_AGAIN = "reinstall the package, which contains this file"
EdgeTable = Mapping[str, tuple[float, float]]


@cache
def edge_table(language: str) -> EdgeTable:
    """The table that ships for a language; empty if there is none."""
    path = Path(__file__).parent / "edges" / f"{language}.tsv"
    return read_edges(path) if path.exists() else {}


def read_edges(path: Path) -> EdgeTable:
    """How much more often words end and begin sentences than the average word; `<class>` for rare words."""
    table = {}
    for number, line in enumerate(decode(read_bytes(path), path=str(path)).splitlines(), start=1):
        if (row := _EDGE_ROW.fullmatch(line)) is None:
            what = f"not a word and two numbers: {line[:40]!r}"
            raise InputError(what, where=Where(str(path), number), fix=INSTALL_AGAIN)
        table[row[1]] = int(row[2]) / 10, int(row[3]) / 10
    return table


_EDGE_ROW = re.compile(r"([^\t]+)\t(-?[0-9]{1,3})\t(-?[0-9]{1,3})")


def sides_of(packs: Packs, source: str, target: str, folder: Path | None = None) -> tuple[Side, Side]:
    """Empty vocabularies of a pair, which split tokens as its packs say; `folder` has the user's packs."""
    return (
        Side(source, parts_of(packs.source), folder),
        Side(target, parts_of(packs.target), folder),
    )
