"""The figures of a suite as tables and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from anaphor.report.table import Paint, table
from anaphor.suite.outcomes import ItemOutcome

if TYPE_CHECKING:
    from anaphor.suite import ItemJudgement, LoadedSuite, SuiteReport
    from anaphor.suite.evaluate import CategoryScore, SystemChanges


def report_text(report: SuiteReport, *, paint: Paint, changes: bool) -> str:
    """Matches per category as in Table 3 of protest-2016, a system a column; then what changed."""
    parts = [_matches(report, paint)]
    parts += [_changes(one, paint, listed=changes) for one in report.changes]
    parts.append(paint.dim(str(report.signature)))
    return "\n\n".join(parts)


def report_json(loaded: LoadedSuite, report: SuiteReport) -> str:
    """One object: what made the figures, the tallies and every outcome of each system, the changes."""
    suite = loaded.suite
    content = {
        "suite": {"name": suite.name, "version": suite.version, "pair": str(suite.pair)},
        "signature": report.signature.as_dict(),
        "systems": [
            {
                "name": system.system,
                "digest": system.digest,
                "links": system.links,
                "tallies": [_tally(one) for one in system.category_scores],
                "items": [_outcome(one) for one in system.judged],
            }
            for system in report.systems
        ],
        "changes": [
            {
                "baseline": one.baseline,
                "system": one.system,
                "improved": [item.id for item in one.improved],
                "broken": [item.id for item in one.broken],
                "p_mcnemar": one.p_value,
                "p_adjusted": one.p_adjusted,
            }
            for one in report.changes
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _matches(report: SuiteReport, paint: Paint) -> str:
    rows = [["category", "items", *(system.system for system in report.systems)]]
    for number, first in enumerate(report.systems[0].category_scores):
        found = [system.category_scores[number] for system in report.systems]
        rows.append([first.name, str(first.items), *map(_cell, found)])
    totals = [system.category_scores[-1] for system in report.systems]
    rows.append([f"{totals[0].interval.level:.0%} interval", "", *map(_interval, totals)])
    if any(one.agreeing for one in totals):
        rows.append([ItemOutcome.AGREES.value, "", *(str(one.agreeing) for one in totals)])
    return table(rows, paint=paint)


def _cell(one: CategoryScore) -> str:
    return f"{one.matches} ({100 * one.accuracy:.1f})"


def _interval(one: CategoryScore) -> str:
    return f"{100 * one.interval.low:.1f}-{100 * one.interval.high:.1f}"


def _changes(one: SystemChanges, paint: Paint, *, listed: bool) -> str:
    rows = [[f"{one.baseline} to {one.system}", "improved", "broken"]]
    rows += [[name, str(up), str(down)] for name, (up, down) in one.by_category().items()]
    rows.append(["total", str(len(one.improved)), str(len(one.broken))])
    lines = [table(rows, paint=paint), f"McNemar p = {one.p_value:.4f}, after Holm {one.p_adjusted:.4f}"]
    return "\n".join([*lines, *(_listed(one, paint) if listed else ())])


def _listed(one: SystemChanges, paint: Paint) -> Iterator[str]:
    for item in one.improved:
        yield f"{paint.good('improved')}  {item.id}  {item.category}"
    for item in one.broken:
        yield f"{paint.bad('broken')}    {item.id}  {item.category}"


def _tally(one: CategoryScore) -> dict[str, object]:
    return {
        "category": one.name,
        "items": one.items,
        "matches": one.matches,
        "accuracy": one.accuracy,
        "interval": [one.interval.low, one.interval.high],
        "level": one.interval.level,
        "agreeing": one.agreeing,
    }


def _outcome(one: ItemJudgement) -> dict[str, object]:
    return {
        "item": one.item.id,
        "category": one.item.category,
        "outcome": one.outcome.value,
        "matches": one.origin,
        "agreement": None if one.agreement is None else one.agreement.value,
        "pronoun": " ".join(one.found.pronoun),
        "heads": [" ".join(words) for words in one.found.heads],
    }
