"""What `anaphor task score` prints: tables in percent, JSON from 0 to 1."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict

from anaphor.cli.task.systems import MetricResult, TaskResult
from anaphor.core import Comparison, Interval
from anaphor.report.table import Paint, table
from anaphor.task.scoring import METRICS, TaskScore


def percent(value: float) -> str:
    """Two decimals, as the papers have them."""
    return "n/a" if math.isnan(value) else f"{100 * value:.2f}"


def result_text(result: TaskResult, *, paint: Paint, parts: Sequence[str]) -> str:
    """Scores of all systems, the asked parts of each, comparisons and signatures."""
    blocks = [_heading(result), _scores(result, paint)]
    makers = {"class": _by_class, "matrix": _matrix}
    blocks += [makers[part](name, score, paint) for name, score in result.scores.items() for part in parts]
    if compared := [found for metric in result.metrics for found in metric.comparisons]:
        blocks.append(_comparisons(compared, paint))
    blocks.append("\n".join(paint.dim(str(metric.signature)) for metric in result.metrics))
    return "\n\n".join(blocks)


def result_json(result: TaskResult, *, notes: Sequence[str]) -> str:
    """One object with everything; what is undefined or was not drawn is null."""
    systems = result.systems
    documents = systems.gold.documents
    content = {
        "pair": str(systems.classes.pair),
        "year": systems.classes.year,
        "average": systems.average,
        "gold": systems.gold.path,
        "segments": len(systems.gold.labels),
        "placeholders": systems.gold.slots,
        "documents": None if documents is None else len(set(documents)),
        "classes": list(systems.classes.classes),
        "signatures": {metric.metric: metric.signature.as_dict() for metric in result.metrics},
        "systems": [_system(name, score, result.metrics) for name, score in result.scores.items()],
        "comparisons": [asdict(found) for metric in result.metrics for found in metric.comparisons],
        "notes": list(notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _heading(result: TaskResult) -> str:
    systems = result.systems
    parts = [f"{systems.classes.pair} {systems.classes.year}", f"{len(systems.gold.labels)} segments"]
    parts.append(f"{systems.gold.slots} placeholders")
    if systems.gold.documents is not None:
        parts.append(f"{len(set(systems.gold.documents))} documents")
    parts.append(
        f"averages over {'classes present in gold' if systems.average == 'present' else 'all classes'}"
    )
    return ", ".join(parts)


def _scores(result: TaskResult, paint: Paint) -> str:
    rows = [["system", *(metric.metric for metric in result.metrics)]]
    for name, score in result.scores.items():
        cells = [_cell(score.value(metric.metric), metric.intervals[name]) for metric in result.metrics]
        rows.append([name, *cells])
    drawn = any(found for metric in result.metrics for found in metric.intervals.values())
    note = "\n" + paint.dim(f"[ ] {100 * result.level:g} % interval") if drawn else ""
    return table(rows, paint=paint) + note


def _cell(value: float, interval: Interval | None) -> str:
    if interval is None:
        return percent(value)
    return f"{percent(value)} [{percent(interval.low)}, {percent(interval.high)}]"


def _matrix(name: str, score: TaskScore, paint: Paint) -> str:
    rows = [[f"{name}: gold down", *score.classes, "sum"]]
    rows += [
        [label, *map(str, row), str(sum(row))] for label, row in zip(score.classes, score.matrix, strict=True)
    ]
    sums = [str(entry.predicted) for entry in score.by_class()]
    return table([*rows, ["sum", *sums, str(score.slots)]], paint=paint)


def _by_class(name: str, score: TaskScore, paint: Paint) -> str:
    rows = [[f"{name}: class", "gold", "predicted", "right", "precision", "recall", "F1"]]
    for entry in score.by_class():
        counts = map(str, (entry.gold, entry.predicted, entry.correct))
        rows.append([entry.label, *counts, *map(percent, (entry.precision, entry.recall, entry.f1))])
    micro = [percent(score.value("accuracy"))] * 3
    macro = [percent(score.value(metric)) for metric in ("macro-precision", "macro-recall", "macro-f1")]
    total = [str(score.slots), str(score.slots), str(score.correct)]
    return table([*rows, ["micro", *total, *micro], ["macro", "", "", "", *macro]], paint=paint)


def _comparisons(compared: Sequence[Comparison], paint: Paint) -> str:
    rows = [
        [
            f"against {compared[0].baseline}",
            "metric",
            "difference",
            "p perm.",
            "p boot.",
            "p McNemar",
            "p Holm",
        ]
    ]
    for found in compared:
        low, high = found.interval.low, found.interval.high
        rows.append(
            [
                found.system,
                found.metric,
                f"{100 * found.difference:+.2f} [{100 * low:+.2f}, {100 * high:+.2f}]",
                _p(found.p_permutation),
                _p(found.p_bootstrap),
                "" if found.p_mcnemar is None else _p(found.p_mcnemar),
                _p(found.p_adjusted),
            ]
        )
    return table(rows, paint=paint)


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _system(name: str, score: TaskScore, metrics: Sequence[MetricResult]) -> dict[str, object]:
    intervals = {metric.metric: metric.intervals[name] for metric in metrics}
    return {
        "name": name,
        "right": score.correct,
        **{metric: score.value(metric) for metric in METRICS},
        "intervals": {metric: found and asdict(found) for metric, found in intervals.items()},
        "matrix": [list(row) for row in score.matrix],
        "by_class": {
            entry.label: {
                "gold": entry.gold,
                "predicted": entry.predicted,
                "right": entry.correct,
                "precision": entry.precision,
                "recall": entry.recall,
                "f1": entry.f1,
            }
            for entry in score.by_class()
        },
    }
