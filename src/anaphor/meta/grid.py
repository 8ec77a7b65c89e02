"""APT under many weights: which w2, w6 and repair agree best with people (apt-2017, section 4.2, Table 4)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from anaphor.core import InputError, OptionError, Outcome
from anaphor.meta.correlate import common_systems
from anaphor.meta.rows import read_rows
from anaphor.meta.scores import ScoreColumn
from anaphor.stats import Correlation, kendall, pearson, spearman

CASES = tuple(f"case_{case.value}" for case in Outcome)
_REPAIRS = ("paper", "none")


@dataclass(frozen=True, slots=True)
class CaseCounts:
    """How often each case occurred for each system under one way of repairing links."""

    repair: str
    path: str
    systems: Mapping[str, tuple[int, ...]]

    def only(self, systems: Collection[str]) -> CaseCounts:
        """The same counts of these systems."""
        kept = {name: cases for name, cases in self.systems.items() if name in systems}
        return replace(self, systems=MappingProxyType(kept))


@dataclass(frozen=True, slots=True)
class Setting:
    """One cell of the grid."""

    repair: str
    w2: float
    w6: float
    human: str
    pearson: Correlation
    spearman: Correlation
    kendall: Correlation


def read_case_counts(path: str | Path) -> tuple[CaseCounts, ...]:
    """A TSV file with `system`, `repair` (paper or none) and `case_1` to `case_6`."""
    systems: dict[str, dict[str, tuple[int, ...]]] = {}
    rows = read_rows(path, required=("system", "repair", *CASES))
    for row in rows:
        part = systems.setdefault(row.choice("repair", _REPAIRS), {})
        name = row.text("system")
        if name in part:
            row.refuse("system", f"{name} has two rows of this repair", fix="keep one of the two")
        part[name] = tuple(row.integer(case, low=0) for case in CASES)
    return tuple(
        CaseCounts(repair, rows[0].where.path, MappingProxyType(part)) for repair, part in systems.items()
    )


def join_counts(parts: Sequence[CaseCounts]) -> tuple[CaseCounts, ...]:
    """Counts of the same repair from several files become one; a system must not occur twice in it."""
    joined: dict[str, CaseCounts] = {}
    for part in parts:
        earlier = joined.get(part.repair)
        if earlier is None:
            joined[part.repair] = part
            continue
        if twice := [system for system in part.systems if system in earlier.systems]:
            raise InputError(
                f"{twice[0]} has counts twice with the same repair ({part.repair})",
                where=part.path,
                fix=f"it is in {earlier.path} too: give each system once",
            )
        systems = MappingProxyType({**earlier.systems, **part.systems})
        joined[part.repair] = CaseCounts(part.repair, f"{earlier.path} and {part.path}", systems)
    return tuple(joined.values())


def weight_grid(
    counts: Sequence[CaseCounts],
    humans: Sequence[ScoreColumn],
    *,
    w2: Sequence[float] = (0, 0.5, 1),
    w6: Sequence[float] = (0, 0.5, 1),
    discard: Sequence[int] = (),
    outliers: Sequence[str] = (),
) -> tuple[Setting, ...]:
    """A setting for every repair, human score, w2 and w6; w1 is 1 and all other weights are 0."""
    _require_weights((*w2, *w6), discard)
    return tuple(
        _setting(part, human, weights=(second, sixth), discard=discard, outliers=outliers)
        for part in counts
        for human in humans
        for second in w2
        for sixth in w6
    )


def _setting(
    counts: CaseCounts,
    human: ScoreColumn,
    *,
    weights: tuple[float, float],
    discard: Sequence[int],
    outliers: Sequence[str],
) -> Setting:
    scores = {name: _apt(cases, weights, discard, counts) for name, cases in counts.systems.items()}
    label = f"apt (repair {counts.repair}, w2 {weights[0]:g}, w6 {weights[1]:g})"
    column = ScoreColumn.of(label, scores, path=counts.path)
    systems = [name for name in common_systems([column, human], outliers=outliers) if name not in outliers]
    pair = [scores[name] for name in systems], [human.values[name] for name in systems]
    return Setting(counts.repair, *weights, human.name, pearson(*pair), spearman(*pair), kendall(*pair))


def _apt(
    cases: Sequence[int], weights: tuple[float, float], discard: Sequence[int], counts: CaseCounts
) -> float:
    """The score of apt-2017, section 2.4."""
    credit = (1.0, weights[0], 0.0, 0.0, 0.0, weights[1])
    kept = [i for i in range(len(cases)) if i + 1 not in discard]
    total = sum(cases[i] for i in kept)
    if not total:
        raise InputError(
            "a system has no pronoun in the cases that count", where=counts.path, fix="discard fewer cases"
        )
    return sum(credit[i] * cases[i] for i in kept) / total


def _require_weights(weights: Sequence[float], discard: Sequence[int]) -> None:
    for weight in weights:
        if not 0 <= weight <= 1:
            raise OptionError(f"not a weight: {weight:g}", where="--w2, --w6", fix="give numbers from 0 to 1")
    if not set(discard) < {case.value for case in Outcome}:
        raise OptionError(
            f"cannot discard the cases {sorted(discard)}",
            where="--discard",
            fix="name cases from 1 to 6 and keep at least one, such as 5,6",
        )
