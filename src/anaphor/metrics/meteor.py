"""METEOR with exact and stem matching, for all words or weighted towards pronouns.

The score is that of Banerjee and Lavie (2005) with alpha 0.9, beta 3 and gamma 0.5; delta, the weight of
content words relative to function words, is from Denkowski and Lavie (2014). Synonyms and paraphrases are not
supported, so this is not METEOR 1.5: the signature lists the modules used.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple, Self

import numpy as np
import snowballstemmer

from anaphor.core import Counts
from anaphor.core.array_types import Doubles
from anaphor.languages import FormMatcher, fold
from anaphor.metrics.contract import Metric, MetricContext, MetricInput, zero_where_undefined
from anaphor.stats import ratio

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
_STEMMERS = {"de": "german", "en": "english", "es": "spanish", "fr": "french"}
#: Partial matchings kept while reading the candidate; ambiguity is rare, so few are enough.
_BEAM = 8
#: How far a match may be from the place in the reference that corresponds to a word of the candidate. Lines
#: of up to this many words are not limited by it; for longer ones it keeps the time linear in their length.
REACH = 512


class _Matching(NamedTuple):
    """The positions matched so far, last pair first, with the criteria for choosing between matchings."""

    matches: int = 0
    inexact: int = 0
    chunks: int = 0  # runs of neighbours that both sides have in the same order
    used: int = 0  # reference positions as bits, from the first one that is still in reach
    last: tuple[int, int] = (-2, -2)
    before: _Matching | None = None

    def rank(self) -> tuple[int, int, int]:
        return -self.matches, self.inexact, self.chunks

    def pairs(self) -> list[tuple[int, int]]:
        """The (candidate, reference) positions in candidate order."""
        pairs = []
        matching: _Matching | None = self
        while matching is not None and matching.before is not None:
            pairs.append(matching.last)
            matching = matching.before
        return pairs[::-1]


class Meteor(Metric):
    """METEOR over all words: function words weigh as much as others (delta 0.5)."""

    name = "meteor"
    pronominal = False
    depends = frozenset({"tok", "packs"})
    delta = 0.5

    def __init__(self, context: MetricContext) -> None:
        self._language = context.pack.pair.target
        self._words = context.target.words
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
            by_reference = [self._row(self._words(candidate), self._words(r)) for r in references]
            # Of several references the one under which this segment alone scores best.
            rows.append(
                by_reference[0]
                if len(by_reference) == 1
                else max(by_reference, key=lambda row: float(zero_where_undefined(self.value(np.array(row)))))
            )
        return Counts((*names, "matches", "chunks"), np.array(rows, np.float64).reshape(-1, 6))

    def value(self, totals: Doubles) -> Doubles:
        precision = ratio(totals[..., 0], totals[..., 1])
        recall = ratio(totals[..., 2], totals[..., 3])
        harmonic = ratio(precision * recall, ALPHA * precision + (1 - ALPHA) * recall)
        penalty = GAMMA * zero_where_undefined(ratio(totals[..., 5], totals[..., 4])) ** BETA
        undefined = (totals[..., 1] == 0) & (totals[..., 3] == 0)
        return np.where(undefined, np.nan, zero_where_undefined(harmonic * (1 - penalty)))

    def details(self, totals: Doubles) -> Mapping[str, float]:
        return {
            "precision": float(zero_where_undefined(ratio(totals[0], totals[1]))),
            "recall": float(zero_where_undefined(ratio(totals[2], totals[3]))),
            "chunks_per_match": float(zero_where_undefined(ratio(totals[5], totals[4]))),
        }

    def _row(self, candidate: Sequence[str], reference: Sequence[str]) -> tuple[float, ...]:
        matching = self._match(candidate, reference)
        pairs = matching.pairs()
        weights = [
            [1 - self.delta if self._function_words.forms_in(token) else self.delta for token in tokens]
            for tokens in (candidate, reference)
        ]
        return (
            sum(weights[0][c] for c, _ in pairs),
            sum(weights[0]),
            sum(weights[1][r] for _, r in pairs),
            sum(weights[1]),
            matching.matches,
            matching.chunks,
        )

    def _match(self, candidate: Sequence[str], reference: Sequence[str]) -> _Matching:
        """The most matches that a left-to-right beam search finds, then the most exact ones, then the fewest
        chunks.
        """
        words, wanted = [fold(t) for t in candidate], [fold(t) for t in reference]
        by_stem = defaultdict(list)
        for position, word in enumerate(wanted):
            by_stem[self._stem(word)].append(position)
        beam, first = [_Matching()], 0
        for position, word in enumerate(words):
            if not (targets := by_stem.get(self._stem(word))):
                continue
            if max(len(words), len(wanted)) > REACH:
                centre = position * len(wanted) // len(words)
                moved = max(first, centre - REACH) - first
                first += moved
                beam = [matching._replace(used=matching.used >> moved) for matching in beam]
                targets = targets[bisect_left(targets, first) : bisect_left(targets, centre + REACH)]
            exact = [word == wanted[r] for r in targets]
            grown = [
                new for matching in beam for new in _extensions(matching, position, targets, exact, first)
            ]
            beam = sorted(beam + grown, key=_Matching.rank)[:_BEAM]
        return beam[0]


def _extensions(
    matching: _Matching, position: int, targets: Sequence[int], exact: Sequence[bool], first: int
) -> Iterator[_Matching]:
    """Extend the matching by one pair, for every free target that could be among the best.

    Pairs that are equally exact and join nothing rank equally, earlier ones first, so a beam never needs more
    of them than its width.
    """
    matches, inexact, chunks, used, (c, r), _ = matching
    adjoining = r + 1 if c == position - 1 else -1
    left = [_BEAM, _BEAM]  # of inexact pairs, of exact ones
    for target, same in zip(targets, exact, strict=True):
        if used >> (target - first) & 1:
            continue
        if target == adjoining:
            joined = 1
        elif left[same]:
            left[same] -= 1
            joined = 0
        elif target > adjoining and not any(left):
            return
        else:
            continue
        yield _Matching(
            matches + 1,
            inexact + (not same),
            chunks + 1 - joined,
            used | 1 << (target - first),
            (position, target),
            matching,
        )


class MeteorPronouns(Meteor):
    """METEOR restricted to pronouns (apt-2017, section 3.2): they are the function words, and delta is 0."""

    name = "meteor-pronouns"
    depends = frozenset({"tok", "packs", "forms"})
    delta = 0.0
