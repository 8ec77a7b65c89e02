"""APT, the accuracy of pronoun translation (apt-2017, sections 2.4 and 2.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Self

import numpy as np

from anaphor.core import Counterpart, Counts, Outcome, PronounPair, Settings, Verdict
from anaphor.core.array_types import Doubles
from anaphor.languages import NeutralForms, PairPack, fold
from anaphor.metrics.contract import MetricContext, MetricInput, PairMetric
from anaphor.metrics.options import APT, option_value
from anaphor.pronouns import PronounPairs
from anaphor.stats import Value, ratio

_COLUMN = {outcome: outcome.value - 1 for outcome in Outcome}


class PronounComparer:
    """Decides between the outcomes, using the identical and equivalent sets of a pair."""

    def __init__(self, pack: PairPack, *, other: str, dropped: str = "ignore", they: str = "default") -> None:
        heads = {form: group[0] for group in pack.identical for form in group}
        pairs = (tuple(heads.get(form, form) for form in entry.forms) for entry in pack.equivalent)
        self._heads = heads
        self._equivalent = {frozenset(pair) for pair in pairs}
        self._other, self._dropped = other, dropped
        self._numbers: dict[str, set[str]] = {}
        for form in pack.target.forms:
            self._numbers.setdefault(form.form, set()).add(form.number)
        # Neutral forms are equivalent to those for one person under a policy alone.
        self._neutral: frozenset[str] = frozenset()
        if they in ("singular", "either"):
            self._neutral = NeutralForms.of(pack.target, they).personal
        self._gendered = frozenset(
            form.form
            for form in pack.target.forms
            if (form.person, form.number) == (3, "singular") and form.gender in ("masculine", "feminine")
        )
        # A text has few different pairs of forms.
        self._listed = cache(self._compare_listed)

    def outcome(self, reference: Counterpart | None, candidate: Counterpart | None) -> Outcome:
        if reference is None:
            return Outcome.BOTH_MISSING if candidate is None else Outcome.REFERENCE_MISSING
        if candidate is None:
            return Outcome.CANDIDATE_MISSING
        if reference.dropped or candidate.dropped:
            return self._compare_dropped(reference, candidate)
        if reference.forms or candidate.forms:
            return self._listed(reference.forms, candidate.forms)
        # Neither side has a listed pronoun; whether that is right is a matter of the option `other`.
        same = {fold(w) for w in reference.words} & {fold(w) for w in candidate.words}
        if self._other == "identical" or (self._other == "same-word" and same):
            return Outcome.IDENTICAL
        return Outcome.DIFFERENT

    def _compare_dropped(self, reference: Counterpart, candidate: Counterpart) -> Outcome:
        """Two verbs that carry the subject are identical; one and a pronoun are what `dropped` says.

        Both need the same number, as far as it is known.
        """
        first, second = self._numbers_of(reference), self._numbers_of(candidate)
        if not first or not second or not (first & second or "any" in first | second):
            return Outcome.DIFFERENT
        if reference.dropped and candidate.dropped:
            return Outcome.IDENTICAL
        return Outcome.EQUIVALENT if self._dropped == "equivalent" else Outcome.DIFFERENT

    def _numbers_of(self, counterpart: Counterpart) -> set[str]:
        """The numbers of a verb or of pronouns; empty for other words."""
        if counterpart.dropped is not None:
            return {counterpart.dropped.number}
        return {number for form in counterpart.forms for number in self._numbers.get(form, ("any",))}

    def head(self, form: str) -> str:
        """The first member of a form's identical set, or the form itself: c' becomes ce."""
        return self._heads.get(form, form)

    def heads(self, forms: tuple[str, ...]) -> frozenset[str]:
        return frozenset(map(self.head, forms))

    def _compare_listed(self, reference: tuple[str, ...], candidate: tuple[str, ...]) -> Outcome:
        wanted, given = self.heads(reference), self.heads(candidate)
        if wanted & given:
            return Outcome.IDENTICAL
        if any(frozenset((r, c)) in self._equivalent for r in wanted for c in given):
            return Outcome.EQUIVALENT
        if self._is_neutral(reference, candidate) or self._is_neutral(candidate, reference):
            return Outcome.EQUIVALENT
        return Outcome.DIFFERENT

    def _is_neutral(self, forms: tuple[str, ...], others: tuple[str, ...]) -> bool:
        """Whether one side is neutral where the other has the gender of a person."""
        return not self._neutral.isdisjoint(forms) and not self._gendered.isdisjoint(others)


def _columns(weights: Sequence[float], discard: Collection[int]) -> tuple[Doubles, Doubles]:
    """The weight of each case, and 1 for a case that is kept; 0 in both for another."""
    kept = np.array([case.value not in discard for case in Outcome], np.float64)
    return np.array(weights, np.float64) * kept, kept


def _weighted_share(weights: Sequence[float], discard: Collection[int]) -> Value:
    """Σ weight · count over the cases that are kept, divided by their counts (apt-2017, section 2.4)."""
    kept_weights, kept = _columns(weights, discard)
    return lambda totals: ratio(totals @ kept_weights, totals @ kept)


def apt_columns(settings: Settings) -> Doubles:
    """What turns counts of the six cases into two that are enough for APT, see `apt_of_columns`."""
    return np.stack(_columns(option_value(settings, "weights"), option_value(settings, "discard")), axis=1)


def apt_of_columns(totals: Doubles) -> Doubles:
    """APT from the totals of `apt_columns`."""
    return ratio(totals[..., 0], totals[..., 1])


def apt_value(settings: Settings) -> Value:
    """APT as a function of the totals of the six cases, without the packs that the metric itself needs."""
    return _weighted_share(option_value(settings, "weights"), option_value(settings, "discard"))


class Apt(PairMetric):
    """Weighted share of pronouns translated as in the reference."""

    name = "apt"
    depends = frozenset({"tok", "packs", "forms", "pronouns", "repair", "aligner"})
    options = APT
    by_counterparts = True
    dropped_subjects = True

    def __init__(
        self,
        pack: PairPack,
        *,
        weights: Sequence[float],
        discard: Collection[int],
        other: str,
        dropped: str = "ignore",
        they: str = "default",
    ) -> None:
        self.weights = tuple(weights)
        self.comparer = PronounComparer(pack, other=other, dropped=dropped, they=they)
        self._share = _weighted_share(weights, discard)

    @classmethod
    def build(cls, context: MetricContext) -> Self:
        return cls(context.pack, **context.values(cls))

    def verdicts(self, pairs: Sequence[PronounPair]) -> list[Verdict]:
        """Return one verdict per pair; with several references, the best one for the candidate."""
        firsts, kinds = PronounPairs.of(pairs).distinct
        judged = list(self._judge(firsts))
        outcomes = [judged[kind] for kind in kinds.tolist()]
        return [
            Verdict(pair, case, reference) for pair, (case, reference) in zip(pairs, outcomes, strict=True)
        ]

    def _judge(self, pairs: Iterable[PronounPair]) -> Iterator[tuple[Outcome, int]]:
        """The outcome of each pair, and the index of the reference that produced it."""
        compare = self.comparer.outcome
        for pair in pairs:
            # Without any reference its side of every pair is missing, which is what the outcome says.
            references = pair.references or (None,)
            if len(references) == 1:
                yield compare(references[0], pair.candidate), 0
                continue
            outcomes = [compare(reference, pair.candidate) for reference in references]
            best = min(
                range(len(outcomes)),
                # The best weight; of equal weights the lower case, then the first reference.
                key=lambda i: (-self.weights[outcomes[i].value - 1], outcomes[i].value, i),
            )
            yield outcomes[best], best

    def count_pairs(self, trial: MetricInput) -> Counts:
        cases = np.fromiter(
            (_COLUMN[outcome] for outcome, _ in self._judge(trial.pairs)), np.int64, len(trial.pairs)
        )
        return Counts(tuple(case.label for case in Outcome), np.eye(6)[cases])

    def value(self, totals: Doubles) -> Doubles:
        return self._share(totals)

    def details(self, totals: Doubles) -> Mapping[str, float]:
        return {f"case_{case.value}": float(totals[case.value - 1]) for case in Outcome}
