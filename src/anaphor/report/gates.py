"""Gates for builds: fail on a score that is too low, or that fell too far below an earlier result."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from anaphor.core import Counts, GateError, InputWarning, MismatchError, OptionError, Settings, UserError
from anaphor.core.table import p_equation
from anaphor.files.writing import write_atomically
from anaphor.metrics import load_metric
from anaphor.metrics.contract import MetricContext
from anaphor.report.escape import shown
from anaphor.report.ranking import difference, shared_fields
from anaphor.report.stored import StoredResult, read_stored
from anaphor.stats import SIGNIFICANCE, paired_permutation, same_columns

FAIL_UNDER, MAX_REGRESSION = "--fail-under", "--max-regression"
#: What to do about a gate that failed: a minimum is lowered to let more through, a loss is raised.
_FIXES = {FAIL_UNDER: "lower the limit", MAX_REGRESSION: "raise the limit"}


@dataclass(frozen=True, slots=True)
class Gate:
    """One system at one gate; `message` describes the measurement, or why there is none."""

    option: str
    metric: str
    system: str
    status: Literal["passed", "failed", "skipped", "error"]
    message: str


def parse_limits(
    texts: Sequence[str], names: Sequence[str], *, option: str, bare: Sequence[str] = (), kind: str = "metric"
) -> dict[str, float]:
    """Limits by name from texts such as `apt=0.6`; a number without a name applies to all of `bare`."""
    limits: dict[str, float] = {}
    form = f"{kind.upper()}=SCORE"
    for text in texts:
        name, equals, value = text.rpartition("=")
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        if 1 < limit <= 100:
            what = f"{text} is a percentage, as in the tables; limits are fractions from 0 to 1"
            raise OptionError(what, where=option, fix=f"write {name}{equals}{limit / 100:g}")
        if math.isnan(limit) or not 0 <= limit <= 1 or not (equals or bare):
            fix = f"write {form} with a fraction from 0 to 1, such as {names[0]}=0.6"
            raise OptionError(f"not a limit: {text}", where=option, fix=fix)
        if equals and name not in names:
            what = f"there is no {kind} {name} in this run"
            raise OptionError(what, where=option, fix=f"use a limit for one of {', '.join(names)}")
        limits |= dict.fromkeys([name] if equals else bare, limit)
    return limits


@dataclass(frozen=True, slots=True)
class GateLimits:
    """The gates of a build: minimum scores by metric, and an earlier result that scores may not fall below.

    `max_losses` are the losses that are allowed, by metric. With `skip_new` a system that the baseline lacks
    is skipped with a note; it is an error otherwise.
    """

    least: Mapping[str, float] = field(default_factory=dict)
    max_losses: Mapping[str, float] = field(default_factory=dict)
    baseline: StoredResult | None = None
    skip_new: bool = False

    @classmethod
    def parse(
        cls,
        fail_under: Sequence[str],
        max_regression: Sequence[str],
        baseline: str | None,
        *,
        settings: Settings,
        skip_new: bool = False,
    ) -> GateLimits:
        """The gates from the command line, checked before anything is computed."""
        metrics = list(dict.fromkeys(settings.metrics))
        least = parse_limits(fail_under, metrics, option=FAIL_UNDER)
        losses = parse_limits(max_regression, metrics, option=MAX_REGRESSION, bare=metrics)
        if bool(losses) != (baseline is not None):
            what = "a regression needs both a limit and a baseline"
            raise OptionError(what, where=f"{MAX_REGRESSION}, --baseline", fix="use both, or leave both out")
        if skip_new and baseline is None:
            what = "--skip-new only applies with a baseline"
            raise OptionError(what, where="--skip-new", fix=f"add {MAX_REGRESSION} and --baseline as well")
        return cls(least, losses, None if baseline is None else read_stored(baseline), skip_new)

    def check_systems(self, names: Sequence[str]) -> None:
        """Raise for a system missing from the baseline, before it is scored; those of a test set are checked
        later.
        """
        if self.baseline is not None:
            for name in names:
                _name_in_baseline(name, names, self.baseline, skip_new=self.skip_new)

    def check(self, result: StoredResult) -> tuple[Gate, ...]:
        """Every system at every gate."""
        scores = {
            system.name: {score.metric: score.value for score in system.scores} for system in result.systems
        }
        limits = limit_gates(scores, self.least)
        if self.baseline is None:
            return limits
        losses = regression_gates(result, self.baseline, self.max_losses, skip_new=self.skip_new)
        return (*limits, *losses)


def limit_gates(scores: Mapping[str, Mapping[str, float]], limits: Mapping[str, float]) -> tuple[Gate, ...]:
    """Compare scores with the minimum for every metric; an undefined score does not pass."""
    gates = []
    for system, by_metric in scores.items():
        for metric, limit in limits.items():
            passed = by_metric[metric] >= limit
            message = (
                f"{metric} of {system} is {by_metric[metric]:.4f}, {'not ' if passed else ''}below {limit:g}"
            )
            gates.append(Gate(FAIL_UNDER, metric, system, "passed" if passed else "failed", message))
    return tuple(gates)


def regression_gates(
    now: StoredResult, before: StoredResult, max_losses: Mapping[str, float], *, skip_new: bool = False
) -> tuple[Gate, ...]:
    """Compare every system with itself in an earlier result on the same set, by each metric of `max_losses`.

    A system fails when its score fell by more than that and the paired test finds the loss significant. A
    loss that may be chance passes, with a note.
    """
    for most in max_losses.values():
        if not 0 <= most <= 1:
            what = f"not a difference of scores: {most:g}"
            raise OptionError(what, where=MAX_REGRESSION, fix="use a number from 0 to 1")
    if reason := difference(shared_fields(before), shared_fields(now)):
        what = f"the new result cannot be compared with the baseline: {reason}"
        fix = "score the baseline again with the current files, options and version"
        raise MismatchError(what, where=before.path, fix=fix)
    for stored in (before, now):
        if stored.counts is None:
            what = "the result has no document counts, so losses cannot be tested"
            raise OptionError(what, where=stored.path, fix="score it again with --cards")
    context = MetricContext.of(now.settings)
    gates = []
    for system in now.systems:
        names = [system.name for system in now.systems]
        name = _name_in_baseline(system.name, names, before, skip_new=skip_new)
        if name is None:
            message = f"{system.name} is new: the baseline lacks it, so it is skipped"
            warnings.warn(message, InputWarning, stacklevel=2)
            gates += [Gate(MAX_REGRESSION, metric, system.name, "skipped", message) for metric in max_losses]
            continue
        for metric, most in max_losses.items():
            gate = f"{metric} of {system.name}"
            value = load_metric(metric).build(context).value
            first, second = _same_clusters(before, now, metric, (name, system.name))
            drop = float(value(first.totals()) - value(second.totals()))
            if math.isnan(drop):
                message = f"{gate} is undefined, then or now"
                gates.append(Gate(MAX_REGRESSION, metric, system.name, "failed", message))
                continue
            # Scored with fewer resamples or none, the p-value would be too coarse to stop a build.
            samples = max(now.settings.samples, 1000)
            p = paired_permutation(first.rows, second.rows, value, samples=samples, seed=now.settings.seed)
            message = f"{gate} {'fell' if drop > 0 else 'rose'} by {abs(drop):.4f} ({p_equation(p)})"
            message += f", at most {most:g} may be lost"
            if drop > most and p >= SIGNIFICANCE:
                warnings.warn(f"{message}; this may be chance, so it passes", InputWarning, stacklevel=2)
            passed = drop <= most or p >= SIGNIFICANCE
            gates.append(Gate(MAX_REGRESSION, metric, system.name, "passed" if passed else "failed", message))
    return tuple(gates)


def _same_clusters(
    before: StoredResult, now: StoredResult, metric: str, names: tuple[str, str]
) -> list[Counts]:
    """The counts of one system then and now, in the same columns."""
    compared = []
    for stored, name in zip((before, now), names, strict=True):
        counts = (stored.counts or {}).get(metric, {}).get(name)
        if counts is None:
            what = f"the result has no counts of {metric} for {name}"
            raise OptionError(what, where=stored.path, fix="score it again with --cards")
        compared.append(counts)
    if len(compared[0].rows) != len(compared[1].rows):
        raise MismatchError(
            "the baseline was scored on other documents", where=before.path, fix="score the same set"
        )
    return same_columns(compared)


def _name_in_baseline(system: str, now: Sequence[str], before: StoredResult, *, skip_new: bool) -> str | None:
    """The same system in the baseline: by name, or the only one if both have one; None if skipped."""
    # A nightly build often names its only system after the date or the file.
    if len(now) == len(before.systems) == 1:
        return before.systems[0].name
    names = [system.name for system in before.systems]
    if system in names:
        return system
    if skip_new:
        return None
    what = f"the baseline has no system {system}; it has {', '.join(names)}"
    fix = "use the candidate names of the baseline (--candidate NAME=PATH), or add --skip-new"
    raise MismatchError(what, where=before.path, fix=fix)


def require_passed(gates: Sequence[Gate], *, examples: str = "--items") -> None:
    """Raise for all gates that did not pass; `examples` is the option that shows what is behind a score."""
    failed = [gate for gate in gates if gate.status == "failed"]
    if failed:
        what = "\n       ".join(gate.message for gate in failed)
        options = list(dict.fromkeys(gate.option for gate in failed))
        fixes = [_FIXES[option] + (f" of {option}" if len(options) > 1 else "") for option in options]
        fix = f"see the pronouns behind the score with {examples}, or {' and '.join(fixes)}"
        raise GateError(what, where=", ".join(options), fix=fix)


@contextmanager
def junit_for_errors(path: str | None) -> Iterator[list[str]]:
    """Write the error of a run that ends before its gates to `path`, as one test case per system.

    The given list receives the system names as soon as they are known. Without this, a build server would not
    show the tests at all.
    """
    systems: list[str] = []
    try:
        yield systems
    except GateError:
        raise
    except UserError as error:
        if path:
            names = systems or ["anaphor"]
            message = f"{error.what} ({error.where})"
            gates = [Gate("input", "", name, "error", message) for name in names]
            write_atomically(path, junit_xml(gates))
        raise


def junit_xml(gates: Sequence[Gate]) -> str:
    """One test suite with a test case per system and gate."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    statuses = [gate.status for gate in gates]
    counts = {"tests": str(len(gates)), "failures": str(statuses.count("failed"))}
    counts |= {"errors": str(statuses.count("error"))}
    root = Element("testsuites", counts)
    skipped = str(statuses.count("skipped"))
    suite = SubElement(root, "testsuite", {"name": "anaphor", **counts, "skipped": skipped, "time": "0"})
    for gate in gates:
        name = f"{gate.option} {gate.metric}".strip()
        case = SubElement(suite, "testcase", {"classname": shown(gate.system), "name": name, "time": "0"})
        message = shown(gate.message)
        if gate.status == "passed":
            SubElement(case, "system-out").text = message
        elif gate.status == "skipped":
            SubElement(case, "skipped", {"message": message})
        else:
            tag = "failure" if gate.status == "failed" else "error"
            SubElement(case, tag, {"message": message, "type": gate.option})
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
