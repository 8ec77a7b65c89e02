"""METEOR with exact and stem matching, for all words or with the weight on pronouns.

The score is Banerjee and Lavie's (2005) with alpha 0.9, beta 3 and gamma 0.5; delta, the weight of
content words against function words, is Denkowski and Lavie's (2014). There are no synonyms and no
paraphrases, so this is not METEOR 1.5: the signature says which modules counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from anaphor.core import Counts
from anaphor.languages import FormMatcher, fold
from anaphor.metrics.contract import Metric, MetricContext, MetricInput, ratio, zero_where_undefined

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_STEMMERS = {"de": "german", "en": "english", "es": "spanish", "fr": "french"}
#: Partial matchings kept while reading the candidate; ambiguity is rare, so few are enough.
_BEAM = 8


class _Matching(NamedTuple):
    """Matched (candidate, reference) positions so far, with what decides between two matchings."""

    pairs: tuple[tuple[int, int], ...] = ()
    used: int = 0  # reference positions as bits
    inexact: int = 0
    chunks: int = 0  # runs of neighbours that both sides have in the same order

    def extend(self, candidate: int, reference: int, *, exact: bool) -> _Matching:
        adjoining = bool(self.pairs) and self.pairs[-1] == (candidate - 1, reference - 1)
        return _Matching(
            (*self.pairs, (candidate, reference)),
            self.used | 1 << reference,
            self.inexact + (not exact),
            self.chunks + (not adjoining),
        )

    def rank(self) -> tuple[int, int, int]:
        return -len(self.pairs), self.inexact, self.chunks


class Meteor(Metric):
    """METEOR over all words: function words weigh as much as others (delta 0.5)."""

    name = "meteor"
    pronominal = False
    depends = frozenset({"tok", "packs"})
    delta = 0.5

    def __init__(self, context: MetricContext) -> None:
        self._language = context.pack.pair.target
        self._words = context.words
        self._function_words = FormMatcher(context.pack.target, context.forms)
        self._stems = self._language in _STEMMERS
        self._stem: Callable[[str], str] = (
            cache(snowballstemmer.stemmer(_STEMMERS[self._language]).stemWord) if self._stems else str
        )

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        return cls(context)

    def settings(self) -> Mapping[str, str]:
        return {
            "match": "exact+stem" if self._stems else "exact",
            "stemmer": f"snowball-{self._language}" if self._stems else "none",
            "alpha": f"{ALPHA:g}",
            "beta": f"{BETA:g}",
            "gamma": f"{GAMMA:g}",
            "delta": f"{self.delta:g}",
        }

    def count(self, trial: MetricInput) -> Counts:
        names = ("candidate_matched", "candidate_weight", "reference_matched", "reference_weight")
        rows = []
        for candidate, *references in zip(trial.candidate, *trial.references, strict=True):
            found = [self._row(self._words(candidate), self._words(r)) for r in references]
            # Of several references the one under which this segment alone scores best.
            rows.append(
                found[0]
                if len(found) == 1
                else max(found, key=lambda row: float(zero_where_undefined(self.value(np.array(row)))))
            )
        return Counts((*names, "matches", "chunks"), np.array(rows, np.float64).reshape(-1, 6))

    def value(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        precision = ratio(totals[..., 0], totals[..., 1])
        recall = ratio(totals[..., 2], totals[..., 3])
        harmonic = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
        penalty = GAMMA * zero_where_undefined(ratio(totals[..., 5], totals[..., 4])) ** BETA
        undefined = (totals[..., 1] == 0) & (totals[..., 3] == 0)
        return np.where(undefined, np.nan, zero_where_undefined(harmonic * (1 - penalty)))

    def details(self, totals: NDArray[np.float64]) -> Mapping[str, float]:
        return {
            "precision": float(zero_where_undefined(ratio(totals[0], totals[1]))),
            "recall": float(zero_where_undefined(ratio(totals[2], totals[3]))),
            "chunks_per_match": float(zero_where_undefined(ratio(totals[5], totals[4]))),
        }

    def _row(self, candidate: Sequence[str], reference: Sequence[str]) -> tuple[float, ...]:
        matching = self._match(candidate, reference)
        weights = [
            [1 - self.delta if self._function_words.forms_in(token) else self.delta for token in tokens]
            for tokens in (candidate, reference)
        ]
        return (
            sum(weights[0][c] for c, _ in matching.pairs),
            sum(weights[0]),
            sum(weights[1][r] for _, r in matching.pairs),
            sum(weights[1]),
            len(matching.pairs),
            matching.chunks,
        )

    def _match(self, candidate: Sequence[str], reference: Sequence[str]) -> _Matching:
        """The most matches a left-to-right beam finds, then the most exact ones, then the fewest chunks."""
        words, wanted = [fold(t) for t in candidate], [fold(t) for t in reference]
        by_stem = defaultdict(list)
        for position, word in enumerate(wanted):
            by_stem[self._stem(word)].append(position)
        beam = [_Matching()]
        for position, word in enumerate(words):
            if targets := by_stem.get(self._stem(word)):
                grown = [
                    matching.extend(position, r, exact=word == wanted[r])
                    for matching in beam
                    for r in targets
                    if not matching.used >> r & 1
                ]
                beam = sorted(beam + grown, key=_Matching.rank)[:_BEAM]
        return beam[0]


class MeteorPronouns(Meteor):
    """METEOR restricted to pronouns (apt-2017, section 3.2): they are the function words, and delta is 0."""

    name = "meteor-pronouns"
    depends = frozenset({"tok", "packs", "forms"})
    delta = 0.0
