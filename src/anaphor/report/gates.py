"""Gates for builds: a score that is too low, or that fell too far below an earlier result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anaphor.core import CheckError, InputWarning, MismatchError, OptionError
from anaphor.report.cards import Cards
from anaphor.report.comparable import difference, shared_fields
from anaphor.report.result_file import StoredResult, StoredSystem
from anaphor.report.standing import LEVEL, apt_totals, apt_value
from anaphor.stats import paired_permutation

FAIL_UNDER, MAX_REGRESSION = "--fail-under", "--max-regression"


@dataclass(frozen=True, slots=True)
class Gate:
    """One system at one gate; `told` says in words what was measured."""

    option: str
    metric: str
    system: str
    passed: bool
    told: str


def limit_gates(result: StoredResult, limits: Mapping[str, float]) -> tuple[Gate, ...]:
    """Every system against the least score of every metric; an undefined score does not pass."""
    return tuple(
        _limit_gate(system.name, score.metric, score.value, limits[score.metric])
        for system in result.systems
        for score in system.scores
        if score.metric in limits
    )


def _limit_gate(system: str, metric: str, value: float, limit: float) -> Gate:
    passed = value >= limit
    told = f"{metric} of {system} is {value:.4f}, {'not ' if passed else ''}below {limit:g}"
    return Gate(FAIL_UNDER, metric, system, passed, told)


def regression_gates(now: StoredResult, before: StoredResult, *, most: float) -> tuple[Gate, ...]:
    """Every system against itself in an earlier result on the same set, by APT.

    A system fails when its score fell by more than `most` and the paired test says that this is no
    chance. A fall that may be chance passes, with a note.
    """
    if not 0 <= most <= 1:
        raise OptionError(
            f"not a difference of scores: {most:g}", where=MAX_REGRESSION, fix="give a number from 0 to 1"
        )
    reason = difference(shared_fields(before), shared_fields(now))
    if reason:
        raise MismatchError(
            f"the new result cannot be compared with the baseline: {reason}",
            where=before.path,
            fix="score the baseline again with the files, options and version of today",
        )
    cards = _cards(before), _cards(now)
    _require_same_pronouns(*cards, before)
    return tuple(_regression_gate(system, now, before, most) for system in now.systems)


def _cards(stored: StoredResult) -> Cards:
    if stored.cards is None:
        raise OptionError(
            "the result has no cards, so single pronouns cannot be compared",
            where=stored.path,
            fix="score it with --metrics apt and --cards",
        )
    return stored.cards


def _require_same_pronouns(old: Cards, new: Cards, before: StoredResult) -> None:
    if [(p.segment, p.token) for p in old.pronouns] != [(p.segment, p.token) for p in new.pronouns]:
        raise MismatchError(
            "the baseline judges other pronouns", where=before.path, fix="score both on the same set"
        )


def _regression_gate(system: StoredSystem, now: StoredResult, before: StoredResult, most: float) -> Gate:
    earlier = _earlier(system, now, before)
    value = apt_value(now.settings)
    old, new = apt_totals(_cards(before))[earlier.name], apt_totals(_cards(now))[system.name]
    drop = float(value(old.sum(axis=0)) - value(new.sum(axis=0)))
    if math.isnan(drop):
        told = f"apt of {system.name} is undefined, then or now"
        return Gate(MAX_REGRESSION, "apt", system.name, False, told)
    settings = now.settings
    p = paired_permutation(old, new, value, samples=max(settings.samples, 1000), seed=settings.seed)
    told = f"apt of {system.name} {'fell' if drop > 0 else 'rose'} by {abs(drop):.4f} (p = {p:.4f})"
    told += f", at most {most:g} may be lost"
    if drop > most and p >= LEVEL:
        warnings.warn(f"{told}; this may be chance, so it passes", InputWarning, stacklevel=2)
    return Gate(MAX_REGRESSION, "apt", system.name, drop <= most or p >= LEVEL, told)


def _earlier(system: StoredSystem, now: StoredResult, before: StoredResult) -> StoredSystem:
    """The same system in the baseline: by its name, or the only one where both have one."""
    if len(now.systems) == len(before.systems) == 1:
        return before.systems[0]
    for earlier in before.systems:
        if earlier.name == system.name:
            return earlier
    raise MismatchError(
        f"the baseline has no system {system.name}; it has {', '.join(s.name for s in before.systems)}",
        where=before.path,
        fix="give candidates the names that they have in the baseline: --candidate NAME=PATH",
    )


def require_passed(gates: Sequence[Gate]) -> None:
    """Raise for all gates that did not pass."""
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        raise CheckError(
            "\n       ".join(gate.told for gate in failed),
            where=", ".join(dict.fromkeys(gate.option for gate in failed)),
            fix="see the pronouns behind the score with --items, or lower the limit",
        )
