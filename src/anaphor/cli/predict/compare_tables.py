"""What `anaphor predict compare` prints: text, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anaphor.core import Comparison, Interval
from anaphor.core.table import format_percent
from anaphor.predict.comparison import Training
from anaphor.report.emit import markdown_table, render, to_json
from anaphor.report.table import Paint, table
from anaphor.task.systems import TaskResult


@dataclass(frozen=True, slots=True)
class Compared:
    """Trained recipes, their results on every test file, and the seconds that predicting took."""

    trained: tuple[Training, ...]
    results: tuple[TaskResult, ...]
    predicting: Mapping[tuple[str, str], float]


def compared_text(compared: Compared, *, paint: Paint, parts: Sequence[str]) -> str:
    """For every test file what `anaphor task score` prints, then how the models were made."""
    blocks = [
        f"{result.systems.gold.path}\n{render(replace(result, parts=tuple(parts)).tables(), paint=paint)}"
        for result in compared.results
    ]
    return "\n\n".join([*blocks, table(_training_rows(compared), paint=paint)])


def compared_markdown(compared: Compared) -> str:
    """A heading and a table for every test file, with the confusions, then how the models were made."""
    blocks = [block for result in compared.results for block in _result_blocks(result)]
    return "\n\n".join([*blocks, "## Training", markdown_table(_training_rows(compared))])


def compared_json(compared: Compared, notes: Sequence[str]) -> str:
    """One object: the trained recipes, and for every test file the object of `anaphor task score`."""
    content = {
        "recipes": [_recipe(entry, compared) for entry in compared.trained],
        "tests": [result.to_dict() for result in compared.results],
        "notes": list(notes),
    }
    return to_json(content)


def _recipe(entry: Training, compared: Compared) -> dict[str, object]:
    name = entry.recipe.name
    return {
        "name": name,
        "family": entry.recipe.family,
        "digest": entry.recipe.digest,
        "key": entry.key,
        "train_slots": _slots(entry),
        "train_seconds": entry.seconds,
        "cached": not entry.fresh,
        "predict_seconds": {path: took for (who, path), took in compared.predicting.items() if who == name},
    }


def _slots(entry: Training) -> int | None:
    found = entry.card.trained_on.get("train", entry.card.trained_on)
    return found.get("slots") if isinstance(found, dict) else None


def _training_rows(compared: Compared) -> list[list[str]]:
    rows = [["recipe", "family", "learned from", "trained in", "model"]]
    for entry in compared.trained:
        slots = _slots(entry)
        learned = "" if slots is None else f"{slots:,} placeholders"
        made = "now" if entry.fresh else "cache"
        rows.append(
            [entry.recipe.name, entry.recipe.family, learned, f"{entry.seconds:.1f} s", f"{made} {entry.key}"]
        )
    return rows


def _result_blocks(result: TaskResult) -> list[str]:
    names = [metric.metric for metric in result.metrics]
    rows = [["system", *names, *(f"{name}: p, Holm" for name in names)]]
    for name, score in result.scores.items():
        values = [_cell(score.value(metric.metric), metric.intervals[name]) for metric in result.metrics]
        rows.append([name, *values, *(_p(name, metric.comparisons) for metric in result.metrics)])
    heading = f"## {Path(result.systems.gold.path).name}: {result.systems.gold.slots} placeholders"
    first = next(iter(result.scores))
    note = f"In brackets {100 * result.level:g} % intervals; p: paired permutation test against {first}."
    return [heading, markdown_table(rows), note, *_confusions(result)]


def _cell(value: float, interval: Interval | None) -> str:
    if interval is None:
        return format_percent(value, 2)
    return (
        f"{format_percent(value, 2)} [{format_percent(interval.low, 2)}, {format_percent(interval.high, 2)}]"
    )


def _p(name: str, comparisons: Sequence[Comparison]) -> str:
    return next((f"{found.p_adjusted:.4f}" for found in comparisons if found.system == name), "")


def _confusions(result: TaskResult) -> list[str]:
    blocks = []
    for name, score in result.scores.items():
        rows = [[f"{name}: gold down", *score.classes]]
        rows += [[label, *map(str, row)] for label, row in zip(score.classes, score.matrix, strict=True)]
        blocks.append(markdown_table(rows))
    return blocks
