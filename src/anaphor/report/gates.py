"""Gates for builds: a score that is too low, or that fell too far below an earlier result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from anaphor.core import CheckError, InputWarning, MismatchError, OptionError, Settings
from anaphor.report.cards import Cards
from anaphor.report.escape import shown
from anaphor.report.ranking import LEVEL, apt_totals, apt_value, difference, shared_fields
from anaphor.report.result_file import StoredResult, StoredSystem, read_stored
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


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The gates of a build: least scores by metric, and the earlier result that scores may not fall below.

    A loss of up to `max_loss` is allowed.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    max_loss: float | None = None
    baseline: StoredResult | None = None

    @classmethod
    def parse(
        cls, fail_under: Sequence[str], max_loss: float | None, baseline: str | None, *, settings: Settings
    ) -> GateLimits:
        """The gates as the command line names them, checked before anything is computed."""
        least = {}
        for text in fail_under:
            metric, _, value = text.partition("=")
            try:
                limit = float(value)
            except ValueError:
                limit = math.nan
            if metric not in settings.metrics or not 0 <= limit <= 1:
                raise OptionError(
                    f"not a limit: {text}",
                    where=FAIL_UNDER,
                    fix="write METRIC=SCORE with a metric that is computed and a score from 0 to 1",
                )
            least[metric] = limit
        if (max_loss is None) != (baseline is None):
            raise OptionError(
                "a regression needs both a limit and a baseline",
                where=f"{MAX_REGRESSION}, --baseline",
                fix="give both, or leave both out",
            )
        if max_loss is not None and (not 0 <= max_loss <= 1 or "apt" not in settings.metrics):
            raise OptionError(
                f"no such gate: a loss of {max_loss:g} in {', '.join(settings.metrics)}",
                where=MAX_REGRESSION,
                fix="give a number from 0 to 1, and score with apt",
            )
        return cls(least, max_loss, None if baseline is None else read_stored(baseline))

    def check(self, result: StoredResult) -> tuple[Gate, ...]:
        """Every system at every gate."""
        found = limit_gates(result, self.least)
        if self.baseline is None or self.max_loss is None:
            return found
        return (*found, *regression_gates(result, self.baseline, most=self.max_loss))


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


def junit_xml(gates: Sequence[Gate]) -> str:
    """One test suite with a test case for every system at every gate."""
    failed = sum(not gate.passed for gate in gates)
    counts = {"tests": str(len(gates)), "failures": str(failed), "errors": "0"}
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", {"name": "anaphor", **counts, "skipped": "0", "time": "0"})
    for gate in gates:
        name = f"{gate.option} {gate.metric}"
        case = SubElement(suite, "testcase", {"classname": shown(gate.system), "name": name, "time": "0"})
        if gate.passed:
            SubElement(case, "system-out").text = shown(gate.told)
        else:
            SubElement(case, "failure", {"message": shown(gate.told), "type": gate.option})
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
