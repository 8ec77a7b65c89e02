"""The gates of `anaphor score`: options, checks, and what a build server reads."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anaphor.core.errors import OptionError

if TYPE_CHECKING:
    from anaphor.core import Settings
    from anaphor.report.gates import Gate
    from anaphor.report.result_file import StoredResult


@dataclass(frozen=True, slots=True)
class Gates:
    """Least scores by metric, and the earlier result that must not be undercut by more than `most`."""

    limits: Mapping[str, float]
    most: float | None
    baseline: StoredResult | None


def add_gates(parser: argparse.ArgumentParser) -> None:
    """The options that make the command a gate."""
    group = parser.add_argument_group("gates for builds")
    group.add_argument(
        "--fail-under",
        nargs="+",
        default=[],
        metavar="METRIC=SCORE",
        help="exit with 1 when a candidate is below a score between 0 and 1",
    )
    group.add_argument(
        "--max-regression",
        type=float,
        metavar="LOSS",
        help="exit with 1 when the apt of a candidate fell by more than LOSS, and not by chance",
    )
    group.add_argument(
        "--baseline", metavar="FILE", help="the earlier result, scored with --cards, of --max-regression"
    )
    group.add_argument("--junit", metavar="FILE", help="also write the gates as JUnit XML to FILE")


def gates_of(options: argparse.Namespace, settings: Settings) -> Gates:
    """The gates that the options ask for, checked before anything is computed."""
    limits = dict(_limit(text, settings) for text in options.fail_under)
    most = options.max_regression
    if (most is None) != (options.baseline is None):
        raise OptionError(
            "a regression needs both a limit and a baseline",
            where="--max-regression, --baseline",
            fix="give both, or leave both out",
        )
    if most is not None and (not 0 <= most <= 1 or "apt" not in settings.metrics):
        raise OptionError(
            f"no such gate: a loss of {most:g} in {', '.join(settings.metrics)}",
            where="--max-regression",
            fix="give a number from 0 to 1, and score with apt",
        )
    if options.junit and not limits and most is None:
        raise OptionError(
            "there is no gate to write", where="--junit", fix="add --fail-under or --max-regression"
        )
    return Gates(limits, most, None if most is None else _baseline(options.baseline))


def _limit(text: str, settings: Settings) -> tuple[str, float]:
    metric, _, value = text.partition("=")
    try:
        limit = float(value)
    except ValueError:
        limit = float("nan")
    if metric not in settings.metrics or not 0 <= limit <= 1:
        raise OptionError(
            f"not a limit: {text}",
            where="--fail-under",
            fix="write METRIC=SCORE with a metric that is computed and a score from 0 to 1",
        )
    return metric, limit


def _baseline(path: str) -> StoredResult:
    from anaphor.report.result_file import read_stored

    return read_stored(path)


def check_gates(gates: Gates, stored: StoredResult) -> tuple[Gate, ...]:
    """Every system at every gate."""
    from anaphor.report.gates import limit_gates, regression_gates

    found = limit_gates(stored, gates.limits)
    if gates.baseline is None or gates.most is None:
        return found
    return (*found, *regression_gates(stored, gates.baseline, most=gates.most))


def require_gates(options: argparse.Namespace, gates: Sequence[Gate]) -> None:
    """Write the gates where that is asked for, then raise for those that did not pass."""
    from anaphor.corpus import write_atomically
    from anaphor.report.gates import require_passed
    from anaphor.report.junit import junit_xml

    if options.junit:
        write_atomically(options.junit, junit_xml(gates))
    require_passed(gates)
