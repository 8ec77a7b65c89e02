"""Breakdowns of a score: by source pronoun, by document, reference against candidate; and its bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from anaphor.core import Counterpart, Counts, Outcome, PronounPair, PronounScore, Signature, Verdict
from anaphor.core.array_types import Bools
from anaphor.metrics.apt import PronounComparer
from anaphor.metrics.contract import Metric, MetricInput, PairMetric, PronounJudge, count_each, sum_by_segment
from anaphor.pronouns import PronounPairs
from anaphor.stats import Measure, same_columns

#: Labels of a confusion matrix that are no forms: a word that is no listed pronoun, a verb that carries the
#: subject, and no word at all.
OTHER, VERB, NONE = "OTHER", "VERB", "NONE"


@dataclass(frozen=True, slots=True)
class MetricCounts:
    """One metric's counts by system, and its scores over the pronouns of each source form by system.

    `by_pronoun` is empty for metrics that judge no pronouns. `pronoun_scores`, by system, is empty for those
    that give no verdicts on single ones.
    """

    metric: Metric
    counts: Mapping[str, Counts]
    by_pronoun: Mapping[str, Mapping[str, float]]
    pronoun_scores: Mapping[str, tuple[PronounScore, ...]]

    @classmethod
    def of(cls, metric: Metric, trials: Iterable[MetricInput]) -> MetricCounts:
        """Count every trial."""
        counts, by_pronoun, pronoun_scores = {}, {}, {}
        for trial in (given.of(metric) for given in trials):
            by_pair = None
            if isinstance(metric, PronounJudge):
                judged, by_pair = metric.judged(trial)
                pronoun_scores[trial.system] = tuple(judged)
            # Counts of the parts add up to those of the whole: a metric that judges pronouns counts once.
            whole: Counts | None = None
            scores = {}
            for form, part in count_by_pronoun(metric, trial, by_pair):
                scores[form] = float(metric.value(part.totals()))
                whole = part if whole is None else add(whole, part)
            counts[trial.system] = metric.count(trial) if whole is None else whole
            by_pronoun[trial.system] = scores
        return cls(metric, counts, by_pronoun, pronoun_scores)

    def measure(
        self, sign: Callable[[Metric, str], Signature], right: Mapping[str, Bools] | None = None
    ) -> Measure:
        """The measure for `stats`; `right` as there."""
        metric = self.metric
        return Measure(metric.name, metric.value, self.counts, partial(sign, metric), metric.details, right)


def count_by_pronoun(
    metric: Metric, trial: MetricInput, by_pair: Counts | None = None
) -> Iterator[tuple[str, Counts]]:
    """Counts over the pronouns of each source form, which add up to those of the whole trial."""
    return count_by(metric, trial, PronounPairs.of(trial.pairs).forms if metric.pronominal else (), by_pair)


def count_by(
    metric: Metric, trial: MetricInput, kinds: Sequence[str | None], by_pair: Counts | None = None
) -> Iterator[tuple[str, Counts]]:
    """Counts over the pronouns of each kind, in alphabetical order; pronouns of kind None are left out.

    It is empty for a metric that judges no pronouns and for a trial without pronouns. `by_pair` are the
    counts of every pair, if they are known.
    """
    if not metric.pronominal:
        return
    names = sorted({kind for kind in kinds if kind is not None})
    counts = by_pair
    if counts is None and names and isinstance(metric, PairMetric):
        counts = count_each(metric, trial)
    of = np.array(kinds, np.object_)
    for name in names:
        numbers = np.flatnonzero(of == name)
        if counts is None:
            own = metric.count(replace(trial, pairs=[trial.pairs[number] for number in numbers.tolist()]))
            yield name, Counts(own.names, own.rows.copy())  # the caller may add to them
        else:
            segments = PronounPairs.of(trial.pairs).segments[numbers]
            part = Counts(counts.names, counts.rows[numbers])
            yield name, sum_by_segment(part, segments, lines=len(trial.candidate))


def by_document(metric: Metric, counts: Counts, documents: Sequence[str] | None) -> dict[str, float]:
    """The score of each document in corpus order; empty if no documents are known."""
    if documents is None:
        return {}
    names = list(dict.fromkeys(documents))
    number = {name: i for i, name in enumerate(names)}
    totals = np.zeros((len(names), counts.rows.shape[1]))
    np.add.at(totals, [number[name] for name in documents], counts.rows)
    return dict(zip(names, metric.value(totals).tolist(), strict=True))


def identical(verdicts: Sequence[Verdict]) -> Bools:
    """Whether each pronoun is right in the binary sense of McNemar's test: identical to the reference's."""
    return np.array([verdict.outcome is Outcome.IDENTICAL for verdict in verdicts], np.bool_)


def confusion(verdicts: Sequence[Verdict], comparer: PronounComparer) -> Mapping[tuple[str, str], int]:
    """How often each reference label coincides with each candidate label; every pronoun counts once.

    A side with several pronouns is represented by the one that decided an identical outcome, otherwise by its
    first.
    """
    kinds = Counter(
        (
            _forms(v.expected),
            _forms(v.pair.candidate),
            v.outcome,
        )
        for v in verdicts
    )
    counts: Counter[tuple[str, str]] = Counter()
    for (wanted, given, outcome), count in kinds.items():
        labels = _label(wanted, comparer), _label(given, comparer)
        if outcome is Outcome.IDENTICAL and wanted and given:
            shared = min(comparer.heads(wanted) & comparer.heads(given))
            labels = shared, shared
        counts[labels] += count
    return counts


def _forms(counterpart: Counterpart | None) -> tuple[str, ...] | None:
    """The forms of a counterpart; a verb that carries the subject has the form `VERB`."""
    if counterpart is None:
        return None
    return counterpart.forms if counterpart.dropped is None else (VERB,)


def _label(forms: tuple[str, ...] | None, comparer: PronounComparer) -> str:
    if forms is None:
        return NONE
    return comparer.head(forms[0]) if forms else OTHER


def as_candidate(pairs: Iterable[PronounPair], number: int) -> list[PronounPair]:
    """The same pronouns with a reference's counterparts as the candidate's."""
    return [PronounPair(pair.source, pair.references, pair.references[number]) for pair in pairs]


def shuffled_counterparts(pairs: Sequence[PronounPair], *, seed: int) -> list[PronounPair]:
    """The same pronouns, each with the candidate's counterpart of another one."""
    import random  # slow to import, and few runs shuffle anything

    given = [pair.candidate for pair in pairs]
    random.Random(seed).shuffle(given)  # noqa: S311 - no secret depends on it
    return [
        PronounPair(pair.source, pair.references, other) for pair, other in zip(pairs, given, strict=True)
    ]


