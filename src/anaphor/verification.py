"""Verification: run the experiment of a result file again and compare."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from anaphor import __version__
from anaphor.core import OptionError, Result
from anaphor.pipeline import Progress, run
from anaphor.report.result_file import StoredResult, read_result

#: Sums of floats may differ in their last bits between machines; scores of different data do not.
_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Verification:
    """How many scores were computed again, and every difference in words."""

    scores: int
    differences: tuple[str, ...]


def verify(path: str, progress: Progress = lambda _: None) -> Verification:
    """Compute a result file again with its own files and settings."""
    stored = read_result(path)
    if "-" in (stored.files.source, *stored.files.references, *(p for _, p in stored.files.candidates)):
        raise OptionError(
            "this result was made from the standard input and cannot be computed again",
            where=path,
            fix="score files instead of `-`",
        )
    result = run(stored.files, stored.settings, progress)
    differences = (*_inputs(stored, result), *_scores(stored, result))
    if differences and stored.version != __version__:
        differences = (f"version: {stored.version} then, {__version__} now", *differences)
    return Verification(len(stored.scores), differences)


def _inputs(stored: StoredResult, result: Result) -> Iterator[str]:
    for role in {**stored.digests, **result.digests}:
        then, now = stored.digests.get(role), result.digests.get(role)
        if then != now:
            yield f"{role}: content {then or 'absent'} then, {now or 'absent'} now"


def _scores(stored: StoredResult, result: Result) -> Iterator[str]:
    now = {(system.name, score.metric): score for system in result.systems for score in system.scores}
    for key, then in stored.scores.items():
        name = f"{key[1]} of {key[0]}"
        if key not in now:
            yield f"{name}: not computed any more"
        elif not _equal(then, now[key].value):
            yield f"{name}: {then} then, {now[key].value} now"
        elif str(now[key].signature) != stored.signatures[key]:
            yield f"{name}: same score, signature now {now[key].signature}"


def _equal(then: float | None, now: float) -> bool:
    if then is None:
        return math.isnan(now)
    return abs(then - now) <= _TOLERANCE
