"""What a report needs of a result file, typed and checked: numbers that do not fit each other are refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphor.core import FunctionScores, InputError, Outcome, Settings
from anaphor.report.cards import Cards
from anaphor.report.cards_file import read_cards
from anaphor.report.result_file import ResultFile, read_result


@dataclass(frozen=True, slots=True)
class StoredScore:
    """One metric of one system; NaN means undefined. `signature` are the fields that made the number."""

    metric: str
    value: float
    interval: tuple[float, float] | None
    signature: Mapping[str, str]
    line: str
    cases: tuple[int, ...] | None
    by_pronoun: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class StoredSystem:
    """One system: its scores in the order of the metrics, and its confusion by (reference, candidate)."""

    name: str
    scores: tuple[StoredScore, ...]
    confusion: Mapping[tuple[str, str], int]

    def score(self, metric: str) -> StoredScore | None:
        return next((score for score in self.scores if score.metric == metric), None)


@dataclass(frozen=True, slots=True)
class StoredComparison:
    """A system against the baseline of its file."""

    metric: str
    baseline: str
    system: str
    difference: float
    interval: tuple[float, float]
    p_adjusted: float


@dataclass(frozen=True, slots=True)
class StoredResult:
    """A result file. `spread` maps a way of alignment to the APT of every system under it.

    `flips` counts the outcomes that depend on the way. `functions` are None where nobody asked for them.
    """

    path: str
    version: str
    settings: Settings
    segments: int
    documents: int | None
    pronouns: int
    systems: tuple[StoredSystem, ...]
    comparisons: tuple[StoredComparison, ...]
    notes: tuple[str, ...]
    spread: Mapping[str, Mapping[str, float]]
    flips: int
    functions: FunctionScores | None
    cards: Cards | None


def read_stored(path: str | Path) -> StoredResult:
    """A result file for a report; one that is broken or was changed is an error."""
    return stored_of(read_result(path), path=str(path))


def stored_of(result: ResultFile, *, path: str) -> StoredResult:
    """The same from content that is in memory; `path` is what messages call it."""
    try:
        stored = _stored(result, path)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise _changed(f"its numbers cannot be read: {error}", path) from error
    for system in stored.systems:
        _check_apt(system, stored)
        _check_cards(system, stored)
    _check_comparisons(stored)
    return stored


def _stored(result: ResultFile, path: str) -> StoredResult:
    content = result.content
    spread = content.get("alignment_sensitivity")
    functions = content.get("functions")
    cards = content.get("cards")
    systems = tuple(_system(entry, path) for entry in content["systems"])
    if len({system.name for system in systems}) != len(systems) or not systems:
        raise ValueError("two systems have one name, or there is none")
    return StoredResult(
        path,
        content["version"],
        result.settings,
        int(content["segments"]),
        None if content["documents"] is None else int(content["documents"]),
        int(content["pronouns"]),
        systems,
        tuple(map(_comparison, content["comparisons"])),
        tuple(map(str, content["notes"])),
        {} if spread is None else {str(way): _values(found) for way, found in spread["scores"].items()},
        0 if spread is None else len(spread["flips"]),
        None if functions is None else _functions(functions),
        None if cards is None else read_cards(cards, path=path),
    )


def _functions(entry: Mapping[str, Any]) -> FunctionScores:
    return FunctionScores(
        {str(function): int(count) for function, count in entry["counts"].items()},
        {
            str(metric): {str(system): _values(values) for system, values in systems.items()}
            for metric, systems in entry["scores"].items()
        },
        str(entry["classifier"]),
    )


def _system(entry: Mapping[str, Any], path: str) -> StoredSystem:
    confusion = {
        (str(row), str(column)): int(count)
        for row, columns in entry["confusion"].items()
        for column, count in columns.items()
    }
    return StoredSystem(str(entry["system"]), tuple(_score(one, path) for one in entry["metrics"]), confusion)


def _score(entry: Mapping[str, Any], path: str) -> StoredScore:
    value = _value(entry["score"])
    if not math.isnan(value) and not 0 <= value <= 1:
        raise _changed(f"a score of {entry['name']} is {value:g}", path)
    details = entry["details"]
    cases = [details.get(f"case_{case.value}") for case in Outcome]
    return StoredScore(
        str(entry["name"]),
        value,
        None if entry["interval"] is None else _pair(entry["interval"]),
        {str(key): str(text) for key, text in entry["signature_fields"].items()},
        str(entry["signature"]),
        None if None in cases else tuple(int(count) for count in cases),
        _values(entry["by_pronoun"]),
    )


def _comparison(entry: Mapping[str, Any]) -> StoredComparison:
    return StoredComparison(
        str(entry["metric"]),
        str(entry["baseline"]),
        str(entry["system"]),
        _value(entry["difference"]),
        _pair(entry["interval"]),
        _value(entry["p_adjusted"]),
    )


def _pair(values: Sequence[Any]) -> tuple[float, float]:
    low, high = map(_value, values)
    return low, high


def _values(entries: Mapping[str, Any]) -> dict[str, float]:
    return {str(key): _value(value) for key, value in entries.items()}


def _value(value: Any) -> float:
    """A number of the file, which writes null for NaN."""
    if isinstance(value, bool | str):
        raise TypeError(f"no number: {value!r}")
    return math.nan if value is None else float(value)


def _check_apt(system: StoredSystem, stored: StoredResult) -> None:
    """The score must follow from the cases beside it and the weights of the settings."""
    score = system.score("apt")
    if score is None:
        return
    settings = stored.settings
    if score.cases is None or len(settings.weights) != len(score.cases):
        raise _changed(f"the cases of {system.name} are not six counts", stored.path)
    kept = {case.value - 1 for case in Outcome if case.value not in settings.discard}
    total = sum(score.cases[i] for i in kept)
    right = sum(settings.weights[i] * score.cases[i] for i in kept)
    expected = right / total if total else math.nan
    if not _same(expected, score.value):
        raise _changed(
            f"the apt of {system.name} is {score.value:g}, but its cases give {expected:g}", stored.path
        )


def _check_comparisons(stored: StoredResult) -> None:
    """A difference must be that of the two scores, whatever their metric."""
    systems = {system.name: system for system in stored.systems}
    for one in stored.comparisons:
        if one.system not in systems or one.baseline not in systems:
            raise _changed(f"{one.system} is compared with {one.baseline}, but one is not there", stored.path)
        score, other = systems[one.system].score(one.metric), systems[one.baseline].score(one.metric)
        apart = math.nan if score is None or other is None else score.value - other.value
        if not _same(apart, one.difference):
            raise _changed(
                f"{one.system} and {one.baseline} are {apart:g} apart in {one.metric}, "
                f"but their comparison says {one.difference:g}",
                stored.path,
            )


def _same(value: float, other: float) -> bool:
    return (math.isnan(value) and math.isnan(other)) or math.isclose(value, other, abs_tol=1e-9)


def _check_cards(system: StoredSystem, stored: StoredResult) -> None:
    """Cards and numbers of a system must tell of the same pronouns."""
    if stored.cards is None:
        return
    cards = stored.cards.judged.get(system.name)
    if cards is None or Counter(card.labels for card in cards) != Counter(system.confusion):
        raise _changed(f"the cards of {system.name} do not add up to its confusion", stored.path)
    score = system.score("apt")
    counts = Counter(card.outcome for card in cards)
    if score is not None and tuple(counts[case] for case in Outcome) != score.cases:
        raise _changed(f"the cards of {system.name} do not add up to its cases", stored.path)


def _changed(what: str, path: str) -> InputError:
    return InputError(what, where=path, fix="name a file that `anaphor score --output` wrote, unchanged")
