"""AutoPRF: precision and recall of the words linked to source pronouns (Hardmeier and Federico, 2010).

Counts are clipped for every pronoun token, as in the released tool and in guillou-hardmeier-2018, or over the
corpus, as in the formula of apt-2017, section 3.2. Words are compared case-sensitively as written, and the
aligner's links are used without repair.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from anaphor.core import Counterpart, Counts, PronounPair
from anaphor.core.array_types import Doubles
from anaphor.metrics.contract import MetricContext, MetricInput, PairMetric, zero_where_undefined
from anaphor.metrics.options import AUTOPRF
from anaphor.stats import ratio

Words = tuple[str, ...]


def _words(counterpart: Counterpart | None) -> Words:
    return () if counterpart is None else counterpart.linked_words


def _matches(reference: Words, candidate: Words) -> int:
    """Size of the intersection of two multisets; most are one word each."""
    if len(candidate) == 1:
        return int(candidate[0] in reference)
    return sum([min(reference.count(word), candidate.count(word)) for word in {*candidate}])


def _best_reference(references: Sequence[Counterpart | None], candidate: Words) -> Words:
    """The reference with the most matches; ties go to the one with fewer words, then to the first."""
    if len(references) == 1:
        return _words(references[0])
    options = [_words(reference) for reference in references]
    return min(options, key=lambda words: (-_matches(words, candidate), len(words)))


def matched_words(pair: PronounPair) -> Words:
    """The linked words that a candidate shares with its best reference, in alphabetical order.

    There are as many as the clipped count, which is seldom above one (guillou-hardmeier-2018, section 4).
    """
    candidate = _words(pair.candidate)
    reference = _best_reference(pair.references, candidate)
    return tuple(sorted((Counter(candidate) & Counter(reference)).elements()))


class AutoPrf(PairMetric):
    """F1 of linked words; precision and recall are its details."""

    name = "autoprf"
    depends = frozenset({"tok", "packs", "pronouns", "aligner"})
    options = AUTOPRF
    by_counterparts = True

    def __init__(self, *, clip: str) -> None:
        self.clip = clip

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        return cls(**context.values(cls))

    def count_pairs(self, trial: MetricInput) -> Counts:
        candidates = [_words(pair.candidate) for pair in trial.pairs]
        references = [
            _best_reference(pair.references, candidate)
            for pair, candidate in zip(trial.pairs, candidates, strict=True)
        ]
        if self.clip == "corpus":
            return _count_by_word(references, candidates)
        columns = map(_matches, references, candidates), map(len, candidates), map(len, references)
        rows = np.stack([np.fromiter(column, np.float64, len(trial.pairs)) for column in columns], axis=1)
        return Counts(("matches", "candidate_words", "reference_words"), rows)

    def value(self, totals: Doubles) -> Doubles:
        matches, candidate, reference = self._sums(totals)
        # 2PR / (P + R) with P = matches / candidate and R = matches / reference.
        return ratio(2 * matches, candidate + reference)

    def details(self, totals: Doubles) -> Mapping[str, float]:
        matches, candidate, reference = self._sums(totals)
        return {
            "precision": float(zero_where_undefined(ratio(matches, candidate))),
            "recall": float(zero_where_undefined(ratio(matches, reference))),
            "matches": float(matches),
            "candidate_words": float(candidate),
            "reference_words": float(reference),
        }

    def _sums(self, totals: Doubles) -> tuple[Doubles, Doubles, Doubles]:
        if self.clip == "pronoun":
            return totals[..., 0], totals[..., 1], totals[..., 2]
        # Clipped after summing: min of both counts, word by word (apt-2017, section 3.2).
        half = totals.shape[-1] // 2
        candidate, reference = totals[..., :half], totals[..., half:]
        return np.minimum(candidate, reference).sum(-1), candidate.sum(-1), reference.sum(-1)


def _count_by_word(references: Sequence[Words], candidates: Sequence[Words]) -> Counts:
    """Two columns per word, candidate and reference, because clipping happens after summation."""
    vocabulary = sorted({word for words in (*references, *candidates) for word in words})
    column = {word: i for i, word in enumerate(vocabulary)}
    rows = np.zeros((len(candidates), 2 * len(vocabulary)))
    for row, reference, candidate in zip(rows, references, candidates, strict=True):
        for word in candidate:
            row[column[word]] += 1
        for word in reference:
            row[len(vocabulary) + column[word]] += 1
    names = [f"candidate {word}" for word in vocabulary] + [f"reference {word}" for word in vocabulary]
    return Counts(tuple(names), rows)
