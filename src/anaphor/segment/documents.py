"""Whole documents cut into the translations of their source segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np

from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior
from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair, Span
from anaphor.segment.encode import Side, Tokens, sides_of
from anaphor.segment.model import default_model, lexicon_of
from anaphor.segment.result import Addition, Boundary, Omission, Segmentation
from anaphor.segment.search import Cuts, Search, Segments

#: Second best positions that are less probable than this are not worth mentioning.
LEAST_SECOND = 0.01


def segment_document(source: Sequence[str], text: str, pair: LanguagePair | str) -> Segmentation:
    """The text cut into one stretch for each source segment."""
    return segment_documents([(source, text)], pair)[0]


def segment_documents(
    documents: Iterable[tuple[Sequence[str], str]], pair: LanguagePair | str
) -> list[Segmentation]:
    """Each document, a pair of source segments and the text that translates them, cut as one."""
    pair = LanguagePair.parse(pair) if isinstance(pair, str) else pair
    source_side, target_side = sides_of(load_packs(pair), pair.source, pair.target)
    encoded = [
        (text, _segments(source_side, segments), target_side.encode(text)) for segments, text in documents
    ]
    lexicon, known = lexicon_of(_prior(pair), source_side.number, target_side.number)
    model = default_model()
    found = []
    for text, segments, tokens in encoded:
        unknown = (tokens.kinds == 0) & ~known[tokens.words]
        tokens.kinds[unknown] = 1
        ratio = tokens.length[-1] / max(float(segments.length.sum()), 1.0)
        cuts = Search(segments, tokens, lexicon, model, float(np.clip(ratio, 0.25, 4))).run()
        found.append(_segmentation(text, tokens, segments, cuts))
    return found


@cache
def _prior(pair: LanguagePair) -> PriorTable | None:
    return built_in_prior(pair) if str(pair) in built_in_pairs() else None


def _segments(side: Side, segments: Sequence[str]) -> Segments:
    encoded = [side.encode(segment) for segment in segments]
    start = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
    return Segments(
        start,
        np.concatenate([np.empty(0, np.int32), *(one.words for one in encoded)]).astype(np.int32),
        np.array([one.ends[-1] for one in encoded], np.int32),
        np.array([one.begins[0] for one in encoded], np.int32),
        np.array([one.length[-1] for one in encoded], np.float32),
        np.array([one.sentences[-1] for one in encoded], np.int32),
    )


def _segmentation(text: str, tokens: Tokens, segments: Segments, cuts: Cuts) -> Segmentation:
    count = len(segments)
    # White space belongs to what it follows, and at the start of the text to what comes first.
    offset = np.append(tokens.starts, len(text))
    offset[0] = 0
    if len(tokens) == 0:
        offset = np.array([0])
    starts, ends = offset[cuts.start].tolist(), offset[cuts.end].tolist()
    stretches = [Span(start, end) for start, end in zip(starts, ends, strict=True)]
    additions, at = [], 0
    for i, (start, end) in enumerate([*stretches, (len(text), len(text))]):
        if start > at:
            additions.append(Addition(Span(at, start), float(cuts.added[i])))
        at = end
    boundaries = []
    for i in range(count - 1):
        second, share = int(cuts.second[i]), float(cuts.second_confidence[i])
        known = second >= 0 and share >= LEAST_SECOND
        position = int(offset[second]) if known else None
        boundaries.append(Boundary(ends[i], float(cuts.confidence[i]), position, share if known else 0.0))
    omissions = tuple(
        Omission(i, float(cuts.empty[i]))
        for i in range(count)
        if stretches[i].end == stretches[i].start and segments.length[i]
    )
    return Segmentation(text, tuple(stretches), tuple(boundaries), omissions, tuple(additions))
