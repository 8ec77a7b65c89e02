"""Verification: rerun the experiment of a result file and compare every value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor import __version__
from anaphor.analyses import ANALYSES
from anaphor.core import InputError, OptionError, Progress
from anaphor.evaluation.experiment import Experiment
from anaphor.evaluation.pipeline import evaluate_experiment
from anaphor.report.result_file import is_unchanged, read_result, result_content

#: Sums of floats may differ in their last bits between machines; results of different data do not.
_TOLERANCE = 1e-9
#: What may differ without a difference in the numbers. The seal covers it; cards and counts have digests.
_FREE = (
    "version",
    "notes",
    "segmentation",
    "counts",
    "seal",
    *ANALYSES,
)
_CAUSES = ("version", "files", "settings", "digests")


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of `verify`.

    Attributes:
        scores: The number of scores that were recomputed.
        differences: A description of each difference; empty if there are none.
    """

    scores: int
    differences: tuple[str, ...]


def verify(path: str, progress: Progress = lambda _: None) -> Verification:
    """Recompute a result file from its input files and settings.

    Args:
        path: The result file.
        progress: Called with the name of each step.

    Returns:
        The number of scores and all differences.

    Raises:
        UserError: The file is not a result file, or the texts that it names cannot be read. Its relative
            paths are resolved against the folder in which it was written.
    """
    stored = read_result(path, unchanged=False)
    # `<source>` is what `anaphor.evaluate` calls a text that was no file.
    if any(name == "-" or (name[:1] + name[-1:]) == "<>" for name in stored.files.paths()):
        what = "this result was made from standard input or from memory and cannot be recomputed"
        raise OptionError(what, where=path, fix="score files instead")
    missing = [name for name in stored.files.paths() if not Path(name).exists()]
    if missing:
        what = f"the file {missing[0]}, from which the result was computed, is missing"
        fix = (
            "run this in the folder in which the result was written: paths in it are relative to that folder"
        )
        raise InputError(what, where=path, fix=fix)
    result = evaluate_experiment(Experiment.read(stored.files, stored.settings, progress), progress)
    now = result_content(result, stored.files)
    then = stored.content
    differences = [
        difference
        for key in {**then, **now}
        if key not in _FREE
        for difference in _differences(key, then.get(key), now.get(key))
    ]
    if differences and then["version"] != __version__:
        differences.insert(0, ("version", f"{then['version']} then, {__version__} now"))
    if not differences and not is_unchanged(then):
        differences = [("seal", "the file was modified in parts that are not recomputed")]
    return Verification(sum(len(system.scores) for system in result.systems), _summary(differences))


def _summary(differences: list[tuple[str, str]]) -> tuple[str, ...]:
    """List inputs and scores one by one, but only count what follows from them (intervals, breakdowns,
    hashes).
    """
    first = [
        f"{place}: {what}"
        for place, what in differences
        if place.startswith(_CAUSES) or place.endswith(".score")
    ]
    if not first:
        return tuple(f"{place}: {what}" for place, what in differences)
    rest = len(differences) - len(first)
    return (*first, f"and {rest} more that follow from these") if rest else tuple(first)


def _differences(place: str, then: Any, now: Any) -> Iterator[tuple[str, str]]:
    """Yield every differing leaf of two JSON trees: its place and both values."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in {**then, **now}:
            yield from _differences(f"{place}.{key}", then.get(key), now.get(key))
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for index, (old, new) in enumerate(zip(then, now, strict=True)):
            yield from _differences(f"{place}.{_name(old, index)}", old, new)
    elif isinstance(then, float) and isinstance(now, float):
        if not math.isclose(then, now, rel_tol=0, abs_tol=_TOLERANCE):
            yield place, f"{_show(then)} then, {_show(now)} now"
    elif then != now:
        yield place, f"{_show(then)} then, {_show(now)} now"


def _show(value: Any) -> str:
    return "absent" if value is None else json.dumps(value, ensure_ascii=False)


def _name(entry: Any, index: int) -> str:
    """Identify systems, metrics and comparisons by name, other list entries by number."""
    if isinstance(entry, dict):
        known = [str(entry[key]) for key in ("system", "metric", "name") if isinstance(entry.get(key), str)]
        return " ".join(known) or str(index)
    return str(index)