def ceiling(metrics: Iterable[Metric], trial: MetricInput) -> dict[str, float]:
    """The reference's own score on each metric that compares pronouns with a reference.

    With several references, each pronoun uses the first reference that has a listed form for it, so no
    candidate can score higher. The counterparts of references are already known when a candidate is scored,
    so this costs almost nothing.
    """
    if not trial.references:
        return {}
    judging = [metric for metric in metrics if metric.pronominal and metric.reference_is_perfect]
    values = {}
    given = trial
    for metric in judging:
        trial = given.of(metric)
        if isinstance(metric, PairMetric) and metric.by_counterparts:
            firsts, kinds = PronounPairs.of(trial.pairs).distinct
            each = metric.count_pairs(replace(trial, pairs=_best_references(firsts)))
            counts = Counts(each.names, each.rows[kinds])
        else:
            own = replace(trial, pairs=_best_references(trial.pairs))
            counts = metric.count_pairs(own) if isinstance(metric, PairMetric) else metric.count(own)
        values[metric.name] = float(metric.value(counts.totals()))
    return {name: value for name, value in values.items() if not math.isnan(value)}


def _best_references(pairs: Iterable[PronounPair]) -> list[PronounPair]:
    """The same pronouns with the counterparts of their best reference as the candidate's."""
    perfect = []
    for pair in pairs:
        best = pair.references[0]
        if best is None or not best.forms:
            best = next((reference for reference in pair.references if reference and reference.forms), best)
        perfect.append(PronounPair(pair.source, pair.references, best))
    return perfect


def add(first: Counts, other: Counts) -> Counts:
    """Add the counts of two parts of one candidate, overwriting the first."""
    if first.names != other.names:
        first, other = same_columns([first, other])
    rows = first.rows
    rows += other.rows
    return Counts(first.names, rows)
