"""What anaphor-1 learns from: the segments of several sub-tasks as one set of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair
from anaphor.predict.anaphor1.encoding import LANGUAGES, NO_LABEL, Encoded, Numbers, Side
from anaphor.predict.anaphor1.windows import ANY_DOMAIN, Window, as_rows, packed

#: Kinds of text, told by the names of documents: the speeches of Europarl, single sentences, books,
#: subtitles, talks and news.
DOMAIN_NAMES = (
    ("europarl",),
    ("tatoeba",),
    ("handbook", "bible"),
    ("scat",),
    ("concatenated", "ted", "news"),
)


def domain_of(document: str | None) -> int:
    """The number of a kind of text, by the name of a document."""
    name = (document or "").lower()
    for number, names in enumerate(DOMAIN_NAMES):
        if any(one in name for one in names):
            return number
    return ANY_DOMAIN


def language_numbers(pair: LanguagePair) -> tuple[int, int]:
    """Numbers of the two languages."""
    return LANGUAGES.index(pair.source) + 1, LANGUAGES.index(pair.target) + 1


@dataclass(frozen=True, slots=True)
class Corpus:
    """The encoded segments of one sub-task; `given` has a row for each: domain and languages."""

    encoded: Encoded
    given: Numbers


def joined(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora as one; documents stay apart."""
    encoded = [corpus.encoded for corpus in corpora]
    sizes = {
        "segments": _offsets(len(one) for one in encoded),
        "documents": _offsets(int(one.documents.max(initial=-1)) + 1 for one in encoded),
        "source": _offsets(len(one.source.pieces) for one in encoded),
        "target": _offsets(len(one.target.pieces) for one in encoded),
    }
    return Corpus(
        Encoded(
            _joined_sides([one.source for one in encoded], sizes["segments"], sizes["source"]),
            _joined_sides([one.target for one in encoded], sizes["segments"], sizes["target"]),
            _moved([one.documents for one in encoded], sizes["documents"]),
            _moved([one.slot_segments for one in encoded], sizes["segments"]),
            _moved([one.slot_sources for one in encoded], sizes["source"]),
            _moved([one.slot_targets for one in encoded], sizes["target"]),
            np.concatenate([one.labels for one in encoded]),
        ),
        np.concatenate([corpus.given for corpus in corpora]),
    )


def _offsets(sizes: Iterable[int]) -> list[int]:
    return [0, *np.cumsum(list(sizes)).tolist()][:-1]


def _moved(arrays: Sequence[Numbers], offsets: Sequence[int]) -> Numbers:
    return np.concatenate([array + np.int32(offset) for array, offset in zip(arrays, offsets, strict=True)])


def _joined_sides(sides: Sequence[Side], segments: Sequence[int], pieces: Sequence[int]) -> Side:
    starts = [side.starts[:-1] + np.int32(offset) for side, offset in zip(sides, pieces, strict=True)]
    last = np.array([pieces[-1] + len(sides[-1].pieces)], dtype=np.int32)
    return Side(
        np.concatenate([side.pieces for side in sides]),
        np.concatenate([side.tags for side in sides]),
        np.concatenate([side.links for side in sides]),
        _moved([side.segments for side in sides], segments),
        np.concatenate([*starts, last]),
    )


def labels_by_place(encoded: Encoded) -> NDArray[np.int32]:
    """For every target piece the class that is hidden there, `NO_LABEL` elsewhere."""
    labels = np.full(len(encoded.target.pieces), NO_LABEL, dtype=np.int32)
    labels[encoded.slot_targets] = encoded.labels
    return labels


def training_windows(corpus: Corpus, rng: np.random.Generator, *, alone: float) -> tuple[Numbers, Numbers]:
    """Rows of windows and what is given of each, in random order."""
    rows = rng.permutation(as_rows(packed(corpus.encoded, rng, alone=alone)))
    return rows, corpus.given[rows[:, Window._fields.index("segment")]]


def arrays_of(corpus: Corpus) -> dict[str, NDArray[Any]]:
    """A corpus as named small arrays, for a file; `corpus_of` gives it back."""
    encoded = corpus.encoded
    named: dict[str, NDArray[Any]] = {"given": corpus.given.astype(np.uint8)}
    for name, side in (("source", encoded.source), ("target", encoded.target)):
        named[f"{name}.pieces"] = side.pieces.astype(np.uint16)
        named[f"{name}.tags"] = side.tags.astype(np.uint8)
        named[f"{name}.links"] = side.links.astype(np.uint8)
        named[f"{name}.lengths"] = np.diff(side.starts).astype(np.uint16)
    named |= {field.name: getattr(encoded, field.name) for field in fields(Encoded)[2:]}
    return named


def corpus_of(named: Mapping[str, NDArray[Any]]) -> Corpus:
    """The corpus behind named arrays."""
    rest = [named[field.name].astype(np.int32) for field in fields(Encoded)[2:]]
    return Corpus(
        Encoded(_side(named, "source"), _side(named, "target"), *rest), named["given"].astype(np.int32)
    )


def _side(named: Mapping[str, NDArray[Any]], name: str) -> Side:
    lengths = named[f"{name}.lengths"].astype(np.int32)
    pieces, tags, links = (named[f"{name}.{part}"].astype(np.int32) for part in ("pieces", "tags", "links"))
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return Side(pieces, tags, links, np.repeat(np.arange(len(lengths), dtype=np.int32), lengths), starts)
