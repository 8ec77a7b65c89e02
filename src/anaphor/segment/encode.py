"""Texts as numbers for the search: words, lengths, and what stands before and after every gap."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache

import numpy as np
from numpy.typing import NDArray

from anaphor.align.model import Floats, Ints, Longs
from anaphor.align.vocabulary import Packs, Parts, parts_of
from anaphor.languages import Tokenizer, known_languages, load_language

Bytes = NDArray[np.int8]
Doubles = NDArray[np.float64]

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
_SENTENCE_ENDS = frozenset({".", "?", "!"})
# Scripts without spaces between words: every character is a token, and none is part of a longer one.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Japanese, Chinese
)
_UNSPACED_SEARCH = re.compile(f"[{_UNSPACED}]").search
_GENERIC = re.compile(rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])\w)+|[^\w\s]")

Offsets = Callable[[str], tuple[Sequence[str], Sequence[int]]]


def _generic(text: str) -> tuple[Sequence[str], Sequence[int]]:
    matches = list(_GENERIC.finditer(text))
    return [match[0] for match in matches], [match.start() for match in matches]


@cache
def tokenizer_of(language: str) -> Offsets:
    """Tokens and where they start, by the rules of the language's pack if it has one."""
    if language not in known_languages():
        return _generic
    by_pack = Tokenizer(load_language(language))

    def tokens(text: str) -> tuple[Sequence[str], Sequence[int]]:
        if not text.isascii() and _UNSPACED_SEARCH(text):
            return _generic(text)
        sentence = by_pack(text)
        return sentence.tokens, sentence.starts

    return tokens


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """A text for the search. Gap k is before token k, the last one behind the last token."""

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


class Side:
    """Numbers the words of one language, in the order of their first occurrence."""

    def __init__(self, language: str, parts: Parts) -> None:
        self._tokens, self._parts = tokenizer_of(language), parts
        self.number: dict[str, int] = {}
        # For each distinct token its word, kind, class as an end and as a start, length and number.
        self._known: dict[str, tuple[int, int, int, int, int, int]] = {}

    def encode(self, text: str) -> Tokens:
        tokens, starts = self._tokens(text)
        known = self._known
        for token in tokens:
            if token not in known:
                known[token] = self._describe(token)
        table = np.array([known[token] for token in tokens], np.int32).reshape(-1, 6)
        start = np.fromiter(starts, np.int64, len(starts))
        gaps = _gaps(text, start, start + table[:, 4])
        ends, begins = _resolved(table[:, 2], table[:, 3], gaps)
        # Scripts without spaces may be cut before any character.
        gaps[:-1][(gaps[:-1] == 0) & (begins == STARTS.index("uncased"))] = GAPS.index("space")
        is_end = np.isin(ends, _SENTENCE_END_CLASSES)
        # A quotation mark behind a full stop does not end another sentence.
        is_end[1:] &= ~(is_end[:-1] & (gaps[1:-1] == 0))
        # A capital after a full stop says less than one after a word: STARTS twice over.
        after_end = np.concatenate([[True], np.isin(ends, _SENTENCE_END_CLASSES)])
        return Tokens(
            start,
            np.ascontiguousarray(table[:, 0]),
            table[:, 1].astype(np.int8),
            np.concatenate([[len(ENDS) - 1], ends]).astype(np.int8),
            (np.append(begins, len(STARTS) - 1) + len(STARTS) * after_end).astype(np.int8),
            gaps,
            np.concatenate([[0], np.cumsum(table[:, 4])]).astype(np.int32),
            np.concatenate([[0], np.cumsum(is_end)]).astype(np.int32),
            np.ascontiguousarray(table[:, 5]),
            np.zeros(len(table) + 1, np.float32),
            np.zeros(len(table) + 1, np.float32),
        )

    def _describe(self, token: str) -> tuple[int, int, int, int, int, int]:
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
        return word, kind, _END_CODES[end], _START_CODES[start], len(token), len(self._known)


