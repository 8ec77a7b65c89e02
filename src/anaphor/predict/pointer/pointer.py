"""Which noun does an English pronoun refer to? An anaphor-2 network that was trained to point.

`model/changes.safetensors` has low-rank changes to the matrices of the shipped predictor's network, and an
output layer. At the pronoun it outputs a score for each function and a vector; at the head of a candidate,
another vector and a score. A candidate's score is the product of both vectors plus its own score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anaphor.analyse.function import AnalysedSentence
from anaphor.antecedents.pointing import PointedPronoun
from anaphor.antecedents.resolver import shipped_influence
from anaphor.core import digest
from anaphor.core.array_types import Floats
from anaphor.core.learned import learned_folder
from anaphor.files.arrays import check_arrays, read_arrays
from anaphor.predict.anaphor2.changes import changed, changes_schema
from anaphor.predict.anaphor2.inference import SlotScorer, by_length, fastest_scorer
from anaphor.predict.anaphor2.joint import read_joint
from anaphor.predict.anaphor2.network import NumpyNetwork
from anaphor.predict.anaphor2.subwords import PAD, Subwords
from anaphor.predict.anaphor2.windows import InputBatch
from anaphor.predict.model_folder import damaged, read_folder
from anaphor.predict.pointer.windows import (
    AFTER,
    BEFORE,
    CLASSES,
    DEPTH,
    FITS,
    FUNCTIONS,
    Candidate,
    PointerWindow,
    SourceLine,
    tag_number,
    window_of,
)

_MODEL, _CHANGES = "predict/pointer/model", "changes.safetensors"
#: The model whose network is changed, and which of its networks.
_BASE, _NETWORK = "predict/models/anaphor-2-small", 0


def pointer_digest() -> str:
    """Identifies the network's weights and their influence, for signatures."""
    return digest([(learned_folder(_MODEL) / _CHANGES).read_bytes(), repr(shipped_influence()).encode()])


class AntecedentPointer:
    """See `antecedents.pointing.Pointer`."""

    def __init__(self, subwords: Subwords, scorer: SlotScorer) -> None:
        self._subwords, self._scorer = subwords, scorer

    @classmethod
    def load(cls) -> AntecedentPointer:
        """The shipped pointer."""
        return _loaded()

    def point(
        self, sentences: Sequence[AnalysedSentence], pronouns: Sequence[PointedPronoun]
    ) -> list[list[float]]:
        """The log probabilities of candidates and functions; NaN for candidates that were not read."""
        lines: dict[int, SourceLine] = {}
        windows = []
        for pronoun in pronouns:
            around = range(
                max(0, pronoun.sentence - BEFORE), min(len(sentences), pronoun.sentence + 1 + AFTER)
            )
            for number in around:
                # Windows of neighbouring pronouns share most lines.
                if number not in lines:
                    lines[number] = self._line(sentences[number])
            candidates = [
                Candidate(mention.sentence - around.start, mention.position, FITS[fit])
                for mention, fit in pronoun.candidates
            ]
            at = pronoun.sentence - around.start
            windows.append(window_of([lines[number] for number in around], at, pronoun.position, candidates))
        found: list[list[float]] = [[] for _ in windows]
        for chosen in by_length([window.rows.shape[1] for window in windows], self._scorer.batch_places):
            part = [windows[n] for n in chosen]
            for n, opinion in zip(chosen, self._opinions(part), strict=True):
                found[n] = opinion
        return found

    def _line(self, sentence: AnalysedSentence) -> SourceLine:
        encoded = self._subwords.encode_all(sentence.tokens)
        sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        pieces = np.array([piece for word in encoded for piece in word], dtype=np.int32)
        tags = np.array([tag_number(tag) for tag in sentence.analysis.tags], dtype=np.int32)
        return SourceLine(pieces, np.repeat(tags, sizes), (0, *np.cumsum(sizes).tolist()))

    def _opinions(self, windows: Sequence[PointerWindow]) -> list[list[float]]:
        """The log probabilities of some windows, which are run together."""
        longest = max(window.rows.shape[1] for window in windows)
        batch = np.zeros((5, len(windows), longest), dtype=np.int32)
        batch[0] = PAD
        rows: list[NDArray[np.int64]] = []
        places: list[NDArray[np.int64]] = []
        for number, window in enumerate(windows):
            batch[:, number, : window.rows.shape[1]] = window.rows
            # Candidates outside the window have a negative place.
            read = window.candidates[window.candidates >= 0]
            asked = np.unique(np.append(read, window.place))
            rows.append(np.full(len(asked), number))
            places.append(asked)
        row, place = np.concatenate(rows), np.concatenate(places)
        scores = self._scorer.scores(InputBatch(*batch), row, place)
        starts = np.searchsorted(row, np.arange(len(windows) + 1))
        return [
            _opinion(window, places[number], scores[starts[number] : starts[number + 1]])
            for number, window in enumerate(windows)
        ]


def _opinion(window: PointerWindow, places: NDArray[np.int64], scores: Floats) -> list[float]:
    """The log probabilities of one window, from the scores at some of its positions in ascending order."""
    vectors = 1 + FUNCTIONS
    own = scores[np.searchsorted(places, window.place)]
    # Unread candidates take any row here; their scores are dropped below.
    given = scores[np.searchsorted(places, np.maximum(window.candidates, 0)).clip(max=len(places) - 1)]
    products = given[:, vectors + DEPTH :] @ own[vectors : vectors + DEPTH]
    # Scaled like attention, so that products do not grow with the length of the vectors.
    candidates = given[:, 0] + products / math.sqrt(DEPTH)
    candidates = np.where(window.candidates >= 0, candidates, np.nan)
    found: NDArray[Any] = np.concatenate([candidates, own[1:vectors]]).astype(np.float64)
    # A log softmax over what was read.
    highest = np.nanmax(found)
    return list((found - highest - np.log(np.nansum(np.exp(found - highest)))).tolist())


def pointing_network(base: NumpyNetwork, path: Path) -> NumpyNetwork:
    """A network with the changes from a file."""
    arrays = read_arrays(path, what="pointer").arrays
    tables = ("link", "tag", "sentence")
    try:
        check_arrays(arrays, changes_schema(base.shape, classes=str(CLASSES), tables=tables))
    except ValueError as error:
        raise damaged(path, str(error)) from None
    return changed(base, arrays)


@cache
def _loaded() -> AntecedentPointer:
    joint = read_joint(read_folder(learned_folder(_BASE)))
    network = pointing_network(joint.networks[_NETWORK], learned_folder(_MODEL) / _CHANGES)
    return AntecedentPointer(Subwords(joint.pieces), fastest_scorer(network))
