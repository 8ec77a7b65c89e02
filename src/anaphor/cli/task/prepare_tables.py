"""What `anaphor task prepare` prints: class frequencies like Table 5 of wmt16-findings."""

from __future__ import annotations

import json
from collections.abc import Sequence

from anaphor.cli.terminal import paint
from anaphor.core import LanguagePair
from anaphor.report.table import table
from anaphor.task.prepare.part_store import PartReport

_PLACED = {
    "linked": "placeholders that hide a linked word",
    "neighbour": "placeholders beside the word of a linked neighbour",
    "position": "placeholders at a like position, without any link",
}


def report_text(report: PartReport, classes: Sequence[str], *, output: str) -> str:
    """The classes before and after filtering, then where the placeholders stand."""
    rows = [[label, *_counts(report, label)] for label in classes]
    rows.append(["all", f"{sum(report.before.values()):,}", f"{sum(report.after.values()):,}"])
    counted = table([["class", "before", "after"], *rows], paint=paint())
    lines = [f"{output}: {report.segments:,} segments", "", counted, ""]
    lines += [f"{words}: {report.placed.get(key, 0):,}" for key, words in _PLACED.items()]
    lines += [f"pairs left out, {reason}: {count:,}" for reason, count in sorted(report.left_out.items())]
    return "\n".join(lines)


def report_json(
    report: PartReport, classes: Sequence[str], *, output: str, pair: LanguagePair, job: str
) -> str:
    """One object; `job` names every input, option and version that moved the output."""
    content = {
        "output": output,
        "pair": str(pair),
        "job": job,
        "segments": report.segments,
        "left_out": dict(report.left_out),
        "classes": {
            label: {"before": report.before.get(label, 0), "after": report.after.get(label, 0)}
            for label in classes
        },
        "placed": {key: report.placed.get(key, 0) for key in _PLACED},
        "notes": list(report.notes),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def _counts(report: PartReport, label: str) -> tuple[str, str]:
    return f"{report.before.get(label, 0):,}", f"{report.after.get(label, 0):,}"
