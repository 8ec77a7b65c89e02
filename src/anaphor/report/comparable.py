"""Which results may stand in one table: those whose signatures say the same test and the same options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from anaphor.core import MismatchError
from anaphor.report.result_file import StoredResult

#: Fields that differ between systems by nature: the candidate's own text, and the links made with it.
OWN = ("cand", "links")

Shared = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A result file that cannot stand beside the others, and why."""

    path: str
    reason: str


def shared_fields(stored: StoredResult) -> Shared:
    """For every metric the signature fields that comparable results must share."""
    return tuple(
        (score.metric, tuple(field for field in score.signature.items() if field[0] not in OWN))
        for score in stored.systems[0].scores
    )


def require_comparable(results: Sequence[StoredResult]) -> None:
    """Raise for the first result that does not fit the first one, and for a system that is there twice."""
    for stored in results[1:]:
        reason = difference(shared_fields(results[0]), shared_fields(stored))
        if reason:
            raise MismatchError(
                f"not comparable with {results[0].path}: {reason}",
                where=stored.path,
                fix="score all systems on the same set with the same options and version",
            )
    names = Counter(system.name for stored in results for system in stored.systems)
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise MismatchError(
            f"{twice[0]} is in two results",
            where=", ".join(stored.path for stored in results),
            fix="give candidates different names: --candidate NAME=PATH",
        )


def sort_out(results: Sequence[StoredResult]) -> tuple[tuple[StoredResult, ...], tuple[Refusal, ...]]:
    """The largest group of comparable results, and why each of the others is refused.

    Of groups of one size the one whose first file comes first is taken.
    """
    standard = Counter(map(shared_fields, results)).most_common(1)[0][0]
    kept: list[StoredResult] = []
    refused: list[Refusal] = []
    seen: set[str] = set()
    for stored in results:
        reason = difference(standard, shared_fields(stored)) or _twice(seen, stored)
        if reason:
            refused.append(Refusal(stored.path, reason))
            continue
        seen.update(system.name for system in stored.systems)
        kept.append(stored)
    return tuple(kept), tuple(refused)


def _twice(seen: Iterable[str], stored: StoredResult) -> str:
    known = [system.name for system in stored.systems if system.name in seen]
    return f"{known[0]} is there already" if known else ""


def difference(expected: Shared, found: Shared) -> str:
    """The first field in which two signatures differ, in words; empty where there is none."""
    metrics = [metric for metric, _ in expected]
    if metrics != [metric for metric, _ in found]:
        return f"it has {', '.join(metric for metric, _ in found)}, not {', '.join(metrics)}"
    for (metric, fields), (_, others) in zip(expected, found, strict=True):
        wanted, given = dict(fields), dict(others)
        for key in {**wanted, **given}:
            if wanted.get(key) != given.get(key):
                return f"{metric} has {key} {given.get(key, 'none')}, not {wanted.get(key, 'none')}"
    return ""
