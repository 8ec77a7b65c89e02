"""The contract of a metric: counts per segment first, then a score from their sums.

A score depends on column sums alone. Intervals, significance tests and document scores need nothing else, so
they work for every metric and know none by name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from anaphor.core import (
    Counts,
    LanguagePair,
    PronounPair,
    PronounScore,
    Settings,
    UnknownNameError,
    UserError,
)
from anaphor.core.array_types import Doubles, Longs
from anaphor.core.options import MetricOption
from anaphor.languages import PairPack, Tokenizer, load_pair
from anaphor.metrics import METRICS
from anaphor.metrics.options import known_options, option_values
from anaphor.pronouns import EvaluatedForms, PronounPairs, Splitter, as_linked

if TYPE_CHECKING:
    from anaphor.antecedents.pointing import Pointer
    from anaphor.corpus import AlignmentFile
    from anaphor.verdict import Weighed
    from anaphor.verdict.contract import Detector


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricContext:
    """Everything a metric is built from: the language pack, the target pronouns to compare, the tokenizers.

    `source` and `target` split the lines of each side. `options` are the metric options in `Settings`.
    """

    pack: PairPack
    forms: tuple[str, ...]
    source: Splitter
    target: Splitter
    options: Mapping[str, Any]

    @classmethod
    def of(cls, settings: Settings) -> MetricContext:
        """Build the context that these settings describe; raise UserError if there is no pack or an option is
        unknown.
        """
        check_options(settings)
        folder = None if settings.packs is None else Path(settings.packs)
        pack = load_pair(LanguagePair.parse(settings.pair), folder=folder)
        return cls(
            pack=pack,
            forms=EvaluatedForms.of(pack, settings).forms,
            source=Splitter.of(Tokenizer(pack.source), tokenized=settings.tokenized),
            target=Splitter.of(Tokenizer(pack.target), tokenized=settings.tokenized),
            options=settings.options,
        )

    def values(self, metric: type[Metric] | Metric) -> dict[str, Any]:
        """The options declared by a metric, by name: validated, with defaults filled in."""
        return option_values(metric.name, metric.options, self.options)


#: The detector of wrong pronouns that ships.
BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class MetricInput:
    """A candidate as passed to metrics: its lines, its references and its pronoun pairs.

    `source`, `documents` (the name of each segment's document) and `alignment` are for metrics that look
    beyond the pair of a pronoun. `detector` and `pointer` are set if a metric uses them. For a part of a
    text, `before` is the number of lines before it. `weighed` is the evidence for `accept` on every pronoun,
    collected by workers part by part.
    """

    system: str
    references: tuple[Sequence[str], ...]
    candidate: Sequence[str]
    pairs: Sequence[PronounPair]
    source: Sequence[str] = ()
    documents: Sequence[str] | None = None
    alignment: AlignmentFile | None = None
    detector: Detector | None = None
    pointer: Pointer | None = None
    before: int = 0
    weighed: Sequence[Weighed] | None = None

    def of(self, metric: Metric) -> MetricInput:
        """The input of one metric: without verbs as counterparts unless it takes them."""
        return self if metric.dropped_subjects else replace(self, pairs=linked_pairs(self.pairs))


def linked_pairs(pairs: Sequence[PronounPair]) -> Sequence[PronounPair]:
    """The same pairs with the counterparts by links alone; the same object if there are no others."""
    firsts, _ = PronounPairs.of(pairs).distinct
    sides = (side for pair in firsts for side in (pair.candidate, *pair.references))
    if not any(side is not None and side.dropped is not None for side in sides):
        return pairs
    return PronounPairs(
        PronounPair(pair.source, tuple(map(as_linked, pair.references)), as_linked(pair.candidate))
        for pair in pairs
    )


class Metric(ABC):
    """A way of counting and scoring. Every metric inherits from it, including third-party ones.

    The contract tests in `tests/contracts` run on every metric.
    """

    name: ClassVar[str]
    #: Judges pronoun pairs, so it needs an alignment.
    pronominal: ClassVar[bool]
    #: What its number depends on besides its own settings: of tok, packs, forms, pronouns, repair, aligner,
    #: documents.
    depends: ClassVar[frozenset[str]]
    #: A candidate that equals the reference gets full marks; where it need not, the self-check leaves it out.
    reference_is_perfect: ClassVar[bool] = True
    #: Cannot score without a reference.
    needs_reference: ClassVar[bool] = True
    #: The detector of wrong pronouns that it wants in `MetricInput.detector`: `BUILT_IN`, which there is for
    #: some pairs, or the folder of another one; empty for none.
    detector: str = ""
    #: Wants `MetricInput.pointer`, which there is for English sources.
    pointer: bool = False
    #: Takes `MetricInput.weighed` where workers have done its work.
    weighable: bool = False
    #: Takes verbs that carry the subject as counterparts, where the settings ask for them.
    dropped_subjects: ClassVar[bool] = False
    #: Its own options; the command line, settings and signature follow from this declaration.
    options: ClassVar[tuple[MetricOption, ...]] = ()

    @classmethod
    @abstractmethod
    def build(cls, context: MetricContext) -> Self:
        """Build the metric; `context.values(cls)` returns its options."""

    def settings(self) -> Mapping[str, str]:
        """What the signature shows in addition to the options: constants, versions, and decisions of the
        context.

        Hashes of the detector and the pointer are added to it.

        A metric with an optional reference reports in `reference` whether it is `used` or `ignored`; without
        a reference, the signature says `none`.
        """
        return {}

    @abstractmethod
    def count(self, trial: MetricInput) -> Counts:
        """Statistics of the candidate, one row per segment."""

    @abstractmethod
    def value(self, totals: Doubles) -> Doubles:
        """Scores from 0 to 1 for sums of rows, over the last axis; NaN if there is nothing to score."""

    @abstractmethod
    def details(self, totals: Doubles) -> Mapping[str, float]:
        """The components of one score that are worth displaying."""


def load_metric(name: str) -> type[Metric]:
    """Load the class of a built-in or third-party metric."""
    kind = METRICS.get(name)
    if not (isinstance(kind, type) and issubclass(kind, Metric)):
        what = f"the metric {name} does not inherit from anaphor.metrics.Metric"
        fix = "fix the package that provides it; CONTRIBUTING.md has the recipe"
        raise UserError(what, where=METRICS.target(name), fix=fix)
    return kind


def third_party_options(metrics: Iterable[str]) -> dict[str, tuple[MetricOption, ...]]:
    """The options of those metrics that are not built in; one that fails to load is an error."""
    return {name: load_metric(name).options for name in metrics if not METRICS.is_built_in(name)}


def check_options(settings: Settings) -> None:
    """Raise for options unknown to all metrics of the experiment, and for invalid values."""
    known = known_options(third_party_options(settings.metrics))
    for key, value in settings.options.items():
        if key not in known:
            raise UnknownNameError.among(key, known, kind="option", where="Settings")
        known[key].checked(value, where=f"--{key.replace('_', '-')}")


class PairMetric(Metric):
    """A metric that counts for each pronoun pair separately; the counts of a segment are their sums.

    Counts by pronoun, by segment and over the corpus need a single pass over the pairs.
    """

    pronominal: ClassVar[bool] = True
    #: Looks at the counterparts of a pair and at nothing else: those with the same ones are counted once.
    by_counterparts: ClassVar[bool] = False

    @abstractmethod
    def count_pairs(self, trial: MetricInput) -> Counts:
        """Statistics of the candidate, one row per pair."""

    def count(self, trial: MetricInput) -> Counts:
        segments = PronounPairs.of(trial.pairs).segments
        return sum_by_segment(count_each(self, trial), segments, lines=len(trial.candidate))


def count_each(metric: PairMetric, trial: MetricInput) -> Counts:
    """Equivalent to `count_pairs`, but looks at identical pairs only once."""
    if not metric.by_counterparts:
        return metric.count_pairs(trial)
    firsts, kinds = PronounPairs.of(trial.pairs).distinct
    counts = metric.count_pairs(replace(trial, pairs=firsts))
    return Counts(counts.names, counts.rows[kinds])


def sum_by_segment(counts: Counts, segments: Longs, *, lines: int) -> Counts:
    """Sum one row per pair into one row per segment, given the segment of each pair."""
    rows = np.zeros((lines, len(counts.names)))
    # Pairs come in the order of the text but for those that a caller has put together.
    order = np.argsort(segments, kind="stable")
    segments = segments[order]
    firsts = np.flatnonzero(np.diff(segments, prepend=-1))
    if len(firsts):
        rows[segments[firsts]] = np.add.reduceat(counts.rows[order], firsts, axis=0)
    return Counts(counts.names, rows)


class Judged(NamedTuple):
    """One score and one row of counts for every pair of a trial, in order."""

    scores: Sequence[PronounScore]
    counts: Counts


class PronounJudge(PairMetric):
    """A metric that judges every single pronoun and gives a reason. It counts its own verdicts."""

    @abstractmethod
    def judged(self, trial: MetricInput) -> Judged:
        """The verdict on every pair, and its counts."""

    def count_pairs(self, trial: MetricInput) -> Counts:
        return self.judged(trial).counts


def zero_where_undefined(values: Doubles) -> Doubles:
    """Replace NaN by 0, for components that count as nothing if undefined."""
    return np.nan_to_num(values, nan=0.0)
