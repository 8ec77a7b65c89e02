"""Scores and cases out of the content of a result file, with a look at whether they fit each other.

The file itself is read by `anaphor.report.result_file`; here is what becomes of its content. A score of APT
must follow from the cases beside it and the weights of the settings: one that does not was changed after it
was written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from anaphor.core import InputError, MismatchError, Outcome
from anaphor.meta.grid import CASES, CaseCounts
from anaphor.meta.scores import ScoreColumn

Content = Mapping[str, Any]


def result_columns(content: Content, *, path: str) -> tuple[ScoreColumn, ...]:
    """A column for every metric of a result; a system whose score is undefined is an error."""
    columns: dict[str, dict[str, float]] = {}
    for system, metric, entry in _entries(content, path):
        score = _number(entry.get("score"))
        if score is None or not 0 <= score <= 1:
            raise _changed(f"the score {metric} of {system} is {entry.get('score')}", path)
        values = columns.setdefault(metric, {})
        if system in values:
            raise _changed(f"{system} has two scores of {metric}", path)
        if metric == "apt":
            _check_apt(content, entry, system, score, path)
        values[system] = score
    return tuple(ScoreColumn.of(name, values, path=path) for name, values in columns.items())


def result_counts(content: Content, *, path: str) -> CaseCounts:
    """The cases of APT of every system, and the repair that they were found with."""
    systems = {
        system: _cases(entry, system, path)
        for system, metric, entry in _entries(content, path)
        if metric == "apt"
    }
    if not systems:
        raise InputError(
            "the result has no cases of apt", where=path, fix="score with --metrics apt, then try again"
        )
    result_columns(content, path=path)
    return CaseCounts("paper" if content["settings"]["repair"] else "none", path, systems)


def require_same_version(versions: Mapping[str, str]) -> None:
    """Refuse scores that different versions made; the mapping goes from paths to versions."""
    if len(set(versions.values())) > 1:
        told = ", ".join(f"{path} ({version})" for path, version in versions.items())
        raise MismatchError(
            "the result files were written by different versions",
            where=told,
            fix="score again with one version, so that the numbers can be compared",
        )


def _entries(content: Content, path: str) -> list[tuple[str, str, Content]]:
    try:
        return [
            (str(system["system"]), str(entry["name"]), entry)
            for system in content["systems"]
            for entry in system["metrics"]
            if isinstance(entry, dict)
        ]
    except (KeyError, TypeError) as error:
        raise _changed(f"its systems cannot be read: {error}", path) from error


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _cases(entry: Content, system: str, path: str) -> tuple[int, ...]:
    details = entry.get("details")
    found = [_number(details.get(case)) for case in CASES] if isinstance(details, dict) else [None]
    counts = [int(value) for value in found if value is not None and value >= 0 and value == int(value)]
    if len(counts) != len(CASES):
        raise _changed(f"the cases of {system} are not six counts", path)
    return tuple(counts)


def _check_apt(content: Content, entry: Content, system: str, score: float, path: str) -> None:
    cases = _cases(entry, system, path)
    weights: Sequence[float] = content["settings"]["weights"]
    discard: Sequence[int] = content["settings"]["discard"]
    kept = [case.value - 1 for case in Outcome if case.value not in discard]
    total = sum(cases[i] for i in kept)
    if len(weights) != len(CASES) or not total:
        raise _changed(f"the cases of {system} leave nothing to score", path)
    expected = sum(weights[i] * cases[i] for i in kept) / total
    if not math.isclose(expected, score, abs_tol=1e-9):
        raise _changed(f"the apt of {system} is {score:g}, but its cases give {expected:g}", path)


def _changed(what: str, path: str) -> InputError:
    return InputError(what, where=path, fix="name a file that `anaphor score --output` wrote, unchanged")
