"""The automatic evaluation: candidates in, an outcome for every item out (protest-2016, section 5.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anaphor import __version__
from anaphor.core import Interval, Item, OptionError, Signature, Suite, collector_paused
from anaphor.corpus import Text
from anaphor.stats import Floats, cluster_ids, cluster_totals, holm, leave_one_out, mcnemar
from anaphor.stats.distributions import t_quantile
from anaphor.suite.folder import LoadedSuite, suite_digest
from anaphor.suite.linking import (
    EvaluationOptions,
    ExactMatcher,
    GivenLinks,
    Progress,
    check_candidates,
    find_words,
    link_texts,
)
from anaphor.suite.outcomes import CandidateWords, ItemJudge, ItemJudgement, ItemOutcome


@dataclass(frozen=True, slots=True)
class SystemReport:
    """What one candidate does with every item, and its matches by category, the total last.

    `digest` is that of the candidate; `links` that of the links that were given, None if they were made here.
    """

    system: str
    digest: str
    links: str | None
    judged: tuple[ItemJudgement, ...]
    category_scores: tuple[CategoryScore, ...]


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """All systems, what they changed beside the first one, and what made the figures."""

    systems: tuple[SystemReport, ...]
    changes: tuple[SystemChanges, ...]
    signature: Signature


@collector_paused()
def evaluate_suite(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None = None,
    progress: Progress = lambda _: None,
) -> SuiteReport:
    """Judge every item for every candidate. Without `links` the aligner makes them."""
    check_candidates(loaded, candidates)
    found = found_words(loaded, candidates, options, links=links, progress=progress)
    if links is None:
        recogniser = ExactMatcher(loaded.suite, loaded.texts)
        found = {name: recogniser.improve(candidates[name], words) for name, words in found.items()}
    judge = ItemJudge(loaded, alternatives=options.alternatives)
    judged = {name: judge.judge(words) for name, words in found.items()}
    systems = tuple(
        SystemReport(
            name,
            candidates[name].digest,
            None if links is None else links.alignments[name].digest,
            rows,
            category_scores(loaded.suite, rows, level=options.level),
        )
        for name, rows in judged.items()
    )
    return SuiteReport(systems, changes(judged), _signature(loaded, options, links))


def found_words(
    loaded: LoadedSuite,
    candidates: Mapping[str, Text],
    options: EvaluationOptions,
    *,
    links: GivenLinks | None = None,
    progress: Progress = lambda _: None,
) -> dict[str, list[CandidateWords]]:
    """What is linked to every item in each candidate."""
    linked = link_texts(loaded, candidates, options, links=links, progress=progress)
    progress("comparing")
    return {
        name: find_words(linked.items, linked.alignments[name], source=linked.source, candidate=tokens)
        for name, tokens in linked.tokens.items()
    }


def _signature(loaded: LoadedSuite, options: EvaluationOptions, links: GivenLinks | None) -> Signature:
    accepted = any(item.alternatives for item in loaded.suite.items) and options.alternatives
    fields = (
        ("suite", f"{loaded.suite.name}-{loaded.suite.version}"),
        ("hash", suite_digest(loaded.suite)),
        ("accepted", "references+approved" if accepted else "references"),
        ("tokens", "given" if options.tokenised or links is not None else "anaphor"),
        ("links", "given" if links is not None else options.aligner.signature()),
    )
    return Signature("protest", fields, __version__)


TOTAL = "total"


@dataclass(frozen=True, slots=True)
class CategoryScore:
    """A category, or all of them: how many items, how many matches, the interval of the accuracy.

    `agreeing` mismatches have an antecedent of their own that the pronoun agrees with; they are no matches.
    """

    name: str
    items: int
    matches: int
    interval: Interval
    agreeing: int

    @property
    def accuracy(self) -> float:
        return self.matches / self.items


def category_scores(
    suite: Suite, judged: Sequence[ItemJudgement], *, level: float
) -> tuple[CategoryScore, ...]:
    """One for every category that has items, in the order of the suite, and the total."""
    if not 0.5 <= level < 1:
        raise OptionError(f"no confidence level: {level}", where="--level", fix="give one such as 0.95")
    by_category: dict[str, list[ItemJudgement]] = {category.name: [] for category in suite.categories}
    for one in judged:
        by_category[one.item.category].append(one)
    rows = [*((name, found) for name, found in by_category.items() if found), (TOTAL, judged)]
    return tuple(_tally(name, found, level) for name, found in rows)


def _tally(name: str, judged: Sequence[ItemJudgement], level: float) -> CategoryScore:
    right = np.array([one.outcome is ItemOutcome.MATCH for one in judged], dtype=np.float64)
    documents = [one.item.document for one in judged]
    size = effective_size(right, documents)
    matches = int(right.sum())
    interval = wilson(matches / len(judged), size=size, level=level)
    agreeing = sum(one.outcome is ItemOutcome.AGREES for one in judged)
    return CategoryScore(name, len(judged), matches, interval, agreeing)


def effective_size(right: Floats, documents: Sequence[str]) -> float:
    """How many independent items say as much as these, at most as many as there are.

    The variance that the jackknife over documents finds is compared with that of independent items (the
    design effect). A single document shows no variance between documents: its items count as they are.
    """
    share = float(right.mean())
    ids = cluster_ids(documents, segments=len(documents))
    clusters = int(ids.max()) + 1
    if clusters < 2 or share in (0.0, 1.0):
        return float(len(right))
    totals = cluster_totals(np.column_stack([right, np.ones_like(right)]), ids)
    left_out = leave_one_out(totals, lambda sums: sums[..., 0] / sums[..., 1])
    variance = (clusters - 1) / clusters * float(((left_out - left_out.mean()) ** 2).sum())
    return min(len(right), share * (1 - share) / variance) if variance else float(len(right))


def wilson(share: float, *, size: float, level: float) -> Interval:
    """Wilson's score interval of a proportion: of use for few items and for all or none right, too."""
    z = t_quantile((1 + level) / 2, freedom=1e9)  # the normal distribution
    centre = share + z * z / (2 * size)
    spread = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    scale = 1 + z * z / size
    return Interval(max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale), level)


