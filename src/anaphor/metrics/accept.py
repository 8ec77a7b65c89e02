"""Acceptability: the share of pronouns that a careful reader would leave as they are.

APT asks whether a pronoun is the same as in the reference. This metric asks whether the rendering is
acceptable in this particular translation. `anaphor.verdict` decides: its witnesses examine the antecedent,
the rendering of the pronoun, whether its clause was translated, and the opinion of an error detector. The
score is the mean probability over *all* pronouns: missing and lost ones count, and an open verdict counts
with its probability.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np

from anaphor.core import Counts
from anaphor.core.array_types import Doubles
from anaphor.core.learned import signed_models
from anaphor.metrics.apt import PronounComparer
from anaphor.metrics.contract import BUILT_IN, Judged, MetricContext, MetricInput, PronounJudge
from anaphor.metrics.options import ACCEPT
from anaphor.verdict import VERDICTS, CandidateText, Judge, fusion_digest
from anaphor.verdict.base_rate import BINS, bin_of, wrong_share

#: The last columns count pronouns by likelihood ratio: the base rate of any sum of rows follows from them.
_COLUMNS = (*VERDICTS, *(f"evidence {number}" for number in range(BINS)))


class Accept(PronounJudge):
    """Mean probability that a careful reader accepts the rendering of a pronoun."""

    name = "accept"
    depends = frozenset({"tok", "packs", "forms", "pronouns", "repair", "aligner", "documents"})
    reference_is_perfect = False
    needs_reference = False
    weighable = True
    options = ACCEPT

    def __init__(
        self,
        context: MetricContext,
        *,
        use_reference: bool,
        detector: str,
        pointer: bool,
        they: str = "default",
    ) -> None:
        pair = context.pack.pair
        self.judge = Judge(
            pair,
            words=context.target.words,
            source_words=context.source.words,
            target=context.pack.target,
            they=they,
        )
        self._use_reference = use_reference
        self.detector = {"use": BUILT_IN, "ignore": ""}.get(detector, detector)
        self.pointer = pointer
        self._comparer = PronounComparer(context.pack, other="different", they=they)
        self._prior = self.judge.prior

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        values = context.values(cls)
        return cls(
            context,
            use_reference=values["accept-reference"] == "use",
            detector=values["accept-detector"],
            pointer=values["accept-pointer"] == "use",
            they=values["they"],
        )

    def settings(self) -> Mapping[str, str]:
        # Two copies of one detector have the same signature, wherever they are.
        named = {"accept-detector": "folder"} if self.detector not in ("", BUILT_IN) else {}
        return {
            **named,
            "reference": "used" if self._use_reference else "ignored",
            "resolver": self.judge.resolver.digest(),
            "weights": fusion_digest(),
            **signed_models(),
        }

    def text(self, trial: MetricInput) -> CandidateText:
        """The candidate in the form that the judge takes."""
        if trial.alignment is None:
            raise ValueError("acceptability needs the source and the alignment of the candidate")
        outcomes = []
        if self._use_reference and trial.references:
            outcomes = [
                [self._comparer.outcome(reference, pair.candidate) for reference in pair.references]
                for pair in trial.pairs
            ]
        return CandidateText(
            source=trial.source,
            candidate=trial.candidate,
            pairs=trial.pairs,
            alignment=trial.alignment,
            documents=trial.documents,
            outcomes=outcomes,
            detector=trial.detector if self.detector else None,
            pointer=trial.pointer if self.pointer else None,
            before=trial.before,
        )

    def judged(self, trial: MetricInput) -> Judged:
        weighed = self.judge.weigh(self.text(trial)) if trial.weighed is None else trial.weighed
        scores = self.judge.decide(weighed, reference=self._use_reference and bool(trial.references))
        rows = np.zeros((len(trial.pairs), len(_COLUMNS)))
        for row, score, evidence in zip(rows, scores, weighed, strict=True):
            row[VERDICTS.index(score.verdict)] = 1
            row[len(VERDICTS) + bin_of(evidence.ratio)] = 1
        return Judged(scores, Counts(_COLUMNS, rows))

    def value(self, totals: Doubles) -> Doubles:
        share: Doubles = 1 - wrong_share(totals[..., len(VERDICTS) :], self._prior)
        return share

    def details(self, totals: Doubles) -> Mapping[str, float]:
        counts = dict(zip(VERDICTS, map(float, totals), strict=False))
        return {"judged": counts["accepted"] + counts["rejected"], **counts}
