"""The table of the last run that was kept, in the README between two marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_PLACE = re.compile(r"(?s)(<!-- measured -->\n).*?(<!-- end -->)")
_ROWS: tuple[tuple[str, Callable[[Mapping[str, Any]], str]], ...] = (
    ('median of "save and next"', lambda found: f"{found['steady']['p50_ms']:.0f} ms"),
    ("95 of 100 take at most", lambda found: f"{found['steady']['p95_ms']:.0f} ms"),
    ("99 of 100 take at most (promised: 100 ms)", lambda found: f"{found['steady']['p99_ms']:.0f} ms"),
    (
        "answers, and errors among them",
        lambda found: f"{found['steady']['answers']}, {found['steady']['errors']}",
    ),
    ("share of one core used by the server", lambda found: f"{found['steady']['server_cores']:.0%}"),
    ("highest sustained rate, answers per second", lambda found: f"{found['ramp']['held_per_second']:.0f}"),
    (
        "slowest page of the lead with 100,000 answers (promised: 300 ms)",
        lambda found: _lead(found, _slowest_page),
    ),
    ("a decision (promised: 100 ms)", lambda found: _lead(found, _decision)),
    ("slowest export (promised: 5 s, 200 MB)", lambda found: _lead(found, _slowest_export)),
    ("import of 100,000 answers (promised: 30 s)", lambda found: _lead(found, _import)),
    ("memory after a quarter of the answers, and at their end", lambda found: _memory(found.get("memory"))),
)


def write_table(path: Path, report: Mapping[str, Any]) -> None:
    """Put the figures of a report into the README."""
    measured = {name: report[name] for name in ("sqlite", "postgresql") if isinstance(report.get(name), dict)}
    lines = [f"| | {' | '.join(measured)} |", "|---|" + "---:|" * len(measured)]
    lines += [f"| {title} | {' | '.join(map(tell, measured.values()))} |" for title, tell in _ROWS]
    table = "\n".join(lines) + "\n"
    text = path.read_text(encoding="utf-8")
    path.write_text(_PLACE.sub(lambda found: found[1] + table + found[2], text), encoding="utf-8")


def _lead(found: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], str]) -> str:
    return tell(found["lead"]) if "lead" in found else "not measured"


def _slowest_page(found: Mapping[str, Any]) -> str:
    path, milliseconds = max(found["pages_ms"].items(), key=lambda one: one[1])
    worked = max(found["pages_processor_ms"].values())
    return f"{milliseconds:.0f} ms ({path}), processor at most {worked:.0f} ms"


def _decision(found: Mapping[str, Any]) -> str:
    return f"{found['decision_ms']:.0f} ms, processor {found['decision_processor_ms']:.0f} ms"


def _slowest_export(found: Mapping[str, Any]) -> str:
    name, one = max(found["exports"].items(), key=lambda one: one[1]["processor"])
    most = max(one["megabytes"] for one in found["exports"].values())
    return f"{one['seconds']:.1f} s ({name}), processor {one['processor']:.1f} s; at most {most:.0f} MB"


def _import(found: Mapping[str, Any]) -> str:
    one = found["import"]
    return f"{one['seconds']:.0f} s; slowest save meanwhile {one['slowest_save_ms']:.0f} ms"


def _memory(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "not measured"
    megabytes = found["megabytes"]
    return f"{megabytes[len(megabytes) // 4]:.0f} MB, {megabytes[-1]:.0f} MB ({found['answers']:,} answers)"