@dataclass(frozen=True, slots=True)
class SystemChanges:
    """A system beside the baseline: items that only it matches, items that only the baseline matches.

    `p_value` is McNemar's exact test; `p_adjusted` the same after Holm's correction over all systems.
    """

    baseline: str
    system: str
    improved: tuple[Item, ...]
    broken: tuple[Item, ...]
    p_value: float
    p_adjusted: float

    def by_category(self) -> dict[str, tuple[int, int]]:
        """How many items improved and broke in every category that has any of them."""
        names = dict.fromkeys(item.category for item in (*self.improved, *self.broken))
        return {name: (_count(self.improved, name), _count(self.broken, name)) for name in names}


def changes(systems: Mapping[str, Sequence[ItemJudgement]]) -> tuple[SystemChanges, ...]:
    """Every system beside the first one, which is the baseline; none where there is one system only."""
    baseline, *others = systems
    right = {
        name: np.array([j.outcome is ItemOutcome.MATCH for j in judged]) for name, judged in systems.items()
    }
    values = [mcnemar(right[baseline], right[name]) for name in others]
    items = [one.item for one in systems[baseline]]
    return tuple(
        SystemChanges(
            baseline,
            name,
            tuple(items[at] for at in np.flatnonzero(right[name] & ~right[baseline])),
            tuple(items[at] for at in np.flatnonzero(right[baseline] & ~right[name])),
            value,
            adjusted,
        )
        for name, value, adjusted in zip(others, values, holm(values), strict=True)
    )


def _count(items: Sequence[Item], category: str) -> int:
    return sum(item.category == category for item in items)
