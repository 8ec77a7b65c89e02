"""Gates for builds: fail on a score that is too low, or that fell too far below an earlier result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from anaphor.core import CheckError, InputWarning, MismatchError, OptionError, Settings
from anaphor.report.cards import Cards
from anaphor.report.escape import shown
from anaphor.report.ranking import LEVEL, apt_totals, apt_value, difference, shared_fields
from anaphor.report.result_file import StoredResult, read_stored
from anaphor.stats import paired_permutation

FAIL_UNDER, MAX_REGRESSION = "--fail-under", "--max-regression"


@dataclass(frozen=True, slots=True)
class Gate:
    """One system at one gate; `message` says what was measured."""

    option: str
    metric: str
    system: str
    passed: bool
    message: str


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
                what = f"not a limit: {text}"
                fix = "write METRIC=SCORE with a metric that is computed and a score from 0 to 1"
                raise OptionError(what, where=FAIL_UNDER, fix=fix)
            least[metric] = limit
        if (max_loss is None) != (baseline is None):
            what = "a regression needs both a limit and a baseline"
            raise OptionError(what, where=f"{MAX_REGRESSION}, --baseline", fix="give both, or leave both out")
        if max_loss is not None and (not 0 <= max_loss <= 1 or "apt" not in settings.metrics):
            what = f"cannot check for a loss of {max_loss:g} with the metrics {', '.join(settings.metrics)}"
            raise OptionError(what, where=MAX_REGRESSION, fix="give a number from 0 to 1, and score with apt")
        return cls(least, max_loss, None if baseline is None else read_stored(baseline))

    def check(self, result: StoredResult) -> tuple[Gate, ...]:
        """Every system at every gate."""
        found = limit_gates(result, self.least)
        if self.baseline is None or self.max_loss is None:
            return found
        return (*found, *regression_gates(result, self.baseline, most=self.max_loss))


def limit_gates(result: StoredResult, limits: Mapping[str, float]) -> tuple[Gate, ...]:
    """Every system against the least score of every metric; an undefined score does not pass."""
    gates = []
    for system in result.systems:
        for score in system.scores:
            if score.metric in limits:
                limit = limits[score.metric]
                passed = score.value >= limit
                message = f"{score.metric} of {system.name} is {score.value:.4f}, "
                message += f"{'not ' if passed else ''}below {limit:g}"
                gates.append(Gate(FAIL_UNDER, score.metric, system.name, passed, message))
    return tuple(gates)


def regression_gates(now: StoredResult, before: StoredResult, *, most: float) -> tuple[Gate, ...]:
    """Every system against itself in an earlier result on the same set, by APT.

    A system fails when its score fell by more than `most` and the paired test finds the loss significant. A
    loss that may be chance passes, with a note.
    """
    if not 0 <= most <= 1:
        raise OptionError(
            f"not a difference of scores: {most:g}", where=MAX_REGRESSION, fix="give a number from 0 to 1"
        )
    if reason := difference(shared_fields(before), shared_fields(now)):
        what = f"the new result cannot be compared with the baseline: {reason}"
        fix = "score the baseline again with the files, options and version of today"
        raise MismatchError(what, where=before.path, fix=fix)
    for stored in (before, now):
        if stored.cards is None:
            what = "the result has no cards, so single pronouns cannot be compared"
            raise OptionError(what, where=stored.path, fix="score it with --metrics apt and --cards")
    old, new = cast(Cards, before.cards), cast(Cards, now.cards)
    if [(p.segment, p.token) for p in old.pronouns] != [(p.segment, p.token) for p in new.pronouns]:
        raise MismatchError(
            "the baseline judges other pronouns", where=before.path, fix="score both on the same set"
        )
    value, totals_before, totals_now = apt_value(now.settings), apt_totals(old), apt_totals(new)
    gates = []
    for system in now.systems:
        name = _name_in_baseline(system.name, now, before)
        first, second = totals_before[name], totals_now[system.name]
        drop = float(value(first.sum(axis=0)) - value(second.sum(axis=0)))
        if math.isnan(drop):
            message = f"apt of {system.name} is undefined, then or now"
            gates.append(Gate(MAX_REGRESSION, "apt", system.name, False, message))
            continue
        # Scored with fewer resamples or none, the p-value would be too coarse to stop a build.
        samples = max(now.settings.samples, 1000)
        p = paired_permutation(first, second, value, samples=samples, seed=now.settings.seed)
        message = f"apt of {system.name} {'fell' if drop > 0 else 'rose'} by {abs(drop):.4f} (p = {p:.4f})"
        message += f", at most {most:g} may be lost"
        if drop > most and p >= LEVEL:
            warnings.warn(f"{message}; this may be chance, so it passes", InputWarning, stacklevel=2)
        gates.append(Gate(MAX_REGRESSION, "apt", system.name, drop <= most or p >= LEVEL, message))
    return tuple(gates)


def _name_in_baseline(system: str, now: StoredResult, before: StoredResult) -> str:
    """The same system in the baseline: by its name, or the only one where both have one."""
    # A nightly build often names its only system after the date or the file.
    if len(now.systems) == len(before.systems) == 1:
        return before.systems[0].name
    names = [one.name for one in before.systems]
    if system not in names:
        what = f"the baseline has no system {system}; it has {', '.join(names)}"
        fix = "give candidates the names that they have in the baseline: --candidate NAME=PATH"
        raise MismatchError(what, where=before.path, fix=fix)
    return system


def require_passed(gates: Sequence[Gate]) -> None:
    """Raise for all gates that did not pass."""
    failed = [gate for gate in gates if not gate.passed]
    if failed:
        what = "\n       ".join(gate.message for gate in failed)
        fix = "see the pronouns behind the score with --items, or lower the limit"
        raise CheckError(what, where=", ".join(dict.fromkeys(gate.option for gate in failed)), fix=fix)


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
            SubElement(case, "system-out").text = shown(gate.message)
        else:
            SubElement(case, "failure", {"message": shown(gate.message), "type": gate.option})
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
