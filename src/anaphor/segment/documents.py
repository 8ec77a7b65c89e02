"""Whole documents cut into the translations of their source segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache

import numpy as np

from anaphor.align.priors import PriorTable, built_in_pairs, built_in_prior
from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair, Span
from anaphor.segment.encode import Segments, Tokens, learn_edges, sides_of
from anaphor.segment.model import Lexicon, Model, default_model, lexicon_of
from anaphor.segment.result import Addition, Boundary, Move, Omission, Segmentation
from anaphor.segment.search import Cuts, Search, search

#: Second best positions that are less probable than this are not worth mentioning.
LEAST_SECOND = 0.02
#: An addition repeats a translation if they share so many of their words.
LEAST_REPEATED = 0.6
#: A moved segment's words have at least so much evidence on average.
LEAST_EVIDENCE = 0.0
#: Cost of an omission or addition where omitted segments are looked for in additions.
MOVING = 4.0


def segment_document(source: Sequence[str], text: str, pair: LanguagePair | str) -> Segmentation:
    """The text cut into one stretch for each source segment."""
    return segment_documents([(source, text)], pair)[0]


def segment_documents(
    documents: Iterable[tuple[Sequence[str], str]], pair: LanguagePair | str, *, threads: int = 1
) -> list[Segmentation]:
    """Each document, a pair of source segments and the text that translates them, cut as one.

    Neither the other documents nor the number of threads make a difference to the result of one.
    """
    pair = LanguagePair.parse(pair) if isinstance(pair, str) else pair
    source_side, target_side = sides_of(load_packs(pair), pair.source, pair.target)
    encoded = [
        (text, source_side.encode_segments(segments), target_side.encode(text))
        for segments, text in documents
    ]
    lexicon, known = lexicon_of(_prior(pair), source_side.number, target_side.number)
    expected = target_side.expected_edges()
    for _, _, tokens in encoded:
        learn_edges(tokens, expected)  # each document counts its own words: others make no difference
        tokens.kinds[(tokens.kinds == 0) & ~known[tokens.words]] = 1
    model = default_model()

    def cut(document: tuple[str, Segments, Tokens]) -> Segmentation:
        text, segments, tokens = document
        ratio = float(np.clip(tokens.length[-1] / max(float(segments.length.sum()), 1.0), 0.25, 4))
        cuts = search(Search(segments, tokens, lexicon, model, ratio))
        moved = _moved(segments, tokens, cuts, lexicon, model, ratio)
        return _segmentation(text, tokens, segments, cuts, moved)

    if threads == 1 or len(encoded) < 2:
        return [cut(document) for document in encoded]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(cut, encoded))


@cache
def _prior(pair: LanguagePair) -> PriorTable | None:
    return built_in_prior(pair) if str(pair) in built_in_pairs() else None


def _moved(
    segments: Segments,
    tokens: Tokens,
    cuts: Cuts,
    lexicon: Lexicon,
    model: Model,
    ratio: float,
) -> dict[int, tuple[int, int, float]]:
    """Omitted segments whose translation is in an addition: from which gap to which, and how probably."""
    missing = np.flatnonzero(cuts.omitted & (segments.length > 0))
    moved: dict[int, tuple[int, int, float]] = {}
    eager = replace(model, omission=MOVING, further_omission=MOVING, addition=MOVING)
    places = list(zip(cuts.start.tolist(), cuts.end.tolist(), strict=True))
    for start, end, _ in _additions(cuts, len(tokens)):
        if not len(missing):
            break
        if _repeated(tokens, start, end, places) is not None:
            continue
        plan = Search(segments.only(missing), tokens.part(start, end), lexicon, eager, ratio)
        found = search(plan)
        still = np.ones(len(missing), np.bool_)
        for k in np.flatnonzero(~found.omitted).tolist():
            first, last = int(found.start[k]), int(found.end[k])
            # The segment is not there if nothing but its length fits.
            if plan.evidence(k, first, last)[0].mean() < LEAST_EVIDENCE:
                continue
            moved[int(missing[k])] = (start + first, start + last, float(1 - found.empty[k]))
            still[k] = False
        missing = missing[still]
    return moved


def _additions(cuts: Cuts, size: int) -> Iterator[tuple[int, int, float]]:
    """From which gap to which each addition goes, and how probable one is there."""
    at = 0
    for i, start in enumerate([*cuts.start.tolist(), size]):
        if start > at:
            yield at, start, float(min(cuts.added[i], 1.0))
        at = max(at, start) if i == len(cuts.end) else int(cuts.end[i])


def _segmentation(
    text: str,
    tokens: Tokens,
    segments: Segments,
    cuts: Cuts,
    moved: Mapping[int, tuple[int, int, float]],
) -> Segmentation:
    count = len(segments)
    # White space belongs to what it follows, and at the start of the text to what comes first.
    offset = np.append(tokens.starts, len(text))
    offset[0] = 0
    places = list(zip(cuts.start.tolist(), cuts.end.tolist(), strict=True))
    additions = []
    for start, end, share in _additions(cuts, len(tokens)):
        at = start
        inside = sorted(place[:2] for place in moved.values() if start <= place[0] < end)
        for first, last in [*inside, (end, end)]:
            if first > at:
                span = Span(int(offset[at]), int(offset[first]))
                additions.append(Addition(span, share, _repeated(tokens, at, first, places)))
            at = last
    if not len(tokens) and text:  # white space alone
        additions.append(Addition(Span(0, len(text)), 1.0))
        offset[0] = len(text)
    for segment, (start, end, _) in moved.items():
        places[segment] = (start, end)
    stretches = [Span(int(offset[start]), int(offset[end])) for start, end in places]
    boundaries = []
    for i in range(count - 1):
        second, share = int(cuts.second[i]), float(cuts.second_confidence[i])
        known = second >= 0 and share >= LEAST_SECOND
        sure = min(float(cuts.confidence[i]), moved[i][2] if i in moved else 1.0, 1.0)
        boundaries.append(
            Boundary(stretches[i].end, sure, int(offset[second]) if known else None, share if known else 0.0)
        )
    return Segmentation(
        text,
        tuple(stretches),
        tuple(boundaries),
        tuple(
            Omission(i, float(min(cuts.empty[i], 1.0)))
            for i, (start, end) in enumerate(places)
            if start == end and segments.length[i]
        ),
        tuple(additions),
        tuple(Move(segment, share) for segment, (_, _, share) in sorted(moved.items())),
        _second(stretches, boundaries),
    )


def _repeated(tokens: Tokens, start: int, end: int, places: Sequence[tuple[int, int]]) -> int | None:
    """The segment whose translation has most of the words of an addition, and few others."""
    words, size = Counter(tokens.words[start:end].tolist()), end - start
    first, last = np.array(places, np.int64).reshape(-1, 2).T
    sizes = last - first
    # Tokens that are words of the addition, however often: at least as many as the two have in common.
    known = np.zeros(int(tokens.words.max(initial=0)) + 1, np.bool_)
    known[list(words)] = True
    before = np.concatenate([[0], np.cumsum(known[tokens.words])])
    most = np.minimum(before[last] - before[first], size)
    alike = (2 * sizes >= size) & (2 * size >= sizes) & (sizes > 0)
    best, found = LEAST_REPEATED, None
    for segment in np.flatnonzero(alike & (2 * most > best * (size + sizes))).tolist():
        own = Counter(tokens.words[first[segment] : last[segment]].tolist())
        if (share := 2 * (words & own).total() / (size + int(sizes[segment]))) > best:
            best, found = share, segment
    return found


def _second(stretches: Sequence[Span], boundaries: Sequence[Boundary]) -> tuple[Span, ...] | None:
    """The stretches with boundaries in their second best places, where nothing is added or moved between."""
    second = list(stretches)
    for i, boundary in enumerate(boundaries):
        (start, end), (follows, behind) = second[i], second[i + 1]
        if boundary.second is not None and end == follows and start <= boundary.second <= behind:
            second[i], second[i + 1] = Span(start, boundary.second), Span(boundary.second, behind)
    return None if second == list(stretches) else tuple(second)
