"""Links read off a finished model, or off one run of an aligner, in one way or in several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from anaphor.align.abilities import POSTERIOR
from anaphor.align.aligner import TrainedAligner
from anaphor.align.model import Reading
from anaphor.align.programs import Directional, SentencePair, joined, links_of
from anaphor.align.symmetrize import Directions
from anaphor.core import Alignment

#: Ways that read a model once; their links have confidences.
CONFIDENT = {POSTERIOR: Reading.JOINT, "forward": Reading.FORWARD, "reverse": Reading.REVERSE}


def read_links(model: TrainedAligner, pairs: Sequence[SentencePair], way: str) -> Iterator[Alignment]:
    """Align with a finished model: by posteriors, in one direction, or by a symmetrisation of both."""
    if way in CONFIDENT:
        return _read_as(model, CONFIDENT[way]).align(pairs)
    return joined(_directions(model, pairs), way)


def read_ways(
    model: TrainedAligner, pairs: Sequence[SentencePair], ways: Iterable[str]
) -> dict[str, Sequence[Alignment]]:
    """The same in several ways; each direction is read once for all of them."""
    both = list(_directions(model, pairs))
    return {
        way: list(joined(both, way) if way not in CONFIDENT else read_links(model, pairs, way))
        for way in ways
    }


def run_ways(
    aligner: Directional, pairs: Sequence[SentencePair], ways: Iterable[str]
) -> dict[str, Sequence[Alignment]]:
    """One run of another aligner, its two directions symmetrised in several ways."""
    both = list(aligner.directions(pairs))
    return {way: list(joined(both, way)) for way in ways}


def _directions(model: TrainedAligner, pairs: Sequence[SentencePair]) -> Iterator[Directions]:
    both = (_read_as(model, reading).align(pairs) for reading in (Reading.FORWARD, Reading.REVERSE))
    return ((links_of(ahead), links_of(back)) for ahead, back in zip(*both, strict=True))


def _read_as(model: TrainedAligner, reading: Reading) -> TrainedAligner:
    """Most models are made for the reading that is asked for, and need not be copied."""
    return model if model.options.reading is reading else model.read_as(reading)
