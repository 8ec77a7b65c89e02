"""Is this pronoun wrong? An anaphor-2 network that sees the rendering, trained by a larger model.

`model/changes.safetensors` has low-rank changes to the matrices of the shipped predictor's network, and an
output layer: its first value at the source pronoun is the log odds that the rendering is wrong; the others,
computed with the rendering hidden, are the expected forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from anaphor.core import Alignment, Detection, LanguagePair, MarkedPronoun, OptionError, digest
from anaphor.core.learned import learned_folder
from anaphor.files.arrays import check_arrays, read_arrays, unpack_strings
from anaphor.languages import fold
from anaphor.predict.anaphor2.changes import changed, changes_schema
from anaphor.predict.anaphor2.encoding import language_numbers
from anaphor.predict.anaphor2.inference import SlotScorer, fastest_scorer
from anaphor.predict.anaphor2.joint import read_joint
from anaphor.predict.anaphor2.network import NumpyNetwork
from anaphor.predict.anaphor2.subwords import Subwords
from anaphor.predict.detector.windows import (
    AFTER,
    BEFORE,
    LineEncoder,
    PieceLine,
    PieceMark,
    window_of,
    window_scores,
)
from anaphor.predict.distributions import softmax
from anaphor.predict.model_folder import damaged, read_folder

_MODEL = "predict/detector/model"
_CHANGES = "changes.safetensors"
#: The model whose network is changed, and which of its networks.
_BASE, _NETWORK = "predict/models/anaphor-2-small", 0
_LANGUAGES = ("de", "fr", "es")
#: What the file calls a subject that is dropped.
_DROPPED = "∅"
#: From these log odds on, the forms that are expected are worth looking up.
_DOUBTFUL = -1.0


def detector_pairs() -> tuple[str, ...]:
    """The pairs supported by the detector."""
    return tuple(f"en-{language}" for language in _LANGUAGES)


def detector_digest() -> str:
    """A hash of the weights, for signatures."""
    return digest([(learned_folder(_MODEL) / _CHANGES).read_bytes()])


class PronounDetector:
    """Judges renderings of pronouns in one language pair."""

    def __init__(self, pair: LanguagePair) -> None:
        if str(pair) not in detector_pairs():
            raise OptionError(
                f"the detector does not support {pair}",
                where="--accept-detector",
                fix=f"use it for {', '.join(detector_pairs())}, or ignore it",
            )
        subwords, self._scorer, names = load_network()
        self._encoder = LineEncoder(subwords, pair)
        self._languages = language_numbers(pair)
        self._forms = forms_of(names, pair)

    def detect(
        self,
        source: Sequence[Sequence[str]],
        target: Sequence[Sequence[str]],
        links: Sequence[Alignment],
        marks: Sequence[MarkedPronoun],
        *,
        written: object = None,  # noqa: ARG002 - words are enough
    ) -> list[Detection]:
        """The detector's output for each marked pronoun of a text, given by words and links."""
        lines: dict[int, tuple[PieceLine, PieceLine]] = {}
        windows, hidden = [], []
        for mark in marks:
            around = range(max(0, mark.segment - BEFORE), min(len(source), mark.segment + 1 + AFTER))
            for segment in around:
                if segment not in lines:
                    lines[segment] = self._encoder.lines(source[segment], target[segment], links[segment])
            sides = [lines[segment][0] for segment in around], [lines[segment][1] for segment in around]
            at = mark.segment - around.start
            place = _pieces(*lines[mark.segment], mark)
            windows.append(window_of(*sides, at, place, self._languages))
            hidden.append((sides, at, place))
        odds = window_scores(self._scorer, windows)[:, 0]
        # The expected forms cost a second run of the network, and only a rejection shows them.
        doubtful = [
            n
            for n, value in enumerate(odds.tolist())
            if value > _DOUBTFUL and self._is_form(target, marks[n])
        ]
        guesses = window_scores(
            self._scorer,
            [
                window_of(*sides, at, _hidden(place, marks[n]), self._languages, hidden=True)
                for n, (sides, at, place) in ((n, hidden[n]) for n in doubtful)
            ],
        )
        expected = dict(zip(doubtful, map(self._expected, guesses), strict=True))
        return [Detection(float(value), expected.get(n, {})) for n, value in enumerate(odds)]

    def _is_form(self, target: Sequence[Sequence[str]], mark: MarkedPronoun) -> bool:
        """Whether the rendering is one of the forms; for any other rendering, the expected forms are
        meaningless.
        """
        if mark.dropped:
            return "" in self._forms
        return bool(mark.targets) and fold(target[mark.segment][mark.targets[0]]) in self._forms

    def _expected(self, scores: NDArray[Any]) -> Mapping[str, float]:
        """The forms with a probability of at least a tenth, in descending order."""
        # Over the forms of this language alone: one network serves all pairs.
        probabilities = softmax(scores[list(self._forms.values())])
        ordered = sorted(zip(self._forms, probabilities.tolist(), strict=True), key=lambda entry: -entry[1])
        return {form: round(share, 3) for form, share in ordered if share >= 0.1}


def _pieces(source: PieceLine, target: PieceLine, mark: MarkedPronoun) -> PieceMark:
    """The subwords of a pronoun and of the first word that renders it."""
    first = source.starts[mark.source], source.starts[mark.source + 1]
    if not mark.targets:
        return PieceMark(first)
    at = mark.targets[0]
    return PieceMark(first, (target.starts[at], target.starts[at + 1]))


def _hidden(place: PieceMark, mark: MarkedPronoun) -> PieceMark:
    """The position of the slot: in place of a pronoun, but before the verb of a null subject."""
    return place._replace(target=(place.target[0], place.target[0])) if mark.dropped else place


def forms_of(names: Sequence[str], pair: LanguagePair) -> dict[str, int]:
    """The forms of a target language, with the index of their score; a null subject is the empty form."""
    prefix = f"{pair.target} "
    return {
        name.removeprefix(prefix).replace(_DROPPED, ""): number
        for number, name in enumerate(names, start=1)
        if name.startswith(prefix)
    }


@cache
def load_network() -> tuple[Subwords, SlotScorer, tuple[str, ...]]:
    """The subwords, the modified network, and its form names."""
    joint = read_joint(read_folder(learned_folder(_BASE)))
    network, classes = changed_network(joint.networks[_NETWORK], learned_folder(_MODEL) / _CHANGES)
    return Subwords(joint.pieces), fastest_scorer(network), classes


def changed_network(base: NumpyNetwork, path: Path) -> tuple[NumpyNetwork, tuple[str, ...]]:
    """A network with the changes from a file, and its form names."""
    arrays = read_arrays(path, what="detector").arrays
    schema = changes_schema(base.shape, classes="forms+1", tables=("language", "link"))
    schema = {"names": "strings[forms]", **schema}
    try:
        check_arrays(arrays, schema)
        names = unpack_strings(arrays["names"])
    except ValueError as error:
        raise damaged(path, str(error)) from None
    return changed(base, arrays), names
