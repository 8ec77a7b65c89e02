"""BLEU and chrF: sacrebleu counts, and we sum.

sacrebleu's segment statistics are what its own significance tests resample; only the scoring of sums is
reimplemented here, for whole arrays at once. A test compares both with sacrebleu's scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np
import sacrebleu
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from anaphor.core import Counts
from anaphor.core.array_types import Doubles
from anaphor.metrics.contract import Metric, MetricContext, MetricInput, zero_where_undefined
from anaphor.stats import ratio

_ORDER = 4
#: sacreBLEU's tokenizers for languages without spaces between words; its one for Japanese needs MeCab.
_TOKENIZERS = {"ja": "char", "zh": "zh"}


def _statistics(counter: BLEU | CHRF, trial: MetricInput) -> Doubles:
    references = [list(lines) for lines in trial.references]
    # Private in sacrebleu, but the only way to its counts; a test compares our scores with its own.
    statistics = counter._extract_corpus_statistics(list(trial.candidate), references)
    return np.array(statistics, np.float64)


class Bleu(Metric):
    """BLEU with sacrebleu's defaults: 13a tokens for most raw text, exponential smoothing, order 4."""

    name = "bleu"
    pronominal = False
    depends = frozenset()

    def __init__(self, *, tokenize: str) -> None:
        self.tokenize = tokenize

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        language = context.pack.target.code
        return cls(tokenize="none" if context.target.given else _TOKENIZERS.get(language, "13a"))

    def settings(self) -> Mapping[str, str]:
        return {"case": "mixed", "tok": self.tokenize, "smooth": "exp", "sacrebleu": sacrebleu.__version__}

    def count(self, trial: MetricInput) -> Counts:
        orders = range(1, _ORDER + 1)
        ngrams = (f"{kind}_{n}" for kind in ("matches", "total") for n in orders)
        return Counts(
            ("candidate_length", "reference_length", *ngrams),
            _statistics(BLEU(tokenize=self.tokenize, force=True), trial),
        )

    def value(self, totals: Doubles) -> Doubles:
        matches, total = totals[..., 2 : 2 + _ORDER], totals[..., 2 + _ORDER :]
        # Every order without a match halves its assumed count once more than the order before it.
        halvings = np.cumsum(matches == 0, axis=-1)
        precision = ratio(np.where(matches == 0, 0.5**halvings, matches), total)
        defined = np.asarray(matches.any(axis=-1) & (total > 0).all(axis=-1))
        # The geometric mean of the precisions, undefined orders replaced before the logarithm.
        geometric = np.exp(np.log(np.where(defined[..., None], precision, 1.0)).mean(axis=-1))
        return np.where(defined, geometric * self._brevity(totals), 0.0)

    def details(self, totals: Doubles) -> Mapping[str, float]:
        return {
            "brevity_penalty": float(self._brevity(totals)),
            "length_ratio": float(zero_where_undefined(ratio(totals[0], totals[1]))),
        }

    def _brevity(self, totals: Doubles) -> Doubles:
        # exp(1 - reference / candidate) for candidates that are shorter, 1 for others.
        shortfall = zero_where_undefined(1 - ratio(totals[..., 1], totals[..., 0]))
        return np.where(totals[..., 0] > 0, np.exp(np.minimum(shortfall, 0.0)), 0.0)


class Chrf(Metric):
    """chrF2 with sacrebleu's defaults: six characters, no words, beta 2."""

    name = "chrf"
    pronominal = False
    depends = frozenset()

    @classmethod
    def build(cls, context: MetricContext) -> Self:  # noqa: ARG003 - chrF has no option of ours
        return cls()

    def settings(self) -> Mapping[str, str]:
        return {"case": "mixed", "nc": "6", "nw": "0", "beta": "2", "sacrebleu": sacrebleu.__version__}

    def count(self, trial: MetricInput) -> Counts:
        names = tuple(f"{kind}_{n}" for n in range(1, 7) for kind in ("candidate", "reference", "matches"))
        return Counts(names, _statistics(CHRF(), trial))

    def value(self, totals: Doubles) -> Doubles:
        precision, recall = self._averages(totals)
        # F with beta 2: (1 + 4) P R / (4 P + R).
        return zero_where_undefined(ratio(5 * precision * recall, 4 * precision + recall))

    def details(self, totals: Doubles) -> Mapping[str, float]:
        precision, recall = self._averages(totals)
        return {"precision": float(precision), "recall": float(recall)}

    def _averages(self, totals: Doubles) -> tuple[Doubles, Doubles]:
        candidate, reference, matches = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        # As sacreBLEU does, orders for which a side is too short are left out of the average.
        used = (candidate > 0) & (reference > 0)
        orders = used.sum(axis=-1)
        means = [
            ratio((zero_where_undefined(ratio(matches, whole)) * used).sum(axis=-1), orders)
            for whole in (candidate, reference)
        ]
        return zero_where_undefined(means[0]), zero_where_undefined(means[1])
