"""The measured figures as tables, between marks in README.md.

Usage: python benchmarks/scale/tables.py
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGES = (HERE / "README.md",)
#: Named clusters: machines, cores of each.
CLUSTERS = (("one machine, 16 cores", 16), ("8 machines of 16 cores", 128), ("64 machines of 16 cores", 1024))
_MILLION = 1_000_000
ONE, ALONE, CLUSTER = "one process", "local:1", "local:2"
WAYS = (ONE, ALONE, CLUSTER)
#: Ways that few jobs were measured in.
MORE = ("local:8",)


def measured(report: dict[str, Any]) -> list[str]:
    """One row for every job, size and way."""
    lines = [
        "| job | pairs | where | time | processor | memory, all | largest process | largest worker | moved |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for run in report["runs"]:
        for where in filter(run.get, (*WAYS, *MORE)):
            one = run[where]
            lines.append(
                f"| {run['job']} | {run['pairs']:,} | {where} | {_clock(one)} | "
                f"{one['processor_s']:,.0f} s | {one['most_mb']:,} MB | {one['largest_process_mb']:,} MB | "
                f"{_worker(one)} | {one['moved_gb']:.1f} GB |"
            )
    return lines


def _clock(one: dict[str, Any]) -> str:
    """The time by the clock, where the run was not held up."""
    return "" if one["wall_s"] is None else f"{one['wall_s']:,.0f} s"


def _worker(one: dict[str, Any]) -> str:
    """The memory of the largest worker, where there was one."""
    found = one.get("largest_worker_mb", 0)
    return f"{found:,} MB" if found else ""


def summary(report: dict[str, Any]) -> list[str]:
    """Growth and overhead: what the claims are about."""
    lines = []
    for job in dict.fromkeys(run["job"] for run in report["runs"]):
        runs = [run for run in report["runs"] if run["job"] == job]
        for where in WAYS:
            costs = ", ".join(
                f"{run[where]['processor_s'] / run['pairs'] * _MILLION:,.0f} s at {run['pairs']:,}"
                for run in runs
                if where in run
            )
            lines += [f"- {job}, {where}: processor time for a million pairs {costs}."] if costs else []
        for where in (ALONE, CLUSTER):
            extra = ", ".join(
                f"{_overhead(run, where):+.0%} at {run['pairs']:,}"
                for run in runs
                if where in run and ONE in run
            )
            lines += [f"- {job}, {where}: processor time compared with one process {extra}."] if extra else []
    same = all(run["same_bytes"] for run in report["runs"])
    lines.append(f"- Methods whose files were compared wrote the same bytes: {'yes' if same else 'NO'}.")
    return lines


def _overhead(run: dict[str, Any], where: str) -> float:
    """How much more processor time a cluster took."""
    return float(run[where]["processor_s"] / run[ONE]["processor_s"] - 1)


def billion(report: dict[str, Any]) -> list[str]:
    """From the largest run of each job to a billion pairs, at the same cost for a pair."""
    lines = [
        "| job | processor time | bytes moved | " + " | ".join(name for name, _ in CLUSTERS) + " |",
        "|---" * (3 + len(CLUSTERS)) + "|",
    ]
    for job in dict.fromkeys(run["job"] for run in report["runs"]):
        ways = [
            (int(run["pairs"]), run[where])
            for run in report["runs"]
            for where in (ALONE, CLUSTER)
            if run["job"] == job and where in run
        ]
        if not ways:
            continue
        pairs, one = max(ways, key=lambda way: way[0])
        factor = 1000 * _MILLION / pairs
        hours = one["processor_s"] * factor / 3600
        times = " | ".join(f"{hours / cores:,.1f} h" for _, cores in CLUSTERS)
        lines.append(f"| {job} | {hours:,.0f} h | {one['moved_gb'] * factor / 1000:,.1f} TB | {times} |")
    return lines


def fill(report: dict[str, Any]) -> None:
    """Put the tables between their marks, on every page that has them."""
    blocks = {"measured": measured(report), "summary": summary(report), "billion": billion(report)}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for mark, lines in blocks.items():
            block = "\n".join([f"<!-- {mark} -->", *lines, "<!-- end -->"])
            text = block.join(re.split(rf"(?s)<!-- {mark} -->.*?<!-- end -->", text))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    fill(json.loads((HERE / "results" / "scale.json").read_text(encoding="utf-8")))
