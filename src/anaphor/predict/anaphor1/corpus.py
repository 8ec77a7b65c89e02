"""The training data of anaphor-1: segments of several sub-tasks as one set of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.core import LanguagePair, TaskSegment
from anaphor.predict.anaphor1.encoding import (
    NO_LABEL,
    EncodedSegments,
    EncodedSide,
    Numbers,
    encode,
    language_numbers,
)
from anaphor.predict.anaphor1.subwords import Subwords
from anaphor.predict.anaphor1.windows import PieceWindow, as_rows, domain_of, packed


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """Encoded segments; `given` has a row per segment: domain, source and target language."""

    encoded: EncodedSegments
    given: Numbers

    @classmethod
    def of(
        cls,
        segments: Sequence[TaskSegment],
        subwords: Subwords,
        classes: Mapping[str, int],
        *,
        pair: LanguagePair,
        forms: bool,
    ) -> TrainingCorpus:
        """The segments of one sub-task."""
        languages = language_numbers(pair)
        given = np.array([(domain_of(one.document), *languages) for one in segments], dtype=np.int32)
        return cls(encode(segments, subwords, classes, forms=forms), given)


def joined(corpora: Sequence[TrainingCorpus]) -> TrainingCorpus:
    """Several corpora as one; documents stay separate."""
    encoded = [corpus.encoded for corpus in corpora]
    segments = _offsets(len(one) for one in encoded)
    documents = _offsets(int(one.documents.max(initial=-1)) + 1 for one in encoded)
    sources = _offsets(len(one.source.pieces) for one in encoded)
    targets = _offsets(len(one.target.pieces) for one in encoded)
    return TrainingCorpus(
        EncodedSegments(
            source=_joined_sides([one.source for one in encoded], segments, sources),
            target=_joined_sides([one.target for one in encoded], segments, targets),
            documents=_shifted([one.documents for one in encoded], documents),
            slot_segments=_shifted([one.slot_segments for one in encoded], segments),
            slot_sources=_shifted([one.slot_sources for one in encoded], sources),
            slot_targets=_shifted([one.slot_targets for one in encoded], targets),
            labels=np.concatenate([one.labels for one in encoded]),
        ),
        np.concatenate([corpus.given for corpus in corpora]),
    )


def _offsets(sizes: Iterable[int]) -> list[int]:
    return [0, *np.cumsum(list(sizes)).tolist()][:-1]


def _shifted(arrays: Sequence[Numbers], offsets: Sequence[int]) -> Numbers:
    return np.concatenate([array + np.int32(offset) for array, offset in zip(arrays, offsets, strict=True)])


def _joined_sides(
    sides: Sequence[EncodedSide], segments: Sequence[int], pieces: Sequence[int]
) -> EncodedSide:
    last = np.array([pieces[-1] + len(sides[-1].pieces)], dtype=np.int32)
    return EncodedSide(
        pieces=np.concatenate([side.pieces for side in sides]),
        tags=np.concatenate([side.tags for side in sides]),
        links=np.concatenate([side.links for side in sides]),
        segments=_shifted([side.segments for side in sides], segments),
        starts=np.concatenate([_shifted([side.starts[:-1] for side in sides], pieces), last]),
    )


def labels_by_piece(encoded: EncodedSegments) -> NDArray[np.int32]:
    """For every target piece the class that is hidden there, `NO_LABEL` elsewhere."""
    labels = np.full(len(encoded.target.pieces), NO_LABEL, dtype=np.int32)
    labels[encoded.slot_targets] = encoded.labels
    return labels


def training_windows(
    corpus: TrainingCorpus, rng: np.random.Generator, *, alone: float
) -> tuple[Numbers, Numbers]:
    """Rows of windows and the `given` row of each, in random order."""
    rows = rng.permutation(as_rows(packed(corpus.encoded, rng, alone=alone)))
    return rows, corpus.given[rows[:, PieceWindow._fields.index("segment")]]


def arrays_of(corpus: TrainingCorpus) -> dict[str, NDArray[Any]]:
    """A corpus as named small arrays, for a file; `corpus_of` is the inverse."""
    encoded = corpus.encoded
    named: dict[str, NDArray[Any]] = {"given": corpus.given.astype(np.uint8)}
    for name, side in (("source", encoded.source), ("target", encoded.target)):
        named[f"{name}.pieces"] = side.pieces.astype(np.uint16)
        named[f"{name}.tags"] = side.tags.astype(np.uint8)
        named[f"{name}.links"] = side.links.astype(np.uint8)
        named[f"{name}.lengths"] = np.diff(side.starts).astype(np.uint16)
    named |= {field.name: getattr(encoded, field.name) for field in fields(EncodedSegments)[2:]}
    return named


def corpus_of(named: Mapping[str, NDArray[Any]]) -> TrainingCorpus:
    """The corpus of named arrays."""

    def side(name: str) -> EncodedSide:
        lengths = named[f"{name}.lengths"].astype(np.int32)
        pieces, tags, links = (
            named[f"{name}.{part}"].astype(np.int32) for part in ("pieces", "tags", "links")
        )
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
        segments = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        return EncodedSide(pieces, tags, links, segments, starts)

    rest = [named[field.name].astype(np.int32) for field in fields(EncodedSegments)[2:]]
    return TrainingCorpus(
        EncodedSegments(side("source"), side("target"), *rest), named["given"].astype(np.int32)
    )
