"""Whole documents cut into the translations of their source segments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from anaphor.align.choice import AlignerChoice
from anaphor.align.vocabulary import load_packs
from anaphor.core import LanguagePair, MismatchError, OptionError, Span
from anaphor.segment.encode import Segments, Tokens, edge_table, learn_edges, sides_of
from anaphor.segment.model import Lexicon, SegmentModel, default_model, lexicon_of
from anaphor.segment.result import Addition, Boundary, Move, Omission, Segmentation
from anaphor.segment.search import Cuts, Search, search

#: Second best positions that are less probable than this are not worth mentioning.
LEAST_SECOND = 0.02
#: An addition repeats a translation if they share so many of their words.
LEAST_REPEATED = 0.6
#: It may repeat one of so many segments before and behind it.
NEAR = 500
#: So many of the omitted segments, those nearest to it, are looked for in an addition: all of them would take
#: time that grows with the square of a long document.
MISSING = 1000
#: A moved segment's words have at least so much evidence on average.
LEAST_EVIDENCE = 0.0
#: Additions and moves that are less probable are not said to be any: most of them are loose translations.
LEAST_SURE = 0.95
#: Cost of an omission where the text of an addition that is not sure goes to the segments around it.
ABSORBING = 10.0
#: Cost of an omission or addition where omitted segments are looked for in additions.
MOVING = 4.0


class Job(NamedTuple):
    """A document to cut: source segments, the text that translates them, a reference for each segment."""

    source: Sequence[str]
    text: str
    reference: Sequence[str] | None = None


def segment_document(
    source: Sequence[str],
    text: str,
    pair: LanguagePair | str,
    *,
    reference: Sequence[str] | None = None,
    priors: str = "built-in",
    packs: Path | None = None,
) -> Segmentation:
    """The text cut into one stretch for each source segment; arguments as for `segment_documents`."""
    return segment_documents([(source, text, reference)], pair, priors=priors, packs=packs)[0]


def segment_documents(
    documents: Iterable[Job | tuple[Sequence[str], str] | tuple[Sequence[str], str, Sequence[str] | None]],
    pair: LanguagePair | str,
    *,
    priors: str = "built-in",
    packs: Path | None = None,
    threads: int = 1,
) -> list[Segmentation]:
    """Cut each document into one stretch for each source segment.

    The result for a document does not depend on the other documents or the number of threads.

    Args:
        documents: For each document its source segments, the text that translates them, and optionally a
        reference translation of every segment.
        pair: Source and target language.
        priors: Word pairs of the languages: `built-in`, `none` or a prior file, as for the aligner.
        packs: A folder with your own language packs.
        threads: Worker threads.

    Returns:
        The segmentations, in the order of the documents.

    Raises:
        UserError: A reference and the source have different numbers of segments, a file is invalid, or
        `threads` is below 1.
    """
    if threads < 1:
        raise OptionError(f"{threads} threads", where="--threads", fix="use at least 1")
    pair = LanguagePair.parse(pair) if isinstance(pair, str) else pair
    # Checks the options, and reads the prior.
    prior = AlignerChoice(pair=pair, priors=priors, packs=packs, threads=threads).prior()
    loaded = load_packs(pair, packs)
    source_side, target_side = sides_of(loaded, pair.source, pair.target, packs)
    _, reference_side = sides_of(loaded, pair.source, pair.target, packs)
    encoded = []
    for document in documents:
        job = Job(*document)
        segments, reference = source_side.encode_segments(job.source), None
        if job.reference is not None:
            if len(job.reference) != len(job.source):
                raise MismatchError(
                    f"the reference has {len(job.reference)} segments, the source {len(job.source)}",
                    where="reference",
                    fix="pass a reference translation for every source segment",
                )
            reference = reference_side.encode_segments(job.reference)
        encoded.append((job.text, segments, reference, target_side.encode(job.text)))
    lexicon, known = lexicon_of(
        prior, source_side.number, target_side.number, reference=reference_side.number
    )
    expected = target_side.expected_edges(edge_table(pair.target))
    model = default_model()

    def cut(document: tuple[str, Segments, Segments | None, Tokens]) -> Segmentation:
        text, segments, reference, tokens = document
        learn_edges(tokens, expected)  # each document counts its own words: others make no difference
        tokens.kinds[(tokens.kinds == 0) & ~known[tokens.words]] = 1
        if reference is not None:
            segments = segments.beside(reference, offset=len(source_side.number))
        ratio = float(np.clip(tokens.length[-1] / max(float(segments.length.sum()), 1.0), 0.25, 4))
        cuts = search(Search(segments, tokens, lexicon, model, ratio))
        moved = _moved(segments, tokens, cuts, lexicon, model, ratio)
        _absorb(segments, tokens, cuts, moved, lexicon, model, ratio)
        return _segmentation(text, tokens, segments, cuts, moved)

    encoded.reverse()
    waiting = (encoded.pop() for _ in range(len(encoded)))  # so that what is done is freed
    if threads == 1:
        return [cut(document) for document in waiting]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(cut, waiting))


def _moved(
    segments: Segments,
    tokens: Tokens,
    cuts: Cuts,
    lexicon: Lexicon,
    model: SegmentModel,
    ratio: float,
) -> dict[int, tuple[int, int, float]]:
    """Omitted segments whose translation is in an addition: its start and end gap, and the probability."""
    missing = np.flatnonzero(cuts.omitted & (segments.length > 0))
    moved: dict[int, tuple[int, int, float]] = {}
    eager = replace(model, omission=MOVING, further_omission=MOVING, addition=MOVING)
    for start, end, _ in _additions(cuts, len(tokens)):
        if not len(missing):
            break
        if _repeated(tokens, start, end, cuts) is not None:
            continue
        middle = int(np.searchsorted(missing, np.searchsorted(cuts.start, start)))
        near = missing[max(0, middle - MISSING // 2) : middle + MISSING // 2]
        plan = Search(segments.only(near), tokens.part(start, end), lexicon, eager, ratio)
        result = search(plan)
        placed: list[int] = []
        for k in np.flatnonzero(~result.omitted).tolist():
            first, last = int(result.start[k]), int(result.end[k])
            # The segment is not there if nothing but its length fits.
            sure = float(1 - result.empty[k])
            if sure < LEAST_SURE or plan.evidence(k, first, last)[0].mean() < LEAST_EVIDENCE:
                continue
            moved[int(near[k])] = (start + first, start + last, sure)
            placed.append(int(near[k]))
        missing = np.setdiff1d(missing, placed)
    return moved


def _absorb(
    segments: Segments,
    tokens: Tokens,
    cuts: Cuts,
    moved: Mapping[int, tuple[int, int, float]],
    lexicon: Lexicon,
    model: SegmentModel,
    ratio: float,
) -> None:
    """Cut again without uncertain additions, whose text goes to the surrounding segments."""
    strict = replace(model, omission=ABSORBING, further_omission=ABSORBING, addition=1e6)
    for start, end, share in list(_additions(cuts, len(tokens))):
        if share >= LEAST_SURE or any(start <= place < end for place, _, _ in moved.values()):
            continue
        # The segments on both sides, and omitted ones between them.
        filled = np.flatnonzero(cuts.end > cuts.start)
        at = int(np.searchsorted(cuts.start[filled], end))
        first = int(filled[at - 1]) if at else 0
        last = int(filled[at]) if at < len(filled) else len(segments) - 1
        # A source that repeats itself is translated by a text that does.
        omitted = cuts.omitted[first : last + 1].any()
        if not len(segments) or (not omitted and _repeated(tokens, start, end, cuts) is not None):
            continue
        low, high = min(int(cuts.start[first]), start), max(int(cuts.end[last]), end)
        some = np.arange(first, last + 1)
        inside = search(Search(segments.only(some), tokens.part(low, high), lexicon, strict, ratio))
        if any(_additions(inside, high - low)):
            continue  # more text than these segments can take
        cuts.start[some], cuts.end[some] = inside.start + low, inside.end + low
        cuts.omitted[some] = inside.omitted
        inner = some[:-1]
        cuts.confidence[inner], cuts.empty[some] = inside.confidence[:-1], inside.empty
        cuts.second[inner] = np.where(inside.second[:-1] < 0, -1, inside.second[:-1] + low)
        cuts.second_confidence[inner] = inside.second_confidence[:-1]


def _additions(cuts: Cuts, size: int) -> Iterator[tuple[int, int, float]]:
    """The start and end gap of each addition, with its probability."""
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
                additions.append(Addition(span, share, _repeated(tokens, at, first, cuts)))
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


def _repeated(tokens: Tokens, start: int, end: int, cuts: Cuts) -> int | None:
    """The segment near an addition whose translation has most of its words, and few others."""
    words, size = Counter(tokens.words[start:end].tolist()), end - start
    at = int(np.searchsorted(cuts.start, start))
    near = slice(max(at - NEAR, 0), at + NEAR)
    best, repeated = LEAST_REPEATED, None
    for segment, first, last in zip(
        range(near.start, at + NEAR), cuts.start[near].tolist(), cuts.end[near].tolist(), strict=False
    ):
        length = last - first
        if not 0 < size <= 2 * length <= 4 * size:
            continue
        own = Counter(tokens.words[first:last].tolist())
        if (share := 2 * (words & own).total() / (size + length)) > best:
            best, repeated = share, segment
    return repeated


def _second(stretches: Sequence[Span], boundaries: Sequence[Boundary]) -> tuple[Span, ...] | None:
    """The pieces with second-best boundaries, where nothing is added or moved in between."""
    second = list(stretches)
    for i, boundary in enumerate(boundaries):
        (start, end), (follows, behind) = second[i], second[i + 1]
        if boundary.second is not None and end == follows and start <= boundary.second <= behind:
            second[i], second[i + 1] = Span(start, boundary.second), Span(boundary.second, behind)
    return None if second == list(stretches) else tuple(second)