_QUOTE_OPENING, _QUOTE_CLOSING = "quote-opening", "quote-closing"
_END_CODES = {name: code for code, name in enumerate((*ENDS, _QUOTE_OPENING, _QUOTE_CLOSING))}
_START_CODES = {name: code for code, name in enumerate((*STARTS, ""))}
_SENTENCE_END_CLASSES = [_END_CODES[name] for name in (".", "?", "!", "sentence-closing")]


def _gaps(text: str, starts: Longs, ends: Longs) -> Bytes:
    """What is before the first token, between any two, and behind the last: an index into GAPS."""
    gaps = np.zeros(len(starts) + 1, np.int8)
    gaps[0] = gaps[-1] = GAPS.index("line")
    if len(starts):
        gaps[1:-1] = starts[1:] > ends[:-1]
        if "\n" in text or "\r" in text:
            for place in re.finditer(r"[\r\n]", text):
                gaps[np.searchsorted(starts, place.start())] = GAPS.index("line")
    return gaps


def _resolved(ends: Ints, begins: Ints, gaps: Bytes) -> tuple[Ints, Ints]:
    """Classes in which quotation marks either open or close, by spaces around them or else by their form."""
    ends, begins = ends.copy(), begins.copy()
    quote = np.flatnonzero(ends >= len(ENDS))
    before, after = gaps[quote] > 0, gaps[quote + 1] > 0
    opens = np.where(before == after, ends[quote] == _END_CODES[_QUOTE_OPENING], before)
    ends[quote] = np.where(opens, _END_CODES["opening"], _END_CODES["closing"])
    begins[quote] = np.where(opens, _START_CODES["opening"], _START_CODES["closing"])
    closing = np.flatnonzero(ends[1:] == _END_CODES["closing"]) + 1
    for place in closing.tolist():  # in order: a bracket may follow a quotation mark
        if ends[place - 1] in _SENTENCE_END_CLASSES:
            ends[place] = _END_CODES["sentence-closing"]
    return ends, begins


def learn_edges(texts: Sequence[Tokens]) -> None:
    """Fill in how often the words of the texts end and begin sentences in them, as evidence for cuts.

    Articles do not end a sentence, and a capital letter in its middle may be that of the next one. Where a
    sentence ends before a gap nothing is added: the punctuation says it already.
    """
    size = 1 + max((int(text.tokens.max(initial=-1)) for text in texts), default=-1)
    ends, begins, seen = np.zeros(size), np.zeros(size), np.zeros(size)
    words = []
    for text in texts:
        word = text.kinds < _PUNCTUATION
        after_end = text.begins >= len(STARTS)
        words.append((word, after_end))
        np.add.at(seen, text.tokens[word], 1)
        np.add.at(begins, text.tokens[word & after_end[:-1]], 1)
        # The last word of a sentence stands before its full stop.
        np.add.at(ends, text.tokens[word & np.append(after_end[2:], True)], 1)
    total = max(seen.sum(), 1)
    final, initial = (_edge_evidence(counts, seen, max(counts.sum(), 1) / total) for counts in (ends, begins))
    for text, (word, after_end) in zip(texts, words, strict=True):
        text.final[1:] = np.where(word, final[text.tokens], 0)
        text.initial[:-1] = np.where(word & ~after_end[:-1], initial[text.tokens], 0)


_PUNCTUATION = KINDS.index("punctuation")


def _edge_evidence(counts: Doubles, seen: Doubles, share: float) -> Doubles:
    """Logarithms of how much more often each word stands at an edge than words do, none for unseen ones."""
    smoothing = 5.0
    return np.clip(np.log((counts / share + smoothing) / (seen + smoothing)), -3.0, 3.0)


def sides_of(packs: Packs, source: str, target: str) -> tuple[Side, Side]:
    """Empty numberings of a pair's words, which split tokens as its packs say."""
    return Side(source, parts_of(packs.source)), Side(target, parts_of(packs.target))
