"""What a page shows: the systems of one or several results on one set, best first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anaphor.core import InputError
from anaphor.report.comparable import require_comparable
from anaphor.report.people import HumanAnnotations
from anaphor.report.result_file import StoredResult, StoredSystem
from anaphor.report.standing import Pair, apt_totals, pairwise_p, significance_clusters
from anaphor.stats import Floats


@dataclass(frozen=True, slots=True)
class ReportView:
    """Comparable results as one. `clusters` is None where single pronouns are not known.

    The first metric ranks the systems; `p_values` are of APT, after Holm's correction over all pairs.
    """

    title: str
    results: tuple[StoredResult, ...]
    systems: tuple[StoredSystem, ...]
    metrics: tuple[str, ...]
    p_values: Mapping[Pair, float]
    clusters: Mapping[str, int] | None
    people: HumanAnnotations = field(default_factory=HumanAnnotations)

    @classmethod
    def of(
        cls, results: Sequence[StoredResult], *, title: str, people: HumanAnnotations | None = None
    ) -> ReportView:
        """One view of results; those that are not comparable are an error."""
        require_comparable(results)
        _require_positions(results)
        systems = [system for stored in results for system in stored.systems]
        metrics = tuple(score.metric for score in systems[0].scores)
        ranked = sorted(systems, key=lambda system: _rank(system, "apt" if "apt" in metrics else metrics[0]))
        totals: dict[str, Floats] = {}
        for stored in results:
            if stored.cards is not None:
                totals |= apt_totals(stored.cards)
        whole = len(totals) == len(systems) > 1
        p_values = pairwise_p(totals, results[0].settings) if whole else {}
        clusters = significance_clusters([one.name for one in ranked], p_values) if p_values else None
        return cls(
            title, tuple(results), tuple(ranked), metrics, p_values, clusters, people or HumanAnnotations()
        )

    @property
    def forms(self) -> tuple[str, ...]:
        """The watched source pronouns of all results, in alphabetical order."""
        found = {form for system in self.systems for score in system.scores for form in score.by_pronoun}
        return tuple(sorted(found))

    @property
    def has_cards(self) -> bool:
        return all(stored.cards is not None for stored in self.results)


def _rank(system: StoredSystem, metric: str) -> tuple[float, str]:
    """Smaller for a better score; undefined ones come last, equal ones by name."""
    score = system.score(metric)
    value = math.nan if score is None else score.value
    return (math.inf if math.isnan(value) else -value, system.name)


def _require_positions(results: Sequence[StoredResult]) -> None:
    """Cards of results on one set tell of the same pronouns; signatures do not name single positions."""
    known = [stored for stored in results if stored.cards is not None]
    places = [[(p.segment, p.token) for p in stored.cards.pronouns] for stored in known if stored.cards]
    for stored, found in zip(known, places, strict=True):
        if found != places[0]:
            raise InputError(
                f"it judges other pronouns than {known[0].path}",
                where=stored.path,
                fix="score all systems on the same set with the same options",
            )
